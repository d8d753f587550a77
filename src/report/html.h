/*
 * HTML onto a FILE: text and tables. Whatever the text is, it stays text: markup in it does
 * nothing. Errors stay in the FILE.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdarg.h>
#include <stdio.h>

#include "base/api.h"
#include "base/slice.h"

/* As text of an element or value of an attribute in double quotes; what is not UTF-8 is U+FFFD. */
void html_text(FILE *file, slice text);

/* The same for printf's result, which is cut at HTML_PRINTF_MAX - 1 bytes. */
void html_printf(FILE *file, const char *format, ...) SP_PRINTF(2, 3);
void html_vprintf(FILE *file, const char *format, va_list arguments) SP_PRINTF(2, 0);

enum { HTML_PRINTF_MAX = 1024 };

/*
 * A table is a caption, one line of headings (the list ends with NULL), and rows; the first cell of
 * a row is its heading. Between rows a heading of its own for those that follow may stand.
 *
 *	html_table_begin(file, "Sharp pages", HEADINGS);
 *	html_row_begin(file, "bfs-lifo");
 *	html_cell(file, "%.2f", sharp);
 *	html_row_end(file);
 *	html_table_end(file);
 */
void html_table_begin(FILE *file, const char *caption, const char *const *headings);
void html_table_group(FILE *file, const char *heading, unsigned columns);
void html_row_begin(FILE *file, const char *heading);
void html_cell(FILE *file, const char *format, ...) SP_PRINTF(2, 3);
void html_cell_words(FILE *file, slice words); /* of any length, not a figure */
void html_cell_empty(FILE *file);
void html_row_end(FILE *file);
void html_table_end(FILE *file);

/* Begins a row whose heading is a URL, or another text of a stranger. */
void html_url_row(FILE *file, slice url);

struct table; /* base/table.h */

/*
 * The columns of a table that have a place in HTML: the beginning, a row, all of at most max rows.
 * A URL is a link that tells nobody where it was followed: to prefix and URL in the replay, or
 * without a prefix to the page itself.
 */
void html_columns_begin(FILE *file, const char *caption, const struct table *t);
void html_columns_row(FILE *file, const struct table *t, size_t row, slice prefix);
void html_columns(FILE *file, const char *caption, const struct table *t, size_t max);

/*
 * A page that stands by itself: style sheet and script are in it (report/assets.h), and its policy
 * forbids every request. What it says is readable without the script, which only draws plots
 * (web/plot.h).
 */

/*
 * Everything up to the first section, with that style sheet. Title and lead are text, not markup;
 * errors stay in the FILE.
 */
void web_page_begin(FILE *file, slice style, slice title, const char *lead);

/* A section; it ends where the next begins, or with the page. */
void web_page_section(FILE *file, const char *heading);

/* The script, and the end. */
void web_page_end(FILE *file, slice script);

/*
 * Data of a page in little space: what is written to the FILE of packed_begin becomes gzip in
 * base64, inside of a <script> of that id, which no browser runs. The page's script unpacks it
 * (web/src/capture/data.ts).
 *
 *	FILE *data = packed_begin(page, "data");
 *	...
 *	rc = packed_end(data);
 */

/* The page is borrowed until packed_end. NULL when out of memory. */
FILE *packed_begin(FILE *page, const char *id) SP_MUST_CHECK;

/* 0 or ERR_NOMEM. Errors of writing stay in the page's FILE. */
int packed_end(FILE *data) SP_MUST_CHECK;

#endif
