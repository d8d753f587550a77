/*
 * What operators read while a crawl runs: the crawl log, one line per request in the twelve columns
 * of Heritrix, and the event stream, one JSON object per line (docs/crawling.md lists both).
 *
 *	(1) A line is written when what it says is committed: nothing in the log can be lost by a
 *	    crash. What a crash cuts off is at most the lines of the last commit.
 *
 * Used by one thread at a time: the clerk, then the crawl's own.
 */
#ifndef ARCHIVE_CRAWL_LOG_H
#define ARCHIVE_CRAWL_LOG_H

#include <stdio.h>

#include "archive/batch.h"
#include "base/api.h"
#include "base/err.h"
#include "base/json.h"
#include "catalog/catalog.h"

enum { CRAWL_LOG_SCHEMA = 1 }; /* version of the events */

/* Either may be NULL. */
struct crawl_log {
	FILE *log, *events;
	struct json json; /* to events */
};

/* Opens both for appending; events may be "-". Either may be NULL. 0, ERR_IO. */
int crawl_log_open(
	struct crawl_log *l, const char *log, const char *events, struct err *err) SP_MUST_CHECK;

/* Writes what a committed batch says, and the verdicts of captures that ended with it. */
int crawl_log_batch(struct crawl_log *l, const struct batch *b, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/* Writes the verdicts of a capture that has ended. */
int crawl_log_verdicts(struct crawl_log *l, struct catalog *catalog, uint32_t capture,
	struct err *err) SP_MUST_CHECK;

/* A commit is complete; pushes the lines out. 0, or ERR_IO: the log could not be written. */
int crawl_log_commit(struct crawl_log *l, struct err *err) SP_MUST_CHECK;

void crawl_log_close(struct crawl_log *l);

#endif
