#include "proof/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proof/verdict.h"

enum {
	KEY_SIZE = DIGEST_SIZE_MAX, /* of a state that was seen */
	ARENA_MAX = 4 * INTERVALS_STATES_MAX * (INTERVALS_ETAG_SIZE_MAX + KEY_SIZE),
};

static const int64_t SECOND = 1000000000;

void validator_trust_join(struct validator_trust *host, const struct validator_trust *page)
{
	host->lies |= page->lies;
}

void intervals_init(struct intervals *x, const struct intervals_terms *terms)
{
	*x = (struct intervals){.terms = *terms};
	arena_init_small(&x->arena, ARENA_MAX);
	strmap_init(&x->etags, terms->key, &x->arena);
	strmap_init(&x->states, terms->key, &x->arena);
}

void intervals_release(struct intervals *x)
{
	interval_vec_release(&x->bytes);
	interval_vec_release(&x->proven);
	interval_vec_release(&x->asserted);
	interval_vec_release(&x->retired);
	interval_looks_release(&x->etag_looks);
	strmap_release(&x->etags);
	strmap_release(&x->states);
	arena_release(&x->arena);
}

/* Of a shell nothing is known that a reader sees. */
static bool is_usable(const struct observation *look)
{
	return look->key.has_state && !look->stand_in.ptr && observation_is_usable(look);
}

static enum same_by compare(const struct observation *a, const struct observation *b)
{
	return same_content(a->status, &a->key, b->status, &b->key);
}

bool interval_is_absent(const struct interval *interval)
{
	return same_is_missing(interval->status);
}

/* Notes that a digest was seen; whether it was already. The arena has room for as many. */
static bool note_digest(struct intervals *x, const struct digest *d)
{
	slice key = {(const char *)d->bytes, sizeof d->bytes};
	bool is_known = strmap_get(&x->states, key, NULL);

	if (!is_known && x->states.len < 2 * INTERVALS_STATES_MAX && strmap_put(&x->states, key, 0))
		mem_end();
	return is_known;
}

/* Notes the state of a look; it has come again if it was known and not that of the look before. */
static void note_state(struct intervals *x, const struct observation *look, bool same)
{
	bool known = note_digest(x, &look->key.state);

	if (look->key.has_class && !known)
		known = note_digest(x, &look->key.class);
	x->returned = x->returned || (known && !same);
}

/* Ends a run; a single look proves nothing. */
static void end_run(struct interval_run *run, struct interval_vec *list)
{
	if (run->open && run->interval.from <= run->interval.to &&
		run->interval.first != run->interval.last)
		interval_vec_push(list, run->interval);
	run->open = false;
}

/* Adds a look to a run, or ends that and begins another with it. */
static void run_add(struct interval_run *run, struct interval_vec *list,
	const struct observation *look, uint32_t number, bool goes_on)
{
	if (run->open && goes_on) {
		run->interval.to = look->start;
		run->interval.last = number;
		return;
	}
	end_run(run, list);
	*run = (struct interval_run){.open = true,
		.interval = {.from = look->end,
			.to = look->end,
			.evidence = SAME_BYTES,
			.first = number,
			.last = number,
			.status = look->status}};
}

/* The instant from which the look's Last-Modified asserts its state; false when it tells none. */
static bool modified_from(
	const struct intervals *x, const struct observation *look, int64_t *ret_from)
{
	int64_t grain = SECOND + x->terms.slack;

	if (!look->modified || look->modified > INT64_MAX - grain)
		return false;
	*ret_from = look->modified + grain;
	return *ret_from <= look->start;
}

static void end_asserted(struct intervals *x)
{
	struct interval_run *run = &x->run_asserted;

	if (run->open && run->asserted && run->interval.from <= run->interval.to)
		interval_vec_push(&x->asserted, run->interval);
	run->open = false;
}

static void add_asserted(
	struct intervals *x, const struct observation *look, uint32_t number, bool goes_on)
{
	struct interval_run *run = &x->run_asserted;
	int64_t from;

	if (!run->open || !goes_on) {
		end_asserted(x);
		*run = (struct interval_run){.open = true,
			.interval = {.from = look->end,
				.to = look->end,
				.evidence = SAME_ASSERTED,
				.first = number,
				.status = look->status}};
	}
	if (goes_on)
		run->interval.to = look->start;
	run->interval.last = number;
	if (modified_from(x, look, &from) && from < run->interval.from) {
		run->asserted = true;
		run->interval.from = from;
		run->interval.to = look->start;
	}
}

/* Lies (1) and (2). */
static void check_modified(struct intervals *x, const struct observation *look)
{
	int64_t from;

	if (!look->modified)
		return;
	if (x->has_modified && look->modified < x->modified)
		x->trust.lies |= VALIDATOR_MODIFIED_BACK;
	x->has_modified = true;
	x->modified = look->modified;
	if (x->has_other && modified_from(x, look, &from) && from <= x->other_begin)
		x->trust.lies |= VALIDATOR_MODIFIED_UNCHANGED;
}

/* Lie (3). */
static void check_etag(struct intervals *x, const struct observation *look)
{
	uint32_t at;

	if (look->etag.len == 0 || look->etag.len > INTERVALS_ETAG_SIZE_MAX)
		return;
	if (strmap_get(&x->etags, look->etag, &at)) {
		if (!compare(&x->etag_looks.ptr[at], look))
			x->trust.lies |= VALIDATOR_ETAG_REUSED;
	} else if (x->etag_looks.len < INTERVALS_STATES_MAX &&
		   strmap_put(&x->etags, look->etag, (uint32_t)x->etag_looks.len) == 0) {
		interval_looks_push(&x->etag_looks, *look);
	}
}

/* A 304 says that the state of the last usable look lasts. */
static void add_not_modified(struct intervals *x, const struct observation *look, uint32_t number)
{
	struct interval_run *run = &x->run_asserted;

	if (!x->has_last || !run->open || look->start < x->last.end)
		return;
	run->interval.to = look->start;
	run->interval.last = number;
	run->asserted = true;
	x->told = look->start;
}

/* Equal bytes are of one class: what was found for one holds for the other. */
static void keep_last(struct intervals *x, const struct observation *look, bool bytes)
{
	struct observation kept = *look;

	if (bytes && !kept.key.has_class && x->last.key.has_class)
		kept.key = x->last.key;
	kept.etag = (slice){0};
	x->last = kept;
	x->has_last = true;
	x->told = look->start;
}

static void add_usable(struct intervals *x, const struct observation *look, uint32_t number)
{
	bool in_order = x->has_last && look->start >= x->last.end;
	enum same_by by = x->has_last ? compare(&x->last, look) : SAME_NOT;
	bool same = by != SAME_NOT, bytes = by == SAME_BYTES;

	if (x->has_last && !same) {
		x->has_other = true;
		x->other_begin = x->told;
	}
	/* A version that was retired in part is no other one. */
	if (!x->run_retired.open || !compare(&x->last_retired, look))
		check_modified(x, look);
	end_run(&x->run_retired, &x->retired);
	note_state(x, look, same);
	check_etag(x, look);
	run_add(&x->run_bytes, &x->bytes, look, number, bytes && in_order);
	run_add(&x->run_proven, &x->proven, look, number, same && in_order);
	if (same && in_order && by > x->run_proven.interval.evidence)
		x->run_proven.interval.evidence = by;
	add_asserted(x, look, number, same && in_order);
	keep_last(x, look, bytes);
}

/* Nothing that looks before it prove reaches over it, or what comes behind. */
static void end_runs(struct intervals *x)
{
	end_run(&x->run_bytes, &x->bytes);
	end_run(&x->run_proven, &x->proven);
	end_asserted(x);
}

static void add_retired(struct intervals *x, const struct observation *look, uint32_t number)
{
	struct interval_run *run = &x->run_retired;
	bool goes_on =
		run->open && look->start >= x->last_retired.end && compare(&x->last_retired, look);

	if (!look->key.has_state || look->stand_in.ptr || (x->has_last && compare(&x->last, look)))
		return;
	if (x->has_last)
		end_runs(x);
	x->has_last = false;
	x->has_other = true;
	x->other_begin = look->start;
	run_add(run, &x->retired, look, number, goes_on);
	run->interval.evidence = SAME_TOMBSTONE;
	x->last_retired = *look;
	x->last_retired.etag = (slice){0};
}

void intervals_add(struct intervals *x, const struct observation *look)
{
	struct observation in_time = *look;
	uint32_t number = x->count++;

	/* The clock was set back meanwhile: the later of the two is the safe one for both. */
	if (in_time.end < in_time.start)
		in_time.end = in_time.start;
	if (look->not_modified && look->status == 304 && !look->stand_in.ptr)
		add_not_modified(x, &in_time, number);
	else if (look->retired)
		add_retired(x, &in_time, number);
	else if (is_usable(look))
		add_usable(x, &in_time, number);
}

static int by_time(const void *a, const void *b)
{
	const struct interval *left = a, *right = b;

	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

/*
 * Sorts a list. Intervals overlap only if the clock was set back; then nobody knows which of them
 * is true of an instant, and all that overlap go.
 */
static void settle(struct interval_vec *list)
{
	int64_t reach = INT64_MIN; /* end of those before */
	size_t kept = 0;

	if (list->len)
		qsort(list->ptr, list->len, sizeof *list->ptr, by_time);
	for (size_t i = 0; i < list->len; i++) {
		struct interval here = list->ptr[i];
		bool overlaps = (i > 0 && here.from <= reach) ||
				(i + 1 < list->len && list->ptr[i + 1].from <= here.to);

		if (i == 0 || here.to > reach)
			reach = here.to;
		if (!overlaps)
			list->ptr[kept++] = here;
	}
	list->len = kept;
}

/* Invariant (2), for what settle took away. */
static void keep_within(struct interval_vec *list, const struct interval_vec *outer)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->len; i++)
		if (intervals_at(outer, list->ptr[i].from))
			list->ptr[kept++] = list->ptr[i];
	list->len = kept;
}

void intervals_finish(struct intervals *x)
{
	end_runs(x);
	end_run(&x->run_retired, &x->retired);
	settle(&x->bytes);
	settle(&x->retired);
	settle(&x->proven);
	settle(&x->asserted);
	keep_within(&x->bytes, &x->proven);
}

const struct interval *intervals_find(const struct interval *list, size_t count, int64_t instant)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle].to < instant)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && list[low].from <= instant ? &list[low] : NULL;
}

const struct interval *intervals_at(const struct interval_vec *list, int64_t instant)
{
	return intervals_find(list->ptr, list->len, instant);
}
