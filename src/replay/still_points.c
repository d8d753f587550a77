#include "replay/still_points.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/word.h"
#include "catalog/catalog.h"
#include "formats/url_canonical.h"
#include "proof/verdict.h"
#include "replay/access.h"
#include "warc/cdxj.h"

enum { ARENA_MAX = 64 << 20, NS_PER_MS = 1000000 };

struct loading {
	const struct access *access;
	struct still_points *ret;
};

/* What may not be shown of its site is not told of either. */
static bool is_shown(const struct loading *x, const struct catalog_capture *from)
{
	struct buf key;
	bool shown;

	if (!x->access)
		return true;
	buf_init(&key, URL_CANONICAL_MAX);
	shown = cdxj_key(&key, from->site) == 0 &&
		access_allows(
			x->access, buf_slice(&key), from->started, clock_realtime(clock_system()));
	buf_release(&key);
	return shown;
}

static int on_capture(void *context, const struct catalog_capture *from)
{
	struct loading *x = context;
	struct still_points *c = x->ret;
	struct still_point_row row = {
		.id = from->id,
		.started = from->started,
		.is_running = from->state == CATALOG_RUNNING,
		.is_single = from->single,
		.is_watched = slice_eq(from->strategy, SLICE("watch")),
	};

	if (!is_shown(x, from))
		return 0;
	row.site = (slice){arena_str(&c->arena, from->site), from->site.len};
	row.strategy = (slice){arena_str(&c->arena, from->strategy), from->strategy.len};
	if (from->still_from > 0 && from->still_from <= from->still_to && !from->caveats) {
		row.still_from = from->still_from;
		row.still_to = from->still_to;
	}
	still_point_rows_push(&c->list, row);
	return arena_full(&c->arena) ? ERR_LIMIT : 0;
}

static int on_verdict(void *context, const struct catalog_verdict *v)
{
	struct still_point_row *row = context;

	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		if (!slice_eq(v->verdict, slice_str(verdict_name((enum verdict)verdict))))
			continue;
		row->captured += verdict_is_captured((enum verdict)verdict);
		row->sharp += verdict == VERDICT_SHARP;
	}
	return 0;
}

static int load(struct catalog *catalog, bool count, struct loading *x, struct err *err)
{
	struct still_points *ret = x->ret;
	int rc = catalog_each_capture(catalog, on_capture, x, err);

	for (size_t i = 0; rc == 0 && count && i < ret->list.len; i++) {
		struct still_point_row *row = &ret->list.ptr[i];

		/* Verdicts come at the end. */
		rc = row->is_running ? catalog_count_seen(catalog, row->id, &row->captured, err)
				     : catalog_each_verdict(catalog, row->id, on_verdict, row, err);
	}
	return rc;
}

int still_points_load(struct collection *c, bool count, struct still_points *ret, struct err *err)
{
	struct catalog *catalog = NULL;
	char path[PATH_MAX];
	int rc;

	*ret = (struct still_points){0};
	arena_init(&ret->arena, ARENA_MAX);
	if (!c->is_archive)
		return 0;
	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", c->path);
	rc = catalog_open(path, CATALOG_READ, &catalog, err);
	if (rc == 0)
		rc = load(catalog, count, &(struct loading){c->access, ret}, err);
	catalog_close(catalog);
	return rc;
}

void still_points_release(struct still_points *c)
{
	still_point_rows_release(&c->list);
	arena_release(&c->arena);
}

/* Host and port; the scheme and "www" make no other site, as in keys of the index. */
static bool is_same_site(slice a, slice b)
{
	struct buf x, y;
	bool same;

	buf_init(&x, URL_CANONICAL_MAX);
	buf_init(&y, URL_CANONICAL_MAX);
	same = cdxj_key(&x, a) == 0 && cdxj_key(&y, b) == 0;
	if (same) {
		buf_truncate(&x, strcspn(buf_str(&x), ")"));
		buf_truncate(&y, strcspn(buf_str(&y), ")"));
		same = strcmp(buf_str(&x), buf_str(&y)) == 0;
	}
	buf_release(&x);
	buf_release(&y);
	return same;
}

static uint64_t distance(const struct still_point_row *row, int64_t instant)
{
	if (instant < row->still_from)
		return (uint64_t)row->still_from - (uint64_t)instant;
	return instant > row->still_to ? (uint64_t)instant - (uint64_t)row->still_to : 0;
}

const struct still_point_row *still_points_nearest(
	const struct still_points *c, slice url, int64_t instant)
{
	const struct still_point_row *best = NULL;
	bool best_same = false;

	for (size_t i = 0; i < c->list.len; i++) {
		const struct still_point_row *row = &c->list.ptr[i];
		bool same;

		if (row->still_from == 0)
			continue;
		same = is_same_site(row->site, url);
		if (!best || (same && !best_same) ||
			(same == best_same && distance(row, instant) < distance(best, instant))) {
			best = row;
			best_same = same;
		}
	}
	return best;
}

/* 17 digits mean the last instant of their millisecond: the last one that ends in the window. */
bool still_point_digits(const struct still_point_row *row, char out[TIMESTAMP_SIZE])
{
	int64_t ms;

	if (row->still_from == 0)
		return false;
	ms = (row->still_to + 1) / NS_PER_MS - 1;
	if (ms * NS_PER_MS + NS_PER_MS - 1 < row->still_from)
		ms = row->still_from / NS_PER_MS;
	timestamp_format(ms * NS_PER_MS, TIMESTAMP_DIGITS_MAX, out);
	return true;
}

/* Whether the instant that 17 digits mean lies in the proven interval. */
static bool is_proven_at(const struct memento *m, int64_t ms)
{
	int64_t instant = ms * NS_PER_MS + NS_PER_MS - 1;

	return instant >= m->proven_from && instant <= m->proven_to;
}

static bool is_proven_then(const struct memento *m, const struct still_point_row *row)
{
	char digits[TIMESTAMP_SIZE];
	struct timestamp t;

	return still_point_digits(row, digits) && timestamp_parse(slice_str(digits), &t) == 0 &&
	       t.last >= m->proven_from && t.last <= m->proven_to;
}

bool still_points_prove(
	const struct still_points *c, const struct memento *m, char out[TIMESTAMP_SIZE])
{
	const struct still_point_row *best = NULL;
	int64_t ms = m->proven_at / NS_PER_MS;

	if (m->proven_to == 0)
		return false;
	for (size_t i = 0; i < c->list.len; i++) {
		const struct still_point_row *row = &c->list.ptr[i];

		if (is_proven_then(m, row) &&
			(!best || row->id == m->capture ||
				(best->id != m->capture &&
					distance(row, m->seen) < distance(best, m->seen))))
			best = row;
	}
	if (best)
		return still_point_digits(best, out);
	if (!is_proven_at(m, ms))
		ms--;
	if (!is_proven_at(m, ms))
		return false;
	timestamp_format(ms * NS_PER_MS, TIMESTAMP_DIGITS_MAX, out);
	return true;
}

bool still_points_has(const struct still_points *c, slice digits)
{
	char own[TIMESTAMP_SIZE];

	for (size_t i = 0; i < c->list.len; i++)
		if (still_point_digits(&c->list.ptr[i], own) && slice_eq(slice_str(own), digits))
			return true;
	return false;
}
