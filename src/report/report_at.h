/*
 * What `stillpoint report` says of a whole archive: of an instant (--at TIME), or of a span of time
 * (--curve FROM TO).
 */
#ifndef REPORT_REPORT_AT_H
#define REPORT_REPORT_AT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/api.h"
#include "base/lists.h"
#include "base/table.h"
#include "proof/archive_known.h"

/* What is known of each page at an instant. */
struct report_at_rows {
	struct table table;
	const struct archive_known *known; /* borrowed */
	struct u32_vec pages;              /* that are listed */
	int64_t instant, started;          /* ns; started: the first time of all */
	uint64_t count[KNOWN_STATES];
};

/* The pages are to be released. */
void report_at_gather(struct report_at_rows *rows, const struct archive_known *x, int64_t instant);

struct table report_curve_table(const struct archive_known *x, const struct curve *c);

/* To standard output: 0, or the error of writing. */
int report_at(const struct archive_known *x, int64_t instant, bool json) SP_MUST_CHECK;
int report_curve(const struct archive_known *x, int64_t from, int64_t to, bool json) SP_MUST_CHECK;

/* Everything is borrowed. */
struct report_at_page {
	const struct archive_known *known;
	const char *archive, *site;        /* as the user names them; site may be NULL */
	const char *replay;                /* where the archive is served, or NULL */
	int64_t from, to;                  /* the same for an instant */
	const struct report_at_rows *rows; /* of an instant; else NULL */
	const struct curve *curve;         /* of a span; else NULL */
	struct table points;               /* the same */
};

/* Write the page, a struct report_at_page. Errors stay in the FILE; 0 or ERR_NOMEM. */
int report_at_html(const void *page, FILE *file) SP_MUST_CHECK;
int report_curve_html(const void *page, FILE *file) SP_MUST_CHECK;

#endif
