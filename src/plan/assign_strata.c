#include "plan/assign_strata.h"

#include <assert.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign_flow.h"
#include "plan/assign_rows.h"

/* The columns, which are the knots, and the pages that are to become rows. */
struct gathered {
	size_t n;
	struct flow_shipment *page;
	uint32_t *demand; /* by column */
};

static void gathered_release(struct gathered *g)
{
	free(g->page);
	free(g->demand);
}

static int gathered_init(struct gathered *g, size_t pages, size_t columns)
{
	*g = (struct gathered){.page = malloc(pages * sizeof *g->page),
		.demand = malloc(columns * sizeof *g->demand)};
	return g->page && g->demand ? 0 : ERR_NOMEM;
}

/* Lets a few of the pages on the intervals [from, to) around a knot stand for all of them. */
static void sample(struct gathered *g, const uint32_t *page_of, size_t from, size_t to,
	size_t samples, uint32_t column)
{
	if (samples > to - from)
		samples = to - from;
	for (size_t k = 0; k < samples; k++) {
		size_t a = from + (to - from) * k / samples;
		size_t b = from + (to - from) * (k + 1) / samples;

		g->page[g->n++] = (struct flow_shipment){.row = page_of[a + (b - a) / 2],
			.column = column,
			.amount = (uint32_t)(b - a)};
	}
	g->demand[column] = (uint32_t)(to - from);
}

static void gather(const struct strata *s, struct gathered *g, const struct assign_problem *p,
	const uint32_t *page_of, size_t samples)
{
	for (size_t k = 0; k < s->n; k++)
		sample(g, page_of, strata_begin(s, k), k + 1 < s->n ? strata_begin(s, k + 1) : p->n,
			samples, (uint32_t)k);
}

/* A first guess, from what the pages on neighbouring knots would lose and gain by changing. */
static void guess(struct strata *s, const struct assign_problem *p, const uint32_t *page_of)
{
	s->price[s->n - 1] = 0;
	for (size_t k = s->n - 1; k-- > 0;) {
		size_t here = s->knot[k], next = s->knot[k + 1];
		double lose =
			assign_value(p, page_of[here], here) - assign_value(p, page_of[here], next);
		double gain =
			assign_value(p, page_of[next], here) - assign_value(p, page_of[next], next);

		s->price[k] = s->price[k + 1] + (lose + gain) / 2;
	}
}

/* Prices that are linear between the knots of a coarser solution. */
static void adopt(struct strata *s, const struct strata *coarser)
{
	size_t c = 0;

	for (size_t k = 0; k < s->n; k++) {
		double span = 0;

		while (c + 2 < coarser->n && coarser->length[c + 1] <= s->length[k])
			c++;
		s->price[k] = coarser->price[c];
		if (c + 1 < coarser->n)
			span = coarser->length[c + 1] - coarser->length[c];
		if (span > 0)
			s->price[k] += (s->length[k] - coarser->length[c]) / span *
				       (coarser->price[c + 1] - coarser->price[c]);
	}
}

static int solve(const struct strata *s, const struct gathered *g, const struct assign_problem *p,
	double max_values)
{
	struct assign_rows rows;
	int rc = assign_rows_init(&rows, p, g->page, g->n);

	if (!rc) {
		struct flow_problem flow = {.rows = rows.n,
			.columns = s->n,
			.survival = rows.survival,
			.weight = rows.weight,
			.supply = rows.supply,
			.length = s->length,
			.demand = g->demand};
		struct flow_start start = {
			.shipments = rows.shipment, .n = g->n, .max_values = max_values};

		rc = flow_solve(&flow, &start, s->price, NULL);
	}
	assign_rows_release(&rows);
	return rc == ERR_LIMIT ? 0 : rc; /* the prices are as good as they got */
}

static int place_knots(
	struct strata *s, const struct assign_problem *p, struct assign_spacing spacing)
{
	size_t n = assign_knot_count(spacing, p->n);

	assert(n > 0);
	*s = (struct strata){.knot = malloc(n * sizeof *s->knot),
		.length = malloc(n * sizeof *s->length),
		.price = malloc(n * sizeof *s->price)};
	if (!s->knot || !s->length || !s->price)
		return ERR_NOMEM;
	for (size_t j = 0; j < p->n; j = assign_next_knot(spacing, p->n, j)) {
		s->knot[s->n] = j;
		s->length[s->n++] = assign_length(p, j);
	}
	return 0;
}

int strata_init(struct strata *s, const struct assign_problem *p, const uint32_t *page_of,
	const struct strata_params *params, const struct strata *coarser)
{
	struct gathered g = {0};
	int rc = place_knots(s, p, params->spacing);

	if (!rc)
		rc = gathered_init(&g, s->n * params->samples, s->n);
	if (!rc) {
		gather(s, &g, p, page_of, params->samples);
		if (coarser)
			adopt(s, coarser);
		else
			guess(s, p, page_of);
		rc = solve(s, &g, p, params->max_values);
	}
	gathered_release(&g);
	return rc;
}

int strata_adopt(struct strata *s, const struct assign_problem *p, struct assign_spacing spacing,
	const struct strata *other)
{
	int rc = place_knots(s, p, spacing);

	if (!rc)
		adopt(s, other);
	return rc;
}

void strata_release(struct strata *s)
{
	free(s->knot);
	free(s->length);
	free(s->price);
}

size_t strata_begin(const struct strata *s, size_t k)
{
	return k > 0 ? s->knot[k - 1] + (s->knot[k] - s->knot[k - 1]) / 2 + 1 : 0;
}
