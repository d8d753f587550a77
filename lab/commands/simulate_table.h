/* What text and page of `simulate --table` share. */
#ifndef COMMANDS_SIMULATE_TABLE_H
#define COMMANDS_SIMULATE_TABLE_H

#include "commands/simulate_html.h"
#include "papers/table_run.h"

/* All tables that were asked for, one behind another. */
struct table_results {
	const struct simulate_options *options;
	struct table_cells cells;
	struct table_leads leads; /* of the rows of tables with a leader */
	struct album album;       /* grouped by table */
};

/* Digits behind the point that a figure of ours of this size deserves. */
int table_digits(double value);

/* As the papers have it: blur with two digits, counts with none, expected counts with three. */
int table_printed_digits(const struct table *table, double value);

/* "row, strategy" that a note is about, or "all". */
enum { TABLE_SCOPE_SIZE = 96 };
void table_note_scope(const struct table_note *note, char out[TABLE_SCOPE_SIZE]);

void simulate_table_html(const void *results, FILE *file);

#endif
