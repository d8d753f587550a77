#include "similar/hamming.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "similar/simhash.h"

enum {
	ENTRY_SIZE = 10,
	ROOM_MIN = 4, /* entries */
	STEP = 256,   /* entries that are looked at together */
};

_Static_assert(SIMHASH_NEAR + 1 <= (int)HAMMING_TABLES, "one block must stay whole");
_Static_assert(HAMMING_TABLES *HAMMING_BLOCK_BITS == SIMHASH_BITS, "blocks make the whole");

/* Turns the block of a table to the top. */
static uint64_t turned(uint64_t fingerprint, unsigned table)
{
	unsigned by = table * HAMMING_BLOCK_BITS;

	return by ? fingerprint << by | fingerprint >> (SIMHASH_BITS - by) : fingerprint;
}

static struct hamming_bucket *bucket_of(
	const struct hamming *h, uint64_t turned_one, unsigned table)
{
	return h->buckets + (size_t)table * HAMMING_BUCKETS +
	       (size_t)(turned_one >> (SIMHASH_BITS - HAMMING_BLOCK_BITS));
}

static uint32_t *numbers_of(const struct hamming_bucket *b)
{
	return b->low + b->room;
}

static uint16_t *highs_of(const struct hamming_bucket *b)
{
	return (uint16_t *)(b->low + 2 * (size_t)b->room);
}

void hamming_release(struct hamming *h)
{
	for (size_t i = 0; h->buckets && i < (size_t)HAMMING_TABLES * HAMMING_BUCKETS; i++)
		free(h->buckets[i].low);
	free(h->buckets);
	*h = (struct hamming){0};
}

/* Room for one more entry, and for an eighth more if it has to be moved. */
static int make_room(struct hamming *h, struct hamming_bucket *b)
{
	struct hamming_bucket larger = {.used = b->used, .room = b->room + b->room / 8 + ROOM_MIN};

	if (b->used < b->room)
		return 0;
	if (larger.room <= b->room)
		return ERR_LIMIT;
	larger.low = malloc((size_t)larger.room * ENTRY_SIZE);
	if (!larger.low)
		return ERR_NOMEM;
	if (b->used) {
		memcpy(larger.low, b->low, b->used * sizeof *b->low);
		memcpy(numbers_of(&larger), numbers_of(b), b->used * sizeof *b->low);
		memcpy(highs_of(&larger), highs_of(b), b->used * sizeof(uint16_t));
	}
	free(b->low);
	h->bytes += (size_t)(larger.room - b->room) * ENTRY_SIZE;
	*b = larger;
	return 0;
}

int hamming_add(struct hamming *h, uint64_t fingerprint, uint32_t number)
{
	int rc = 0;

	if (!h->buckets)
		h->buckets = calloc((size_t)HAMMING_TABLES * HAMMING_BUCKETS, sizeof *h->buckets);
	if (!h->buckets)
		return ERR_NOMEM;
	for (unsigned t = 0; rc == 0 && t < HAMMING_TABLES; t++) {
		uint64_t f = turned(fingerprint, t);

		rc = make_room(h, bucket_of(h, f, t));
	}
	if (rc)
		return rc;
	for (unsigned t = 0; t < HAMMING_TABLES; t++) {
		uint64_t f = turned(fingerprint, t);
		struct hamming_bucket *b = bucket_of(h, f, t);

		b->low[b->used] = (uint32_t)f;
		numbers_of(b)[b->used] = number;
		highs_of(b)[b->used++] = (uint16_t)(f >> 32);
	}
	h->len++;
	return 0;
}

static bool is_near(uint64_t difference)
{
	for (unsigned i = 0; i < SIMHASH_NEAR; i++)
		difference &= difference - 1; /* 0 stays 0 */
	return difference == 0;
}

/* An earlier table has told of it: they share one of its blocks, too. */
static bool is_repeated(uint64_t difference, unsigned table)
{
	for (unsigned t = 0; t < table; t++) {
		/* The block of table t, seen from this table. */
		uint64_t block = turned(difference, SIMHASH_BITS / HAMMING_BLOCK_BITS + t - table);

		if (block >> (SIMHASH_BITS - HAMMING_BLOCK_BITS) == 0)
			return true;
	}
	return false;
}

/* Whether any of so many has its lowest bits near: hardly ever. Compilers make vectors of this. */
static bool any_low_near(const uint32_t *low, size_t count, uint32_t wanted)
{
	uint32_t any = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t difference = low[i] ^ wanted;

		for (unsigned k = 0; k < SIMHASH_NEAR; k++)
			difference &= difference - 1;
		any |= difference == 0 ? UINT32_MAX : 0;
	}
	return any != 0;
}

struct search {
	uint64_t turned_one;
	unsigned table;
	uint32_t *out;
	size_t max, found;
};

static void scan(const struct hamming_bucket *b, size_t from, size_t to, struct search *s)
{
	uint64_t rest = s->turned_one << HAMMING_BLOCK_BITS >> HAMMING_BLOCK_BITS;

	if (!any_low_near(b->low + from, to - from, (uint32_t)rest))
		return;
	for (size_t i = from; i < to; i++) {
		uint64_t difference = ((uint64_t)highs_of(b)[i] << 32 | b->low[i]) ^ rest;

		if (is_near(difference) && s->found < s->max && !is_repeated(difference, s->table))
			s->out[s->found++] = numbers_of(b)[i];
	}
}

size_t hamming_find(const struct hamming *h, uint64_t fingerprint, uint32_t *out, size_t max)
{
	struct search s = {.out = out, .max = max};

	for (s.table = 0; h->buckets && s.table < HAMMING_TABLES; s.table++) {
		const struct hamming_bucket *b;
		size_t end, first;

		s.turned_one = turned(fingerprint, s.table);
		b = bucket_of(h, s.turned_one, s.table);
		first = b->used > HAMMING_SCAN_MAX ? b->used - HAMMING_SCAN_MAX : 0;
		for (end = b->used; end > first; end = end - first > STEP ? end - STEP : first)
			scan(b, end - first > STEP ? end - STEP : first, end, &s);
	}
	return s.found;
}

size_t hamming_memory(const struct hamming *h)
{
	size_t buckets = h->buckets ? (size_t)HAMMING_TABLES * HAMMING_BUCKETS : 0;

	return h->bytes + buckets * sizeof *h->buckets;
}
