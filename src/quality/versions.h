/*
 * The two versions of a page, side by side: what a visit and a revisit showed, set against each
 * other item by item (pages), line by line (other text) or as a whole (all else), and what the
 * rules for noise masked (docs/judgement.md).
 *
 * Whether the two are the same is for change_compare and the digests of their states to say. The
 * rows are for people: which items are set against each other is a good guess.
 */
#ifndef QUALITY_VERSIONS_H
#define QUALITY_VERSIONS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/vec.h"
#include "quality/change.h"
#include "quality/look.h"

enum {
	VERSIONS_CELL_MAX = 2000,  /* bytes of a text that are kept, around the first difference */
	VERSIONS_ROWS_MAX = 5000,  /* rows with a difference that are kept, and as many without */
	VERSIONS_MASKED_MAX = 200, /* rows for each rule */
};

enum versions_form {
	VERSIONS_PAGE,  /* items */
	VERSIONS_TEXT,  /* lines */
	VERSIONS_BYTES, /* nothing that could be shown */
};

/* A cell has a NULL ptr where there is nothing; "…" stands for what was cut off. */
struct versions_row {
	bool differs;
	slice where; /* its place in the page or "line 12"; of rows without a difference empty */
	slice a, b;
};

struct versions_mask {
	uint32_t rule; /* of the change */
	slice name;    /* the rule's */
	struct versions_row row;
};

VEC_DECLARE(versions_rows, struct versions_row);
VEC_DECLARE(versions_masks, struct versions_mask);

struct versions {
	enum versions_form form;
	enum change_same same;
	const char *doubt;    /* why they do not count as the same though no row differs, or NULL */
	struct change change; /* rules that were needed, and the masked share */
	struct versions_rows rows;    /* in the order of the page, status and headers first */
	size_t differ_count;          /* of all, also those that are not kept */
	size_t equal_count;           /* the same */
	struct versions_masks masked; /* by rule */
	size_t masked_count;
	struct arena arena; /* owns the texts */
};

/*
 * Compares. 0 or ERR_NOMEM; ret is to be released in both cases, before what the terms borrow.
 */
int versions_compare(const struct look *a, const struct look *b, const struct change_terms *terms,
	struct versions *ret) SP_MUST_CHECK;

void versions_release(struct versions *v);

#endif
