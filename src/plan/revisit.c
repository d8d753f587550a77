/*
 * Revisit orders. First in first out and last in first out are those of SHARC section 9.1; hottest
 * first goes with Hottest-middle online (SOLAR section 6); SOLAR's own order follows its revisit
 * slots (offline) or confidence lengths (online), the hopeless last.
 */
#include <stdlib.h>

#include "base/err.h"
#include "plan/order.h"

static int fifo(const struct plan_site *site, struct visited *pages, size_t n)
{
	(void)site;
	(void)pages;
	(void)n;
	return 0;
}

const struct revisit_order revisit_fifo = {.arrange = fifo};

static int lifo(const struct plan_site *site, struct visited *pages, size_t n)
{
	(void)site;
	for (size_t i = 0; i < n / 2; i++) {
		struct visited v = pages[i];

		pages[i] = pages[n - 1 - i];
		pages[n - 1 - i] = v;
	}
	return 0;
}

const struct revisit_order revisit_lifo = {.arrange = lifo};

/* Sorted by class, then key, then the hotter first, then as they were. */
struct sortable {
	int class;
	double key, rate;
	size_t rank;
	struct visited page;
};

static int compare(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

typedef void classify_fn(struct sortable *s);

static int sort(
	const struct plan_site *site, struct visited *pages, size_t n, classify_fn *classify)
{
	struct sortable *all = malloc((n ? n : 1) * sizeof *all);

	if (!all)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		all[i] = (struct sortable){
			.rate = site->survival[pages[i].page].rate, .rank = i, .page = pages[i]};
		classify(&all[i]);
	}
	qsort(all, n, sizeof *all, compare);
	for (size_t i = 0; i < n; i++)
		pages[i] = all[i].page;
	free(all);
	return 0;
}

static void by_heat(struct sortable *s)
{
	(void)s; /* the rate decides */
}

static int hottest_first(const struct plan_site *site, struct visited *pages, size_t n)
{
	return sort(site, pages, n, by_heat);
}

const struct revisit_order revisit_hottest_first = {.arrange = hottest_first};

/* The hopeless come last, and the later visited of them first. */
static void by_slot(struct sortable *s)
{
	s->class = s->page.hopeless;
	s->key = s->page.hopeless ? -(double)s->rank : s->page.key;
}

static int solar(const struct plan_site *site, struct visited *pages, size_t n)
{
	return sort(site, pages, n, by_slot);
}

const struct revisit_order revisit_solar = {.arrange = solar};
