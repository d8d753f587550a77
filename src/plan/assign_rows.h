/*
 * Pages as the rows of a flow problem. Pages that are alike in everything are one row. That is not
 * only less work: likes compete for the same intervals at the same prices, and separate rows would
 * have to outbid each other one by one.
 */
#ifndef PLAN_ASSIGN_ROWS_H
#define PLAN_ASSIGN_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "plan/assign.h"
#include "plan/assign_flow.h"

struct assign_rows {
	size_t n;
	struct survival *survival; /* by row, as are weight and supply */
	float *weight;
	uint32_t *supply;
	uint32_t *next;                 /* by row: its first entry in order */
	uint32_t *order;                /* entries, likes side by side */
	struct flow_shipment *shipment; /* the entries with rows instead of pages */
};

/*
 * entry[i].row is a page; it ships an amount > 0 to a column for the time being. n > 0. Returns 0
 * or ERR_NOMEM; release with assign_rows_release in either case.
 */
int assign_rows_init(struct assign_rows *r, const struct assign_problem *p,
	const struct flow_shipment *entry, size_t n);
void assign_rows_release(struct assign_rows *r);

#endif
