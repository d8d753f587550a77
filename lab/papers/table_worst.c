#include "papers/table_worst.h"

#include <math.h>
#include <stdlib.h>

#include "papers/worst_case.h"

/* Ascending, equal in pairs: Example 6 has 1, 1, 2, 2, …; figure 6 has 100/i^skew. */
static void fill_rates(const struct table_worst_row *row, double *rates)
{
	unsigned pairs = row->pages / 2;

	for (unsigned i = 0; i < pairs; i++) {
		double rank = pairs - i;

		rates[2 * i] = isnan(row->skew) ? i + 1.0 : 100 / pow(rank, row->skew);
		rates[2 * i + 1] = rates[2 * i];
	}
}

static int worst_case(const struct table_worst_row *row, double *ret_increase, double *ret_optimum,
	struct err *err)
{
	double *rates = calloc(row->pages ? row->pages : 1, sizeof *rates);
	struct blur_site site = {.pages = row->pages, .rates = rates, .delay = 1};
	int rc;

	if (!rates)
		return err_code(err, ERR_NOMEM);
	fill_rates(row, rates);
	rc = blur_worst_case_paired(&site, row->k, ret_increase, err);
	if (rc == 0)
		rc = blur_organ_pipe(&site, ret_optimum, err);
	free(rates);
	return rc;
}

static struct table_figure figure(const char *metric, double printed, double ours)
{
	return (struct table_figure){
		.metric = metric, .paper = printed > 0 ? printed : NAN, .ours = ours, .error = NAN};
}

int table_run_worst(const struct table *table, struct table_cells *cells, struct err *err)
{
	int rc = 0;

	for (const struct table_worst_row *row = table->worst; rc == 0 && row->label; row++) {
		struct table_cell cell = {
			.table = table, .row = row->label, .strategy = "worst-case"};
		double increase = 0, optimum = 1;

		rc = worst_case(row, &increase, &optimum, err);
		if (rc)
			return rc;
		cell.figures[0] = figure("increase", row->printed, increase);
		cell.figures[1] =
			figure("relative_increase", row->printed_relative, increase / optimum);
		rc = table_cells_push(cells, cell);
	}
	return err_code(err, rc);
}
