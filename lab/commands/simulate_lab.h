/* Tables of `simulate --table` that are played on a recorded history or under watch. */
#ifndef COMMANDS_SIMULATE_LAB_H
#define COMMANDS_SIMULATE_LAB_H

#include "commands/simulate.h"

struct lab_table {
	const char *name;
	const char *title;
};

/* NULL past the last. */
const struct lab_table *lab_table_at(size_t i);

/* NULL when there is none of that name. */
const struct lab_table *lab_table_find(const char *name);

/* Runs and prints a table. */
enum cmd_status simulate_lab(const struct simulate_options *o, const struct lab_table *table);

#endif
