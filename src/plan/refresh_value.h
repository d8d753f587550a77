/*
 * What a refresh rate is worth: freshness, age and harmonic cost of a page that changes as a
 * Poisson process (rate λ) and is looked at f times per unit of time, at equal distances (periodic)
 * or at random (Poisson).
 *
 * Sources: Cho and Garcia-Molina, Effective page refresh policies for web crawlers, TODS 2003
 * (freshness, age); Kolobov et al., LambdaCrawl, NeurIPS 2019 (harmonic cost); survey, section 5.
 */
#ifndef PLAN_REFRESH_VALUE_H
#define PLAN_REFRESH_VALUE_H

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
