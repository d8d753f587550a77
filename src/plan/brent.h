/*
 * Brent's method for a root in a bracket (R. P. Brent, Algorithms for Minimization without
 * Derivatives, 1973, chapter 4): inverse quadratic interpolation where it helps, else bisection.
 */
#ifndef PLAN_BRENT_H
#define PLAN_BRENT_H

typedef double rate_function(const void *context, double x);

/*
 * A root of a falling function between low and high, to within tolerance (> 0). Where the function
 * is not positive at low the result is low, where it is not negative at high it is high: so there
 * is always an answer within the bracket.
 */
double rate_brent(rate_function *f, const void *context, double low, double high, double tolerance);

#endif
