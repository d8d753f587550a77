/* A capture's quality for people, as `stillpoint report` prints it. Errors stay in the FILE. */
#ifndef CMD_REPORT_PRINT_H
#define CMD_REPORT_PRINT_H

#include <stdio.h>

#include "base/api.h"
#include "quality/report.h"
#include "quality/why.h"

/* archive is how the user names it: for what to type next. 0 or ERR_NOMEM. */
int report_print(const struct report *r, const char *archive, FILE *file) SP_MUST_CHECK;

/* The requisites of each page, with their states. 0 or ERR_NOMEM. */
int report_print_requisites(const struct report *r, FILE *file) SP_MUST_CHECK;

/* Where a page comes from, by which rule, and what came of it. */
void report_print_why(const struct report *r, const struct why *w, FILE *file);

#endif
