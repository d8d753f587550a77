/*
 * The way into a collection:
 *
 *	/NAME/start                           its start page, at an instant at which it is proven
 *	/NAME/pages[?q=TEXT][&from=KEY][&all=1]   its pages by path, with what is known of each
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/word.h"
#include "formats/url.h"
#include "formats/url_canonical.h"
#include "replay/access.h"
#include "replay/answers.h"
#include "replay/asked.h"
#include "replay/collection.h"
#include "replay/live_archive.h"
#include "replay/our_page.h"
#include "replay/still_points.h"
#include "report/html.h"
#include "warc/warc_date.h"
#include "warc/zipnum.h"

/*
 * The pages of a collection in the order of their keys, host by host and path by path: what its
 * indexes have, each key once. A walk looks at a bounded number of lines and says where to go on.
 */

struct work;

struct page_walk_params {
	slice from;        /* key of the page before the first; empty: from the beginning */
	slice text;        /* that the URL has to have in it, in any case; empty: all do */
	bool resources;    /* not only pages, also what they are made of */
	size_t limit;      /* pages */
	struct work *work; /* what it may cost, or NULL */
};

/* Release in every case. */
struct page_walk {
	struct slice_vec urls; /* of the newest memento of each */
	struct buf last;       /* key of the last page that was looked at: where to go on from */
	bool more;             /* there are others, or there may be */
	struct arena arena;
};

enum {
	LINES_MAX = 50000,    /* that are looked at */
	LINES_OF_PAGE = 1000, /* of one key, before the rest of it is passed over */
	ARENA_MAX = 16 << 20,
	CLIENT_ERROR = 400,
};

/* What is known of the key that is being read. */
struct group {
	struct buf key, url;
	bool is_page, has_type; /* one of its lines is of a page that was there; has a type */
	size_t lines;
};

struct walking {
	struct collection *c;
	const struct page_walk_params *params;
	struct page_walk *ret;
	struct index_set *set;
	struct cdxj_scan *scan;
	struct group group;
	struct buf scratch;
	int64_t now;
	size_t lines;
	struct err *err;
};

static bool has_text(slice url, slice text)
{
	for (size_t i = 0; i + text.len <= url.len; i++)
		if (word_is(slice_sub(url, i, i + text.len), text))
			return true;
	return text.len == 0;
}

static bool is_page_type(slice mime)
{
	return word_is(mime, SLICE("text/html")) || word_is(mime, SLICE("application/xhtml+xml"));
}

/* A key of which only revisit records are here may be anything: it is shown. */
static int end_group(struct walking *x)
{
	struct group *g = &x->group;
	slice url = buf_slice(&g->url), key = buf_slice(&g->key);
	int rc = 0;

	if (key.len == 0)
		return 0;
	buf_reset(&x->ret->last);
	rc = buf_add(&x->ret->last, key);
	if (url.len && (x->params->resources || g->is_page || !g->has_type) &&
		has_text(url, x->params->text)) {
		slice_vec_push(&x->ret->urls, arena_keep(&x->ret->arena, url));
		if (arena_full(&x->ret->arena))
			rc = ERR_LIMIT;
	}
	buf_reset(&g->key);
	buf_reset(&g->url);
	g->is_page = g->has_type = false;
	g->lines = 0;
	return rc;
}

/* Lines of a key come by time, so the last one has the newest URL. */
static int add_to_group(struct walking *x, const struct cdxj *line)
{
	struct group *g = &x->group;
	int64_t time;

	if (!line->has_place || !line->url.ptr ||
		warc_date_parse(slice_str(line->timestamp), &time) ||
		!access_allows(x->c->access, line->key, time, x->now))
		return 0;
	g->is_page = g->is_page || (is_page_type(line->mime) && line->status < CLIENT_ERROR);
	g->has_type = g->has_type || !slice_eq(line->mime, SLICE("warc/revisit"));
	buf_reset(&g->url);
	return buf_add(&g->url, line->url);
}

/* Begins behind all lines of a key: "!" is the character behind the blank that ends it. */
static int open_behind(struct walking *x, slice key)
{
	struct buf from;
	int rc;

	cdxj_scan_close(x->scan);
	x->scan = NULL;
	buf_init(&from, CDXJ_LINE_MAX);
	if (key.len) {
		buf_add(&from, key);
		buf_add_char(&from, '!');
	}
	rc = err_code(x->err, from.error);
	if (rc == 0)
		rc = cdxj_scan_open(x->set->sources.ptr, x->set->sources.len, buf_slice(&from),
			&x->scan, x->err);
	buf_release(&from);
	return rc;
}

static int take_line(struct walking *x, slice line)
{
	struct group *g = &x->group;
	struct cdxj parsed;
	int rc = 0;

	if (cdxj_parse(line, &x->scratch, &parsed))
		return 0; /* not a line */
	if (!slice_eq(parsed.key, buf_slice(&g->key))) {
		rc = end_group(x);
		if (rc == 0)
			rc = buf_add(&g->key, parsed.key);
	}
	return rc ? rc : add_to_group(x, &parsed);
}

static bool is_full(const struct walking *x)
{
	return x->ret->urls.len >= x->params->limit || x->lines >= LINES_MAX;
}

static int walk_lines(struct walking *x)
{
	slice line;
	int rc = open_behind(x, x->params->from);

	while (rc == 0 && !is_full(x)) {
		rc = cdxj_scan_next(x->scan, &line, x->err);
		if (rc == 0)
			rc = work_check(x->params->work, x->err);
		if (rc)
			break;
		x->lines++;
		rc = err_code(x->err, take_line(x, line));
		if (rc == 0 && ++x->group.lines >= LINES_OF_PAGE) {
			rc = open_behind(x, buf_slice(&x->group.key));
			x->group.lines = 0;
		}
	}
	x->ret->more = rc == 0; /* ended by a limit, not by the index */
	if (rc == ERR_END)
		rc = err_code(x->err, end_group(x));
	return rc;
}

/* 0, ERR_STOPPED when it took too long, ERR_IO, ERR_LIMIT, ERR_SYNTAX. */
static int page_walk_run(struct collection *c, const struct page_walk_params *params,
	struct page_walk *ret, struct err *err)
{
	struct walking x = {.c = c, .params = params, .ret = ret, .err = err};
	int rc;

	*ret = (struct page_walk){0};
	arena_init(&ret->arena, ARENA_MAX);
	buf_init(&ret->last, CDXJ_LINE_MAX);
	buf_init(&x.group.key, CDXJ_LINE_MAX);
	buf_init(&x.group.url, CDXJ_LINE_MAX);
	buf_init(&x.scratch, CDXJ_LINE_MAX);
	x.now = clock_realtime(clock_system());
	x.set = collection_indexes(c);
	rc = walk_lines(&x);
	cdxj_scan_close(x.scan);
	index_set_drop(x.set);
	buf_release(&x.group.key);
	buf_release(&x.group.url);
	buf_release(&x.scratch);
	return rc;
}

static void page_walk_release(struct page_walk *w)
{
	slice_vec_release(&w->urls);
	buf_release(&w->last);
	arena_release(&w->arena);
}

enum {
	PAGES_SHOWN = 50,
	PAGES_FOR_START = 500, /* among which the start page is looked for */
	TEXT_MAX = 1000,
	VERDICT_MAX = 40,
};

/* ---- the start page ---- */

static size_t depth_of(slice url)
{
	size_t depth = 0;

	for (size_t i = 0; i < url.len; i++)
		depth += url.ptr[i] == '/' || url.ptr[i] == '?';
	return depth;
}

/* Sends the browser to the newest memento of a URL, where it is proven; false when it has none. */
static bool lead_to(struct asked *a, const struct still_points *points, slice url, struct err *err)
{
	struct wanted wanted = {.page = url, .time = INT64_MAX};
	char digits[TIMESTAMP_SIZE];
	struct found found = {0};
	bool led = choice_find_page(a->collection, &wanted, &found, err) == 0 && found.memento;

	if (led) {
		if (!still_points_prove(points, found.memento, digits))
			(void)snprintf(digits, sizeof digits, "%s", found.memento->digits);
		answer_redirect(a, a->control, digits, ROUTE_FRAMED, url);
	}
	found_release(&found);
	return led;
}

/* The seed of the newest capture that has one in the archive. */
static bool lead_to_seed(struct asked *a, const struct still_points *points, struct err *err)
{
	for (size_t i = points->list.len; i > 0 && err->code == 0; i--)
		if (lead_to(a, points, points->list.ptr[i - 1].site, err))
			return true;
	return false;
}

/* Where nobody says what the start is: the page with the shortest path. */
static bool lead_to_shortest(struct asked *a, const struct still_points *points, struct err *err)
{
	struct page_walk_params params = {.limit = PAGES_FOR_START, .work = a->request->work};
	struct page_walk walk;
	slice best = {0};
	bool led = false;

	if (page_walk_run(a->collection, &params, &walk, err) == 0) {
		for (size_t i = 0; i < walk.urls.len; i++)
			if (!best.ptr || depth_of(walk.urls.ptr[i]) < depth_of(best))
				best = walk.urls.ptr[i];
		led = best.ptr && lead_to(a, points, best, err);
	}
	page_walk_release(&walk);
	return led;
}

void answer_start(struct asked *a)
{
	struct still_points points;
	struct err err = {0};

	if (!asked_is_read(a))
		return;
	if (still_points_load(a->collection, false, &points, &err) == 0 &&
		!lead_to_seed(a, &points, &err) && err.code == 0 &&
		!lead_to_shortest(a, &points, &err) && err.code == 0)
		answer_note(a, STATUS_NOT_FOUND, "No page",
			"This collection has no page yet that could be shown.");
	if (err.code)
		answer_failure(a, &err);
	still_points_release(&points);
}

/* ---- the list ---- */

struct listing {
	struct asked *a;
	struct buf text, from;
	bool resources;
	struct still_points points;
	struct page_walk walk;
	FILE *file;
};

static int read_parameters(struct listing *l, struct err *err)
{
	slice query = l->a->route.query;
	struct buf all;
	bool given;
	int rc = parameter_get(query, SLICE("q"), &l->text, &given);

	buf_init(&all, VERDICT_MAX);
	if (rc == 0)
		rc = parameter_get(query, SLICE("from"), &l->from, &given);
	if (rc == 0)
		rc = parameter_get(query, SLICE("all"), &all, &given);
	l->resources = rc == 0 && given;
	buf_release(&all);
	return rc == ERR_LIMIT ? err_set(err, ERR_USAGE, "the address is too long")
			       : err_code(err, rc);
}

/* "sharp" and its like of a capture; what is known of a page that has no verdict. */
static void put_known(const struct listing *l, const struct memento *m)
{
	char from[SHOWN_TIME_SIZE];
	struct err ignored = {0};
	struct buf verdict;

	buf_init(&verdict, VERDICT_MAX);
	(void)fputs("<td>", l->file);
	if (l->a->collection->live && m->capture &&
		live_archive_verdict(
			l->a->collection->live, m->url, m->capture, &verdict, &ignored) == 0 &&
		verdict.len) {
		html_text(l->file, buf_slice(&verdict));
	} else if (m->proven_to) {
		shown_instant(m->proven_from, from);
		(void)fprintf(l->file, "unchanged since %s", from);
	} else {
		(void)fputs("seen", l->file);
	}
	if (m->status >= STATUS_BAD_REQUEST)
		(void)fprintf(l->file, " (%u)", m->status);
	(void)fputs("</td>", l->file);
	buf_release(&verdict);
}

static void put_page(const struct listing *l, slice url, const struct found *found)
{
	const struct memento *m = found->memento;
	char digits[TIMESTAMP_SIZE], seen[SHOWN_TIME_SIZE], count[24];

	if (!still_points_prove(&l->points, m, digits))
		(void)snprintf(digits, sizeof digits, "%s", m->digits);
	shown_instant(m->seen, seen);
	(void)snprintf(count, sizeof count, "%zu", found->mementos.list.len);
	(void)fputs("<tr><td class=\"url\">", l->file);
	put_memento_link(l->file, l->a, digits, url, url);
	(void)fputs("</td>", l->file);
	put_known(l, m);
	(void)fprintf(l->file, "<td>%s</td><td class=\"number\">", seen);
	put_memento_link(l->file, l->a, NULL, url, slice_str(count));
	(void)fputs("</td></tr>\n", l->file);
}

static int put_rows(const struct listing *l, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->walk.urls.len; i++) {
		struct wanted wanted = {.page = l->walk.urls.ptr[i], .time = INT64_MAX};
		struct found found = {0};

		rc = work_check(l->a->request->work, err);
		if (rc == 0)
			rc = choice_find_page(l->a->collection, &wanted, &found, err);
		if (rc == 0 && found.memento)
			put_page(l, l->walk.urls.ptr[i], &found);
		found_release(&found);
	}
	return rc;
}

static void put_form(const struct listing *l)
{
	(void)fputs("<form action=\"", l->file);
	put_collection_path(l->file, l->a->collection);
	(void)fputs("pages\"><label>Part of the address <input name=\"q\" type=\"search\" value=\"",
		l->file);
	html_text(l->file, buf_slice(&l->text));
	(void)fprintf(l->file,
		"\"></label> <label class=\"choice\"><input name=\"all\" type=\"checkbox\" "
		"value=\"1\"%s> images, styles and other resources, too</label> "
		"<button>List</button></form>\n",
		l->resources ? " checked" : "");
}

static void put_more(const struct listing *l)
{
	if (!l->walk.more)
		return;
	(void)fputs("<form action=\"", l->file);
	put_collection_path(l->file, l->a->collection);
	(void)fputs("pages\"><input type=\"hidden\" name=\"q\" value=\"", l->file);
	html_text(l->file, buf_slice(&l->text));
	(void)fputs("\"><input type=\"hidden\" name=\"from\" value=\"", l->file);
	html_text(l->file, buf_slice(&l->walk.last));
	(void)fprintf(l->file, "\">%s<button>More</button></form>\n",
		l->resources ? "<input type=\"hidden\" name=\"all\" value=\"1\">" : "");
}

static int put_list(const struct listing *l, struct err *err)
{
	int rc;

	put_crumbs(l->file, l->a);
	(void)fputs("<h1>Pages</h1>\n", l->file);
	put_form(l);
	if (l->walk.urls.len == 0) {
		(void)fprintf(l->file, "<p>%s</p>\n",
			l->walk.more ? "None so far: there are more pages to look through."
				     : "There is no such page.");
		put_more(l);
		return 0;
	}
	(void)fputs("<div class=\"wide\"><table>\n<thead><tr><th>Page</th><th>Verdict</th>"
		    "<th>Last seen</th><th>Mementos</th></tr></thead>\n<tbody>\n",
		l->file);
	rc = put_rows(l, err);
	(void)fputs("</tbody>\n</table></div>\n", l->file);
	put_more(l);
	return rc;
}

static void show_list(struct listing *l, struct err *err)
{
	struct our_page p;

	if (!our_page_begin(&p, l->a, SLICE("Pages"), OUR_PAGE))
		return;
	l->file = p.file;
	if (put_list(l, err)) {
		our_page_drop(&p);
		answer_failure(l->a, err);
		return;
	}
	our_page_send(&p, l->a, STATUS_OK);
}

void answer_page_list(struct asked *a)
{
	struct listing l = {.a = a};
	struct err err = {0};
	int rc;

	if (!asked_is_read(a))
		return;
	buf_init(&l.text, TEXT_MAX);
	buf_init(&l.from, URL_CANONICAL_MAX);
	rc = read_parameters(&l, &err);
	if (rc == 0) {
		struct page_walk_params params = {
			.from = buf_slice(&l.from),
			.text = word_trim(buf_slice(&l.text)),
			.resources = l.resources,
			.limit = PAGES_SHOWN,
			.work = a->request->work,
		};

		rc = page_walk_run(a->collection, &params, &l.walk, &err);
		if (rc == 0)
			rc = still_points_load(a->collection, false, &l.points, &err);
		if (rc == 0)
			show_list(&l, &err);
		page_walk_release(&l.walk);
		still_points_release(&l.points);
	}
	if (rc)
		answer_failure(a, &err);
	buf_release(&l.text);
	buf_release(&l.from);
}
