#include "plan/heat.h"

#include <stdlib.h>

#include "base/err.h"

struct keyed {
	double key;
	uint32_t rank; /* position before the sort: makes it stable */
	uint32_t page;
};

static int hotter_first(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static struct keyed *keyed_new(const uint32_t *pages, size_t n)
{
	struct keyed *all = malloc((n ? n : 1) * sizeof *all);

	for (size_t i = 0; all && i < n; i++)
		all[i] = (struct keyed){.rank = (uint32_t)i, .page = pages[i]};
	return all;
}

static void keyed_sort(struct keyed *all, uint32_t *pages, size_t n)
{
	qsort(all, n, sizeof *all, hotter_first);
	for (size_t i = 0; i < n; i++)
		pages[i] = all[i].page;
	free(all);
}

int heat_sort(const struct survival *survival, uint32_t *pages, size_t n)
{
	struct keyed *all = keyed_new(pages, n);

	if (!all)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		all[i].key = survival[pages[i]].rate;
	keyed_sort(all, pages, n);
	return 0;
}

int heat_sort_by(const double *key, uint32_t *pages, size_t n)
{
	struct keyed *all = keyed_new(pages, n);

	if (!all)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		all[i].key = key[pages[i]];
	keyed_sort(all, pages, n);
	return 0;
}
