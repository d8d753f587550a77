#include "replay/search.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "formats/page.h"
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

	if (at.len) {
		int rc = timestamp_read_said(at, clock_realtime(clock_system()), &t, err);

		if (rc)
			return rc;
		r->time = t.last;
	} else {
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
static void read_text(struct collection *c, const struct memento *m, struct page_text *text)
{
	struct record *record = NULL;
	struct body *body = NULL;
	struct err why = {0};
	struct page page;

	if (record_open(c, m, &record, &why))
		return;
	page_open(&page, &(struct page_params){
				 .content_type = fields_trim(record_head(record)->content_type),
				 .text = text});
	if (body_new_decoded(record, &body, &why) == 0)
		(void)!body_read_page(body, TEXT_SNIPPET_TEXT_MAX, &page, &why);
	page_close(&page);
	body_free(body);
}

static int describe(
	struct searching *x, const struct memento *m, struct search_hit *hit, struct err *err)
{
	struct arena *arena = &x->result->arena;
	struct page_text text;
	struct buf snippet;
	int rc;

	page_text_init(&text);
	buf_init(&snippet, TEXT_SNIPPET_MAX);
	read_text(x->c, m, &text);
	rc = text_search_snippet(
		x->text, buf_slice(&text.title), buf_slice(&text.text), &snippet, err);
	hit->title = (slice){arena_str(arena, buf_slice(&text.title)), text.title.len};
	hit->snippet = (slice){arena_str(arena, buf_slice(&snippet)), snippet.len};
	page_text_release(&text);
	buf_release(&snippet);
	return rc;
}

/* ---- pages ---- */

static int add_hit(struct searching *x, const struct found *f, const char *at, struct err *err)
{
	struct search_hit hit = {.url = arena_keep(&x->result->arena, f->memento->url),
		.seen = f->memento->seen,
		.ground = f->ground};

	(void)snprintf(hit.digits, sizeof hit.digits, "%s", f->memento->digits);
	(void)snprintf(hit.at, sizeof hit.at, "%s", at);
	TRY(describe(x, f->memento, &hit, err));
	search_hits_push(&x->result->hits, hit);
	return 0;
}

static int doc_of(struct searching *x, const struct memento *m, int64_t *ret_doc, struct err *err)
{
	struct text_version version = {
		.url = m->url, .digest = m->digest, .filename = m->filename, .offset = m->offset};
	int rc = text_search_doc(x->text, &version, ret_doc, err);

	if (rc == ERR_NOTFOUND && version.digest.len) {
		version.digest = (slice){0};
		rc = text_search_doc(x->text, &version, ret_doc, err);
	}
	return rc;
}

/*
 * Whether the version that is shown at T is this doc. The index has read records alone: a look that
 * differs from one by noise, and is kept as a row, reads as that one.
 */
static int is_shown(
	struct searching *x, const struct found *f, int64_t doc, bool *ret, struct err *err)
{
	const struct memento_vec *list = &f->mementos.list;
	int64_t shown = 0;
	int rc = doc_of(x, f->memento, &shown, err);

	for (size_t i = 0; rc == ERR_NOTFOUND && f->memento->is_compact && i < list->len; i++) {
		const struct memento *m = &list->ptr[i];

		if (!m->is_compact && m->proven_to && m->proven_to == f->memento->proven_to &&
			slice_eq(m->url, f->memento->url))
			rc = doc_of(x, m, &shown, err);
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

static bool index_path(const char *directory, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s/" TEXT_FILE_NAME, directory) < PATH_MAX;
}

bool search_has_index(const struct collection *c)
{
	char path[PATH_MAX];
	struct stat st;

	return index_path(c->path, path) && stat(path, &st) == 0;
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
	if (!(params->directory || search_has_index(c)) ||
		!index_path(params->directory ? params->directory : c->path, path))
		return err_set(err, ERR_NOTFOUND,
			"%s has no full text index: write it with 'stillpoint index %s --text'",
			c->path, c->path);
	rc = settle_time(&x, err);
	if (rc == 0)
		rc = text_search_open(path, params->words,
			&(struct text_patience){goes_on, params->work}, &x.text, err);
	if (rc == 0)
		rc = each_doc(&x, err);
	text_search_close(x.text);
	still_points_release(&x.rows);
	return rc;
}

void search_result_release(struct search_result *r)
{
	search_hits_release(&r->hits);
	arena_release(&r->arena);
}
