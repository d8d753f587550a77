/*
 * Divides a bandwidth, looks per unit of time, among pages: evenly, in proportion to their change
 * rates, or so that the weighted sum of an objective is best (plan/refresh_policy.h).
 */
#ifndef PLAN_REFRESH_ALLOCATE_H
#define PLAN_REFRESH_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/vec.h"
#include "plan/refresh_policy.h"

/* Numbers other than 0 lie between these, so that no product of them overflows. */
#define REFRESH_NUMBER_MIN 1e-30
#define REFRESH_NUMBER_MAX 1e30

struct refresh_page {
	double rate;   /* changes per unit of time */
	double weight; /* of its value in the sum */
};

VEC_DECLARE(refresh_pages, struct refresh_page);

/* A number that the functions below take: 0, or one between the limits above. */
bool refresh_number_ok(double number);

void refresh_uniform(size_t n, double bandwidth, double *f);

/* Pages that never change get nothing. */
void refresh_proportional(const struct refresh_page *pages, size_t n, double bandwidth, double *f);

/*
 * Fills f[n] with the optimum and returns its Lagrange multiplier: what the weighted sum gains per
 * unit of bandwidth. 0 where no page is worth a look, infinite for age and harmonic cost without
 * bandwidth. Pages that never change or weigh nothing get nothing.
 */
double refresh_optimum(enum refresh_objective objective, const struct refresh_page *pages, size_t n,
	double bandwidth, double *f);

/* The weighted sum of an objective's values; may be infinite. */
double refresh_total(enum refresh_objective objective, const struct refresh_page *pages, size_t n,
	const double *f);

#endif
