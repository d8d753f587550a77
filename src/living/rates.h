/* How often each page changes. */
#ifndef LIVING_RATES_H
#define LIVING_RATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "living/layout.h"
#include "living/params.h"

/*
 * Fills rates[0] to rates[n - 1], as many as there are, from what the user wants; layout gives the
 * pages of a CSV file their numbers and is needed for such only. 0, or ERR_RANGE for what is above
 * LIVING_RATE_MAX, and for files ERR_IO, ERR_SYNTAX, ERR_NOTFOUND, ERR_NOMEM.
 */
int living_rates_fill(const struct living_rates *want, enum living_rate_order order, uint64_t seed,
	const struct layout *layout, double *rates, size_t n, struct err *err) SP_MUST_CHECK;

#endif
