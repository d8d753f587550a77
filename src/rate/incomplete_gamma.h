/* The functions around Euler's gamma that Gamma distributions need, for all shapes we use. */
#ifndef RATE_INCOMPLETE_GAMMA_H
#define RATE_INCOMPLETE_GAMMA_H

/* The derivative of log G(x), x > 0. */
double rate_digamma(double x);

/* P(a, x): the probability that a Gamma variate of shape a > 0 and time 1 is at most x. */
double rate_gamma_p(double a, double x);

/* The x with P(a, x) = p, 0 < p < 1; 0 where it is too small for a double. */
double rate_gamma_p_inverse(double a, double p);

#endif
