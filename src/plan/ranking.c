#include "plan/ranking.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

enum {
	BLOCK = 512,
	FIRST_CAP = 8, /* of the very first block, which grows: most sites are small */
	SLAB_MAX = 64, /* blocks: half a megabyte */
	SLAB_SHARE = 8,
	SHARE_MIN = BLOCK / 8, /* entries that a neighbour must have room for to be worth it */
};

struct ranking_block {
	size_t len;
	struct ranking_block *next; /* of the spare ones */
	struct ranked_page *entry;
};

/* An eighth of the blocks in all slabs before it, up to the maximum; their entries are behind. */
struct ranking_slab {
	struct ranking_slab *next;
	size_t used, cap;
	struct ranking_block blocks[];
};

void ranking_release(struct ranking *r)
{
	while (r->slabs) {
		struct ranking_slab *next = r->slabs->next;

		free(r->slabs);
		r->slabs = next;
	}
	free(r->blocks);
	free(r->first);
	*r = (struct ranking){0};
}

/* Blocks of the next slab. */
static size_t slab_cap(size_t made)
{
	size_t cap = made / SLAB_SHARE;

	if (cap < 1)
		return 1;
	return cap < SLAB_MAX ? cap : SLAB_MAX;
}

/* The first slab has one block, whose entries are apart. */
static int add_slab(struct ranking *r)
{
	size_t cap = slab_cap(r->made);
	struct ranking_slab *slab;
	struct ranked_page *entries;

	slab = malloc(sizeof *slab + cap * sizeof slab->blocks[0] +
		      (r->made ? cap * BLOCK * sizeof *entries : 0));
	if (!slab)
		return ERR_NOMEM;
	entries = r->made ? (struct ranked_page *)&slab->blocks[cap] : NULL;
	for (size_t b = 0; b < cap; b++)
		slab->blocks[b] =
			(struct ranking_block){.entry = entries ? entries + b * BLOCK : NULL};
	slab->next = r->slabs;
	slab->used = 0;
	slab->cap = cap;
	r->slabs = slab;
	r->made += cap;
	return 0;
}

/* Entries that a block has room for. */
static size_t room(const struct ranking *r, const struct ranking_block *block)
{
	return block->entry == r->first ? r->first_cap : BLOCK;
}

static int grow_first(struct ranking *r, struct ranking_block *block)
{
	size_t cap = r->first_cap ? 2 * r->first_cap : FIRST_CAP;
	struct ranked_page *entries = realloc(r->first, cap * sizeof *entries);

	if (!entries)
		return ERR_NOMEM;
	block->entry = r->first = entries;
	r->first_cap = cap;
	return 0;
}

/* An empty block, or NULL. */
static struct ranking_block *take_block(struct ranking *r)
{
	struct ranking_block *block = r->spare;

	if (block)
		r->spare = block->next;
	else if ((!r->slabs || r->slabs->used == r->slabs->cap) && add_slab(r))
		return NULL;
	else
		block = &r->slabs->blocks[r->slabs->used++];
	block->len = 0;
	return block;
}

static bool before(const struct ranked_page *a, const struct ranked_page *b)
{
	return a->key != b->key ? a->key > b->key : a->seq < b->seq;
}

/* Puts a new empty block at position at. */
static int insert_block(struct ranking *r, size_t at)
{
	struct ranking_block *block;

	if (r->count == r->cap) {
		struct ranking_block **blocks =
			vec_grow(r->blocks, &r->cap, r->count + 1, sizeof(void *));

		if (!blocks)
			return ERR_NOMEM;
		r->blocks = blocks;
	}
	block = take_block(r);
	if (!block)
		return ERR_NOMEM;
	for (size_t b = r->count++; b > at; b--)
		r->blocks[b] = r->blocks[b - 1];
	r->blocks[at] = block;
	return 0;
}

/* The last block that starts before the entry, or the first. */
static size_t block_for(const struct ranking *r, const struct ranked_page *e)
{
	size_t lo = 0, hi = r->count;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (before(&r->blocks[mid]->entry[0], e))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static int split_block(struct ranking *r, size_t b)
{
	struct ranking_block *full, *half;

	TRY(insert_block(r, b + 1));
	full = r->blocks[b];
	half = r->blocks[b + 1];
	half->len = BLOCK / 2;
	full->len = BLOCK - half->len;
	memcpy(half->entry, &full->entry[full->len], half->len * sizeof half->entry[0]);
	return 0;
}

/* A full block gives a neighbour half of the room that it has; false when that is little. */
static bool share(struct ranking *r, size_t b, size_t with)
{
	struct ranking_block *full = r->blocks[b], *other = r->blocks[with];
	size_t n = (BLOCK - other->len) / 2;

	if (BLOCK - other->len < SHARE_MIN)
		return false;
	full->len -= n;
	if (with > b) {
		memmove(&other->entry[n], other->entry, other->len * sizeof *other->entry);
		memcpy(other->entry, &full->entry[full->len], n * sizeof *other->entry);
	} else {
		memcpy(&other->entry[other->len], full->entry, n * sizeof *other->entry);
		memmove(full->entry, &full->entry[n], full->len * sizeof *full->entry);
	}
	other->len += n;
	return true;
}

/* Makes room for the entry in or behind block b, which is full. What comes last fills whole blocks.
 */
static int make_room(struct ranking *r, size_t b, const struct ranked_page *e)
{
	bool is_last;

	if (r->blocks[b]->len < BLOCK)
		return grow_first(r, r->blocks[b]);
	is_last = b + 1 == r->count && before(&r->blocks[b]->entry[BLOCK - 1], e);
	if (is_last)
		return insert_block(r, b + 1);
	if ((b + 1 < r->count && share(r, b, b + 1)) || (b > 0 && share(r, b, b - 1)))
		return 0;
	return split_block(r, b);
}

static void insert_entry(struct ranking_block *block, const struct ranked_page *e)
{
	size_t lo = 0, hi = block->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (before(&block->entry[mid], e))
			lo = mid + 1;
		else
			hi = mid;
	}
	memmove(&block->entry[lo + 1], &block->entry[lo], (block->len - lo) * sizeof *e);
	block->entry[lo] = *e;
	block->len++;
}

int ranking_insert(struct ranking *r, double key, uint32_t page)
{
	struct ranked_page e = {.key = key, .seq = r->seq, .page = page};
	size_t b;

	TRY(r->count ? 0 : insert_block(r, 0));
	b = block_for(r, &e);
	if (r->blocks[b]->len == room(r, r->blocks[b])) {
		TRY(make_room(r, b, &e));
		b = r->blocks[r->count - 1]->len ? block_for(r, &e) : r->count - 1;
	}
	insert_entry(r->blocks[b], &e);
	r->seq++;
	r->len++;
	return 0;
}

/* Ranks are asked for at either end most of the time, so the walk starts at the nearer one. */
static size_t find(const struct ranking *r, size_t *rank)
{
	size_t b, behind;

	if (*rank < r->len / 2) {
		for (b = 0; *rank >= r->blocks[b]->len; b++)
			*rank -= r->blocks[b]->len;
		return b;
	}
	behind = r->len - *rank; /* entries from the rank to the end */
	for (b = r->count - 1; behind > r->blocks[b]->len; b--)
		behind -= r->blocks[b]->len;
	*rank = r->blocks[b]->len - behind;
	return b;
}

struct ranked_page ranking_at(const struct ranking *r, size_t rank)
{
	size_t b = find(r, &rank);

	return r->blocks[b]->entry[rank];
}

size_t ranking_find(const struct ranking *r, ranking_wanted *wanted, void *context)
{
	size_t rank = 0;

	for (size_t b = 0; b < r->count; b++)
		for (size_t i = 0; i < r->blocks[b]->len; i++, rank++)
			if (wanted(&r->blocks[b]->entry[i], context))
				return rank;
	return rank;
}

struct ranked_page ranking_take(struct ranking *r, size_t rank)
{
	size_t b = find(r, &rank);
	struct ranking_block *block = r->blocks[b];
	struct ranked_page e = block->entry[rank];

	block->len--;
	memmove(&block->entry[rank], &block->entry[rank + 1], (block->len - rank) * sizeof e);
	if (block->len == 0) {
		block->next = r->spare;
		r->spare = block;
		for (r->count--; b < r->count; b++)
			r->blocks[b] = r->blocks[b + 1];
	}
	r->len--;
	return e;
}

static bool is_page(const struct ranked_page *entry, void *context)
{
	return entry->page == *(uint32_t *)context;
}

bool ranking_remove(struct ranking *r, uint32_t page)
{
	size_t rank = ranking_find(r, is_page, &page);

	if (rank == r->len)
		return false;
	(void)ranking_take(r, rank);
	return true;
}
