/*
 * sharp. A page is looked at every L >= grid. Then every instant lies between two looks, one length
 * L apart, and is proven with probability e^(-λL): each look ends one interval and begins the next.
 * At a price of κ for a look, w e^(-λL) - κ/L is largest where x² e^-x = κλ/w, x = λL < 2, and is
 * positive only for x <= 1: a page pays while λ <= w / (e κ). More than one look per instant helps
 * only in pairs: two looks around each instant, `gap` apart, prove it with probability e^(-λ gap).
 * Of giving up, one look and two, the policy takes what is worth most.
 *
 * capture. A look every L archives a version with probability 1 - e^(-λL). The gain of another look
 * is w (1 - (1+r) e^-r) with r = λL: at equal weights r is the same for all pages, which is what
 * `proportional` does.
 *
 * longevity. A version counts only if it lasts for the time of use: with probability e^(-λ use).
 */
#include "plan/refresh_policy.h"

#include <math.h>
#include <string.h>

#include "plan/refresh_value.h"

enum { NEWTON_MAX = 100 };

#define THETA_DEFAULT 0.5
#define GAP_DEFAULT   0.125 /* of the grid */

static double uniform(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	(void)rate;
	(void)weight;
	return 1 / margin;
}

static double proportional(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	(void)weight;
	return rate / margin;
}

static double fresh(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	return refresh_demand(REFRESH_FRESH_PERIODIC, rate, margin / weight);
}

static double age(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	return refresh_demand(REFRESH_AGE_PERIODIC, rate, margin / weight);
}

static double harmonic(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	return refresh_demand(REFRESH_HARMONIC_POISSON, rate, margin / weight);
}

static double longevity(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	double lasting = weight * exp(-rate * aim->use);

	return lasting > 0 ? fresh(aim, rate, lasting, margin) : 0;
}

static double capture(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	/* The derivative of freshness is (1 - (1+r) e^-r) / λ. */
	return refresh_demand(REFRESH_FRESH_PERIODIC, rate, margin / weight / rate);
}

static double hacs(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)weight;
	(void)margin;
	return rate / -log1p(-(aim->theta > 0 ? aim->theta : THETA_DEFAULT));
}

/* Due when the weighted chance of a change reaches the margin. */
static double hybrid(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	(void)aim;
	return margin < weight ? rate / -log1p(-margin / weight) : 0;
}

static double gap_of(const struct refresh_aim *aim)
{
	return aim->gap > 0 ? aim->gap : aim->grid * GAP_DEFAULT;
}

/* The x <= 1 with x² e^-x = y <= 1/e. 2 ln x - x is concave and rises: Newton's method approaches
 * the root from below, where sqrt(y) is. */
static double sharp_inverse(double y)
{
	double x = sqrt(y);

	for (int i = 0; i < NEWTON_MAX; i++) {
		double next = x + (log(y) - 2 * log(x) + x) * x / (2 - x);

		if (!(next > x))
			break;
		x = next;
	}
	return fmin(x, 1);
}

static double sharp(const struct refresh_aim *aim, double rate, double weight, double margin)
{
	double y = margin * rate / weight, pair = 2 / aim->grid, single = 0, best;

	if (y <= exp(-1))
		single = fmin(rate / sharp_inverse(y), 1 / aim->grid);
	best = single > 0 ? weight * exp(-rate / single) - margin * single : 0;
	if (best <= 0)
		single = best = 0;
	return weight * exp(-rate * gap_of(aim)) - margin * pair > best ? pair : single;
}

bool refresh_sharp_pairs(const struct refresh_aim *aim, double demand)
{
	return demand > 1.5 / aim->grid;
}

double refresh_announced_share(double rate, double weight, double margin)
{
	return fmin(1, weight / margin / rate);
}

const struct refresh_policy REFRESH_UNIFORM = {.name = "uniform",
				    .summary = "all pages equally often",
				    .demand = uniform},
			    REFRESH_HARMONIC = {.name = "harmonic",
				    .summary = "no page starves: least -ln(freshness)",
				    .demand = harmonic},
			    REFRESH_HACS = {.name = "hacs",
				    .summary = "what has changed with a given probability",
				    .demand = hacs,
				    .threshold = true,
				    .patient = true},
			    REFRESH_SAMPLE = {.name = "sample",
				    .summary = "random samples, and the neighbours of changed ones",
				    .groups = true},
			    REFRESH_HYBRID = {.name = "hybrid",
				    .summary = "likely changes, by page and by activity around it",
				    .demand = hybrid,
				    .groups = true},
			    REFRESH_SHARP = {.name = "sharp",
				    .summary = "most pages proven at every instant of a grid",
				    .demand = sharp,
				    .patient = true};

static const struct refresh_policy
	PROPORTIONAL = {.name = "proportional",
		.summary = "in proportion to change rates",
		.demand = proportional},
	FRESH = {.name = "fresh", .summary = "most copies current", .demand = fresh},
	AGE = {.name = "age", .summary = "least age of the copies", .demand = age},
	LONGEVITY = {.name = "longevity",
		.summary = "most copies current, of content that lasts",
		.demand = longevity},
	CAPTURE = {.name = "capture", .summary = "most versions archived", .demand = capture};

static const struct refresh_policy *const POLICIES[] = {&REFRESH_UNIFORM, &PROPORTIONAL, &FRESH,
	&AGE, &REFRESH_HARMONIC, &LONGEVITY, &CAPTURE, &REFRESH_HACS, &REFRESH_SAMPLE,
	&REFRESH_HYBRID, &REFRESH_SHARP};

const struct refresh_policy *refresh_policy_at(size_t i)
{
	return i < sizeof POLICIES / sizeof POLICIES[0] ? POLICIES[i] : NULL;
}

const struct refresh_policy *refresh_policy_find(const char *name)
{
	const struct refresh_policy *p = NULL;

	for (size_t i = 0; (p = refresh_policy_at(i)); i++)
		if (strcmp(p->name, name) == 0)
			break;
	return p;
}
