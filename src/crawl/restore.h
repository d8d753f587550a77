/* Resume: all of a capture from its catalog, and responses that are read again. */
#ifndef CRAWL_RESTORE_H
#define CRAWL_RESTORE_H

#include "base/api.h"
#include "base/err.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "warc/attempt.h"
#include <stdbool.h>
#include <stdint.h>

struct directory;

/* ---- what is read again ---- */

/*
 * What resume has to do for a capture whose catalog was made anew from the WARC files
 * (src/archive), besides going on:
 *
 * - Lines of the page table that came behind the last record of it are lost, and with them the
 *   pages that the last responses link to. Their links are read again from the archived responses.
 * - Pages that are known from such a response alone get their lines in the page table, so that the
 *   next rebuild gives them the same numbers.
 *
 * The events CATALOG_EVENT_UNREAD and CATALOG_EVENT_UNTABLED say so. CATALOG_EVENT_SETTLED comes in
 * the same commit as what was found.
 */

struct capture;

VEC_DECLARE(reread_events, struct catalog_event);

/* Zero-initialise; release. Fields are its own. */
struct reread {
	struct reread_events unread;
	uint32_t untabled; /* pages from this number minus one on; 0: none */
};

/* Whether an event is one of these; it is noted then. *ret_rc: 0 or ERR_NOMEM. */
bool reread_note(struct reread *r, const struct catalog_event *e, int *ret_rc);

/* ---- the capture ---- */

/* The stop flag is read after so many rows. */
enum { STOP_INTERVAL = 1024 };

/* Restores all of the capture from the catalog. */
int restore(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Repairs the WARC files after a crash: moves bytes that were not committed to other files. */
int restore_repair(
	struct catalog *catalog, const struct directory *d, struct err *err) SP_MUST_CHECK;

/*
 * What an operator asks of captures that are resumed: other settings, or another course. Settings
 * that change are kept in the catalog and in the record of the resumption.
 */

struct crawl_command;

/* Whether any setting is to change; NULL: none. */
bool changes_are_in(const struct crawl_command *x);

struct capture;

#endif
