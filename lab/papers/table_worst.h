/* The worst case of SHARC section 6 as a table; see table_run.h. */
#ifndef PAPERS_TABLE_WORST_H
#define PAPERS_TABLE_WORST_H

#include "papers/table_run.h"

/* The same as table_run for a table of worst cases, but for the notes. */
int table_run_worst(
	const struct table *table, struct table_cells *cells, struct err *err) SP_MUST_CHECK;

#endif
