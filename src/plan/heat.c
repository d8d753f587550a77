#include "plan/heat.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"

enum {
	INSERTION = 16,     /* pieces that small are sorted by insertion */
	DIVISIONS_MAX = 80, /* about twice the logarithm of any number of pages */
};

struct keyed {
	double key;
	uint32_t rank; /* position before the sort: makes it stable */
	uint32_t page;
};

static_assert(sizeof(struct keyed) == HEAT_SCRATCH, "heat.h says how much memory sorting takes");

static bool hotter(const struct keyed *x, const struct keyed *y)
{
	return x->key != y->key ? x->key > y->key : x->rank < y->rank;
}

static void swap(struct keyed *x, struct keyed *y)
{
	struct keyed z = *x;

	*x = *y;
	*y = z;
}

static void sift_down(struct keyed *all, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && hotter(&all[child], &all[child + 1]))
			child++;
		if (!hotter(&all[at], &all[child]))
			return;
		swap(&all[at], &all[child]);
	}
}

static void heap_sort(struct keyed *all, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(all, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(&all[0], &all[i]);
		sift_down(all, 0, i);
	}
}

static void insertion_sort(struct keyed *all, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && hotter(&all[j], &all[j - 1]); j--)
			swap(&all[j], &all[j - 1]);
}

/* Puts a median of three first and divides the rest around it; returns where it came to stand. */
static size_t divide(struct keyed *all, size_t n)
{
	size_t mid = n / 2, last = n - 1, lo = 0, hi = n;

	if (hotter(&all[last], &all[mid]))
		swap(&all[last], &all[mid]);
	if (hotter(&all[mid], &all[0]))
		swap(&all[mid], &all[0]);
	if (hotter(&all[last], &all[mid]))
		swap(&all[last], &all[mid]);
	swap(&all[0], &all[mid]);
	for (;;) {
		do
			lo++;
		while (lo < n && hotter(&all[lo], &all[0]));
		do
			hi--;
		while (hotter(&all[0], &all[hi]));
		if (lo >= hi)
			break;
		swap(&all[lo], &all[hi]);
	}
	swap(&all[0], &all[hi]);
	return hi;
}

/*
 * Quicksort in place: the qsort of the C library takes as much memory again, which at a million
 * pages is a sixth of what planning may use. Where it divides badly heap sort takes over.
 */
static void sort(struct keyed *all, size_t n, unsigned bad_luck)
{
	while (n > INSERTION) {
		size_t at;

		if (bad_luck-- == 0) {
			heap_sort(all, n);
			return;
		}
		at = divide(all, n);
		if (at < n / 2) {
			sort(all, at, bad_luck);
			all += at + 1;
			n -= at + 1;
		} else {
			sort(all + at + 1, n - at - 1, bad_luck);
			n = at;
		}
	}
	insertion_sort(all, n);
}

static void sort_pages(struct keyed *all, uint32_t *pages, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		all[i].rank = (uint32_t)i;
		all[i].page = pages[i];
	}
	sort(all, n, DIVISIONS_MAX);
	for (size_t i = 0; i < n; i++)
		pages[i] = all[i].page;
}

void heat_sort_in(void *scratch, const struct survival *survival, uint32_t *pages, size_t n)
{
	struct keyed *all = scratch;

	for (size_t i = 0; i < n; i++)
		all[i].key = survival[pages[i]].rate;
	sort_pages(all, pages, n);
}

void heat_sort_by_in(void *scratch, const double *key, uint32_t *pages, size_t n)
{
	struct keyed *all = scratch;

	for (size_t i = 0; i < n; i++)
		all[i].key = key[pages[i]];
	sort_pages(all, pages, n);
}

int heat_sort(const struct survival *survival, uint32_t *pages, size_t n)
{
	void *scratch = malloc((n ? n : 1) * HEAT_SCRATCH);

	if (!scratch)
		return ERR_NOMEM;
	heat_sort_in(scratch, survival, pages, n);
	free(scratch);
	return 0;
}

int heat_sort_by(const double *key, uint32_t *pages, size_t n)
{
	void *scratch = malloc((n ? n : 1) * HEAT_SCRATCH);

	if (!scratch)
		return ERR_NOMEM;
	heat_sort_by_in(scratch, key, pages, n);
	free(scratch);
	return 0;
}
