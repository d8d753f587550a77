/* The worst case of SHARC section 6 as a table; see table_run.h. */
#ifndef SIM_TABLE_WORST_H
#define SIM_TABLE_WORST_H

#include "sim/table_run.h"

int table_run_worst(
	const struct table *table, struct table_cells *cells, struct err *err) SP_MUST_CHECK;

/* Fills the note of a cell whose table, row and strategy are known. */
void table_cell_note(struct table_cell *cell);

#endif
