#include "papers/table_run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/table_lead.h"
#include "papers/table_worst.h"
#include "sim/study.h"

/* What a metric is made of: the value, or what it leaves of all pages. */
static const struct {
	const char *expected_name, *name;
	enum trial_measure expected, actual;
	bool of_rest;
} METRICS[] = {
	[TABLE_BLUR] = {"expected_blur", "blur", TRIAL_EXPECTED_BLUR, TRIAL_BLUR, false},
	[TABLE_INCOHERENCE] = {"expected_incoherence", "incoherence", TRIAL_EXPECTED_COHERENCE,
		TRIAL_COHERENCE, true},
	[TABLE_COHERENCE] = {"expected_coherence", "coherence", TRIAL_EXPECTED_COHERENCE,
		TRIAL_COHERENCE, false},
	[TABLE_CAPTURE] = {"expected_coherence", "pages", TRIAL_EXPECTED_COHERENCE, TRIAL_PAGES,
		false},
};

/* A table under way. */
struct run {
	const struct table *table;
	const struct table_params *params;
	struct contender contenders[TABLE_COLUMNS_MAX];
	size_t contender_count;
	size_t done; /* runs of the rows before */
	struct table_cells *cells;
};

static unsigned row_runs(const struct table_row *row, const struct table_params *params)
{
	if (params->runs)
		return params->runs;
	return row->runs ? row->runs : TABLE_RUNS;
}

size_t table_runs(const struct table *table, const struct table_params *params)
{
	size_t runs = 0;

	for (const struct table_row *row = table->rows; row && row->label; row++)
		runs += row_runs(row, params);
	return runs;
}

static bool applies(const struct table_note *note, const char *row, const char *strategy)
{
	return (!note->row || strcmp(note->row, row) == 0) &&
	       (!note->strategy || strcmp(note->strategy, strategy) == 0);
}

/* All that apply, one behind another. */
static void add_note(struct table_cell *cell)
{
	const struct table_note *note = cell->table->notes;
	size_t len = 0;

	for (; note && note->text; note++)
		if (applies(note, cell->row, cell->strategy) && len < sizeof cell->note)
			len += (size_t)snprintf(cell->note + len, sizeof cell->note - len, "%s%s",
				len ? "; " : "", note->text);
}

static double printed(double value)
{
	return value > 0 ? value : NAN;
}

static struct table_figure figure(const char *metric, double paper, struct estimate e, double rest)
{
	return (struct table_figure){
		.metric = metric,
		.paper = printed(paper),
		.ours = isnan(rest) ? e.mean : rest - e.mean,
		.error = e.error,
	};
}

static int add_cells(struct run *r, const struct table_row *row, const struct study_result *results)
{
	enum table_metric m = r->table->metric;
	double rest = METRICS[m].of_rest ? (double)row->site.n : (double)NAN;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->contender_count; i++) {
		const struct estimate *of = results[i].of;
		double paper = row->printed[i], expected = row->printed_expected[i];
		struct table_cell cell = {
			.table = r->table,
			.row = row->label,
			.strategy = r->contenders[i].name,
			.runs = row_runs(row, r->params),
			.figures = {figure(METRICS[m].expected_name,
					    expected > 0 ? expected : paper,
					    of[METRICS[m].expected], rest),
				figure(METRICS[m].name, paper, of[METRICS[m].actual], rest)},
		};

		rc = table_cells_push(r->cells, cell);
	}
	return rc;
}

/* Leads need the runs one by one. */
static int add_lead(struct run *r, const struct table_row *row, const struct trial_values *values)
{
	struct table_lead lead;

	table_lead_of(&(struct table_lead_runs){.contenders = r->contenders,
			      .contender_count = r->contender_count,
			      .leader = r->table->leader,
			      .runs = row_runs(row, r->params),
			      .values = values},
		&lead);
	lead.table = r->table;
	lead.row = row->label;
	return table_leads_push(r->params->leads, lead);
}

static void report(void *context, size_t done)
{
	const struct run *r = context;

	if (r->params->report)
		r->params->report(r->params->context, r->done + done);
}

static int run_row(struct run *r, const struct table_row *row, struct err *err)
{
	struct study_params params = {
		.trial = {.site = row->site,
			.kind = row->kind.n ? &row->kind : NULL,
			.size_error = r->table->size_error,
			.size_unknown = r->table->size_unknown,
			.in_order = r->table->in_order,
			.fleet = row->fleet,
			.aim = row->aim,
			.limit = row->limit,
			.requisites = row->requisites,
			.delay = row->delay,
			.tau = row->tau,
			.contenders = r->contenders,
			.contender_count = r->contender_count,
			.watch = row == r->table->rows ? r->params->watch : NULL,
			.watch_context = r->params->watch_context},
		.runs = row_runs(row, r->params),
		.threads = r->params->threads,
		/* Rows are to scatter apart from each other. */
		.seed = r->params->seed + ((uint64_t)(row - r->table->rows) << 53),
		.report = report,
		.context = r,
	};
	struct study_result results[TABLE_COLUMNS_MAX];
	bool leads = r->table->leader && r->params->leads;
	int rc;

	if (leads) {
		params.values =
			calloc((size_t)params.runs * r->contender_count + 1, sizeof *params.values);
		if (!params.values)
			return err_code(err, ERR_NOMEM);
	}
	rc = study_run(&params, results, err);
	r->done += params.runs;
	if (rc == 0)
		rc = err_code(err, add_cells(r, row, results));
	if (rc == 0 && leads)
		rc = err_code(err, add_lead(r, row, params.values));
	free(params.values);
	return rc;
}

static void find_contenders(struct run *r)
{
	for (; r->table->columns[r->contender_count]; r->contender_count++) {
		bool found = r->contender_count < TABLE_COLUMNS_MAX &&
			     contender_find(r->table->columns[r->contender_count],
				     &r->contenders[r->contender_count]);

		assert(found); /* tables name strategies that there are */
		(void)found;
	}
}

static int run_rows(const struct table *table, const struct table_params *params,
	struct table_cells *cells, struct err *err)
{
	struct run r = {.table = table, .params = params, .cells = cells};
	int rc = 0;

	find_contenders(&r);
	for (const struct table_row *row = table->rows; rc == 0 && row->label; row++)
		rc = run_row(&r, row, err);
	return rc;
}

int table_run(const struct table *table, const struct table_params *params,
	struct table_cells *cells, struct err *err)
{
	size_t before = cells->len;
	int rc = table->worst ? table_run_worst(table, cells, err)
			      : run_rows(table, params, cells, err);

	for (size_t i = before; i < cells->len; i++)
		add_note(&cells->ptr[i]);
	return rc;
}
