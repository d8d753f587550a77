#include "plan/assign_rows.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/heat.h"

void assign_rows_release(struct assign_rows *r)
{
	free(r->survival);
	free(r->weight);
	free(r->supply);
	free(r->next);
	free(r->order);
	free(r->shipment);
}

static int rows_alloc(struct assign_rows *r, size_t n)
{
	*r = (struct assign_rows){.survival = malloc(n * sizeof *r->survival),
		.weight = malloc(n * sizeof *r->weight),
		.supply = malloc(n * sizeof *r->supply),
		.next = malloc(n * sizeof *r->next),
		.order = malloc(n * sizeof *r->order),
		.shipment = malloc(n * sizeof *r->shipment)};
	return r->survival && r->weight && r->supply && r->next && r->order && r->shipment
		       ? 0
		       : ERR_NOMEM;
}

/* Stable sorts by each of the three numbers leave likes side by side. */
static int sort_likes(const struct assign_problem *p, const struct flow_shipment *entry,
	uint32_t *order, size_t n)
{
	double *key = calloc(n, sizeof *key);
	int rc;

	if (!key)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		key[i] = assign_weight(p, entry[i].row);
	}
	rc = heat_sort_by(key, order, n);
	for (uint32_t i = 0; i < n; i++)
		key[i] = p->survival[entry[i].row].shape;
	if (!rc)
		rc = heat_sort_by(key, order, n);
	for (uint32_t i = 0; i < n; i++)
		key[i] = p->survival[entry[i].row].rate;
	if (!rc)
		rc = heat_sort_by(key, order, n);
	free(key);
	return rc;
}

static bool alike(const struct assign_problem *p, uint32_t a, uint32_t b)
{
	return p->survival[a].rate == p->survival[b].rate &&
	       p->survival[a].shape == p->survival[b].shape &&
	       assign_weight(p, a) == assign_weight(p, b);
}

int assign_rows_init(struct assign_rows *r, const struct assign_problem *p,
	const struct flow_shipment *entry, size_t n)
{
	int rc = rows_alloc(r, n);

	if (!rc)
		rc = sort_likes(p, entry, r->order, n);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct flow_shipment s = entry[r->order[i]];

		if (i == 0 || !alike(p, s.row, entry[r->order[i - 1]].row)) {
			r->survival[r->n] = p->survival[s.row];
			r->weight[r->n] = (float)assign_weight(p, s.row);
			r->supply[r->n] = 0;
			r->next[r->n++] = i;
		}
		s.row = (uint32_t)r->n - 1;
		r->supply[s.row] += s.amount;
		r->shipment[r->order[i]] = s;
	}
	return rc;
}
