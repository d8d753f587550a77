/*
 * The URLs that a capture knows: a map from a page's identity (url_page) to its number. It keeps
 * no URL but a digest of 128 bits, two SipHash values under secret keys: who does not know them
 * cannot make two URLs collide, and by chance two of 10^9 URLs do so with a probability of 10^-21.
 * So it is exact for all practical purposes, at a fifth of the memory of a map with the URLs.
 *
 * Memory: 20 bytes per URL in tables that are 76 to 86 % full: from 23.2 to 26.2 bytes, some 28
 * where tables are short, and up to 30 with what malloc cannot use again at once. Large sets have
 * SEEN_SHARDS tables that grow one by one, so that no single seen_add moves more than a thousandth
 * of the whole. Of smaller ones there may be thousands: one of up to 1024 URLs has a single table,
 * one of up to 65,536 has 32.
 */
#ifndef BASE_SEEN_H
#define BASE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/hash.h"
#include "base/slice.h"

enum { SEEN_SHARDS = 1024 };

/* More URLs than this are refused: page numbers have 32 bits. */
#define SEEN_MAX UINT32_MAX

struct seen_shard; /* opaque */

/* Fields are the set's own. */
struct seen {
	struct hash_key key;
	struct seen_shard *shards; /* NULL until the first URL */
	unsigned bits;             /* of a digest that choose one of them */
	size_t count;
	size_t bytes;
};

/* An empty set; allocates nothing. */
void seen_init(struct seen *s, struct hash_key key);

/* Frees all; the set is empty then and may be used again. Safe on a zeroed struct. */
void seen_release(struct seen *s);

/*
 * 0, ERR_EXISTS when the URL is there (its number stays), ERR_LIMIT when there are SEEN_MAX,
 * ERR_NOMEM; the set is as before on failure.
 */
int seen_add(struct seen *s, slice url, uint32_t number) SP_MUST_CHECK;

/* Whether the URL is there; its number goes to *ret_number, which may be NULL. */
bool seen_find(const struct seen *s, slice url, uint32_t *ret_number);

static inline size_t seen_count(const struct seen *s)
{
	return s->count;
}

#endif
