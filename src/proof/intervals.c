#include "proof/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "proof/verdict.h"

enum {
	KEY_SIZE = DIGEST_SIZE_MAX, /* of a state that was seen */
	ARENA_MAX = 4 * INTERVALS_STATES_MAX * (INTERVALS_ETAG_SIZE_MAX + KEY_SIZE),
};

static const int64_t SECOND = 1000000000;

const char *interval_evidence_name(enum interval_evidence evidence)
{
	static const char *const NAMES[] = {
		[INTERVAL_BYTES] = "bytes",
		[INTERVAL_NORMALISED] = "normalised",
		[INTERVAL_STATUS] = "status",
		[INTERVAL_ASSERTED] = "asserted",
		[INTERVAL_TOMBSTONE] = "tombstone",
	};

	return NAMES[evidence];
}

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

static bool is_usable(const struct interval_look *look)
{
	struct observation shown = {
		.made = true, .status = look->status, .whole = look->whole, .key = look->key};

	return look->key.has_state && !look->blocked && observation_is_usable(&shown);
}

static bool is_missing(unsigned status)
{
	return status == 404 || status == 410;
}

static bool same_content(const struct interval_look *a, const struct interval_look *b)
{
	return same_compare(&a->key, &b->key) != SAME_NOT ||
	       (is_missing(a->status) && is_missing(b->status));
}

/* What makes two looks that show the same the same. */
static enum interval_evidence same_by(const struct interval_look *a, const struct interval_look *b)
{
	static const enum interval_evidence EVIDENCE[] = {[SAME_NOT] = INTERVAL_STATUS,
		[SAME_BYTES] = INTERVAL_BYTES,
		[SAME_RULES] = INTERVAL_NORMALISED};

	return EVIDENCE[same_compare(&a->key, &b->key)];
}

bool interval_is_absent(const struct interval *interval)
{
	return is_missing(interval->status);
}

/* Notes that a digest was seen. Whether it was already goes to *ret_known. */
static int note_digest(struct intervals *x, const struct digest *d, bool *ret_known)
{
	slice key = {(const char *)d->bytes, sizeof d->bytes};

	*ret_known = *ret_known || strmap_get(&x->states, key, NULL);
	if (*ret_known || x->states.len >= 2 * INTERVALS_STATES_MAX)
		return 0;
	return strmap_put(&x->states, key, 0);
}

/* Notes the state of a look; it has come again if it was known and not that of the look before. */
static int note_state(struct intervals *x, const struct interval_look *look, bool same)
{
	bool known = false;
	int rc = note_digest(x, &look->key.state, &known);

	if (rc == 0 && look->key.has_class)
		rc = note_digest(x, &look->key.class, &known);
	x->returned = x->returned || (known && !same);
	return rc;
}

static void caught(struct intervals *x, enum validator_lie lie)
{
	x->trust.lies |= lie;
}

/* Ends a run; a single look proves nothing. */
static int end_run(struct interval_run *run, struct interval_vec *list)
{
	int rc = 0;

	if (run->open && run->interval.from <= run->interval.to &&
		run->interval.first != run->interval.last)
		rc = interval_vec_push(list, run->interval);
	run->open = false;
	return rc;
}

/* Adds a look to a run, or ends that and begins another with it. */
static int run_add(struct interval_run *run, struct interval_vec *list,
	const struct interval_look *look, uint32_t number, bool goes_on)
{
	int rc;

	if (run->open && goes_on) {
		run->interval.to = look->begin;
		run->interval.last = number;
		return 0;
	}
	rc = end_run(run, list);
	*run = (struct interval_run){.open = true,
		.interval = {.from = look->end,
			.to = look->end,
			.evidence = INTERVAL_BYTES,
			.first = number,
			.last = number,
			.status = look->status}};
	return rc;
}

/* The instant from which the look's Last-Modified asserts its state; false when it tells none. */
static bool modified_from(
	const struct intervals *x, const struct interval_look *look, int64_t *ret_from)
{
	int64_t grain = SECOND + x->terms.slack;

	if (!look->has_last_modified || look->last_modified > INT64_MAX - grain)
		return false;
	*ret_from = look->last_modified + grain;
	return *ret_from <= look->begin;
}

static int end_asserted(struct intervals *x)
{
	struct interval_run *run = &x->run_asserted;
	int rc = 0;

	if (run->open && run->asserted && run->interval.from <= run->interval.to)
		rc = interval_vec_push(&x->asserted, run->interval);
	run->open = false;
	return rc;
}

static int add_asserted(
	struct intervals *x, const struct interval_look *look, uint32_t number, bool goes_on)
{
	struct interval_run *run = &x->run_asserted;
	int64_t from;
	int rc = 0;

	if (!run->open || !goes_on) {
		rc = end_asserted(x);
		*run = (struct interval_run){.open = true,
			.interval = {.from = look->end,
				.to = look->end,
				.evidence = INTERVAL_ASSERTED,
				.first = number,
				.status = look->status}};
	}
	if (goes_on)
		run->interval.to = look->begin;
	run->interval.last = number;
	if (modified_from(x, look, &from) && from < run->interval.from) {
		run->asserted = true;
		run->interval.from = from;
		run->interval.to = look->begin;
	}
	return rc;
}

/* Lies (1) and (2). */
static void check_modified(struct intervals *x, const struct interval_look *look)
{
	int64_t from;

	if (!look->has_last_modified)
		return;
	if (x->has_modified && look->last_modified < x->modified)
		caught(x, VALIDATOR_MODIFIED_BACK);
	x->has_modified = true;
	x->modified = look->last_modified;
	if (x->has_other && modified_from(x, look, &from) && from <= x->other_begin)
		caught(x, VALIDATOR_MODIFIED_UNCHANGED);
}

/* Lie (3). */
static int check_etag(struct intervals *x, const struct interval_look *look)
{
	uint32_t at;
	int rc;

	if (look->etag.len == 0 || look->etag.len > INTERVALS_ETAG_SIZE_MAX)
		return 0;
	if (strmap_get(&x->etags, look->etag, &at)) {
		if (!same_content(&x->etag_looks.ptr[at], look))
			caught(x, VALIDATOR_ETAG_REUSED);
		return 0;
	}
	if (x->etag_looks.len >= INTERVALS_STATES_MAX)
		return 0;
	rc = strmap_put(&x->etags, look->etag, (uint32_t)x->etag_looks.len);
	return rc ? rc : interval_looks_push(&x->etag_looks, *look);
}

/* A 304 says that the state of the last usable look lasts. */
static void add_not_modified(struct intervals *x, const struct interval_look *look, uint32_t number)
{
	struct interval_run *run = &x->run_asserted;

	if (!x->has_last || !run->open || look->begin < x->last.end)
		return;
	run->interval.to = look->begin;
	run->interval.last = number;
	run->asserted = true;
	x->told = look->begin;
}

/* Equal bytes are of one class: what was found for one holds for the other. */
static void keep_last(struct intervals *x, const struct interval_look *look, bool bytes)
{
	struct interval_look kept = *look;

	if (bytes && !kept.key.has_class && x->last.key.has_class)
		kept.key = x->last.key;
	kept.etag = (slice){0};
	x->last = kept;
	x->has_last = true;
	x->told = look->begin;
}

static int add_usable(struct intervals *x, const struct interval_look *look, uint32_t number)
{
	bool in_order = x->has_last && look->begin >= x->last.end;
	bool same = x->has_last && same_content(&x->last, look);
	enum interval_evidence by = same ? same_by(&x->last, look) : INTERVAL_BYTES;
	bool bytes = same && by == INTERVAL_BYTES;
	int rc;

	if (x->has_last && !same) {
		x->has_other = true;
		x->other_begin = x->told;
	}
	/* A version that was retired in part is no other one. */
	if (!x->run_retired.open || !same_content(&x->last_retired, look))
		check_modified(x, look);
	rc = end_run(&x->run_retired, &x->retired);
	if (rc == 0)
		rc = note_state(x, look, same);
	if (rc == 0)
		rc = check_etag(x, look);
	if (rc == 0)
		rc = run_add(&x->run_bytes, &x->bytes, look, number, bytes && in_order);
	if (rc == 0)
		rc = run_add(&x->run_proven, &x->proven, look, number, same && in_order);
	if (same && in_order && by > x->run_proven.interval.evidence)
		x->run_proven.interval.evidence = by;
	if (rc == 0)
		rc = add_asserted(x, look, number, same && in_order);
	keep_last(x, look, bytes);
	return rc;
}

/* Nothing that looks before it prove reaches over it, or what comes behind. */
static int break_runs(struct intervals *x)
{
	int rc = end_run(&x->run_bytes, &x->bytes);

	if (rc == 0)
		rc = end_run(&x->run_proven, &x->proven);
	if (rc == 0)
		rc = end_asserted(x);
	x->has_last = false;
	return rc;
}

static int add_retired(struct intervals *x, const struct interval_look *look, uint32_t number)
{
	struct interval_run *run = &x->run_retired;
	bool goes_on = run->open && look->begin >= x->last_retired.end &&
		       same_content(&x->last_retired, look);
	int rc = 0;

	if (!look->key.has_state || look->blocked || (x->has_last && same_content(&x->last, look)))
		return 0;
	if (x->has_last)
		rc = break_runs(x);
	x->has_other = true;
	x->other_begin = look->begin;
	if (rc == 0)
		rc = run_add(run, &x->retired, look, number, goes_on);
	run->interval.evidence = INTERVAL_TOMBSTONE;
	x->last_retired = *look;
	x->last_retired.etag = (slice){0};
	return rc;
}

int intervals_add(struct intervals *x, const struct interval_look *look)
{
	struct interval_look in_time = *look;
	uint32_t number = x->count++;

	/* The clock was set back meanwhile: the later of the two is the safe one for both. */
	if (in_time.end < in_time.begin)
		in_time.end = in_time.begin;
	if (look->not_modified && look->status == 304 && !look->blocked) {
		add_not_modified(x, &in_time, number);
		return 0;
	}
	if (look->retired)
		return add_retired(x, &in_time, number);
	return is_usable(look) ? add_usable(x, &in_time, number) : 0;
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

int intervals_finish(struct intervals *x)
{
	int rc = end_run(&x->run_bytes, &x->bytes);

	if (rc == 0)
		rc = end_run(&x->run_proven, &x->proven);
	if (rc == 0)
		rc = end_asserted(x);
	if (rc == 0)
		rc = end_run(&x->run_retired, &x->retired);
	settle(&x->bytes);
	settle(&x->retired);
	settle(&x->proven);
	settle(&x->asserted);
	keep_within(&x->bytes, &x->proven);
	return rc;
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
