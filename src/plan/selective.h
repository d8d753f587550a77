/* The test that SHARC-selective makes of a page, shared by its offline and online forms. */
#ifndef PLAN_SELECTIVE_H
#define PLAN_SELECTIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Sums that differ by less than this share of them are equal: a tie, and ties are hopeful. */
#define SELECTIVE_TIE 1e-11

/*
 * What keeping a page of rate m on the shortest of the free intervals (counted in steps) brings in
 * expected coherence over moving it to the longest, when all colder pages would gain by the move.
 */
double selective_balance(double m, size_t shortest, size_t longest, double gain);

/* Whether it stays: not on a negative balance, except on the interval of length 0. */
bool selective_hopeful(double m, size_t shortest, size_t longest, double gain);

#endif
