/* The test that SHARC-selective makes of a page, shared by its offline and online forms. */
#ifndef PLAN_SELECTIVE_H
#define PLAN_SELECTIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Sums that differ by less than this share are equal: a tie, and ties are hopeful. */
#define SELECTIVE_TIE 1e-11

/*
 * Whether a page of rate m per interval step stays on the shortest of the free intervals (counted
 * in steps) rather than move to the longest, when all colder pages would gain by the move.
 */
bool selective_hopeful(double m, size_t shortest, size_t longest, double gain);

#endif
