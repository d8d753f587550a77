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
 */
#include "base/seen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	SHARD_BITS_STEP = 5,
	SHARD_URLS = 1024, /* of the first table, and … */
	CROWD_URLS = 2048, /* … of each of several, before there are more of them */
	FIRST_HOMES = 8,
	TAIL_MIN = 8,    /* slots behind the homes, and … */
	TAIL_SHARE = 64, /* … one more for so many homes */
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
	struct digest128 d = {hash.first, hash.second};

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
	while (t->high[at] == d.high && lows(t)[at] != d.low)
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
	s->bytes += slot_bytes(slots(&bigger)) - (t->high ? slot_bytes(slots(t)) : 0);
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

/* Puts a digest that is not there; the table grows when it is full or its tail is. */
static int insert(struct seen *s, struct seen_shard *t, struct digest128 d, uint32_t number)
{
	size_t at, end;
	int rc;

	if (t->len >= t->homes - t->homes / 8) {
		rc = grow(s, t);
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
	s->count++;
	return 0;
}

void seen_init(struct seen *s, struct hash_key key)
{
	*s = (struct seen){.key = key};
}

static size_t shard_count(const struct seen *s)
{
	return (size_t)1 << s->bits;
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
	seen_init(s, s->key);
}

static int make_shards(struct seen *s, unsigned bits)
{
	s->shards = mem_new((size_t)1 << bits, sizeof *s->shards);
	s->bits = bits;
	s->bytes = shard_count(s) * sizeof *s->shards;
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
	return (s->bits == 0 && s->count == SHARD_URLS) ||
	       (s->bits == SHARD_BITS_STEP && s->count == (size_t)CROWD_URLS << SHARD_BITS_STEP);
}

/* The set gets more tables; it is as before on failure. */
static int spread(struct seen *s)
{
	struct seen large;
	int rc;

	seen_init(&large, s->key);
	rc = make_shards(&large, s->bits + SHARD_BITS_STEP);
	for (size_t i = 0; rc == 0 && i < shard_count(s); i++)
		rc = insert_all(&large, &s->shards[i]);
	free_shards(rc ? &large : s);
	if (rc == 0)
		*s = large;
	return rc;
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
	t = shard_of(s, d);
	if (t->homes && find(t, d, &at))
		return ERR_EXISTS;
	return s->count < SEEN_MAX ? insert(s, t, d, number) : ERR_LIMIT;
}

bool seen_find(const struct seen *s, slice url, uint32_t *ret_number)
{
	struct digest128 d = digest(s, url);
	const struct seen_shard *t;
	size_t at;

	if (!s->shards)
		return false;
	t = shard_of(s, d);
	if (!t->homes || !find(t, d, &at))
		return false;
	if (ret_number)
		*ret_number = numbers(t)[at];
	return true;
}
