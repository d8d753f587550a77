/*
 * What a capture that must discover its pages can reach at best, even if it knows all rates and all
 * links beforehand.
 */
#ifndef SIM_DISCOVERY_H
#define SIM_DISCOVERY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/expect.h"

/*
 * By page: how many others can be reached from the home page, page 0, only through it (the pages
 * that it dominates strictly in the link graph); 0 for pages that cannot be reached. behind has
 * site->n entries. 0 or ERR_NOMEM.
 */
int discovery_behind(const struct site *site, uint32_t *behind) SP_MUST_CHECK;

/*
 * The weight that no capture of all pages can expect to be sharp if it visits a page only after
 * another one that links to it. All pages can be reached. 0 or ERR_NOMEM. O(n^2), and O(n^3) at
 * worst up to DISCOVERY_EXACT_MAX pages; beyond that the bound is less tight.
 */
enum { DISCOVERY_EXACT_MAX = 2000 };

int discovery_bound(const struct site *site, double delay, double *ret_bound) SP_MUST_CHECK;

#endif
