#include "base/hash.h"

#include <endian.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

enum {
	FIRST_SLOTS = 16,
	FREE_SLOT = 0,
	KEPT_SLOTS = 1024, /* by strmap_reset: more of them cost more to empty than to make */
};

static const size_t KEYS_MAX = UINT32_C(1) << 31;

struct hash_key hash_key_random(void)
{
	struct hash_key key;

	/* Fails only on kernels older than any we know; then the address space is our dice. */
	if (getentropy(&key, sizeof key) != 0)
		key = (struct hash_key){(uint64_t)time(NULL), (uint64_t)(uintptr_t)&key};
	return key;
}

/* Inlined by force: several rounds for every link of every page. */
#define HOT static inline __attribute__((always_inline))

HOT uint64_t rotl(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

/* SipRound, §2.1 of the paper. */
HOT void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] = rotl(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] = rotl(v[2], 32);
}

/* Up to eight bytes, little-endian on every machine. */
HOT uint64_t load(const char *p, size_t len)
{
	uint64_t word = 0;

	if (len)
		memcpy(&word, p, len);
	return le64toh(word);
}

/* The last bytes, fewer than eight: of a longer run from those before them, without a loop. */
HOT uint64_t load_end(slice bytes, size_t left)
{
	const char *end = bytes.len ? bytes.ptr + bytes.len : NULL;

	if (bytes.len < 8 || left == 0)
		return load(left ? end - left : NULL, left);
	return load(end - 8, 8) >> 8 * (8 - left);
}

HOT void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

/* All but the end, for both lengths of the result. */
HOT void sip_start(uint64_t v[4], struct hash_key key, slice bytes)
{
	const char *p = bytes.ptr;
	size_t left = bytes.len;

	v[0] = key.k0 ^ UINT64_C(0x736f6d6570736575);
	v[1] ^= key.k1 ^ UINT64_C(0x646f72616e646f6d);
	v[2] = key.k0 ^ UINT64_C(0x6c7967656e657261);
	v[3] = key.k1 ^ UINT64_C(0x7465646279746573);
	for (; left >= 8; left -= 8, p += 8)
		absorb(v, load(p, 8));
	absorb(v, (uint64_t)bytes.len << 56 | load_end(bytes, left));
}

HOT uint64_t sip_end(uint64_t v[4])
{
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_bytes(struct hash_key key, slice bytes)
{
	uint64_t v[4] = {0};

	sip_start(v, key, bytes);
	v[2] ^= 0xff;
	return sip_end(v);
}

/* As the authors' code has it: other constants, and the second half from three more rounds. */
struct hash128 hash_bytes_128(struct hash_key key, slice bytes)
{
	uint64_t v[4] = {0, 0xee, 0, 0};
	struct hash128 hash;

	sip_start(v, key, bytes);
	v[2] ^= 0xee;
	hash.first = sip_end(v);
	v[1] ^= 0xdd;
	hash.second = sip_end(v);
	return hash;
}

/* The hash decides most comparisons without a look at the entry and serves again on growth. */
struct strmap_slot {
	uint32_t hash;
	uint32_t entry; /* its number plus one, or FREE_SLOT */
};

struct strmap_entry {
	const char *ptr;
	uint32_t len;
	uint32_t value;
};

void strmap_init(struct strmap *m, struct hash_key key, struct arena *arena)
{
	*m = (struct strmap){.key = key, .arena = arena};
}

void strmap_release(struct strmap *m)
{
	free(m->slots);
	free(m->entries);
	strmap_init(m, m->key, m->arena);
}

void strmap_reset(struct strmap *m)
{
	if (m->slot_count > KEPT_SLOTS) {
		strmap_release(m);
		return;
	}
	if (m->slots)
		memset(m->slots, 0, m->slot_count * sizeof *m->slots);
	m->len = 0;
}

/* The slot of this key, or the free one where it belongs; there is always a free slot. */
static struct strmap_slot *find(const struct strmap *m, slice key, uint32_t hash)
{
	size_t mask = m->slot_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct strmap_slot *s = &m->slots[i];
		const struct strmap_entry *e;

		if (s->entry == FREE_SLOT)
			return s;
		e = &m->entries[s->entry - 1];
		if (s->hash == hash && slice_eq(key, (slice){e->ptr, e->len}))
			return s;
	}
}

static void move_slots(struct strmap_slot *to, size_t to_count, const struct strmap *m)
{
	size_t mask = to_count - 1;

	for (size_t i = 0; i < m->slot_count; i++) {
		size_t at = m->slots[i].hash & mask;

		if (m->slots[i].entry == FREE_SLOT)
			continue;
		while (to[at].entry != FREE_SLOT)
			at = (at + 1) & mask;
		to[at] = m->slots[i];
	}
}

/* Room for one more key, at most three slots of four taken. */
static int make_room(struct strmap *m)
{
	size_t count = m->slot_count ? m->slot_count * 2 : FIRST_SLOTS;
	struct strmap_entry *entries;
	struct strmap_slot *slots;

	if (m->len >= KEYS_MAX)
		return ERR_LIMIT;
	if (m->len == m->entry_cap) {
		entries = vec_grow(m->entries, &m->entry_cap, m->len + 1, sizeof *entries);
		if (!entries)
			return ERR_NOMEM;
		m->entries = entries;
	}
	if (m->len + 1 <= m->slot_count / 4 * 3)
		return 0;
	slots = calloc(count, sizeof *slots);
	if (!slots) {
		mem_out();
		return ERR_NOMEM;
	}
	move_slots(slots, count, m);
	free(m->slots);
	m->slots = slots;
	m->slot_count = count;
	return 0;
}

static int put(struct strmap *m, slice key, uint32_t value, bool ends)
{
	uint32_t hash = (uint32_t)hash_bytes(m->key, key);
	struct strmap_slot *s;

	if (key.len > UINT32_MAX)
		return ERR_LIMIT;
	TRY(make_room(m));
	s = find(m, key, hash);
	if (s->entry != FREE_SLOT)
		return ERR_EXISTS;
	if (m->arena)
		key.ptr = ends ? arena_str(m->arena, key) : arena_strdup(m->arena, key);
	if (m->arena && !key.ptr)
		return ERR_NOMEM;
	m->entries[m->len++] = (struct strmap_entry){key.ptr, (uint32_t)key.len, value};
	*s = (struct strmap_slot){hash, (uint32_t)m->len};
	return 0;
}

int strmap_put(struct strmap *m, slice key, uint32_t value)
{
	return put(m, key, value, false);
}

bool strmap_add(struct strmap *m, slice key, uint32_t value)
{
	int rc = put(m, key, value, true);

	if (rc && rc != ERR_EXISTS)
		mem_end();
	return rc == 0;
}

slice strmap_newest(const struct strmap *m)
{
	const struct strmap_entry *e = &m->entries[m->len - 1];

	return (slice){e->ptr, e->len};
}

bool strmap_get(const struct strmap *m, slice key, uint32_t *ret_value)
{
	const struct strmap_slot *s;

	if (m->len == 0)
		return false;
	s = find(m, key, (uint32_t)hash_bytes(m->key, key));
	if (s->entry == FREE_SLOT)
		return false;
	if (ret_value)
		*ret_value = m->entries[s->entry - 1].value;
	return true;
}
