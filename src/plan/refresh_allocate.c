/*
 * The optimum gives every page the f at which another look gains the same, the multiplier, per unit
 * of weight; pages that never gain so much get none. The demand of all pages falls with the
 * multiplier, which is found by bisection over the doubles themselves.
 *
 * At the margin the periodic demand of a page falls to 0 like 1/log: between two neighbouring
 * multipliers it jumps from about λ/40 to 0. So the bandwidth is met by mixing the demands at both.
 * That gives the remainder to the marginal pages, in proportion to λ, and moves no other page.
 */
#include "plan/refresh_allocate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct market {
	enum refresh_objective objective;
	const struct refresh_page *pages;
	size_t n;
};

bool refresh_number_ok(double number)
{
	return number == 0 || (number >= REFRESH_NUMBER_MIN && number <= REFRESH_NUMBER_MAX);
}

void refresh_uniform(size_t n, double bandwidth, double *f)
{
	for (size_t i = 0; i < n; i++)
		f[i] = bandwidth / (double)n;
}

void refresh_proportional(const struct refresh_page *pages, size_t n, double bandwidth, double *f)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += pages[i].rate;
	for (size_t i = 0; i < n; i++)
		f[i] = sum > 0 ? bandwidth * (pages[i].rate / sum) : 0;
}

static bool wants_looks(const struct refresh_page *page)
{
	return page->rate > 0 && page->weight > 0;
}

static double demand_of(const struct market *m, size_t page, double multiplier)
{
	const struct refresh_page *p = &m->pages[page];

	if (!wants_looks(p))
		return 0;
	return refresh_demand(m->objective, p->rate, multiplier / p->weight);
}

static double demand(const struct market *m, double multiplier)
{
	double sum = 0;

	for (size_t i = 0; i < m->n && sum < INFINITY; i++)
		sum += demand_of(m, i, multiplier);
	return sum;
}

static double double_of(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof number);
	return number;
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof bits);
	return bits;
}

/* The largest multiplier at which demand is not below the bandwidth; positive doubles sort as
 * their bits do. */
static double clear(const struct market *m, double bandwidth)
{
	uint64_t low = bits_of(1e-200), high = bits_of(1e200);

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (demand(m, double_of(middle)) >= bandwidth)
			low = middle;
		else
			high = middle;
	}
	return double_of(low);
}

/* What the first look gains: the multiplier without bandwidth. */
static double first_gain(const struct market *m)
{
	double best = 0;

	for (size_t i = 0; i < m->n; i++)
		if (wants_looks(&m->pages[i]))
			best = fmax(best, m->pages[i].weight / m->pages[i].rate);
	return best > 0 && m->objective > REFRESH_FRESH_POISSON ? INFINITY : best;
}

double refresh_optimum(enum refresh_objective objective, const struct refresh_page *pages, size_t n,
	double bandwidth, double *f)
{
	struct market m = {objective, pages, n};
	double low, high, most, least, mix;

	for (size_t i = 0; i < n; i++)
		f[i] = 0;
	if (bandwidth == 0 || first_gain(&m) == 0)
		return first_gain(&m);
	low = clear(&m, bandwidth);
	high = nextafter(low, INFINITY);
	most = demand(&m, low);
	least = demand(&m, high);
	mix = most > least ? (bandwidth - least) / (most - least) : 0;
	for (size_t i = 0; i < n; i++)
		f[i] = mix * demand_of(&m, i, low) + (1 - mix) * demand_of(&m, i, high);
	return low;
}

double refresh_total(enum refresh_objective objective, const struct refresh_page *pages, size_t n,
	const double *f)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (pages[i].weight > 0)
			sum += pages[i].weight * refresh_value(objective, pages[i].rate, f[i]);
	return sum;
}
