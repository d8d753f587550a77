/*
 * A capture's quality for people, as `stillpoint report` prints it and as the page of `--html`: one
 * file that needs no request. What it says can be read without its script, which draws the figures
 * and shows all pages. What comes from the archive is hostile and stands in it as text only. Errors
 * stay in the FILE.
 */
#ifndef REPORT_REPORT_PRINT_H
#define REPORT_REPORT_PRINT_H

#include <stdio.h>

#include "base/api.h"
#include "base/table.h"
#include "catalog/catalog.h"
#include "proof/report.h"
#include "proof/tally.h"
#include "proof/why.h"

/* archive is how the user names it: for what to type next. */
void report_print(const struct report *r, const char *archive, FILE *file);

/* Where the requests went, for every form. */
struct table report_tally(const struct tally *t);

/* The requisites of each page, with their states. */
void report_print_requisites(const struct report *r, FILE *file);

/* Where a page comes from, by which rule, and what came of it. */
void report_print_why(const struct report *r, const struct why *w, FILE *file);

/*
 * One line on how sharpness moved since the site's finished capture before this one; nothing where
 * there is none. 0, or as the catalog's functions.
 */
int report_print_moved(
	const struct report *r, struct catalog *c, FILE *file, struct err *err) SP_MUST_CHECK;

/* What to type next, a line each. */
void report_print_next(const char *archive, FILE *file);

/* Everything is borrowed. */
struct report_page_parts {
	const struct report *report;
	const struct records *records;
	const struct tally *hosts;
	const char *archive; /* as the user names it */
	const char *replay;  /* where the archive is served, or NULL */
};

/* Writes the page. Errors stay in the FILE; 0 or ERR_NOMEM. */
int report_html(const void *parts, FILE *file) SP_MUST_CHECK; /* struct report_page_parts */

#endif
