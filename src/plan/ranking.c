#include "plan/ranking.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

enum { BLOCK = 512 };

struct ranking_block {
	size_t len;
	struct ranked_page entry[BLOCK];
};

void ranking_release(struct ranking *r)
{
	for (size_t b = 0; b < r->count; b++)
		free(r->blocks[b]);
	free(r->blocks);
	*r = (struct ranking){0};
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
	block = malloc(sizeof *block);
	if (!block)
		return ERR_NOMEM;
	block->len = 0;
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
	int rc = insert_block(r, b + 1);

	if (rc)
		return rc;
	full = r->blocks[b];
	half = r->blocks[b + 1];
	half->len = BLOCK / 2;
	full->len = BLOCK - half->len;
	memcpy(half->entry, &full->entry[full->len], half->len * sizeof half->entry[0]);
	return 0;
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
	int rc = r->count ? 0 : insert_block(r, 0);

	if (rc)
		return rc;
	b = block_for(r, &e);
	if (r->blocks[b]->len == BLOCK) {
		rc = split_block(r, b);
		if (rc)
			return rc;
		b = block_for(r, &e);
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
		free(block);
		for (r->count--; b < r->count; b++)
			r->blocks[b] = r->blocks[b + 1];
	}
	r->len--;
	return e;
}
