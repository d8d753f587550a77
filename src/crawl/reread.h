/*
 * What resume has to do for a capture whose catalog was made anew from the WARC files
 * (src/rebuild), besides going on:
 *
 * - Lines of the page table that came behind the last record of it are lost, and with them the
 *   pages that the last responses link to. Their links are read again from the archived responses.
 * - Pages that are known from such a response alone get their lines in the page table, so that the
 *   next rebuild gives them the same numbers.
 *
 * The events CATALOG_EVENT_UNREAD and CATALOG_EVENT_UNTABLED say so. CATALOG_EVENT_SETTLED comes in
 * the same commit as what was found.
 */
#ifndef CRAWL_REREAD_H
#define CRAWL_REREAD_H

#include "archive/attempt.h"
#include "base/api.h"
#include "base/err.h"
#include "base/vec.h"
#include "catalog/catalog.h"

struct capture;

VEC_DECLARE(reread_events, struct catalog_event);

/* Zero-initialise; release. Fields are its own. */
struct reread {
	struct reread_events unread;
	uint32_t untabled; /* pages from this number minus one on; 0: none */
};

void reread_release(struct reread *r);

/* Whether an event is one of these; it is noted then. *ret_rc: 0 or ERR_NOMEM. */
bool reread_note(struct reread *r, const struct catalog_event *e, int *ret_rc);

/* All is restored: does what was noted. */
int reread_carry_out(struct capture *c, struct catalog *catalog, const struct reread *r,
	struct err *err) SP_MUST_CHECK;

#endif
