#include "watch/balance.h"

#include <math.h>
#include <stdbool.h>

#include "refresh/run.h"

enum { ROUNDS = 50 };

#define STEP_MAX    2.0
#define DAMPING     0.5  /* margins fall faster than budgets rise */
#define FLOOR_SHARE 0.05 /* of an equal share: what every site gets */

static bool has_margin(const struct balance_site *s)
{
	return s->policy->demand && !s->policy->threshold && s->margin > 0 && isfinite(s->margin) &&
	       s->budget > 0;
}

static double pages_of(const struct balance_site *s)
{
	return fmax(s->pages, 1);
}

/* What a site can have for further looks. */
static double most(const struct balance_site *s)
{
	return fmax(0, fmin(s->limit, s->use) - s->first);
}

/* The margin that the sites of a policy have in common, weighted by their budgets, as its log. */
static double common_margin(
	const struct balance_site *sites, size_t count, const struct refresh_policy *policy)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++)
		if (sites[i].policy == policy && has_margin(&sites[i])) {
			sum += sites[i].budget * log(sites[i].margin);
			weight += sites[i].budget;
		}
	return weight > 0 ? sum / weight : 0;
}

/* What each site of a policy wants, up to a common factor, replaces its budget. */
static void want(
	struct balance_site *sites, size_t count, const struct refresh_policy *policy, double share)
{
	double margin = common_margin(sites, count, policy), pages = 0, step;

	for (size_t i = 0; i < count; i++)
		pages += sites[i].policy == policy ? pages_of(&sites[i]) : 0;
	for (size_t i = 0; i < count; i++) {
		struct balance_site *s = &sites[i];

		if (s->policy != policy)
			continue;
		if (!has_margin(s)) {
			s->budget = share * pages_of(s) / pages;
			continue;
		}
		step = exp(DAMPING * (log(s->margin) - margin));
		s->budget *= fmin(fmax(step, 1 / STEP_MAX), STEP_MAX);
	}
}

static double given(const struct balance_site *s, double factor, double floor)
{
	return fmin(fmax(factor * s->budget, floor), most(s));
}

/* Scales the wishes of a policy's sites to its share; what limits leave goes to the others. */
static void scale(
	struct balance_site *sites, size_t count, const struct refresh_policy *policy, double share)
{
	double low = 0, high = 1, sum, floor;
	size_t members = 0;

	for (size_t i = 0; i < count; i++)
		members += sites[i].policy == policy;
	floor = FLOOR_SHARE * share / (double)(members > 0 ? members : 1);
	for (int round = 0; round < 2 * ROUNDS; round++) {
		double factor = round < ROUNDS ? high : (low + high) / 2;

		sum = 0;
		for (size_t i = 0; i < count; i++)
			if (sites[i].policy == policy)
				sum += given(&sites[i], factor, floor);
		if (round < ROUNDS && sum < share)
			high *= 2;
		else if (round < ROUNDS)
			round = ROUNDS - 1;
		else if (sum < share)
			low = factor;
		else
			high = factor;
	}
	for (size_t i = 0; i < count; i++)
		if (sites[i].policy == policy)
			sites[i].budget = given(&sites[i], high, floor);
}

/* The share of a policy: by pages, but no more than its sites can use. */
static double share_of(const struct balance_site *sites, size_t count,
	const struct refresh_policy *policy, double per_page)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += sites[i].policy == policy
			       ? fmin(per_page * pages_of(&sites[i]), most(&sites[i]))
			       : 0;
	return sum;
}

/* Requests per page at which all sites together have the total, however limits cut it. */
static double fair_per_page(const struct balance_site *sites, size_t count, double total)
{
	double low = 0, high = total; /* a site has a page at least */

	for (int round = 0; round < ROUNDS; round++) {
		double per_page = (low + high) / 2, sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += fmin(per_page * pages_of(&sites[i]), most(&sites[i]));
		if (sum < total)
			low = per_page;
		else
			high = per_page;
	}
	return high;
}

/* A site's part of first copies, if each may have so much. */
static double first_of(const struct balance_site *s, double each, double period)
{
	return fmin(fmin(s->unseen / period, each), fmin(s->limit, s->use));
}

/* Divides the share of first copies; returns what is left of the total. */
static double give_first(struct balance_site *sites, size_t count, double total, double period)
{
	double share = REFRESH_FIRST_SHARE * total, low = 0, high = share, sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double each = round == 0 ? high : (low + high) / 2;

		sum = 0;
		for (size_t i = 0; i < count; i++)
			sum += first_of(&sites[i], each, period);
		if (sum <= share)
			low = each;
		else
			high = each;
	}
	sum = 0;
	for (size_t i = 0; i < count; i++) {
		sites[i].first = first_of(&sites[i], low, period);
		sum += sites[i].first;
	}
	return total - sum;
}

void balance(struct balance_site *sites, size_t count, double total, double period)
{
	double left = give_first(sites, count, total, period);
	double per_page = fair_per_page(sites, count, left);

	for (size_t p = 0; refresh_policy_at(p); p++) {
		const struct refresh_policy *policy = refresh_policy_at(p);
		double share = share_of(sites, count, policy, per_page);

		if (share <= 0)
			continue;
		want(sites, count, policy, share);
		scale(sites, count, policy, share);
	}
}
