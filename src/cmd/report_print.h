/* A capture's quality for people, as `stillpoint report` prints it. Errors stay in the FILE. */
#ifndef CMD_REPORT_PRINT_H
#define CMD_REPORT_PRINT_H

#include <stdio.h>

#include "base/api.h"
#include "quality/report.h"
#include "quality/tally.h"
#include "quality/why.h"

/* archive is how the user names it: for what to type next. 0 or ERR_NOMEM. */
int report_print(const struct report *r, const char *archive, FILE *file) SP_MUST_CHECK;

/* All known pages, with the columns of the JSON document. */
void report_csv(const struct report *r, FILE *file);

/* Where the requests went: as text, as CSV, and as JSON (0 or the error of writing it). */
void report_tally_print(const struct tally *t, enum tally_by by, FILE *file);
void report_tally_csv(const struct tally *t, enum tally_by by, FILE *file);
int report_tally_json(const struct tally *t, enum tally_by by, FILE *file) SP_MUST_CHECK;

/* The requisites of each page, with their states. 0 or ERR_NOMEM. */
int report_print_requisites(const struct report *r, FILE *file) SP_MUST_CHECK;

/* Where a page comes from, by which rule, and what came of it. */
void report_print_why(const struct report *r, const struct why *w, FILE *file);

#endif
