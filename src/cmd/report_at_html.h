/*
 * The pages of `stillpoint report --at TIME --html` and `--curve FROM TO --html`: what a whole
 * archive proves at an instant, or over a span of time.
 */
#ifndef CMD_REPORT_AT_HTML_H
#define CMD_REPORT_AT_HTML_H

#include <stdio.h>

#include "base/api.h"
#include "quality/archive_known.h"

/* Everything is borrowed. */
struct report_at_page {
	const struct archive_known *known;
	const char *archive, *site; /* as the user names them; site may be NULL */
	const char *replay;         /* where the archive is served, or NULL */
	int64_t from, to;           /* the same for an instant */
	const struct curve *curve;  /* NULL for an instant */
};

/* Write the page. Errors stay in the FILE; 0 or ERR_NOMEM. */
int report_at_html(const struct report_at_page *p, FILE *file) SP_MUST_CHECK;
int report_curve_html(const struct report_at_page *p, FILE *file) SP_MUST_CHECK;

#endif
