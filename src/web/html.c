#include "web/html.h"

#include "base/utf8.h"

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void html_text(FILE *file, slice text)
{
	const unsigned char *p = (const unsigned char *)text.ptr;
	size_t n;

	for (size_t at = 0; at < text.len; at += n) {
		const char *name = entity(text.ptr[at]);
		bool ok;

		n = utf8_length(p + at, text.len - at, &ok);
		if (name)
			(void)fputs(name, file);
		else if (ok && text.ptr[at] != '\0')
			(void)fwrite(p + at, 1, n, file);
		else
			(void)fputs(UTF8_REPLACEMENT, file);
	}
}

void html_vprintf(FILE *file, const char *format, va_list arguments)
{
	char text[HTML_PRINTF_MAX];

	(void)vsnprintf(text, sizeof text, format, arguments);
	html_text(file, slice_str(text));
}

void html_printf(FILE *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	html_vprintf(file, format, arguments);
	va_end(arguments);
}

/* Wide tables scroll by themselves, with the keyboard too. */
void html_table_begin(FILE *file, const char *caption, const char *const *headings)
{
	(void)fputs("<div class=\"scroll\" tabindex=\"0\"><table><caption>", file);
	html_text(file, slice_str(caption));
	(void)fputs("</caption>\n<thead><tr>", file);
	for (; *headings; headings++) {
		(void)fputs("<th scope=\"col\">", file);
		html_text(file, slice_str(*headings));
		(void)fputs("</th>", file);
	}
	(void)fputs("</tr></thead>\n<tbody>\n", file);
}

void html_table_group(FILE *file, const char *heading, unsigned columns)
{
	(void)fprintf(
		file, "</tbody>\n<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"%u\">", columns);
	html_text(file, slice_str(heading));
	(void)fputs("</th></tr>\n", file);
}

void html_row_begin(FILE *file, const char *heading)
{
	(void)fputs("<tr><th scope=\"row\">", file);
	html_text(file, slice_str(heading));
	(void)fputs("</th>", file);
}

void html_cell(FILE *file, const char *format, ...)
{
	va_list arguments;

	(void)fputs("<td>", file);
	va_start(arguments, format);
	html_vprintf(file, format, arguments);
	va_end(arguments);
	(void)fputs("</td>", file);
}

void html_cell_words(FILE *file, slice words)
{
	(void)fputs("<td class=\"words\">", file);
	html_text(file, words);
	(void)fputs("</td>", file);
}

void html_cell_empty(FILE *file)
{
	(void)fputs("<td></td>", file);
}

void html_row_end(FILE *file)
{
	(void)fputs("</tr>\n", file);
}

void html_table_end(FILE *file)
{
	(void)fputs("</tbody></table></div>\n", file);
}
