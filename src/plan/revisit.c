/*
 * Revisit orders. First in first out and last in first out are those of SHARC section 9.1; hottest
 * first goes with Hottest-middle online (SOLAR section 6); SOLAR's own order follows its revisit
 * slots (offline) or confidence lengths (online), the hopeless last.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/heat.h"
#include "plan/order.h"

static int fifo(const struct plan_site *site, uint32_t *pages, size_t n)
{
	(void)site;
	(void)pages;
	(void)n;
	return 0;
}

const struct revisit_order revisit_fifo = {.arrange = fifo};

static int lifo(const struct plan_site *site, uint32_t *pages, size_t n)
{
	(void)site;
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t page = pages[i];

		pages[i] = pages[n - 1 - i];
		pages[n - 1 - i] = page;
	}
	return 0;
}

const struct revisit_order revisit_lifo = {.arrange = lifo};

static int hottest_first(const struct plan_site *site, uint32_t *pages, size_t n)
{
	return heat_sort(site->survival, pages, n);
}

const struct revisit_order revisit_hottest_first = {.arrange = hottest_first};

/* Sorts indices by the rate of their pages, from hot to cold. */
static int sort_by_rate(
	const struct plan_site *site, const uint32_t *pages, uint32_t *index, double *key, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		index[i] = (uint32_t)i;
		key[i] = site->survival[pages[i]].rate;
	}
	return heat_sort_by(key, index, n);
}

/*
 * The hopeful by their key, of equal keys the hotter first: two stable sorts. The hopeless come
 * last, and the later visited of them first.
 */
static int solar(const struct plan_site *site, uint32_t *pages, size_t n)
{
	double *key = calloc(n ? n : 1, sizeof *key);
	uint32_t *index = malloc((n ? n : 1) * sizeof *index);
	int rc = key && index ? sort_by_rate(site, pages, index, key, n) : ERR_NOMEM;
	size_t hopeful = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const struct plan_page *p = &site->page[pages[i]];

		/* Also the key of a page that never changes comes before the hopeless. */
		key[i] = p->hopeless ? -INFINITY : fmax(-(double)p->key, -DBL_MAX);
		hopeful += !p->hopeless;
	}
	if (!rc)
		rc = heat_sort_by(key, index, n);
	for (size_t i = 0; !rc && i < hopeful; i++)
		index[i] = pages[index[i]];
	for (size_t i = n, to = hopeful; !rc && i-- > 0;)
		if (site->page[pages[i]].hopeless)
			index[to++] = pages[i];
	for (size_t i = 0; !rc && i < n; i++)
		pages[i] = index[i];
	free(key);
	free(index);
	return rc;
}

const struct revisit_order revisit_solar = {.arrange = solar};
