/* How a report and a crawl end in text: what came before, and what to do next. */
#ifndef CMD_REPORT_NEXT_H
#define CMD_REPORT_NEXT_H

#include <stdio.h>

#include "base/api.h"
#include "catalog/catalog.h"
#include "quality/report.h"

/*
 * One line on how sharpness moved since the site's finished capture before this one; nothing where
 * there is none. 0, or as the catalog's functions.
 */
int report_print_moved(
	const struct report *r, struct catalog *c, FILE *file, struct err *err) SP_MUST_CHECK;

/* What to type next, a line each. */
void report_print_next(const char *archive, FILE *file);

#endif
