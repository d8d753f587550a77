/* How often pages change: drawn from a distribution, or read. */
#ifndef LIVING_RATES_H
#define LIVING_RATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "living/params.h"

/*
 * Fills n rates from a distribution (no file, nothing given), in the order that is wanted. Cannot
 * fail.
 */
void rates_draw(const struct living_rates *want, enum living_rate_order order, uint64_t seed,
	double *rates, size_t n);

/* Scales n rates to a mean. 0, or ERR_RANGE when their sum is 0 or infinite. */
int rates_scale(double mean, double *rates, size_t n, struct err *err) SP_MUST_CHECK;

/*
 * Takes the rate of a page or URL, as it stands in the file: 0, or ERR_NOTFOUND when there is no
 * such page.
 */
typedef int rates_take(void *context, slice name, double rate);

/*
 * Reads a CSV file with the columns page (or url) and rate. 0, or ERR_IO, ERR_SYNTAX, ERR_NOTFOUND,
 * ERR_LIMIT, ERR_NOMEM with file and line.
 */
int rates_read(const char *file, rates_take *take, void *context, struct err *err) SP_MUST_CHECK;

#endif
