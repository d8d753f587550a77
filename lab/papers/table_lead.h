/* By how much a strategy leads, over runs in which all captured the same sites. */
#ifndef PAPERS_TABLE_LEAD_H
#define PAPERS_TABLE_LEAD_H

#include "papers/table_run.h"

/*
 * Borrows everything. One contender is the leader and one stillpoint-offline, against which all
 * are measured. Bounds and offline strategies are no rivals.
 */
struct table_lead_runs {
	const struct contender *contenders;
	size_t contender_count;
	const char *leader;
	size_t runs;
	const struct trial_values *values; /* run by run, an entry for each contender */
};

/* Fills all but table and row. */
void table_lead_of(const struct table_lead_runs *runs, struct table_lead *ret_lead);

/* The mean over the rows of a table with a leader; its rival is the best of all rows together. */
struct table_lead table_lead_mean(const struct table_cells *cells, const struct table *table);

#endif
