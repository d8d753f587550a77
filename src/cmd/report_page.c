#include "cmd/report_page.h"

#include <stdarg.h>

#include "base/clock.h"
#include "base/err.h"
#include "cmd/report_words.h"
#include "web/html.h"
#include "web/packed.h"

void page_fact(FILE *file, const char *name, const char *format, ...)
{
	va_list arguments;

	(void)fprintf(file, "<dt>%s</dt><dd>", name);
	va_start(arguments, format);
	html_vprintf(file, format, arguments);
	va_end(arguments);
	(void)fputs("</dd>\n", file);
}

void page_url_row(FILE *file, slice url)
{
	(void)fputs("<tr><th scope=\"row\" class=\"url\">", file);
	html_text(file, url);
	(void)fputs("</th>", file);
}

void page_time_cell(FILE *file, int64_t time, bool up)
{
	char text[CLOCK_TEXT_SIZE] = "";

	if (time)
		clock_format(time, up ? CLOCK_ROUND_UP : CLOCK_ROUND_DOWN, text);
	html_cell(file, "%s", text);
}

void page_figure(FILE *file, const char *id, const char *title, const char *text)
{
	(void)fprintf(file,
		"<figure class=\"drawing\" id=\"%s\"><figcaption><b>%s</b> %s</figcaption>"
		"<div class=\"legend\"></div>"
		"<div class=\"canvas\" role=\"img\" aria-label=\"%s\"></div></figure>\n",
		id, title, text, title);
}

void page_rows_begin(FILE *file, const char *caption, const char *const *headings)
{
	(void)fputs("<div id=\"pages\"></div>\n<div id=\"first-pages\">\n", file);
	html_table_begin(file, caption, headings);
}

void page_rows_end(FILE *file)
{
	html_table_end(file);
	(void)fputs("</div>\n", file);
}

int page_data(FILE *file, page_put_data *put, const void *context)
{
	FILE *data = packed_begin(file, "data");
	struct json j;
	int rc;

	if (!data)
		return ERR_NOMEM;
	json_init_file(&j, data, 0);
	put(context, &j);
	rc = json_finish(&j) ? ERR_NOMEM : 0;
	return packed_end(data) || rc ? ERR_NOMEM : 0;
}

void page_columns(struct json *j, const struct page_column *columns, size_t count,
	const void *context, size_t rows)
{
	for (size_t c = 0; c < count; c++) {
		json_key(j, columns[c].name);
		json_array_begin(j);
		for (uint32_t i = 0; i < rows; i++)
			columns[c].put(j, context, i);
		json_array_end(j);
	}
}

void page_time(struct json *j, int64_t started, int64_t time, bool up)
{
	int64_t rounded = (time + (up ? PAGE_NS_PER_MS - 1 : 0)) / PAGE_NS_PER_MS;

	json_int(j, time ? rounded - started / PAGE_NS_PER_MS : -1);
}

void page_share(uint64_t part, uint64_t all, char out[PAGE_SHARE_SIZE])
{
	(void)snprintf(out, PAGE_SHARE_SIZE, "%.1f %%", report_percent(part, all));
}
