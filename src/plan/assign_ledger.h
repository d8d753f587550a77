/*
 * Who ships how much where: a sparse table of amounts that can be walked by row and by column.
 */
#ifndef PLAN_ASSIGN_LEDGER_H
#define PLAN_ASSIGN_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define LEDGER_END UINT32_MAX

struct ledger_entry {
	uint32_t row, column, amount;
	uint32_t column_next; /* also of the unused ones */
	uint32_t row_next, row_before;
};

VEC_DECLARE(ledger_entries, struct ledger_entry);

struct ledger {
	struct ledger_entries entries;
	uint32_t *of_column, *of_row; /* first entry or LEDGER_END */
	uint32_t unused;
};

/* Returns 0 or ERR_NOMEM; release with ledger_release in either case. */
int ledger_init(struct ledger *l, size_t rows, size_t columns);
void ledger_release(struct ledger *l);

/* O(rows that ship to the column), as are the two below. Returns 0 or ERR_NOMEM. */
int ledger_add(struct ledger *l, uint32_t row, uint32_t column, uint32_t amount);

/* amount is at most what is there. */
void ledger_take(struct ledger *l, uint32_t row, uint32_t column, uint32_t amount);

uint32_t ledger_amount(const struct ledger *l, uint32_t row, uint32_t column);

#endif
