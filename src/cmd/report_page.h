/* What the pages of `stillpoint report --html` have in common, whatever they are about. */
#ifndef CMD_REPORT_PAGE_H
#define CMD_REPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/json.h"
#include "base/slice.h"

enum {
	PAGE_STATIC_ROWS = 1000, /* that can be read without the script */
	PAGE_NS_PER_MS = 1000000,
};

/* A line of a list of facts. */
void page_fact(FILE *file, const char *name, const char *format, ...) SP_PRINTF(3, 4);

/* Begins a row of a table; the URL, or another text of a stranger, is its heading. */
void page_url_row(FILE *file, slice url);

/* A cell with a time, which is empty for 0. */
void page_time_cell(FILE *file, int64_t time, bool up);

/* A figure that the script draws. id: "pyramid", "curve", "treemap". */
void page_figure(FILE *file, const char *id, const char *title, const char *text);

/* Where the script puts the table of all rows, and the first ones until then: put rows and end. */
void page_rows_begin(FILE *file, const char *caption, const char *const *headings);
void page_rows_end(FILE *file);

/* The data for the script (web/src/capture/data.ts), packed: 0 or ERR_NOMEM. */
typedef void page_put_data(const void *context, struct json *j);
int page_data(FILE *file, page_put_data *put, const void *context) SP_MUST_CHECK;

/* A column of the data, one value for each row. */
struct page_column {
	const char *name;
	void (*put)(struct json *j, const void *context, uint32_t row);
};

/* Columns compress far better than rows. */
void page_columns(struct json *j, const struct page_column *columns, size_t count,
	const void *context, size_t rows);

/* Milliseconds since a start (both ns), rounded up or down; -1 for 0, which did not happen. */
void page_time(struct json *j, int64_t started, int64_t time, bool up);

/* The percentage of a part in words: "93.1 %". */
enum { PAGE_SHARE_SIZE = 24 };
void page_share(uint64_t part, uint64_t all, char out[PAGE_SHARE_SIZE]);

#endif
