/* Pages in the order of their change rates: where nearly every strategy begins. */
#ifndef PLAN_HEAT_H
#define PLAN_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "plan/survival.h"

/*
 * Sorts page numbers from hot to cold by survival[page].rate; equal rates keep the order they
 * have, so the result never depends on the sorting algorithm. Returns 0 or ERR_NOMEM.
 */
int heat_sort(const struct survival *survival, uint32_t *pages, size_t n);

/* The same by any key, indexed by page, from the largest down. */
int heat_sort_by(const double *key, uint32_t *pages, size_t n);

/* Both in scratch memory of the caller's, HEAT_SCRATCH bytes a page, aligned for a double. */
enum { HEAT_SCRATCH = 16 };

void heat_sort_in(void *scratch, const struct survival *survival, uint32_t *pages, size_t n);
void heat_sort_by_in(void *scratch, const double *key, uint32_t *pages, size_t n);

#endif
