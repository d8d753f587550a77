/*
 * The assignment problem with quantities: rows of like pages supply, columns of like intervals
 * demand, and every unit shipped from row i to column j is worth w_i S_i(L_j).
 */
#ifndef PLAN_ASSIGN_FLOW_H
#define PLAN_ASSIGN_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "plan/survival.h"

/* Borrows everything. rows > 0, columns > 0; total supply and total demand are equal. */
struct flow_problem {
	size_t rows, columns;
	const struct survival *survival; /* by row, as are weight (NULL: 1) and supply (NULL: 1) */
	const float *weight;
	const uint32_t *supply;
	const double *length; /* by column, ascending, as is demand (NULL: 1) */
	const uint32_t *demand;
};

struct flow_shipment {
	uint32_t row, column, amount;
};

struct flow_start {
	const struct flow_shipment
		*shipments; /* likely ones; no more than supply and demand allow */
	size_t n;
	double max_values; /* effort: how many w S(L) may be computed */
};

/*
 * Finds optimal prices of the columns from the given ones: the better they and the start are, the
 * faster. With ret_row_of it also tells, for each column, a row that ships there. ERR_LIMIT when
 * the effort does not suffice: price is then as far as it got. Else 0 or ERR_NOMEM.
 */
int flow_solve(const struct flow_problem *p, const struct flow_start *start, double *price,
	uint32_t *ret_row_of);

#endif
