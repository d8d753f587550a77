/*
 * The page of `stillpoint report --html`: one file that needs no request. What it says can be read
 * without its script, which draws the figures and shows all pages. What comes from the archive is
 * hostile and stands in it as text only.
 */
#ifndef CMD_REPORT_HTML_H
#define CMD_REPORT_HTML_H

#include <stdio.h>

#include "base/json.h"
#include "quality/records.h"
#include "quality/report.h"
#include "quality/tally.h"

/* Everything is borrowed. */
struct report_page_parts {
	const struct report *report;
	const struct records *records;
	const struct tally *hosts;
	const char *archive; /* as the user names it */
	const char *replay;  /* where the archive is served, or NULL */
};

/* Writes the page. Errors stay in the FILE; 0 or ERR_NOMEM. */
int report_html(const struct report_page_parts *parts, FILE *file) SP_MUST_CHECK;

/* The data of all pages, for its script (web/src/capture/data.ts). */
void report_html_data(const void *parts, struct json *j); /* struct report_page_parts */

#endif
