#include "report/html.h"

#define ZLIB_CONST
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/utf8.h"

enum {
	CHUNK = 48 << 10,   /* compressed bytes that become base64 at a time: a multiple of 3 */
	WINDOW = 15 + 16,   /* zlib's largest window, with a gzip header */
	MEMORY = 8,         /* zlib's default */
	LEVEL = 4,          /* half the time of the default, and on columns of digests no larger */
	BUFFER = 256 << 10, /* of the FILE */
};

struct packed {
	FILE *page;
	z_stream z;
	unsigned char out[CHUNK];
	char text[CHUNK / 3 * 4];
};

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

enum { PADDING = 64 };

/* Three bytes are four digits; only the last group may be shorter. */
static void put_base64(struct packed *p, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i += 3) {
		unsigned char *b = p->out + i;
		unsigned left = (unsigned)(count - i);
		uint32_t group = (uint32_t)b[0] << 16 | (uint32_t)(left > 1 ? b[1] : 0) << 8 |
				 (left > 2 ? b[2] : 0);

		p->text[len++] = DIGITS[group >> 18];
		p->text[len++] = DIGITS[group >> 12 & 63];
		p->text[len++] = DIGITS[left > 1 ? group >> 6 & 63 : PADDING];
		p->text[len++] = DIGITS[left > 2 ? group & 63 : PADDING];
	}
	(void)fwrite(p->text, 1, len, p->page);
}

/* Whole chunks go out; what is left stays in out unless this is the end. */
static void deflate_all(struct packed *p, int flush)
{
	int rc;

	do {
		rc = deflate(&p->z, flush);
		if (p->z.avail_out > 0)
			continue;
		put_base64(p, CHUNK);
		p->z.next_out = p->out;
		p->z.avail_out = CHUNK;
	} while (p->z.avail_in > 0 || (flush == Z_FINISH && rc == Z_OK));
}

static ssize_t write_packed(void *cookie, const char *bytes, size_t count)
{
	struct packed *p = cookie;

	p->z.next_in = (const Bytef *)bytes;
	p->z.avail_in = (uInt)count;
	deflate_all(p, Z_NO_FLUSH);
	return (ssize_t)count;
}

static int close_packed(void *cookie)
{
	struct packed *p = cookie;

	p->z.avail_in = 0;
	deflate_all(p, Z_FINISH);
	put_base64(p, CHUNK - p->z.avail_out);
	(void)deflateEnd(&p->z);
	(void)fputs("</script>\n", p->page);
	free(p);
	return 0;
}

static const cookie_io_functions_t FUNCTIONS = {.write = write_packed, .close = close_packed};

FILE *packed_begin(FILE *page, const char *id)
{
	struct packed *p = mem_new(1, sizeof *p);
	FILE *data;

	p->page = page;
	p->z = (z_stream){.next_out = p->out, .avail_out = CHUNK};
	if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return NULL;
	}
	data = fopencookie(p, "w", FUNCTIONS);
	if (!data) {
		(void)deflateEnd(&p->z);
		free(p);
		return NULL;
	}
	(void)setvbuf(data, NULL, _IOFBF, BUFFER);
	(void)fprintf(page, "<script type=\"application/gzip\" id=\"%s\">", id);
	return data;
}

int packed_end(FILE *data)
{
	return fclose(data) ? ERR_NOMEM : 0;
}

static void put(FILE *file, slice bytes)
{
	(void)fwrite(bytes.ptr, 1, bytes.len, file);
}

void web_page_begin(FILE *file, slice style, slice title, const char *lead)
{
	(void)fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<title>",
		file);
	html_text(file, title);
	(void)fputs("</title>\n<style>", file);
	put(file, style);
	(void)fputs("</style>\n</head>\n<body>\n<header><h1>", file);
	html_text(file, title);
	(void)fputs("</h1>\n<p class=\"lead\">", file);
	html_text(file, slice_str(lead));
	(void)fputs("</p></header>\n<main>\n", file);
}

void web_page_section(FILE *file, const char *heading)
{
	(void)fputs("<h2>", file);
	html_text(file, slice_str(heading));
	(void)fputs("</h2>\n", file);
}

void web_page_end(FILE *file, slice script)
{
	(void)fputs("</main>\n<script>", file);
	put(file, script);
	(void)fputs("</script>\n</body>\n</html>\n", file);
}

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

/* C0 but blanks, DEL, C1: no characters of HTML, and a terminal would obey them. */
static bool is_control(const unsigned char *p)
{
	return (p[0] < ' ' && p[0] != '\t' && p[0] != '\n' && p[0] != '\f' && p[0] != '\r') ||
	       p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
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
		else if (ok && !is_control(p + at))
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

/* ---- tables that are declared once ---- */

void html_url_row(FILE *file, slice url)
{
	(void)fputs("<tr><th scope=\"row\" class=\"url\">", file);
	html_text(file, url);
	(void)fputs("</th>", file);
}

static void put_linked(FILE *file, slice prefix, slice url)
{
	if (!slice_starts_with(url, SLICE("http://")) &&
		!slice_starts_with(url, SLICE("https://"))) {
		html_url_row(file, url);
		return;
	}
	(void)fputs(
		"<tr><th scope=\"row\" class=\"url\"><a rel=\"noreferrer noopener\" href=\"", file);
	html_text(file, prefix);
	html_text(file, url);
	(void)fputs("\">", file);
	html_text(file, url);
	(void)fputs("</a></th>", file);
}

static const struct column *column_at(const struct table *t, unsigned place)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->columns[i].place == place)
			return &t->columns[i];
	return NULL;
}

enum { HTML_COLUMNS_MAX = 16 };

void html_columns_begin(FILE *file, const char *caption, const struct table *t)
{
	const char *headings[HTML_COLUMNS_MAX + 1] = {0};
	const struct column *c;

	for (unsigned i = 0; i < HTML_COLUMNS_MAX && (c = column_at(t, i + 1)); i++)
		headings[i] = table_heading(t, c);
	html_table_begin(file, caption, headings);
}

void html_columns_row(FILE *file, const struct table *t, size_t row, slice prefix)
{
	const struct column *c;

	for (unsigned i = 1; (c = column_at(t, i)); i++) {
		struct cell cell = table_cell(t, c, row);
		char shown[CELL_SHOWN_SIZE];
		slice text = cell_show(&cell, c, shown);

		if (i == 1 && c->unit == UNIT_URL) {
			put_linked(file, prefix, text);
		} else if (i == 1) {
			html_url_row(file, text);
		} else if (c->unit == UNIT_WORDS) {
			html_cell_words(file, text);
		} else {
			(void)fputs("<td>", file);
			html_text(file, text);
			(void)fputs("</td>", file);
		}
	}
	html_row_end(file);
}

void html_columns(FILE *file, const char *caption, const struct table *t, size_t max)
{
	html_columns_begin(file, caption, t);
	for (size_t row = 0; row < t->rows && row < max; row++)
		html_columns_row(file, t, row, (slice){0});
	html_table_end(file);
}
