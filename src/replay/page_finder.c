#include "replay/page_finder.h"

#include <stdlib.h>

void page_finder_init(struct page_finder *f)
{
	*f = (struct page_finder){.key = hash_key_random()};
}

void page_finder_release(struct page_finder *f)
{
	page_place_vec_release(&f->places);
}

int page_finder_add(struct page_finder *f, slice url, uint32_t capture, uint32_t page)
{
	return page_place_vec_push(
		&f->places, (struct page_place){hash_bytes(f->key, url), capture, page});
}

static int compare(const void *a, const void *b)
{
	const struct page_place *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

void page_finder_settle(struct page_finder *f)
{
	if (f->sorted < f->places.len)
		qsort(f->places.ptr, f->places.len, sizeof f->places.ptr[0], compare);
	f->sorted = f->places.len;
}

int page_finder_find(const struct page_finder *f, slice url, struct page_place_vec *ret)
{
	uint64_t hash = hash_bytes(f->key, url);
	size_t low = 0, high = f->sorted;
	int rc = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->places.ptr[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; rc == 0 && low < f->sorted && f->places.ptr[low].hash == hash; low++)
		rc = page_place_vec_push(ret, f->places.ptr[low]);
	return rc;
}
