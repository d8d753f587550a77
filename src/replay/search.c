#include "replay/search.h"

#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "extract/page.h"
#include "replay/asked.h"
#include "replay/body.h"
#include "replay/still_points.h"
#include "text/text_search.h"

enum { ARENA_MAX = 64 << 20 };

struct searching {
	struct collection *c;
	const struct search_params *params;
	struct text_search *text;
	struct search_result *result;
	struct still_points rows; /* where no time was asked for */
	uint64_t skipped;
};

/* ---- the instant ---- */

/* An instant inside of it, and its digits; 0 for none. */
static int64_t instant_of(const struct still_point_row *row, char digits[TIMESTAMP_SIZE])
{
	struct timestamp t;

	if (!row || !still_point_digits(row, digits) || timestamp_parse(slice_str(digits), &t))
		return 0;
	return t.last;
}

static int64_t newest_still_point(struct searching *x, char digits[TIMESTAMP_SIZE])
{
	const struct still_point_row *newest = NULL;
	const struct still_point_rows *list = &x->rows.list;
	struct err ignored = {0};

	if (still_points_load(x->c, false, &x->rows, &ignored) == 0)
		for (size_t i = 0; i < list->len; i++)
			if (list->ptr[i].still_from &&
				(!newest || list->ptr[i].still_to > newest->still_to))
				newest = &list->ptr[i];
	return instant_of(newest, digits);
}

/* T, as asked for; a partial timestamp means its last instant, as everywhere. */
static int settle_time(struct searching *x, struct err *err)
{
	struct search_result *r = x->result;
	slice at = x->params->at;
	struct timestamp t;

	if (at.len && timestamp_read(at, clock_realtime(clock_system()), &t))
		return err_set(err, ERR_USAGE,
			"'%.*s' is no time: give 4 to 17 digits of YYYYMMDDhhmmss, a date such "
			"as 2026-11-17T13:09:03Z, or now",
			slice_shown(at, 40), at.ptr);
	if (at.len)
		r->time = t.last;
	if (at.len == 0) {
		r->time = newest_still_point(x, r->digits);
		r->at_still_point = r->time != 0;
		if (!r->at_still_point)
			r->time = clock_realtime(clock_system());
	}
	if (!r->at_still_point)
		timestamp_format(r->time, TIMESTAMP_DIGITS_MAX, r->digits);
	return 0;
}

/* ---- what is shown of a page ---- */

/* Title and text of a memento; what cannot be read has none. */
static int read_text(
	struct collection *c, const struct memento *m, struct page_text *text, struct err *err)
{
	struct record *record = NULL;
	struct body *body = NULL;
	struct err why = {0};
	struct page page;
	int rc = record_open(c, m, &record, &why);

	if (rc)
		return rc == ERR_NOMEM ? err_code(err, rc) : 0;
	page_open(&page, &(struct page_params){
				 .content_type = fields_trim(record_head(record)->content_type),
				 .text = text});
	rc = body_new_decoded(record, &body, &why);
	if (rc == 0)
		rc = body_read_page(body, TEXT_SNIPPET_TEXT_MAX, &page, &why);
	page_close(&page);
	body_free(body);
	return rc == ERR_NOMEM ? err_code(err, rc) : 0;
}

static int copy(struct arena *arena, slice text, slice *ret)
{
	*ret = (slice){arena_strdup(arena, text), text.len};
	return ret->ptr ? 0 : ERR_NOMEM;
}

static int describe(
	struct searching *x, const struct memento *m, struct search_hit *hit, struct err *err)
{
	struct page_text text;
	struct buf snippet;
	int rc;

	page_text_init(&text);
	buf_init(&snippet, TEXT_SNIPPET_MAX);
	rc = read_text(x->c, m, &text, err);
	if (rc == 0)
		rc = text_search_snippet(
			x->text, buf_slice(&text.title), buf_slice(&text.text), &snippet, err);
	if (rc == 0)
		rc = err_code(err, copy(&x->result->arena, buf_slice(&text.title), &hit->title));
	if (rc == 0)
		rc = err_code(err, copy(&x->result->arena, buf_slice(&snippet), &hit->snippet));
	page_text_release(&text);
	buf_release(&snippet);
	return rc;
}

/* ---- pages ---- */

static int add_hit(struct searching *x, const struct found *f, const char *at, struct err *err)
{
	struct search_hit hit = {.seen = f->memento->seen, .ground = f->ground};
	int rc = err_code(err, copy(&x->result->arena, f->memento->url, &hit.url));

	(void)snprintf(hit.digits, sizeof hit.digits, "%s", f->memento->digits);
	(void)snprintf(hit.at, sizeof hit.at, "%s", at);
	if (rc == 0)
		rc = describe(x, f->memento, &hit, err);
	return rc ? rc : err_code(err, search_hits_push(&x->result->hits, hit));
}

/* Whether the version that is shown at T is this doc. */
static int is_shown(
	struct searching *x, const struct found *f, int64_t doc, bool *ret, struct err *err)
{
	const struct memento *m = f->memento;
	struct text_version version = {
		.url = m->url, .digest = m->digest, .filename = m->filename, .offset = m->offset};
	int64_t shown = 0;
	int rc = text_search_doc(x->text, &version, &shown, err);

	if (rc == ERR_NOTFOUND && version.digest.len) {
		version.digest = (slice){0};
		rc = text_search_doc(x->text, &version, &shown, err);
	}
	*ret = rc == 0 && shown == doc;
	return rc == ERR_NOTFOUND ? 0 : rc;
}

/* At the time that was asked for, else at the newest still point of the page's own site. */
static int find(struct searching *x, slice url, char digits[TIMESTAMP_SIZE], struct found *ret,
	struct err *err)
{
	const struct still_point_row *own = still_points_nearest(&x->rows, url, INT64_MAX);
	int64_t time = instant_of(own, digits);
	struct wanted wanted = {.page = url, .time = time, .window = x->params->window};

	if (!time) {
		(void)snprintf(digits, TIMESTAMP_SIZE, "%s", x->result->digits);
		wanted.time = x->result->time;
	}
	wanted.digits = slice_str(digits);
	return choice_find_page(x->c, &wanted, ret, err);
}

static int try_doc(struct searching *x, int64_t doc, slice url, struct err *err)
{
	char at[TIMESTAMP_SIZE];
	struct found f = {0};
	bool shown = false;
	int rc = find(x, url, at, &f, err);

	if (rc == 0 && f.memento)
		rc = is_shown(x, &f, doc, &shown, err);
	if (rc == 0 && shown) {
		if (x->skipped < x->params->skip)
			x->skipped++;
		else if (x->result->hits.len == x->params->limit)
			x->result->more = true;
		else
			rc = add_hit(x, &f, at, err);
	}
	found_release(&f);
	return rc;
}

static int each_doc(struct searching *x, struct err *err)
{
	int rc = 0;

	for (unsigned tries = 0; rc == 0 && !x->result->more; tries++) {
		int64_t doc = 0;
		slice url;

		rc = work_check(x->params->work, err);
		if (rc == 0)
			rc = text_search_next(x->text, &doc, &url, err);
		if (rc == 0 && tries == SEARCH_TRIES_MAX)
			x->result->more = true;
		else if (rc == 0)
			rc = try_doc(x, doc, url, err);
	}
	return rc == ERR_END ? 0 : rc;
}

static bool goes_on(void *context)
{
	return work_step(context);
}

int search_run(struct collection *c, const struct search_params *params, struct search_result *ret,
	struct err *err)
{
	struct searching x = {.c = c, .params = params, .result = ret};
	char path[PATH_MAX];
	int rc;

	*ret = (struct search_result){0};
	arena_init(&ret->arena, ARENA_MAX);
	arena_init(&x.rows.arena, ARENA_MAX);
	if (snprintf(path, sizeof path, "%s/" TEXT_FILE_NAME, c->path) >= (int)sizeof path)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", c->path);
	rc = settle_time(&x, err);
	if (rc == 0)
		rc = text_search_open(path, params->words,
			&(struct text_patience){goes_on, params->work}, &x.text, err);
	if (rc == 0)
		rc = each_doc(&x, err);
	else if (err->code == ERR_NOTFOUND)
		(void)err_set(err, ERR_NOTFOUND,
			"%s has no full text index: write it with 'stillpoint index %s --text'",
			c->path, c->path);
	text_search_close(x.text);
	still_points_release(&x.rows);
	return rc;
}

void search_result_release(struct search_result *r)
{
	search_hits_release(&r->hits);
	arena_release(&r->arena);
}
