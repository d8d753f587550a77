/*
 * Linear probing with the slots in the order of their digests (Amble and Knuth, "Ordered hash
 * tables", 1974). The order has three uses: a URL that is new, which is most of what a crawler asks
 * for, is missed after a few slots although the table is nearly full; growing is one pass over both
 * tables from front to back; and only the first half of the digests is read on the way.
 *
 * Invariants of a shard:
 *  (1) The digests in use are ascending from front to back, by their first half. 0 marks a free
 *      slot; no digest has it.
 *  (2) Each stands at its home or behind it, with no free slot between. Homes ascend with digests.
 *  (3) The last slots have no digest at home, so that there is no wrapping around; the very last
 *      one is always free and ends every search.
 *
 * And of a set with a limit:
 *  (4) Each URL is in one run, or in the tables as FRESH. The tables may have copies of what is in
 *      runs, and what is known not to be there (ABSENT).
 *  (5) When the tables are full, their order makes a sorted batch for the runs. Of what is in the
 *      runs then, up to a half stays: what was asked for since the last time (HIT).
 */
#include "base/seen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/seen_runs.h"

enum {
	SHARD_BITS_STEP = 5,
	SHARD_URLS = 1024, /* of the first table, and … */
	CROWD_URLS = 2048, /* … of each of several, before there are more of them */
	FIRST_HOMES = 8,
	TAIL_MIN = 8,    /* slots behind the homes, and … */
	TAIL_SHARE = 64, /* … one more for so many homes */
};

/* In the last bits of a digest's second half, which has 61 of its own. */
#define HIT    UINT64_C(1)
#define FRESH  UINT64_C(2)
#define ABSENT UINT64_C(4)
#define FLAGS  (HIT | FRESH | ABSENT)

enum { TABLES_MIN = 20 << 10 }; /* bytes of a set that need not go on in files */

struct seen_disk {
	struct seen_runs runs;
	struct seen_budget *budget;
	size_t fresh; /* URLs that are not in a run */
	struct seen_questions questions;
	struct err err; /* the first failure */
};

static_assert(SEEN_SHARDS == 1 << 2 * SHARD_BITS_STEP, "two steps lead to SEEN_SHARDS");

struct digest128 {
	uint64_t high, low;
};

/* Parallel arrays in one allocation, which begins at high. */
struct seen_shard {
	uint64_t *high;
	uint32_t homes; /* slots that a digest may have as its home */
	uint32_t len;
	uint32_t bits; /* of a digest that chose the shard: the set's */
};

/* Not for a shard that has no table yet. */
static size_t slots(const struct seen_shard *t)
{
	return (size_t)t->homes + TAIL_MIN + t->homes / TAIL_SHARE;
}

static size_t slot_bytes(size_t count)
{
	return count * (2 * sizeof(uint64_t) + sizeof(uint32_t));
}

static uint64_t *lows(const struct seen_shard *t)
{
	return t->high + slots(t);
}

static uint32_t *numbers(const struct seen_shard *t)
{
	return (uint32_t *)(lows(t) + slots(t));
}

static struct digest128 digest(const struct seen *s, slice url)
{
	struct hash128 hash = hash_bytes_128(s->key, url);
	struct digest128 d = {hash.first, hash.second & ~FLAGS};

	if (d.high == 0) /* marks a free slot */
		d.high = 1;
	return d;
}

static struct seen_shard *shard_of(const struct seen *s, struct digest128 d)
{
	return &s->shards[s->bits ? d.high >> (64 - s->bits) : 0];
}

/* The bits behind those that chose the shard, scaled to the number of homes. */
static size_t home(const struct seen_shard *t, uint64_t high)
{
	uint64_t bits = high << t->bits >> 32;

	return (size_t)(bits * t->homes >> 32);
}

/* The slot of the digest, or else the one it belongs into; whether it is there. */
static bool find(const struct seen_shard *t, struct digest128 d, size_t *ret_at)
{
	size_t at = home(t, d.high);

	while (t->high[at] && t->high[at] < d.high)
		at++;
	while (t->high[at] == d.high && (lows(t)[at] ^ d.low) > FLAGS)
		at++;
	*ret_at = at;
	return t->high[at] == d.high;
}

/* The first free slot from at on; the last slot of a table is one. */
static size_t next_free(const struct seen_shard *t, size_t at)
{
	while (t->high[at])
		at++;
	return at;
}

static void put(struct seen_shard *t, size_t at, struct digest128 d, uint32_t number)
{
	t->high[at] = d.high;
	lows(t)[at] = d.low;
	numbers(t)[at] = number;
	t->len++;
}

/* Copies all digests; false when the tail of the new table is too short for their clustering. */
static bool copy_all(struct seen_shard *to, const struct seen_shard *from)
{
	size_t free_slot = 0; /* behind the last that was copied */

	for (size_t i = 0; i < slots(from); i++) {
		struct digest128 d;
		size_t at;

		if (!from->high[i])
			continue;
		d = (struct digest128){from->high[i], lows(from)[i]};
		at = home(to, d.high);
		if (at < free_slot)
			at = free_slot;
		if (at + 1 >= slots(to))
			return false;
		put(to, at, d, numbers(from)[i]);
		free_slot = at + 1;
	}
	return true;
}

/* More bytes, or fewer: modulo 2^64. */
static void count_bytes(struct seen *s, size_t more)
{
	s->bytes += more;
	if (s->disk)
		s->disk->budget->used += more;
}

/* An eighth larger, or so many times an eighth that all fits. */
static int grow(struct seen *s, struct seen_shard *t)
{
	struct seen_shard bigger;
	uint32_t homes = t->homes;

	for (;;) {
		if (homes > UINT32_MAX / 2)
			return ERR_LIMIT;
		homes = homes ? homes + homes / 8 + 1 : FIRST_HOMES;
		bigger = (struct seen_shard){.homes = homes, .bits = t->bits};
		bigger.high = calloc(1, slot_bytes(slots(&bigger)));
		if (!bigger.high)
			return ERR_NOMEM;
		if (!t->high || copy_all(&bigger, t))
			break;
		free(bigger.high);
	}
	count_bytes(s, slot_bytes(slots(&bigger)) - (t->high ? slot_bytes(slots(t)) : 0));
	free(t->high);
	*t = bigger;
	return 0;
}

/* Moves the digests of slots [at, end) one slot on, where there is room. */
static void shift(struct seen_shard *t, size_t at, size_t end)
{
	memmove(t->high + at + 1, t->high + at, (end - at) * sizeof *t->high);
	memmove(lows(t) + at + 1, lows(t) + at, (end - at) * sizeof *lows(t));
	memmove(numbers(t) + at + 1, numbers(t) + at, (end - at) * sizeof *numbers(t));
}

/* ---- runs ---- */

static size_t shard_count(const struct seen *s)
{
	return (size_t)1 << s->bits;
}

/* All that the tables have, in the order of digests. */
struct cursor {
	const struct seen *set;
	size_t shard, at;
};

static bool next_fresh(void *context, struct seen_entry *ret)
{
	struct cursor *c = context;

	for (; c->shard < shard_count(c->set); c->shard++, c->at = 0) {
		const struct seen_shard *t = &c->set->shards[c->shard];

		for (; t->homes && c->at < slots(t); c->at++)
			if (t->high[c->at] && lows(t)[c->at] & FRESH) {
				*ret = (struct seen_entry){
					t->high[c->at], lows(t)[c->at] & ~FLAGS, numbers(t)[c->at]};
				c->at++;
				return true;
			}
	}
	return false;
}

/* All is in the runs: keeps up to a half, of what was asked for. In place, from front to back. */
static void thin(struct seen_shard *t)
{
	size_t left = t->len / 2, free_slot = 0;

	t->len = 0;
	for (size_t i = 0; t->homes && i < slots(t); i++) {
		struct digest128 d = {t->high[i], lows(t)[i]};
		uint32_t number = numbers(t)[i];
		size_t at;

		t->high[i] = 0;
		if (!d.high || !(d.low & HIT) || d.low & ABSENT || t->len == left)
			continue;
		at = home(t, d.high) > free_slot ? home(t, d.high) : free_slot;
		put(t, at, (struct digest128){d.high, d.low & ~FLAGS}, number);
		free_slot = at + 1;
	}
}

/* The tables are full: what is fresh goes into a run. */
static int sweep(struct seen *s)
{
	struct seen_disk *disk = s->disk;
	struct cursor all = {.set = s};

	TRY(seen_runs_add(&disk->runs, next_fresh, &all, disk->fresh, &disk->err));
	disk->fresh = 0;
	s->held = 0;
	for (size_t i = 0; i < shard_count(s); i++) {
		thin(&s->shards[i]);
		s->held += s->shards[i].len;
	}
	return 0;
}

/* Whether the budget has not so many bytes more, and the set is not among the smallest. */
static bool is_full(const struct seen *s, size_t more)
{
	return s->disk && s->disk->budget->used + more > s->disk->budget->max &&
	       s->bytes > TABLES_MIN;
}

static int make_room(struct seen *s, struct seen_shard *t)
{
	return t->len > 1 && is_full(s, slot_bytes(t->homes) / 8) ? sweep(s) : grow(s, t);
}

/* ---- */

/* Puts a digest that is not there; the table grows when it is full or its tail is. */
static int insert(struct seen *s, struct seen_shard *t, struct digest128 d, uint32_t number)
{
	size_t at, end;
	int rc;

	if (t->len >= t->homes - t->homes / 8) {
		rc = make_room(s, t);
		if (rc)
			return rc;
	}
	for (;;) {
		(void)find(t, d, &at);
		end = next_free(t, at);
		if (end + 1 < slots(t))
			break;
		rc = grow(s, t);
		if (rc)
			return rc;
	}
	shift(t, at, end);
	put(t, at, d, number);
	s->held++;
	return 0;
}

void seen_init(struct seen *s, struct hash_key key)
{
	*s = (struct seen){.key = key};
}

void seen_limit(struct seen *s, struct seen_budget *budget, const char *dir)
{
	assert(!s->shards && !s->disk);
	s->disk = mem_new(1, sizeof *s->disk);
	s->disk->budget = budget;
	seen_runs_init(&s->disk->runs, dir, budget->max);
}

static void free_shards(struct seen *s)
{
	for (size_t i = 0; s->shards && i < shard_count(s); i++)
		free(s->shards[i].high);
	free(s->shards);
}

void seen_release(struct seen *s)
{
	free_shards(s);
	count_bytes(s, -s->bytes);
	if (s->disk) {
		seen_runs_release(&s->disk->runs);
		seen_questions_release(&s->disk->questions);
		free(s->disk);
	}
	seen_init(s, s->key);
}

static int make_shards(struct seen *s, unsigned bits)
{
	s->shards = mem_new((size_t)1 << bits, sizeof *s->shards);
	s->bits = bits;
	count_bytes(s, shard_count(s) * sizeof *s->shards);
	for (size_t i = 0; i < shard_count(s); i++)
		s->shards[i].bits = bits;
	return 0;
}

/* Puts all that a shard has into a set. */
static int insert_all(struct seen *to, const struct seen_shard *from)
{
	int rc = 0;

	for (size_t i = 0; from->homes && rc == 0 && i < slots(from); i++) {
		struct digest128 d = {from->high[i], lows(from)[i]};

		if (d.high)
			rc = insert(to, shard_of(to, d), d, numbers(from)[i]);
	}
	return rc;
}

/* Whether there are so many URLs that more tables are worth their ends. */
static bool is_crowded(const struct seen *s)
{
	return (s->bits == 0 && s->held >= SHARD_URLS) ||
	       (s->bits == SHARD_BITS_STEP && s->held >= (size_t)CROWD_URLS << SHARD_BITS_STEP);
}

/* The set gets more tables; it is as before on failure. */
static int spread(struct seen *s)
{
	struct seen large;
	int rc;

	seen_init(&large, s->key); /* without a limit: nothing goes into a run meanwhile */
	rc = make_shards(&large, s->bits + SHARD_BITS_STEP);
	for (size_t i = 0; rc == 0 && i < shard_count(s); i++)
		rc = insert_all(&large, &s->shards[i]);
	free_shards(rc ? &large : s);
	if (rc)
		return rc;
	count_bytes(s, large.bytes - s->bytes);
	large.count = s->count;
	large.disk = s->disk;
	*s = large;
	return 0;
}

/* Puts what the runs have, or have not, into the tables. */
static int put_copy(struct seen *s, struct digest128 d, const struct seen_question *q)
{
	struct seen_shard *t = shard_of(s, d);
	size_t at;

	if (t->homes && find(t, d, &at)) {
		lows(t)[at] |= HIT;
		return 0;
	}
	d.low |= HIT | (q->is_found ? 0 : ABSENT);
	return insert(s, t, d, q->entry.number);
}

/* A question that the tables do not answer; failures are kept. */
static bool find_in_runs(struct seen *s, struct digest128 d, uint32_t *ret_number)
{
	struct seen_disk *disk = s->disk;
	struct seen_question q = {.entry = {d.high, d.low, 0}};
	struct err ignored = {0};
	int rc;

	if (disk->runs.count == 0 || !seen_runs_may_have(&disk->runs, &q.entry))
		return false;
	rc = disk->err.code ? disk->err.code : seen_runs_find(&disk->runs, &q, &disk->err);
	if (rc == 0)
		rc = put_copy(s, d, &q);
	(void)err_code(disk->err.code ? &ignored : &disk->err, rc);
	if (rc == 0 && q.is_found && ret_number)
		*ret_number = q.entry.number;
	return rc == 0 && q.is_found;
}

/* Whether the tables have it; *ret is its slot then. */
static bool find_in_tables(
	const struct seen *s, struct digest128 d, struct seen_shard **ret_shard, size_t *ret_at)
{
	*ret_shard = s->shards ? shard_of(s, d) : NULL;
	return *ret_shard && (*ret_shard)->homes && find(*ret_shard, d, ret_at);
}

static int add_fresh(struct seen *s, struct digest128 d, uint32_t number)
{
	struct seen_shard *t;
	size_t at;

	if (s->disk && s->disk->err.code)
		return s->disk->err.code;
	if (s->count == SEEN_MAX)
		return ERR_LIMIT;
	if (!s->disk)
		return insert(s, shard_of(s, d), d, number);
	if (find_in_tables(s, d, &t, &at)) { /* it was absent */
		lows(t)[at] = d.low | FRESH;
		numbers(t)[at] = number;
	} else {
		struct digest128 fresh = {d.high, d.low | FRESH};

		TRY(insert(s, shard_of(s, d), fresh, number));
	}
	s->disk->fresh++;
	return 0;
}

int seen_add(struct seen *s, slice url, uint32_t number)
{
	struct digest128 d = digest(s, url);
	struct seen_shard *t;
	size_t at;
	int rc = s->shards ? 0 : make_shards(s, 0);

	if (rc == 0 && is_crowded(s))
		rc = spread(s);
	if (rc)
		return rc;
	if (find_in_tables(s, d, &t, &at) ? !(lows(t)[at] & ABSENT)
					  : s->disk && find_in_runs(s, d, NULL))
		return ERR_EXISTS;
	TRY(add_fresh(s, d, number));
	s->count++;
	return 0;
}

bool seen_find(const struct seen *s, slice url, uint32_t *ret_number)
{
	struct seen_shard *t;
	size_t at;

	assert(!s->disk);
	if (!find_in_tables(s, digest(s, url), &t, &at))
		return false;
	if (ret_number)
		*ret_number = numbers(t)[at];
	return true;
}

bool seen_look_up(struct seen *s, slice url, uint32_t *ret_number)
{
	struct digest128 d = digest(s, url);
	struct seen_shard *t;
	size_t at;

	if (!find_in_tables(s, d, &t, &at))
		return s->disk && find_in_runs(s, d, ret_number);
	lows(t)[at] |= HIT;
	if (lows(t)[at] & ABSENT)
		return false;
	if (ret_number)
		*ret_number = numbers(t)[at];
	return true;
}

int seen_error(const struct seen *s, struct err *err)
{
	return s->disk && s->disk->err.code ? err_copy(err, &s->disk->err) : 0;
}

/* Answers are put into the tables, and must still be there when they are used. */
static bool has_room_for_answers(const struct seen *s)
{
	return slot_bytes(s->held) < s->bytes / 8 * 5 || !is_full(s, s->bytes / 8);
}

void seen_ask(struct seen *s, slice url)
{
	struct seen_disk *disk = s->disk;
	struct seen_question q = {0};
	struct seen_shard *t;
	struct digest128 d;
	size_t at;

	if (!disk || disk->runs.count == 0 || disk->err.code)
		return;
	if (disk->questions.len == 0 && !has_room_for_answers(s) && sweep(s))
		return;
	d = digest(s, url);
	q.entry = (struct seen_entry){d.high, d.low, 0};
	if (find_in_tables(s, d, &t, &at))
		lows(t)[at] |= HIT;
	else if (seen_runs_may_have(&disk->runs, &q.entry))
		seen_questions_push(&disk->questions, q);
}

void seen_answer(struct seen *s)
{
	struct seen_disk *disk = s->disk;
	struct err ignored = {0};
	int rc;

	if (!disk || disk->questions.len == 0 || disk->err.code)
		return;
	rc = seen_runs_find_all(&disk->runs, &disk->questions, &disk->err);
	for (size_t i = 0; rc == 0 && i < disk->questions.len; i++) {
		const struct seen_question *q = &disk->questions.ptr[i];

		rc = put_copy(s, (struct digest128){q->entry.high, q->entry.low}, q);
	}
	(void)err_code(disk->err.code ? &ignored : &disk->err, rc);
	disk->questions.len = 0;
}

uint64_t seen_disk_bytes(const struct seen *s)
{
	return s->disk ? seen_runs_disk_bytes(&s->disk->runs) : 0;
}

uint64_t seen_reads(const struct seen *s)
{
	return s->disk ? s->disk->runs.reads : 0;
}
