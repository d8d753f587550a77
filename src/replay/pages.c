/* Our pages on the control origin: collections, one collection, and the files they need. */
#include <string.h>

#include "base/word.h"
#include "replay/answers.h"
#include "replay/our_page.h"
#include "replay/still_points.h"
#include "url/parameters.h"
#include "web/assets.h"
#include "web/html.h"

void answer_home(struct asked *a)
{
	const struct collection_vec *list = &a->replay->collections;
	struct our_page p;

	if (!asked_is_read(a) || !our_page_begin(&p, a, SLICE("Stillpoint"), "plain"))
		return;
	(void)fputs("<main>\n<h1>Collections</h1>\n<ul>\n", p.file);
	for (size_t i = 0; i < list->len; i++) {
		if (!collection_is_shown(list->ptr[i]))
			continue;
		(void)fputs("<li><a href=\"", p.file);
		put_collection_path(p.file, list->ptr[i]);
		(void)fputs("\">", p.file);
		html_text(p.file, slice_str(list->ptr[i]->name));
		(void)fputs("</a></li>\n", p.file);
	}
	(void)fputs("</ul>\n</main>\n", p.file);
	our_page_send(&p, a);
}

/* ---- a collection ---- */

/* Sends who filled in the box (/NAME/?url=…) to the calendar of the URL. */
static bool redirect_box(struct asked *a)
{
	slice query = a->request->target, url;
	struct buf text, address;
	bool given;

	(void)slice_take(&query, '?');
	buf_init(&text, URL_MAX);
	buf_init(&address, 2 * (size_t)URL_MAX);
	url = parameter_get(query, SLICE("url"), &text, &given) == 0 && given
		      ? word_trim(buf_slice(&text))
		      : (slice){0};
	given = url.len > 0 &&
		add_memento_address(&address, "", a->collection, "*", ROUTE_FRAMED, url) == 0;
	if (given) {
		a->response->status = STATUS_FOUND;
		answer_header(a, "Location", "%s", buf_str(&address));
	}
	buf_release(&text);
	buf_release(&address);
	return given;
}

static void put_number(FILE *file, uint64_t number)
{
	(void)fprintf(file, "<td class=\"number\">%llu</td>", (unsigned long long)number);
}

static void put_still_point(FILE *file, const struct asked *a, const struct still_point_row *row)
{
	char digits[TIMESTAMP_SIZE], shown[SHOWN_TIME_SIZE];

	(void)fputs("<td>", file);
	if (still_point_digits(row, digits)) {
		shown_time(slice_str(digits), shown);
		put_memento_link(file, a, digits, row->site, slice_str(shown));
	} else {
		(void)fputs(row->is_running ? "not yet" : "none", file);
	}
	(void)fputs("</td>", file);
}

static void put_capture(FILE *file, const struct asked *a, const struct still_point_row *row)
{
	char digits[TIMESTAMP_SIZE], shown[SHOWN_TIME_SIZE];

	timestamp_format(row->started, TIMESTAMP_SECONDS, digits);
	shown_time(slice_str(digits), shown);
	(void)fprintf(file, "<tr><td class=\"number\">%u</td><td>", (unsigned)row->id);
	html_text(file, row->site);
	(void)fprintf(file, "</td><td>%s</td><td>", shown);
	html_text(file, row->strategy);
	(void)fputs(row->is_running ? " (running)" : "", file);
	(void)fputs("</td>", file);
	put_number(file, row->captured);
	if (row->is_single)
		(void)fputs("<td class=\"number\">not judged</td>", file);
	else
		put_number(file, row->sharp);
	put_still_point(file, a, row);
	(void)fputs("</tr>\n", file);
}

static void put_captures(FILE *file, const struct asked *a)
{
	struct still_points captures;
	struct err err = {0};

	if (still_points_load(a->collection, true, &captures, &err)) {
		(void)fputs("<p>", file);
		html_text(file, slice_str(err.text));
		(void)fputs("</p>\n", file);
	} else if (captures.list.len) {
		(void)fputs("<h2>Captures</h2>\n<table>\n<thead><tr><th>Capture</th><th>Site</th>"
			    "<th>Started</th><th>Strategy</th><th>Pages</th><th>Sharp</th>"
			    "<th>Still point</th></tr></thead>\n<tbody>\n",
			file);
		for (size_t i = 0; i < captures.list.len; i++)
			put_capture(file, a, &captures.list.ptr[i]);
		(void)fputs("</tbody>\n</table>\n<p class=\"quiet\">Sharp pages are proven to have "
			    "been the same throughout the still point.</p>\n",
			file);
	}
	still_points_release(&captures);
}

void answer_collection(struct asked *a)
{
	slice name = slice_str(a->collection->name);
	struct our_page p;

	if (!asked_is_read(a) || redirect_box(a) || !our_page_begin(&p, a, name, "plain"))
		return;
	(void)fputs("<main>\n<p><a href=\"/\">Collections</a></p>\n<h1>", p.file);
	html_text(p.file, name);
	(void)fputs("</h1>\n", p.file);
	put_url_box(p.file, a, (slice){0});
	put_search_box(p.file, a, (slice){0}, (slice){0});
	put_captures(p.file, a);
	(void)fputs("</main>\n", p.file);
	our_page_send(&p, a);
}

/* ---- files ---- */

void answer_asset(struct asked *a)
{
	const struct {
		slice name;
		const char *type;
		slice content;
	} ASSETS[] = {
		{SLICE_INIT("replay.js"), "text/javascript; charset=utf-8", web_replay_js()},
		{SLICE_INIT("viewer.js"), "text/javascript; charset=utf-8", web_viewer_js()},
		{SLICE_INIT("viewer.css"), "text/css; charset=utf-8", web_viewer_css()},
	};

	if (!asked_is_read(a))
		return;
	for (size_t i = 0; i < sizeof ASSETS / sizeof ASSETS[0]; i++) {
		if (!slice_eq(a->route.name, ASSETS[i].name))
			continue;
		answer_text(a, STATUS_OK, ASSETS[i].type, ASSETS[i].content);
		answer_header(a, "Cache-Control", "no-cache");
		return;
	}
	answer_error(a, STATUS_NOT_FOUND, "there is no such file");
}
