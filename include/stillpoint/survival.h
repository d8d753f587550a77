/*
 * How likely a page stays as it is. A page has a mean change rate (changes per unit of time; the
 * unit is yours) and a shape that tells how well the rate is known:
 *
 *	shape = 0   the rate is exact:   S(L) = e^(-rate L)                    (Poisson)
 *	shape > 0   the rate is a guess: S(L) = (1 + rate L / shape)^(-shape)  (Gamma-Poisson)
 *
 * <stillpoint/rate.h> computes both from counts of changes.
 */
#ifndef STILLPOINT_SURVIVAL_H
#define STILLPOINT_SURVIVAL_H

#include <stillpoint/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The probability that nothing changes during length >= 0. */
SP_API int sp_survival_at(double rate, double shape, double length, double *ret_probability);

/* The longest length with S(length) >= tau, 0 < tau <= 1; infinite for a rate of 0. */
SP_API int sp_survival_confidence(double rate, double shape, double tau, double *ret_length);

#ifdef __cplusplus
}
#endif

#endif
