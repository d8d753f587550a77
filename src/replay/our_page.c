#include "replay/our_page.h"

#include <stdlib.h>

#include "web/html.h"

enum { ADDRESS_MAX = 128 << 10 };

bool our_page_begin(struct our_page *p, struct asked *a, slice title, const char *body_class)
{
	*p = (struct our_page){0};
	p->file = open_memstream(&p->text, &p->len);
	if (!p->file) {
		answer_error(a, STATUS_ERROR, "out of memory");
		return false;
	}
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<title>",
		p->file);
	html_text(p->file, title);
	(void)fprintf(p->file,
		"</title>\n<link rel=\"stylesheet\" href=\"/_/viewer.css\">\n"
		"<script src=\"/_/viewer.js\"></script>\n</head>\n"
		"<body class=\"%s\">\n",
		body_class);
	return true;
}

void our_page_send(struct our_page *p, struct asked *a)
{
	bool ok;

	(void)fputs("</body>\n</html>\n", p->file);
	ok = !ferror(p->file);
	ok = fclose(p->file) == 0 && ok;
	if (ok)
		answer_text(a, STATUS_OK, "text/html; charset=utf-8", (slice){p->text, p->len});
	else
		answer_error(a, STATUS_ERROR, "out of memory");
	answer_header(a, "Cache-Control", "no-cache");
	free(p->text);
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
	if (add_collection_address(&address, "", c) == 0)
		html_text(file, buf_slice(&address));
	buf_release(&address);
}

void put_memento_link(FILE *file, const struct asked *a, const char *digits, slice url, slice text)
{
	struct buf address;

	buf_init(&address, ADDRESS_MAX);
	if (add_memento_address(
		    &address, "", a->collection, digits ? digits : "*", ROUTE_FRAMED, url) == 0) {
		(void)fputs("<a href=\"", file);
		html_text(file, buf_slice(&address));
		(void)fputs("\">", file);
		html_text(file, text);
		(void)fputs("</a>", file);
	} else {
		html_text(file, text);
	}
	buf_release(&address);
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
