#include "sim/synthetic.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SMOOTH_TAU = 0.7;

/* The z that a normal variable exceeds with probability p, by bisection. */
static double normal_above(double p)
{
	double low = -9, high = 9;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) / 2 > p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void synthetic_fill_rates(const struct synthetic *s, double *rates)
{
	double rate = 1;

	for (size_t i = 0; i < s->n; i++) {
		double rank = (double)i + 1;

		switch (s->rates) {
		case SYNTHETIC_ZIPF:
			rates[i] = fmax(pow(rank, -s->skew), DBL_MIN);
			break;
		case SYNTHETIC_SMOOTH:
			rates[i] = -log(SMOOTH_TAU) / rank;
			break;
		case SYNTHETIC_SKEWED:
			rates[i] = rate;
			/* Denormal rates would only be slow. */
			rate = fmax(rate / (i % 9 < 3 ? 1.06 : 1.001), DBL_MIN);
			break;
		case SYNTHETIC_LOGNORMAL:
			rates[i] = 0.1 * exp(s->skew * normal_above((rank - 0.5) / s->n));
			break;
		}
	}
}

static void place_rates(
	const struct synthetic *s, struct rng *rng, double *rates, struct site *site)
{
	if (s->leaves == SYNTHETIC_MIXED && rng)
		rng_shuffle(rng, rates, s->n, sizeof *rates);
	for (size_t i = 0; i < s->n; i++) {
		size_t from = s->leaves == SYNTHETIC_HOT ? s->n - 1 - i : i;

		site->survival[i] = survival_poisson(rates[from]);
	}
}

/* The complete tree: children are numbered in the order of their parents, so links are 1, 2, 3, …
 */
static void grow_tree(const struct synthetic *s, struct rng *rng, struct site *site)
{
	uint64_t end = 0, links = s->n - 1;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t from = end;

		site->link_from[i] = from;
		end += i == 0 && s->root ? s->root : s->outdegree;
		end = end < links ? end : links;
		for (uint64_t k = from; k < end; k++)
			site->links[k] = (uint32_t)(k + 1);
		if (rng)
			rng_shuffle(rng, site->links + from, end - from, sizeof *site->links);
	}
	site->link_from[s->n] = end;
}

int synthetic_site(const struct synthetic *s, struct rng *rng, struct site *ret_site)
{
	double *rates = malloc(s->n * sizeof *rates);
	struct site site = {
		.n = s->n,
		.survival = malloc(s->n * sizeof *site.survival),
		.link_from = malloc((s->n + (size_t)1) * sizeof *site.link_from),
		.links = malloc(s->n * sizeof *site.links),
	};
	int rc = ERR_NOMEM;

	if (rates && site.survival && site.link_from && site.links) {
		synthetic_fill_rates(s, rates);
		place_rates(s, rng, rates, &site);
		grow_tree(s, rng, &site);
		rc = 0;
	}
	free(rates);
	if (rc)
		site_release(&site);
	else
		*ret_site = site;
	return rc;
}
