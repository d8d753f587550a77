#include "plan/assign_ledger.h"

#include <stdlib.h>

int ledger_init(struct ledger *l, size_t rows, size_t columns)
{
	*l = (struct ledger){.of_column = malloc(columns * sizeof *l->of_column),
		.of_row = malloc(rows * sizeof *l->of_row),
		.unused = LEDGER_END};
	if (!l->of_column || !l->of_row)
		return ERR_NOMEM;
	for (size_t j = 0; j < columns; j++)
		l->of_column[j] = LEDGER_END;
	for (size_t i = 0; i < rows; i++)
		l->of_row[i] = LEDGER_END;
	return 0;
}

void ledger_release(struct ledger *l)
{
	ledger_entries_release(&l->entries);
	free(l->of_column);
	free(l->of_row);
}

static uint32_t find(const struct ledger *l, uint32_t row, uint32_t column)
{
	uint32_t i = l->of_column[column];

	while (i != LEDGER_END && l->entries.ptr[i].row != row)
		i = l->entries.ptr[i].column_next;
	return i;
}

static int new_entry(struct ledger *l, uint32_t *ret_index)
{
	if (l->unused != LEDGER_END) {
		*ret_index = l->unused;
		l->unused = l->entries.ptr[l->unused].column_next;
		return 0;
	}
	*ret_index = (uint32_t)l->entries.len;
	return ledger_entries_push(&l->entries, (struct ledger_entry){0});
}

int ledger_add(struct ledger *l, uint32_t row, uint32_t column, uint32_t amount)
{
	uint32_t i = find(l, row, column);
	int rc;

	if (i != LEDGER_END) {
		l->entries.ptr[i].amount += amount;
		return 0;
	}
	rc = new_entry(l, &i);
	if (rc)
		return rc;
	l->entries.ptr[i] = (struct ledger_entry){.row = row,
		.column = column,
		.amount = amount,
		.column_next = l->of_column[column],
		.row_next = l->of_row[row],
		.row_before = LEDGER_END};
	if (l->of_row[row] != LEDGER_END)
		l->entries.ptr[l->of_row[row]].row_before = i;
	l->of_row[row] = l->of_column[column] = i;
	return 0;
}

static void remove_entry(struct ledger *l, uint32_t i)
{
	struct ledger_entry *all = l->entries.ptr, *e = &all[i];
	uint32_t *link = &l->of_column[e->column];

	while (*link != i)
		link = &all[*link].column_next;
	*link = e->column_next;
	if (e->row_before != LEDGER_END)
		all[e->row_before].row_next = e->row_next;
	else
		l->of_row[e->row] = e->row_next;
	if (e->row_next != LEDGER_END)
		all[e->row_next].row_before = e->row_before;
	e->column_next = l->unused;
	l->unused = i;
}

void ledger_take(struct ledger *l, uint32_t row, uint32_t column, uint32_t amount)
{
	uint32_t i = find(l, row, column);

	l->entries.ptr[i].amount -= amount;
	if (l->entries.ptr[i].amount == 0)
		remove_entry(l, i);
}

uint32_t ledger_amount(const struct ledger *l, uint32_t row, uint32_t column)
{
	uint32_t i = find(l, row, column);

	return i == LEDGER_END ? 0 : l->entries.ptr[i].amount;
}
