/*
 * Two captures of one archive side by side: which pages appeared, went and changed from the last
 * usable look of the first capture to the first usable look of the second, and how verdicts moved.
 *
 * Looks are the same as those of a capture are (observation_same). A page that one capture does not
 * know at all has appeared or gone as far as the captures tell: it was not found, which proves less
 * than a 404. A page that was known but could not be looked at is unknown.
 */
#ifndef PROOF_COMPARE_CAPTURES_H
#define PROOF_COMPARE_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "proof/report.h"

#define COMPARE_CHANGES(X)              \
	X(COMPARE_APPEARED, "appeared") \
	X(COMPARE_WENT, "went")         \
	X(COMPARE_CHANGED, "changed")   \
	X(COMPARE_SAME, "same")         \
	X(COMPARE_ABSENT, "absent")     \
	X(COMPARE_UNKNOWN, "unknown")

enum compare_change {
#define X(name, word) name,
	COMPARE_CHANGES(X)
#undef X
		COMPARE_COUNT
};

/* The word; constant. */
const char *compare_change_name(enum compare_change change);

/* What that means, for readers of totals; constant. */
const char *compare_change_meaning(enum compare_change change);

#define COMPARE_NO_PAGE CATALOG_NO_PAGE

enum { COMPARE_UNLISTED = VERDICT_COUNT };

/* A page of one capture or of both. */
struct compare_row {
	slice url;          /* the report's */
	uint32_t page[2];   /* its number in each, or COMPARE_NO_PAGE */
	int64_t before;     /* end of the last usable look of the first; 0: none */
	int64_t after;      /* start of the first usable look of the second; the same */
	uint16_t status[2]; /* of those looks */
	uint8_t change;     /* enum compare_change */
	/* "bytes", "normalised"; "status" where a 404 or 410 tells; "not found" where the other
	 * capture does not know the page; NULL for none. Constant. */
	const char *evidence;
};

VEC_DECLARE(compare_rows, struct compare_row);

/* Fields may be read. */
struct compare {
	const struct report *reports[2]; /* borrowed */
	struct compare_rows rows;        /* pages of the second, then those of the first alone */
	uint64_t totals[COMPARE_COUNT];
	/* Pages by verdict in the first and in the second; COMPARE_UNLISTED: it does not know it.
	 */
	uint64_t moved[VERDICT_COUNT + 1][VERDICT_COUNT + 1];
};

/* Both reports are of this catalog, and must live as long. To be released in any case. 0,
 * ERR_NOMEM, or as the catalog's functions. */
int compare_load(struct compare *x, struct catalog *catalog, const struct report *first,
	const struct report *second, struct err *err) SP_MUST_CHECK;
void compare_release(struct compare *x);

/* Verdict of a row in one of them; COMPARE_UNLISTED when it does not know the page. */
unsigned compare_verdict(const struct compare *x, const struct compare_row *row, int side);

/* "sharp"; "not known" for COMPARE_UNLISTED. Constant. */
const char *compare_verdict_name(unsigned verdict);

#endif
