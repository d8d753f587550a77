/*
 * The policies of a watch. A policy is what it wants of a page: how often to look at it when a look
 * must gain a margin (or, for those of threshold, whatever the margin is). The margin is found so
 * that all pages together want what the budget allows (plan/refresh_market.h).
 *
 * Sources: Cho and Garcia-Molina, TODS 2003 (fresh, age); Kolobov et al., NeurIPS 2019 (harmonic);
 * Olston and Pandey, WWW 2008 (longevity); Jayawardana et al., 2020, section III (hacs); Tan et
 * al., WISE 2007 (sample); docs/watching.md (capture, hybrid, sharp).
 */
#ifndef PLAN_REFRESH_POLICY_H
#define PLAN_REFRESH_POLICY_H

#include <stdbool.h>
#include <stddef.h>

/* What a policy has to know besides pages; the unit of time is the caller's. 0: the default. */
struct refresh_aim {
	double theta; /* hacs: probability of a change from which on a page is due; 0.5 */
	double use;   /* longevity: how long content must last to be of use; 0: any time */
	double grid;  /* sharp: time between two instants; > 0 for sharp */
	double gap;   /* sharp: time between two looks around an instant; grid / 8 */
};

struct refresh_policy {
	const char *name;
	const char *summary; /* one line, for people */
	/*
	 * Looks per unit of time at a page with this rate (> 0) and weight (> 0), each of which
	 * gains the margin (> 0): falls with the margin. 0: the page is not worth it. NULL for
	 * policies that work in cycles.
	 */
	double (*demand)(const struct refresh_aim *aim, double rate, double weight, double margin);
	bool threshold; /* demand does not depend on the margin */
	bool patient;   /* looks at nothing before it is due, however much budget is left */
	bool groups;    /* looks at pages because of what was found in their group */
};

/* NULL when there is none. */
const struct refresh_policy *refresh_policy_find(const char *name);

/* All policies, in the order of the documentation; NULL past the last. */
const struct refresh_policy *refresh_policy_at(size_t i);

/* The policies that are treated apart somewhere. */
extern const struct refresh_policy REFRESH_UNIFORM, REFRESH_HARMONIC, REFRESH_HACS, REFRESH_SAMPLE,
	REFRESH_HYBRID, REFRESH_SHARP;

/*
 * Of pages whose changes are announced, under harmonic: the share of announcements that are worth a
 * look, min(1, w / (margin λ)).
 */
double refresh_announced_share(double rate, double weight, double margin);

/*
 * sharp: whether this demand means two looks around each instant, rather than one look that ends an
 * interval and begins the next.
 */
bool refresh_sharp_pairs(const struct refresh_aim *aim, double demand);

/*
 * What a refresh rate is worth: freshness, age and harmonic cost of a page that changes as a
 * Poisson process (rate λ) and is looked at f times per unit of time, at equal distances (periodic)
 * or at random (Poisson).
 *
 * Sources: Cho and Garcia-Molina, Effective page refresh policies for web crawlers, TODS 2003
 * (freshness, age); Kolobov et al., LambdaCrawl, NeurIPS 2019 (harmonic cost); survey, section 5.
 */

enum refresh_objective {
	REFRESH_FRESH_PERIODIC, /* share of time in which the copy is current */
	REFRESH_FRESH_POISSON,
	REFRESH_AGE_PERIODIC, /* mean time since the first change that the copy lacks */
	REFRESH_AGE_POISSON,
	REFRESH_HARMONIC_POISSON, /* -ln(freshness) */
	REFRESH_OBJECTIVES,
};

/*
 * The value for λ ≥ 0 and f ≥ 0. Freshness is to be large; age and harmonic cost are to be small,
 * and infinite for a page that changes and is never looked at.
 */
double refresh_value(enum refresh_objective objective, double rate, double f);

/*
 * The f at which another look improves the value by `margin` (> 0) per unit of f: the inverse of
 * its derivative. 0 where no look is worth that much. λ > 0.
 */
double refresh_demand(enum refresh_objective objective, double rate, double margin);

#endif
