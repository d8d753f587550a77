/*
 * HTML onto a FILE: text and tables. Whatever the text is, it stays text: markup in it does
 * nothing. Errors stay in the FILE.
 */
#ifndef WEB_HTML_H
#define WEB_HTML_H

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

#endif
