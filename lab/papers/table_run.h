/*
 * Runs a table: every row is a study (study.h) with all columns as contenders. Each cell yields two
 * figures, what is expected and what the simulated changes gave; for the worst case the increase
 * and its share of the optimum.
 */
#ifndef PAPERS_TABLE_RUN_H
#define PAPERS_TABLE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "papers/tables.h"
#include "sim/trial.h"

/* NAN: there is none. */
struct table_figure {
	const char *metric;
	double paper;
	double ours;
	double error; /* standard error over the runs; NAN for one run and for what is not drawn */
};

enum { TABLE_NOTE_SIZE = 384 };

/* Strings are the table's. */
struct table_cell {
	const struct table *table;
	const char *row;
	const char *strategy;
	struct table_figure figures[2];
	unsigned runs;              /* 0: nothing is drawn */
	char note[TABLE_NOTE_SIZE]; /* all that apply; may be empty */
};

VEC_DECLARE(table_cells, struct table_cell);

/* A row of a table with a leader, in percent of what stillpoint-offline expects. */
struct table_lead {
	const struct table *table;
	const char *row;
	const char *rival; /* the best other strategy of the row that finds its pages */
	double best, ours;
	double lead, error; /* of the runs in pairs; NAN for one run */
	double bound;
};

VEC_DECLARE(table_leads, struct table_lead);

/* Borrows everything. */
struct table_params {
	unsigned runs;    /* 0: as the table says */
	unsigned threads; /* 0: one for each processor */
	uint64_t seed;
	void (*report)(void *context, size_t runs_done); /* of the table; may be NULL */
	void *context;
	struct table_leads *leads; /* gets one for each row of tables with a leader; may be NULL */
	trial_watch *watch;        /* sees the first run of the table's first row; may be NULL */
	void *watch_context;
};

/* How many runs table_run reports in the end. */
size_t table_runs(const struct table *table, const struct table_params *params);

/*
 * Appends the cells, row by row. Free with table_cells_release, also after a failure. 0, or an
 * error with its text in err.
 */
int table_run(const struct table *table, const struct table_params *params,
	struct table_cells *cells, struct err *err) SP_MUST_CHECK;

#endif
