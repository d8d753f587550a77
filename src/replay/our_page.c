#include "replay/our_page.h"

#include <stdlib.h>

#include "report/html.h"

enum { ADDRESS_MAX = 128 << 10 };

bool our_page_begin(struct our_page *p, struct asked *a, slice title, enum our_page_kind kind)
{
	*p = (struct our_page){.kind = kind};
	p->file = open_memstream(&p->text, &p->len);
	if (!p->file) {
		a->response->status = STATUS_ERROR;
		return false;
	}
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<title>",
		p->file);
	html_text(p->file, title);
	(void)fprintf(p->file,
		"</title>\n<link rel=\"icon\" href=\"/_/icon.svg\">\n"
		"<link rel=\"stylesheet\" href=\"/_/viewer.css\">\n"
		"<script src=\"/_/viewer.js\"></script>\n</head>\n%s",
		kind == OUR_PAGE ? "<body>\n<main>\n" : "<body class=\"viewer\">\n");
	return true;
}

void our_page_send(struct our_page *p, struct asked *a, unsigned status)
{
	bool ok;

	(void)fputs(p->kind == OUR_PAGE ? "</main>\n</body>\n</html>\n" : "</body>\n</html>\n",
		p->file);
	ok = !ferror(p->file);
	ok = fclose(p->file) == 0 && ok;
	if (ok)
		answer_text(a, status, "text/html; charset=utf-8", (slice){p->text, p->len});
	else
		a->response->status = STATUS_ERROR;
	answer_header(a, "Cache-Control", "no-cache");
	free(p->text);
}

void our_page_drop(struct our_page *p)
{
	(void)fclose(p->file);
	free(p->text);
}

void shown_instant(int64_t ns, char out[SHOWN_TIME_SIZE])
{
	char digits[TIMESTAMP_SIZE];

	timestamp_format(ns, TIMESTAMP_SECONDS, digits);
	shown_time(slice_str(digits), out);
}

void shown_time(slice digits, char out[SHOWN_TIME_SIZE])
{
	/* What goes before each digit, as far as they go. */
	static const char *const BEFORE[] = {
		"", "", "", "", "-", "", "-", "", " ", "", ":", "", ":", "", ".", "", ""};
	size_t len = 0;

	for (size_t i = 0; i < digits.len && i < sizeof BEFORE / sizeof *BEFORE; i++)
		len += (size_t)snprintf(
			out + len, SHOWN_TIME_SIZE - len, "%s%c", BEFORE[i], digits.ptr[i]);
	(void)snprintf(out + len, SHOWN_TIME_SIZE - len, " UTC");
}

void put_collection_path(FILE *file, const struct collection *c)
{
	struct buf address;

	buf_init(&address, ADDRESS_MAX);
	add_collection_address(&address, "", c);
	if (!address.error)
		html_text(file, buf_slice(&address));
	buf_release(&address);
}

void put_crumbs(FILE *file, const struct asked *a)
{
	(void)fputs(
		"<nav aria-label=\"Collection\"><a href=\"/\">Collections</a> <a href=\"", file);
	put_collection_path(file, a->collection);
	(void)fputs("\">", file);
	html_text(file, slice_str(a->collection->name));
	(void)fputs("</a> <a href=\"", file);
	put_collection_path(file, a->collection);
	(void)fputs("pages\">Pages</a></nav>\n", file);
}

static void put_link(FILE *file, const struct asked *a, const char *start, const char *digits,
	slice url, slice text)
{
	struct buf address;
	bool ok;

	buf_init(&address, ADDRESS_MAX);
	add_memento_address(&address, a->on_content ? a->control : "", a->collection, digits,
		ROUTE_FRAMED, url);
	ok = !address.error;
	if (ok) {
		(void)fputs(start, file);
		html_text(file, buf_slice(&address));
		(void)fputs("\">", file);
	}
	html_text(file, text);
	if (ok)
		(void)fputs("</a>", file);
	buf_release(&address);
}

void put_memento_link(FILE *file, const struct asked *a, const char *digits, slice url, slice text)
{
	if (!digits)
		digits = "*";
	put_link(file, a, "<a href=\"", digits[0] ? digits : NULL, url, text);
}

void put_outer_link(FILE *file, const struct asked *a, const char *digits, slice url)
{
	put_link(file, a, "<a target=\"_top\" href=\"", digits, url, url);
}

void put_url_box(FILE *file, const struct asked *a, slice url)
{
	(void)fputs("<form action=\"", file);
	put_collection_path(file, a->collection);
	(void)fputs("\"><label>URL <input name=\"url\" inputmode=\"url\" autocomplete=\"off\" "
		    "spellcheck=\"false\" value=\"",
		file);
	html_text(file, url);
	(void)fputs("\"></label> <button>Show</button></form>\n", file);
}

void put_search_box(FILE *file, const struct asked *a, slice words, slice at)
{
	(void)fputs("<form action=\"", file);
	put_collection_path(file, a->collection);
	(void)fputs("search\"><label>Words <input name=\"q\" type=\"search\" value=\"", file);
	html_text(file, words);
	(void)fputs("\"></label> ", file);
	if (at.len) {
		(void)fputs("<input name=\"at\" type=\"hidden\" value=\"", file);
		html_text(file, at);
		(void)fputs("\">", file);
	}
	(void)fputs("<button>Search</button></form>\n", file);
}
