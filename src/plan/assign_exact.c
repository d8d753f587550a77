/*
 * The optimum of the assignment problem, with its dual as proof: the flow problem in which every
 * interval demands one page.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_flow.h"
#include "plan/assign_rows.h"

/* page_of by interval, from rows by interval. */
static void name_pages(struct assign_rows *r, const struct flow_shipment *entry,
	const uint32_t *row_of, uint32_t *page_of, size_t n)
{
	for (size_t j = 0; j < n; j++)
		page_of[j] = entry[r->order[r->next[row_of[j]]++]].row;
}

static double *lengths(const struct assign_problem *p)
{
	double *length = malloc(p->n * sizeof *length);

	for (size_t j = 0; length && j < p->n; j++)
		length[j] = assign_length(p, j);
	return length;
}

static int solve(
	const struct assign_problem *p, double max_values, uint32_t *page_of, double *price)
{
	double *length = lengths(p);
	struct flow_shipment *entry = malloc(p->n * sizeof *entry);
	uint32_t *row_of = malloc(p->n * sizeof *row_of);
	struct assign_rows r = {0};
	struct flow_problem flow = {.columns = p->n, .length = length};
	struct flow_start start = {.n = p->n, .max_values = max_values};
	int rc = length && entry && row_of ? 0 : ERR_NOMEM;

	for (uint32_t j = 0; !rc && j < p->n; j++)
		entry[j] = (struct flow_shipment){.row = page_of[j], .column = j, .amount = 1};
	if (!rc)
		rc = assign_rows_init(&r, p, entry, p->n);
	if (!rc) {
		flow.rows = r.n;
		flow.survival = r.survival;
		flow.weight = r.weight;
		flow.supply = r.supply;
		start.shipments = r.shipment;
		rc = flow_solve(&flow, &start, price, row_of);
	}
	if (!rc)
		name_pages(&r, entry, row_of, page_of, p->n);
	assign_rows_release(&r);
	free(length);
	free(entry);
	free(row_of);
	return rc;
}

int assign_exact(const struct assign_problem *p, size_t max_rows, uint32_t *page_of, double *price,
	double *ret_bound)
{
	int rc, failed;

	if (p->n == 0) {
		*ret_bound = 0;
		return 0;
	}
	rc = solve(p, (double)max_rows * (double)p->n, page_of, price);
	if (rc && rc != ERR_LIMIT)
		return rc;
	failed = assign_bound(p, price, ret_bound);
	return failed ? failed : rc;
}
