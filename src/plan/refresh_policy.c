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

/*
 * With r = λ/f, the changes between two periodic looks:
 *
 *	freshness  (1 - e^-r) / r               derivative  (1 - (1+r) e^-r) / λ
 *	age        (r²/2 - r + 1 - e^-r) / λr   derivative  (r²/2 - 1 + (1+r) e^-r) / λ²  (falling)
 *
 * Both derivatives lose all digits for small r and are summed as series there. The equations are
 * solved by Newton's method from a point that is known to lie above the root of a convex function:
 * it can only approach the root, never overshoot it.
 */

#define SERIES_BELOW 0.5

enum {
	SERIES_TERMS = 18, /* enough for all digits below SERIES_BELOW */
	VALUE_NEWTON_MAX = 100,
};

/* r²/2 - r + 1 - e^-r = r³/3! - r⁴/4! + … */
static double age_integral(double r)
{
	double term = r * r * r / 6, sum = 0;

	if (r >= SERIES_BELOW)
		return r * r / 2 - r - expm1(-r);
	for (int k = 3; k < 3 + SERIES_TERMS; k++) {
		sum += term;
		term *= -r / (k + 1);
	}
	return sum;
}

/* r²/2 - 1 + (1+r) e^-r = 2 r³/3! - 3 r⁴/4! + … */
static double age_slope(double r)
{
	double term = r * r * r / 6, sum = 0;

	if (r >= SERIES_BELOW)
		return r * r / 2 - 1 + (1 + r) * exp(-r);
	for (int k = 3; k < 3 + SERIES_TERMS; k++) {
		sum += (k - 1) * term;
		term *= -r / (k + 1);
	}
	return sum;
}

/* r - ln(1+r) = r²/2 - r³/3 + … */
static double log_gap(double r)
{
	double power = r * r, sum = 0;

	if (r >= 0.05)
		return r - log1p(r);
	for (int k = 2; k < 2 + SERIES_TERMS; k++) {
		sum += power / k;
		power *= -r;
	}
	return sum;
}

/*
 * The r with 1 - (1+r) e^-r = y, that is r - ln(1+r) = -ln(1-y) = u. It lies below u + sqrt(2u)
 * (Chatzigeorgiou, Bounds on the Lambert function, 2013).
 */
static double fresh_inverse(double y)
{
	double u = -log1p(-y), r = u + sqrt(2 * u);

	for (int i = 0; i < VALUE_NEWTON_MAX && r > 0; i++) {
		double next = r - (log_gap(r) - u) * (1 + r) / r;

		if (!(next < r))
			break;
		r = next;
	}
	return r;
}

/* The r with age_slope(r) = y: age_slope is above r³/5 up to r = 1, and above r²/2 - 1. */
static double age_inverse(double y)
{
	double r = y <= 0.2 ? cbrt(5 * y) : sqrt(2 * (y + 1));

	for (int i = 0; i < VALUE_NEWTON_MAX && r > 0; i++) {
		double next = r - (age_slope(r) - y) / (-r * expm1(-r));

		if (!(next < r))
			break;
		r = next;
	}
	return r;
}

/* The z = f/λ with 1/z² - 1/(1+z)² = y, which is below 1/z² and 2/z³. */
static double age_random_inverse(double y)
{
	double z = fmin(1 / sqrt(y), cbrt(2 / y));

	for (int i = 0; i < VALUE_NEWTON_MAX; i++) {
		double excess = y * z * z * (1 + z) * (1 + z) - (1 + 2 * z);
		double next = z - excess / (2 * y * z * (1 + z) * (1 + 2 * z) - 2);

		if (!(next < z))
			break;
		z = next;
	}
	return z;
}

double refresh_value(enum refresh_objective objective, double rate, double f)
{
	double r = rate / f;

	if (rate == 0)
		return objective <= REFRESH_FRESH_POISSON ? 1 : 0;
	if (f == 0)
		return objective <= REFRESH_FRESH_POISSON ? 0 : INFINITY;
	switch (objective) {
	case REFRESH_FRESH_PERIODIC:
		return -expm1(-r) / r;
	case REFRESH_FRESH_POISSON:
		return 1 / (1 + r);
	case REFRESH_AGE_PERIODIC:
		return age_integral(r) / r / rate;
	case REFRESH_AGE_POISSON:
		return r / (f + rate);
	default:
		return log1p(r);
	}
}

double refresh_demand(enum refresh_objective objective, double rate, double margin)
{
	double y = margin * rate;

	switch (objective) {
	case REFRESH_FRESH_PERIODIC:
		return y < 1 ? rate / fresh_inverse(y) : 0;
	case REFRESH_FRESH_POISSON:
		return y < 1 ? rate * (1 / sqrt(y) - 1) : 0;
	case REFRESH_AGE_PERIODIC:
		return rate / age_inverse(y * rate);
	case REFRESH_AGE_POISSON:
		return rate * age_random_inverse(y * rate);
	default: /* λ / (f (f+λ)) = margin */
		return 2 * rate / (y + sqrt(y * y + 4 * y));
	}
}
