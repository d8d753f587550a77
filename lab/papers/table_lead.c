#include "papers/table_lead.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char OPTIMUM[] = "stillpoint-offline";

static size_t column(const struct table_lead_runs *r, const char *name)
{
	size_t i = 0;

	while (i < r->contender_count && strcmp(r->contenders[i].name, name) != 0)
		i++;
	assert(i < r->contender_count);
	return i;
}

/* What a contender expects in a run, in percent of the optimum for known pages. */
static double share(const struct table_lead_runs *r, size_t run, size_t contender)
{
	const struct trial_values *of = r->values + run * r->contender_count;

	return 100 * of[contender].of[TRIAL_EXPECTED_COHERENCE] /
	       of[column(r, OPTIMUM)].of[TRIAL_EXPECTED_COHERENCE];
}

static double mean_share(const struct table_lead_runs *r, size_t contender)
{
	double sum = 0;

	for (size_t run = 0; run < r->runs; run++)
		sum += share(r, run, contender);
	return sum / (double)r->runs;
}

static bool is_rival(const struct contender *c, const char *leader)
{
	return !c->is_bound && c->plan && !c->plan->offline && strcmp(c->name, leader) != 0;
}

static size_t best_rival(const struct table_lead_runs *r)
{
	size_t best = r->contender_count;

	for (size_t i = 0; i < r->contender_count; i++)
		if (is_rival(&r->contenders[i], r->leader) &&
			(best == r->contender_count || mean_share(r, i) > mean_share(r, best)))
			best = i;
	assert(best < r->contender_count);
	return best;
}

void table_lead_of(const struct table_lead_runs *r, struct table_lead *ret_lead)
{
	size_t ours = column(r, r->leader), rival = best_rival(r);
	size_t bound = column(r, CONTENDER_BOUND_ONLINE);
	double lead = mean_share(r, ours) - mean_share(r, rival), squares = 0;

	for (size_t run = 0; run < r->runs; run++) {
		double off = share(r, run, ours) - share(r, run, rival) - lead;

		squares += off * off;
	}
	*ret_lead = (struct table_lead){
		.rival = r->contenders[rival].name,
		.best = mean_share(r, rival),
		.ours = mean_share(r, ours),
		.lead = lead,
		.error = r->runs > 1 ? sqrt(squares / (double)((r->runs - 1) * r->runs)) : NAN,
		.bound = mean_share(r, bound),
	};
}

/* Mean over the rows of what a strategy reaches, in percent of the optimum for known pages. */
static double mean_of(
	const struct table_cells *cells, const struct table *table, const char *strategy)
{
	double sum = 0, value = NAN, optimum = NAN;
	const char *row = NULL;
	size_t rows = 0;

	for (size_t i = 0; i < cells->len; i++) {
		const struct table_cell *c = &cells->ptr[i];

		if (c->table != table)
			continue;
		if (c->row != row)
			value = optimum = NAN;
		row = c->row;
		if (strcmp(c->strategy, strategy) == 0)
			value = c->figures[0].ours;
		if (strcmp(c->strategy, OPTIMUM) == 0)
			optimum = c->figures[0].ours;
		if (strcmp(c->strategy, strategy) != 0 && strcmp(c->strategy, OPTIMUM) != 0)
			continue;
		if (!isnan(value) && !isnan(optimum)) {
			sum += 100 * value / optimum;
			rows++;
		}
	}
	return sum / (double)rows;
}

struct table_lead table_lead_mean(const struct table_cells *cells, const struct table *table)
{
	struct table_lead mean = {.table = table,
		.row = "mean",
		.best = -INFINITY,
		.ours = mean_of(cells, table, table->leader),
		.error = NAN,
		.bound = mean_of(cells, table, CONTENDER_BOUND_ONLINE)};

	for (size_t i = 0; table->columns[i]; i++) {
		struct contender c;

		if (contender_find(table->columns[i], &c) && is_rival(&c, table->leader) &&
			mean_of(cells, table, c.name) > mean.best) {
			mean.rival = c.name;
			mean.best = mean_of(cells, table, c.name);
		}
	}
	mean.lead = mean.ours - mean.best;
	return mean;
}
