/* Our pages on the control origin: collections, one collection, and the files they need. */
#include <string.h>

#include "base/log.h"
#include "base/word.h"
#include "formats/url.h"
#include "replay/answers.h"
#include "replay/our_page.h"
#include "replay/search.h"
#include "replay/still_points.h"
#include "report/assets.h"
#include "report/html.h"

void answer_home(struct asked *a)
{
	const struct collection_vec *list = &a->replay->collections;
	struct our_page p;

	if (!asked_is_read(a) || !our_page_begin(&p, a, SLICE("Stillpoint"), OUR_PAGE))
		return;
	(void)fputs("<h1>Collections</h1>\n<ul>\n", p.file);
	for (size_t i = 0; i < list->len; i++) {
		if (!collection_is_shown(list->ptr[i]))
			continue;
		(void)fputs("<li><a href=\"", p.file);
		put_collection_path(p.file, list->ptr[i]);
		(void)fputs("\">", p.file);
		html_text(p.file, slice_str(list->ptr[i]->name));
		(void)fputs("</a>: <a href=\"", p.file);
		put_collection_path(p.file, list->ptr[i]);
		(void)fputs("start\">start page</a>, <a href=\"", p.file);
		put_collection_path(p.file, list->ptr[i]);
		(void)fputs("pages\">all pages</a></li>\n", p.file);
	}
	(void)fputs("</ul>\n", p.file);
	our_page_send(&p, a, STATUS_OK);
}

/* ---- a collection ---- */

/* Sends who filled in the box (/NAME/?url=…) to the calendar of the URL. */
static bool redirect_box(struct asked *a)
{
	slice query = a->request->target, url;
	struct buf text;
	bool given;

	(void)slice_take(&query, '?');
	buf_init(&text, URL_MAX);
	url = parameter_get(query, SLICE("url"), &text, &given) == 0 && given
		      ? word_trim(buf_slice(&text))
		      : (slice){0};
	given = url.len > 0;
	if (given)
		answer_redirect(a, "", "*", ROUTE_FRAMED, url);
	buf_release(&text);
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
	} else if (row->is_watched) {
		put_memento_link(file, a, "", row->site, SLICE("newest look"));
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
	(void)fprintf(
		file, "<tr><td class=\"number\">%u</td><td class=\"url\">", (unsigned)row->id);
	html_text(file, row->site);
	(void)fprintf(file, "</td><td>%s</td><td>", shown);
	html_text(file, row->strategy);
	(void)fputs(row->is_running && !row->is_watched ? " (running)" : "", file);
	(void)fputs("</td>", file);
	put_number(file, row->captured);
	if (row->is_single || row->is_watched)
		(void)fprintf(file, "<td class=\"number\">%s</td>",
			row->is_watched ? "by looks" : "not judged");
	else if (row->is_running)
		(void)fputs("<td class=\"number\">not yet</td>", file);
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
		log_warn("replay", "%s", err.text);
		(void)fputs("<p>The catalog of this archive cannot be read.</p>\n", file);
	} else if (captures.list.len) {
		(void)fputs("<h2>Captures</h2>\n<div "
			    "class=\"wide\"><table>\n<thead><tr><th>Capture</th><th>Site</th>"
			    "<th>Started</th><th>Strategy</th><th>Pages</th><th>Sharp</th>"
			    "<th>Still point</th></tr></thead>\n<tbody>\n",
			file);
		for (size_t i = 0; i < captures.list.len; i++)
			put_capture(file, a, &captures.list.ptr[i]);
		(void)fputs("</tbody>\n</table></div>\n<p class=\"quiet\">Sharp pages are proven "
			    "to have "
			    "been the same throughout the still point.</p>\n",
			file);
	}
	still_points_release(&captures);
}

void answer_collection(struct asked *a)
{
	slice name = slice_str(a->collection->name);
	struct our_page p;

	if (!asked_is_read(a) || redirect_box(a) || !our_page_begin(&p, a, name, OUR_PAGE))
		return;
	put_crumbs(p.file, a);
	(void)fputs("<h1>", p.file);
	html_text(p.file, name);
	(void)fputs("</h1>\n<p><a class=\"start\" href=\"", p.file);
	put_collection_path(p.file, a->collection);
	(void)fputs("start\">Start page</a> <a href=\"", p.file);
	put_collection_path(p.file, a->collection);
	(void)fputs("pages\">All pages</a></p>\n", p.file);
	put_url_box(p.file, a, (slice){0});
	if (search_has_index(a->collection))
		put_search_box(p.file, a, (slice){0}, (slice){0});
	put_captures(p.file, a);
	our_page_send(&p, a, STATUS_OK);
}

/* ---- files ---- */

/* A point at rest, between what turns around it. */
#define ICON                                                                                  \
	"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">"                    \
	"<g fill=\"none\" stroke=\"#0072b2\" stroke-width=\"3\"><circle cx=\"16\" cy=\"16\" " \
	"r=\"13\"/></g><circle cx=\"16\" cy=\"16\" r=\"5\" fill=\"#0072b2\"/></svg>\n"

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
		{SLICE_INIT("icon.svg"), "image/svg+xml", SLICE_INIT(ICON)},
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
