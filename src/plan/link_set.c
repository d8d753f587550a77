#include "plan/link_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"

enum { PROBES = 3, PROBE_SHIFT = 21 };

/* Constant: sketches are stored. */
static const struct hash_key KEY = {0x6c696e6b2d736574, 0x736b657463682d31};

void link_set_init(struct link_set *s, size_t links)
{
	*s = (struct link_set){.size = LINK_SET_SIZE_MIN};
	while (s->size < links && s->size < LINK_SET_SIZE_MAX)
		s->size *= 2;
}

void link_set_add(struct link_set *s, slice url)
{
	uint64_t hash = hash_bytes(KEY, url);

	for (int i = 0; i < PROBES; i++) {
		size_t bit = (size_t)(hash >> (i * PROBE_SHIFT)) % (8 * s->size);

		s->bits[bit / 8] |= (uint8_t)(1U << bit % 8);
	}
}

bool link_set_is_sketch(slice sketch)
{
	return sketch.len >= LINK_SET_SIZE_MIN && sketch.len <= LINK_SET_SIZE_MAX &&
	       (sketch.len & (sketch.len - 1)) == 0;
}

void link_union_release(struct link_union *u)
{
	free(u->bits);
	*u = (struct link_union){0};
}

/* A bit's place is its hash modulo the size, so a smaller sketch repeated is a larger one. */
static int grow(struct link_union *u, size_t size)
{
	uint8_t *bits = realloc(u->bits, size);

	if (!bits)
		return ERR_NOMEM;
	u->bits = bits;
	if (u->size == 0)
		memset(bits, 0, size);
	for (size_t at = u->size; u->size > 0 && at < size; at += u->size)
		memcpy(bits + at, bits, u->size);
	u->size = size;
	return 0;
}

/* The byte of the union folded to a smaller size. */
static uint8_t folded(const struct link_union *u, size_t size, size_t at)
{
	uint8_t bits = 0;

	for (; at < u->size; at += size)
		bits |= u->bits[at];
	return bits;
}

int link_union_add(struct link_union *u, slice sketch, bool *ret_new)
{
	bool is_new = false;

	TRY(u->size < sketch.len ? grow(u, sketch.len) : 0);
	*ret_new = false;
	if (sketch.len == 0)
		return 0;
	for (size_t i = 0; i < sketch.len; i++)
		is_new = is_new || ((uint8_t)sketch.ptr[i] & (uint8_t)~folded(u, sketch.len, i));
	for (size_t i = 0; i < u->size; i++)
		u->bits[i] |= (uint8_t)sketch.ptr[i % sketch.len];
	*ret_new = is_new;
	return 0;
}
