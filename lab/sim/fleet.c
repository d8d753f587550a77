#include "sim/fleet.h"

#include <math.h>
#include <stdlib.h>

#include "plan/plan.h"

/* Links of a page that is nobody's list. */
enum { LEAF_LINKS = 2 };

static uint32_t place(const struct fleet_kind *kind, bool has_links, struct rng *rng)
{
	double all = 0, at;

	if (kind->spread == FLEET_RANDOM)
		return (uint32_t)rng_below(rng, kind->servers);
	if (kind->spread == FLEET_LEAVES)
		return has_links && kind->servers > 1 ? (uint32_t)kind->servers - 2
						      : (uint32_t)rng_below(rng, kind->servers);
	for (size_t i = 0; i < kind->servers; i++)
		all += 1 / kind->delays[i];
	at = all * rng_double(rng);
	for (uint32_t i = 0; i + 1 < kind->servers; i++) {
		at -= 1 / kind->delays[i];
		if (at < 0)
			return i;
	}
	return (uint32_t)kind->servers - 1;
}

/* Seconds that the visits of the slowest server take. */
static double longest(const struct fleet *f, size_t n)
{
	double seconds[FLEET_MAX] = {0}, most = 0;

	for (size_t i = 0; i < n; i++)
		seconds[f->server_of[i]] += f->delays[f->server_of[i]];
	for (size_t i = 0; i < f->servers; i++)
		most = fmax(most, seconds[i]);
	return most;
}

int fleet_init(struct fleet *f, const struct fleet_kind *kind, struct site *site, struct rng *rng)
{
	double scale;

	*f = (struct fleet){.servers = kind->servers};
	if (kind->servers == 0)
		return 0;
	f->server_of = malloc((site->n + 1) * sizeof *f->server_of);
	if (!f->server_of)
		return ERR_NOMEM;
	for (size_t i = 0; i < kind->servers; i++)
		f->delays[i] = kind->delays[i];
	for (size_t i = 0; i < site->n; i++)
		f->server_of[i] =
			place(kind, site->link_from[i] + LEAF_LINKS < site->link_from[i + 1], rng);
	scale = (double)site->n / longest(f, site->n);
	for (size_t i = 0; i < site->n; i++)
		site->survival[i].rate *= scale;
	return 0;
}

void fleet_release(struct fleet *f)
{
	free(f->server_of);
	*f = (struct fleet){0};
}

int fleet_bound(const struct fleet *f, const struct site *site, double *ret_bound)
{
	struct survival *survival = malloc((site->n + 1) * sizeof *survival);
	float *weight = malloc((site->n + 1) * sizeof *weight);
	int rc = survival && weight ? 0 : ERR_NOMEM;
	double sum = 0;

	for (size_t k = 0; rc == 0 && k < f->servers; k++) {
		struct plan_limit limit;
		size_t n = 0;

		for (uint32_t i = 0; i < site->n; i++) {
			if (f->server_of[i] != k)
				continue;
			survival[n] = site->survival[i];
			weight[n++] = site_weight(site, i);
		}
		rc = plan_limit(survival, weight, n, f->delays[k], false, &limit);
		if (rc == 0)
			sum += limit.bound;
	}
	free(survival);
	free(weight);
	*ret_bound = sum;
	return rc;
}
