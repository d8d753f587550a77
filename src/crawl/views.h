/*
 * Views of a site's documents (formats/view_links.h; docs/traps.md): they wait until the documents
 * are visited, and are at most a tenth of the capture's pages, unless the settings take them all.
 *
 * Views that nothing names are learned: a field of a query that changed nothing on all pages with
 * and without it (crawl/dust.h) makes a view of every page that is known without it.
 *
 * Nothing must be lost because a view is the only way to it. So each list of documents is taken
 * once, at once; kinds of views take turns; and each view on which a document was found lets two
 * more of its kind in.
 */
#ifndef CRAWL_VIEWS_H
#define CRAWL_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"

struct buf;
struct capture;
struct found;
struct url;

enum {
	VIEWS_SHARE = 10,        /* one page in so many */
	VIEWS_LEARNED_PAIRS = 8, /* of pages that agree, for a field to change nothing */
};

/* What waits of one kind, and what came of it. */
struct view_kind {
	struct u32_vec waiting; /* pages, in the order in which they were found */
	size_t next;            /* of these */
	uint32_t taken, beyond; /* beyond: of the taken ones, those that had no room */
	uint32_t fruitful;      /* on which a document was found */
};

VEC_DECLARE(view_kind_vec, struct view_kind);
VEC_DECLARE(view_flags, uint8_t);

/* Zero-initialise. Fields are its own. */
struct views {
	struct view_kind_vec kinds; /* by number of pattern; the last one is for learned views */
	struct view_flags of_page;  /* by page: number of its kind plus one, or 0 */
	struct arena arena;
	struct strmap lists; /* that were taken */
	uint32_t taken;
	bool is_open;     /* views are being let in */
	bool has_learned; /* that some field changes nothing; pages were not looked at yet */
	uint32_t sweeps;  /* how often they were */

	/* The page whose links are being found. */
	bool on_view;
	bool is_fruitful;   /* a document was found on it */
	uint8_t kind;       /* as of_page has it */
	uint32_t disagreed; /* capture_dust's, when what was learned was last looked at */
};

/* Whether a URL is a view. */
struct view_decision {
	size_t kind; /* VIEW_NONE: it is not */
	bool waits;
	slice field; /* that makes it one, if it was learned */
};

void views_init(struct views *v);
void views_release(struct views *v);

/* Whether a URL is a view, and has to wait. 0 or ERR_NOMEM, as the next three. */
int views_decide(struct capture *c, const struct found *f, struct view_decision *ret) SP_MUST_CHECK;

/* Appends the rule that refuses it. */
int views_explain(struct buf *out, const struct view_decision *d) SP_MUST_CHECK;

/* The page of that URL is known: it waits until there is room, or was taken. */
int views_note(struct capture *c, const struct url *url, uint32_t page,
	const struct view_decision *d) SP_MUST_CHECK;

/* A page of an earlier process that waits, or was taken. */
int views_restore(struct capture *c, const struct url *url, uint32_t page) SP_MUST_CHECK;

/* Looks for views among the pages that wait for their visits, if there is something to go by. */
int views_sweep(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Takes what waits, as far as there is room: all documents that are known are visited. */
int views_feed(struct capture *c, struct err *err) SP_MUST_CHECK;

/* The links of a page are about to be found. */
void views_source(struct capture *c, uint32_t page, const struct url *document);

/* A URL was taken that is no view. */
void views_found(struct capture *c, const struct found *f);

#endif
