/*
 * The parts of assign_start; n > 0. They follow each other and share one piece of scratch memory,
 * because an allocator that keeps what is given back would add up what each of them takes.
 */
#ifndef PLAN_ASSIGN_STEPS_H
#define PLAN_ASSIGN_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/assign.h"

/* Scratch memory: so many bytes for each page and one more, aligned for a double. */
enum { ASSIGN_SCRATCH = 32 };

void *assign_scratch(size_t n);

/* Whether pages differ in their rates only. */
bool assign_uniform(const struct assign_problem *p);

/* The largest weight, which is the scale of all values. */
double assign_scale(const struct assign_problem *p);

/* Two chains in order of heat: for uniform problems. */
void assign_chains(const struct assign_problem *p, void *scratch, uint32_t *page_of);

/* Every page where prices would send it: for the others. 0 or ERR_NOMEM. */
int assign_guided(const struct assign_problem *p, void *scratch, uint32_t *page_of);

/* Exchanges pairs of pages as long as that gains much. */
void assign_exchange(const struct assign_problem *p, void *scratch, uint32_t *page_of);

#endif
