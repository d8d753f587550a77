/*
 * Which pages of an archive's captures a URL is. The catalog has no index on URLs: it would cost as
 * much as all the rest. Here a page takes 16 bytes, with a hash of its URL; who asks compares the
 * URL itself.
 */
#ifndef REPLAY_PAGE_FINDER_H
#define REPLAY_PAGE_FINDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"

struct page_place {
	uint64_t hash; /* of the URL */
	uint32_t capture;
	uint32_t page;
};

VEC_DECLARE(page_place_vec, struct page_place);

/* Fields are its own. */
struct page_finder {
	struct hash_key key;
	struct page_place_vec places; /* sorted up to `sorted` */
	size_t sorted;
};

void page_finder_init(struct page_finder *f);
void page_finder_release(struct page_finder *f);

/* 0 or ERR_NOMEM. */
int page_finder_add(
	struct page_finder *f, slice url, uint32_t capture, uint32_t page) SP_MUST_CHECK;

/* To be called after a number of additions, before the next search. */
void page_finder_settle(struct page_finder *f);

/* Appends the places that may be of the URL, by capture and page. 0 or ERR_NOMEM. */
int page_finder_find(
	const struct page_finder *f, slice url, struct page_place_vec *ret) SP_MUST_CHECK;

#endif
