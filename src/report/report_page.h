/* What the pages of `stillpoint report --html` have in common, whatever they are about. */
#ifndef REPORT_REPORT_PAGE_H
#define REPORT_REPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/json.h"
#include "base/table.h"

enum {
	PAGE_STATIC_ROWS = 1000, /* that can be read without the script */
	PAGE_NS_PER_MS = 1000000,
};

/* A line of a list of facts. */
void page_fact(FILE *file, const char *name, const char *format, ...) SP_PRINTF(3, 4);

/* A figure that the script draws. id: "pyramid", "curve", "treemap". */
void page_figure(FILE *file, const char *id, const char *title, const char *text);

/* Where the script puts the table of all rows, and the first ones until then: put rows (web/html.h)
 * and end. */
void page_rows_begin(FILE *file, const char *caption, const struct table *t);
void page_rows_end(FILE *file);

/* The data for the script (web/src/capture/data.ts), packed: 0 or ERR_NOMEM. */
typedef void page_put_data(const void *context, struct json *j);
int page_data(FILE *file, page_put_data *put, const void *context) SP_MUST_CHECK;

/* The percentage of a part in words: "93.1 %". */
enum { PAGE_SHARE_SIZE = 24 };
void page_share(uint64_t part, uint64_t all, char out[PAGE_SHARE_SIZE]);

#endif
