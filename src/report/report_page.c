#include "report/report_page.h"

#include <stdarg.h>

#include "base/err.h"
#include "report/html.h"
#include "report/report_words.h"

void page_fact(FILE *file, const char *name, const char *format, ...)
{
	va_list arguments;

	(void)fprintf(file, "<dt>%s</dt><dd>", name);
	va_start(arguments, format);
	html_vprintf(file, format, arguments);
	va_end(arguments);
	(void)fputs("</dd>\n", file);
}

void page_figure(FILE *file, const char *id, const char *title, const char *text)
{
	(void)fprintf(file,
		"<figure class=\"drawing\" id=\"%s\"><figcaption><b>%s</b> %s</figcaption>"
		"<div class=\"legend\"></div>"
		"<div class=\"canvas\" role=\"img\" aria-label=\"%s\"></div></figure>\n",
		id, title, text, title);
}

void page_rows_begin(FILE *file, const char *caption, const struct table *t)
{
	(void)fputs("<div id=\"pages\"></div>\n<div id=\"first-pages\">\n", file);
	html_columns_begin(file, caption, t);
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

void page_share(uint64_t part, uint64_t all, char out[PAGE_SHARE_SIZE])
{
	(void)snprintf(out, PAGE_SHARE_SIZE, "%.1f %%", report_percent(part, all));
}
