#include "replay/memento.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "replay/access.h"
#include "replay/record.h"
#include "warc/cdxj.h"
#include "warc/warc_date.h"
#include "warc/zipnum.h"

enum {
	ARENA_MAX = 512 << 20,
	FRACTIONS_MAX = 256, /* records that are read for their exact dates */
};

static const int64_t MS = 1000000;

/* Lines that cannot be read, or have no record, are no mementos. */
static int add_line(struct mementos *m, const struct collection *c, slice line, struct buf *scratch)
{
	struct memento x;
	struct cdxj parsed;
	if (cdxj_parse(line, scratch, &parsed) || !parsed.has_place || !parsed.filename.ptr ||
		!parsed.url.ptr)
		return 0;
	x = (struct memento){
		.url = parsed.url,
		.mime = parsed.mime,
		.digest = parsed.digest,
		.filename = parsed.filename,
		.status = parsed.status,
		.is_revisit = slice_eq(parsed.mime, SLICE("warc/revisit")),
		.offset = parsed.offset,
		.length = parsed.length,
	};
	if (warc_date_parse(slice_str(parsed.timestamp), &x.time))
		return 0;
	x.seen = x.time;
	if (!access_allows(c->access, parsed.key, x.time, m->now)) {
		m->refused++;
		return 0;
	}
	if (m->list.len >= MEMENTOS_MAX || arena_full(&m->arena))
		return ERR_LIMIT;
	x.url = arena_keep(&m->arena, x.url);
	x.mime = arena_keep(&m->arena, x.mime);
	x.digest = arena_keep(&m->arena, x.digest);
	x.filename = arena_keep(&m->arena, x.filename);
	memento_vec_push(&m->list, x);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct memento *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/*
 * Where several share a second and a millisecond, the later ones move on by one: their URIs have to
 * differ, and a URI leads back to the memento by the same rule.
 */
void mementos_settle(struct mementos *m)
{
	struct memento *list = m->list.ptr;

	if (m->list.len > 1)
		qsort(list, m->list.len, sizeof *list, by_time);
	for (size_t i = 1; i < m->list.len; i++)
		if (list[i].time / MS <= list[i - 1].time / MS)
			list[i].time = (list[i - 1].time / MS + 1) * MS;
	for (size_t i = 0; i < m->list.len; i++) {
		int64_t second = warc_date_truncate(list[i].time);
		bool shared =
			(i > 0 && warc_date_truncate(list[i - 1].time) == second) ||
			(i + 1 < m->list.len && warc_date_truncate(list[i + 1].time) == second);

		timestamp_format(list[i].time, shared ? TIMESTAMP_DIGITS_MAX : TIMESTAMP_SECONDS,
			list[i].digits);
	}
}

static int read_lines(struct mementos *m, const struct collection *c, struct cdxj_scan *scan,
	slice key, struct err *err)
{
	struct buf scratch;
	slice line;
	int rc;

	buf_init(&scratch, CDXJ_LINE_MAX);
	while ((rc = cdxj_scan_next(scan, &line, err)) == 0 && cdxj_has_key(line, key)) {
		rc = err_code(err, add_line(m, c, line, &scratch));
		if (rc)
			break;
	}
	buf_release(&scratch);
	return rc == ERR_END ? 0 : rc;
}

/* Whether another one has the same second; the list is sorted. */
static bool is_shared(const struct mementos *m, size_t i)
{
	const struct memento *list = m->list.ptr;
	int64_t second = warc_date_truncate(list[i].seen);

	return (i > 0 && warc_date_truncate(list[i - 1].seen) == second) ||
	       (i + 1 < m->list.len && warc_date_truncate(list[i + 1].seen) == second);
}

/*
 * The index has whole seconds. Where several share one, the records say more: WARC-Date may have
 * fractions. The same ones are read whatever is asked for, so that addresses stay the same.
 */
static void read_fractions(struct mementos *m, struct collection *c)
{
	bool changed = false;
	size_t read = 0;

	for (size_t i = 0; i < m->list.len && read < FRACTIONS_MAX; i++) {
		struct memento *x = &m->list.ptr[i];
		struct record *record = NULL;
		struct err ignored = {0};
		int64_t date;

		if (!is_shared(m, i))
			continue;
		read++;
		if (record_open_head(c, x, &record, &ignored))
			continue; /* whoever shows it will say what is wrong */
		date = record_head(record)->date;
		record_close(record);
		if (warc_date_truncate(date) == warc_date_truncate(x->seen) && date != x->seen) {
			x->fraction = date - x->seen;
			changed = true;
		}
	}
	for (size_t i = 0; changed && i < m->list.len; i++) {
		m->list.ptr[i].seen += m->list.ptr[i].fraction;
		m->list.ptr[i].time = m->list.ptr[i].seen;
	}
	if (changed)
		mementos_settle(m);
}

int mementos_find(struct collection *c, slice key, struct mementos *ret, struct err *err)
{
	struct index_set *set = collection_indexes(c);
	struct cdxj_scan *scan = NULL;
	struct buf from;
	int rc;

	*ret = (struct mementos){.now = clock_realtime(clock_system())};
	arena_init(&ret->arena, ARENA_MAX);
	buf_init(&from, key.len + 1);
	buf_add(&from, key);
	buf_add_char(&from, ' ');
	rc = cdxj_scan_open(set->sources.ptr, set->sources.len, buf_slice(&from), &scan, err);
	if (rc == 0)
		rc = read_lines(ret, c, scan, key, err);
	cdxj_scan_close(scan);
	index_set_drop(set);
	buf_release(&from);
	if (rc == 0)
		mementos_settle(ret);
	if (rc == 0 && !c->live) /* whose looks are known exactly: replay/looks.h */
		read_fractions(ret, c);
	return rc;
}

bool memento_is_missing(const struct memento *m)
{
	return same_is_missing(m->status);
}

void mementos_release(struct mementos *m)
{
	memento_vec_release(&m->list);
	arena_release(&m->arena);
}
