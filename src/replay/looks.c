#include "replay/looks.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "formats/http_message.h"
#include "formats/url_canonical.h"
#include "proof/known.h"
#include "proof/legs.h"
#include "replay/access.h"
#include "replay/live_archive.h"
#include "replay/record.h"
#include "warc/cdxj.h"

enum {
	ARENA_MAX = 64 << 20,
	AROUND_MAX = 8, /* mementos on either side of the time, of foreign collections */
};

void looks_init(struct looks *l, struct hash_key key)
{
	*l = (struct looks){.unreliable = false};
	arena_init_small(&l->arena, ARENA_MAX);
	intervals_init(&l->intervals, &(struct intervals_terms){.key = key});
}

void looks_release(struct looks *l)
{
	page_look_vec_release(&l->list);
	u32_vec_release(&l->by_offset);
	intervals_release(&l->intervals);
	arena_release(&l->arena);
}

static int add(struct looks *l, struct page_look *x)
{
	x->order = (uint32_t)l->list.len;
	x->look.etag = arena_keep(&l->arena, x->look.etag);
	x->filename = arena_keep(&l->arena, x->filename);
	page_look_vec_push(&l->list, *x);
	return arena_full(&l->arena) ? ERR_LIMIT : 0;
}

/* ---- from the catalog ---- */

int looks_add_attempt(struct looks *l, uint32_t capture, const struct attempt *a)
{
	struct observation shown = legs_observe(a);
	struct page_look x = {
		.capture = capture,
		.filename = a->has_payload ? a->warc : (slice){0},
		.offset = a->offset,
	};

	x.is_compact =
		a->is_compact && a->has_payload && !a->retired && warc_id_pack(a->record_id, x.id);
	x.is_revisit = a->is_revisit;
	x.payload = a->payload;
	return known_look_of(a, &shown, &x.look) ? add(l, &x) : 0;
}

static int on_look(void *context, const struct live_archive_look *look)
{
	struct looks *l = context;

	l->unreliable = l->unreliable || look->clock_was_set;
	return looks_add_attempt(l, look->capture, look->attempt);
}

/* ---- from records of any crawler ---- */

static void feed(struct digester *d, slice text)
{
	digester_feed(d, text);
	digester_feed(d, SLICE("\n"));
}

/* What has to be equal for two looks to show the same. */
static int make_state(const struct record_head *head, const struct memento *m, struct digest *ret)
{
	unsigned char status[2] = {(unsigned char)(head->status >> 8), (unsigned char)head->status};
	struct digester d = {0};

	TRY(digester_start(&d, DIGEST_SHA256));
	feed(&d, (slice){(const char *)status, sizeof status});
	feed(&d, fields_trim(fields_get(head->fields, SLICE("Location"))));
	feed(&d, fields_trim(head->content_type));
	feed(&d, fields_trim(fields_get(head->fields, SLICE("Content-Encoding"))));
	feed(&d, m->digest);
	digester_finish(&d, ret);
	digester_release(&d);
	return 0;
}

static int add_record(struct looks *l, const struct memento *m, const struct record_head *head)
{
	struct served served;
	struct page_look x = {
		.look =
			{
				.made = true,
				.start = head->date,
				.end = head->date + CLOCK_NS_PER_SECOND,
				.status = head->is_not_modified ? 304 : head->status,
				.whole = !head->is_truncated,
				.not_modified = head->is_not_modified,
				.key.has_state = m->digest.len > 0 && !head->is_not_modified,
			},
		.filename = m->filename,
		.offset = m->offset,
	};

	served_read(head->fields, head->date, &served);
	x.look.modified = served.modified;
	x.look.etag = served.etag;
	TRY(make_state(head, m, &x.look.key.state));
	return add(l, &x);
}

static int add_memento(
	struct looks *l, struct collection *c, const struct memento *m, struct err *err)
{
	struct record *r = NULL;
	struct err ignored = {0};
	int rc = record_open_head(c, m, &r, &ignored);

	if (rc)
		return 0;
	rc = add_record(l, m, record_head(r));
	record_close(r);
	return err_code(err, rc);
}

/* Whether one of the first looks, which are the catalog's, has its record in that file. */
static bool is_of_catalog(const struct looks *l, size_t count, slice filename)
{
	for (size_t i = 0; i < count; i++)
		if (l->list.ptr[i].filename.ptr && slice_eq(l->list.ptr[i].filename, filename))
			return true;
	return false;
}

/*
 * The mementos of the page around the time: enough to know what surrounds it. In an archive those
 * of imported files, whose states cannot be compared with the catalog's: between two looks of ours
 * they leave nothing proven.
 */
static int add_around(struct looks *l, struct collection *c, slice url,
	const struct mementos *mementos, int64_t time, struct err *err)
{
	const struct memento_vec *list = &mementos->list;
	size_t middle = 0, before = 0, after = 0, ours = l->list.len;
	int rc = 0;

	while (middle < list->len && list->ptr[middle].time <= time)
		middle++;
	for (size_t i = middle; rc == 0 && before < AROUND_MAX && i > 0; i--)
		if (slice_eq(list->ptr[i - 1].url, url) &&
			!is_of_catalog(l, ours, list->ptr[i - 1].filename)) {
			before++;
			rc = add_memento(l, c, &list->ptr[i - 1], err);
		}
	for (size_t i = middle; rc == 0 && after < AROUND_MAX && i < list->len; i++)
		if (slice_eq(list->ptr[i].url, url) &&
			!is_of_catalog(l, ours, list->ptr[i].filename)) {
			after++;
			rc = add_memento(l, c, &list->ptr[i], err);
		}
	return rc;
}

/* ---- as mementos ---- */

/* Of a text that is the same in one after another, one copy is enough. */
static slice keep_digest(struct mementos *mementos, const struct digest *payload)
{
	const struct memento_vec *list = &mementos->list;
	char text[DIGEST_TEXT_SIZE];
	slice digest = cdxj_digest(payload, text);
	slice last = list->len ? list->ptr[list->len - 1].digest : (slice){0};

	return slice_eq(digest, last) ? last : arena_keep(&mementos->arena, digest);
}

static int add_row(struct mementos *mementos, const struct page_look *from, struct memento m)
{
	memcpy(m.id, from->id, sizeof m.id);
	if (mementos->list.len >= MEMENTOS_MAX || arena_full(&mementos->arena))
		return ERR_LIMIT;
	m.digest = keep_digest(mementos, &from->payload);
	memento_vec_push(&mementos->list, m);
	return 0;
}

int looks_add_mementos(
	const struct looks *l, const struct collection *c, slice url, struct mementos *mementos)
{
	struct buf key;
	int rc;

	buf_init(&key, URL_CANONICAL_MAX);
	rc = cdxj_key(&key, url);
	for (size_t i = 0; rc == 0 && i < l->list.len; i++) {
		const struct page_look *from = &l->list.ptr[i];

		if (!from->is_compact)
			continue;
		if (!access_allows(c->access, buf_slice(&key), from->look.start, mementos->now)) {
			mementos->refused++;
			continue;
		}
		rc = add_row(mementos, from,
			(struct memento){
				.seen = from->look.start,
				.time = from->look.start,
				.url = url,
				.filename = SLICE(""),
				.status = from->look.status,
				.is_revisit = from->is_revisit,
				.offset = from->offset,
				.is_compact = true,
				.look = (uint32_t)i,
			});
	}
	buf_release(&key);
	return rc;
}

/* ---- both ---- */

static int by_time(const void *a, const void *b)
{
	const struct page_look *x = a, *y = b;

	if (x->look.start != y->look.start)
		return x->look.start < y->look.start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_offset(const void *a, const void *b, void *context)
{
	const struct page_look *list = context;
	const struct page_look *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];

	return (x->offset > y->offset) - (x->offset < y->offset);
}

void looks_finish(struct looks *l)
{
	if (l->list.len > 1)
		qsort(l->list.ptr, l->list.len, sizeof l->list.ptr[0], by_time);
	for (size_t i = 0; i < l->list.len; i++)
		intervals_add(&l->intervals, &l->list.ptr[i].look);
	intervals_finish(&l->intervals);
	for (size_t i = 0; i < l->list.len; i++)
		if (l->list.ptr[i].filename.ptr)
			u32_vec_push(&l->by_offset, (uint32_t)i);
	if (l->by_offset.len > 1)
		qsort_r(l->by_offset.ptr, l->by_offset.len, sizeof l->by_offset.ptr[0], by_offset,
			l->list.ptr);
}

int looks_read(struct looks *l, struct collection *c, slice url, const struct mementos *mementos,
	int64_t time, struct err *err)
{
	TRY(c->live ? live_archive_each_look(c->live, url, on_look, l, err) : 0);
	TRY(add_around(l, c, url, mementos, time, err));
	looks_finish(l);
	if (c->live)
		live_archive_distrust(c->live, url, &l->intervals.trust);
	return 0;
}

const struct page_look *looks_of(const struct looks *l, const struct memento *m)
{
	size_t low = 0, high = l->by_offset.len;

	if (m->is_compact) {
		const struct page_look *look = m->look < l->list.len ? &l->list.ptr[m->look] : NULL;

		return look && look->is_compact && memcmp(look->id, m->id, sizeof m->id) == 0
			       ? look
			       : NULL;
	}

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->list.ptr[l->by_offset.ptr[middle]].offset < m->offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < l->by_offset.len; low++) {
		const struct page_look *look = &l->list.ptr[l->by_offset.ptr[low]];

		if (look->offset != m->offset)
			break;
		if (slice_eq(look->filename, m->filename))
			return look;
	}
	return NULL;
}

bool looks_trusted(const struct looks *l, struct collection *c, slice url)
{
	if (l->unreliable || !validator_trust_holds(&l->intervals.trust))
		return false;
	return !c->live || live_archive_trusts(c->live, url);
}
