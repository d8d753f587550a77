/*
 * Inside the room: compact looks as the catalog keeps them, many in a row of the table `packed`
 * (docs/archive.md has it byte by byte). A row has looks at one page in one leg, with numbers that
 * go up, and names its *base*: an observation of the same page before them, whose fields theirs
 * mostly are. Of the first look that is stored in which it differs from the base, of the others
 * what differs from the one before:
 *
 *	packed_looks_begin(&base, &before);				// writing
 *	rc = packed_looks_start(&rows, &base);
 *	rc = packed_looks_add(c, &rows, &before, &look, is_derived, err);
 *
 *	rc = packed_looks_open(&p, rows, &leg, &number);		// reading; then find
 *	packed_looks_begin(&base, &p.look);				// the base
 *	while (rc == 0 && (rc = packed_looks_next(c, &p, err)) == 0)
 *		use(p.look);
 *
 * Page, url, leg and, where it follows from the look, the record's name are the caller's.
 *
 * Of a look that differs by noise (a patch with the normalised digest of the one before) payload
 * and state are short (DIGEST_SHORT): its WARC record has them in full.
 */
#ifndef CATALOG_CATALOG_PACKED_H
#define CATALOG_CATALOG_PACKED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/pack.h"
#include "catalog/catalog_db.h"

enum {
	PACKED_FULL = 512,       /* bytes of looks from which on a row takes no more */
	PACKED_MAX = 1 << 20,    /* … that a row may have, for a look with large fields */
	PACKED_JOINED_MAX = 256, /* bytes of a list of rules that is stored in two parts */
};

/* What the first look is stored against; base is NULL for none. Strings stay the base's. */
void packed_looks_begin(const struct attempt *base, struct attempt *ret);

/* Begins a row; base as above: 0 or as buf_add. */
int packed_looks_start(struct buf *rows, const struct attempt *base) SP_MUST_CHECK;

/*
 * Appends a look behind `before`; is_derived: its record's name follows from it (compact_id). 0,
 * ERR_LIMIT, ERR_NOMEM, or as catalog_word_number.
 */
int packed_looks_add(struct catalog *c, struct buf *rows, const struct attempt *before,
	const struct attempt *look, bool is_derived, struct err *err) SP_MUST_CHECK;

/* Strings of look are those of the base, of the row, of this, or the catalog's: do not move it. */
struct packed_looks {
	struct unpack left;
	struct attempt look;
	char rules[PACKED_JOINED_MAX];
	bool is_derived; /* the name of its record is to be derived; else it is in look */
};

/* Borrows the row. Which observation is the base: number 0 for none. 0, or ERR_IO: damaged. */
int packed_looks_open(
	struct packed_looks *p, slice rows, unsigned *ret_leg, unsigned *ret_number) SP_MUST_CHECK;

/* The next look: 0, ERR_END, ERR_IO with a sentence, or as catalog_word_text. */
int packed_looks_next(struct catalog *c, struct packed_looks *p, struct err *err) SP_MUST_CHECK;

#endif
