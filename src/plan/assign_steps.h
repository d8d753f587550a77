/* The parts of assign_start. All return 0 or ERR_NOMEM unless said; n > 0. */
#ifndef PLAN_ASSIGN_STEPS_H
#define PLAN_ASSIGN_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/assign.h"

/* Whether pages differ in their rates only. */
bool assign_uniform(const struct assign_problem *p);

/* The largest weight, which is the scale of all values. */
double assign_scale(const struct assign_problem *p);

/* Two chains in order of heat: for uniform problems. */
int assign_chains(const struct assign_problem *p, uint32_t *page_of);

/* Every page where prices would send it: for the others. */
int assign_guided(const struct assign_problem *p, uint32_t *page_of);

/* Exchanges pairs of pages as long as that gains much. */
int assign_exchange(const struct assign_problem *p, uint32_t *page_of);

#endif
