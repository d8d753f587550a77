/* What the public functions check before they call the rooms, which trust their callers. */
#ifndef LIB_CHECK_H
#define LIB_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stillpoint/error.h>
#include <stillpoint/plan.h>

#include "plan/plan.h"

/* Products of a few numbers below this are finite: nothing inside becomes infinite or NaN. */
#define LIB_NUMBER_MAX 1e100

static inline bool lib_is_number(double x)
{
	return fabs(x) <= LIB_NUMBER_MAX; /* false for NaN */
}

static inline bool lib_is_positive(double x)
{
	return x > 0 && x <= LIB_NUMBER_MAX;
}

static inline bool lib_is_not_negative(double x)
{
	return x >= 0 && x <= LIB_NUMBER_MAX;
}

/* Whether an array that the caller passed may be read. */
static inline bool lib_is_array(size_t n, const void *array)
{
	return n == 0 || array;
}

/* Whether all are numbers of at least min; false for NULL, unless n is 0. */
bool lib_are_at_least(double min, size_t n, const double *array);

/* The public code for one of base/err.h. */
int lib_code(int code);

/* Reads the caller's parameters, NULL being all defaults. 0 or a public code. */
int lib_plan_params(const struct sp_plan_params *from, struct plan_params *ret_params);

#endif
