/*
 * Shortest augmenting paths (the Hungarian method in the form of Jonker and Volgenant), with
 * quantities. Values are computed, never stored, and only where they can matter: a search asks the
 * menu for a row's best column among those it has not settled, so that one step costs some log n
 * values instead of n. Memory is O(rows + columns).
 *
 * With prices q and u_i = max_j (v_ij - q_j) the reduced cost u_i + q_j - v_ij is never negative.
 * Invariants after each augmentation, up to the tolerances below:
 *   (1) reduced costs are >= 0 for all rows and columns;
 *   (2) they are 0 where something is shipped.
 * When everything is shipped, sum supply u + sum demand q equals the total, and no other way of
 * shipping can exceed it.
 */
#include "plan/assign_flow.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/heap.h"
#include "base/vec.h"
#include "plan/assign_menu.h"

/*
 * Who ships how much where: a sparse table of amounts that can be walked by row and by column.
 */

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
static int ledger_init(struct ledger *l, size_t rows, size_t columns)
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

static void ledger_release(struct ledger *l)
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
	return ledger_entries_try_push(&l->entries, (struct ledger_entry){0});
}

/* O(rows that ship to the column), as are the two below. Returns 0 or ERR_NOMEM. */
static int ledger_add(struct ledger *l, uint32_t row, uint32_t column, uint32_t amount)
{
	uint32_t i = find(l, row, column);

	if (i != LEDGER_END) {
		l->entries.ptr[i].amount += amount;
		return 0;
	}
	TRY(new_entry(l, &i));
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

/* amount is at most what is there. */
static void ledger_take(struct ledger *l, uint32_t row, uint32_t column, uint32_t amount)
{
	uint32_t i = find(l, row, column);

	l->entries.ptr[i].amount -= amount;
	if (l->entries.ptr[i].amount == 0)
		remove_entry(l, i);
}

static uint32_t ledger_amount(const struct ledger *l, uint32_t row, uint32_t column)
{
	uint32_t i = find(l, row, column);

	return i == LEDGER_END ? 0 : l->entries.ptr[i].amount;
}

#define NONE UINT32_MAX

enum { BIDS_MAX = 100 };

/* In units of the largest weight, which is the scale of all values. */
static const double TIGHT = 1e-12;     /* reduced costs that count as 0 */
static const double TOLERANCE = 1e-14; /* differences that a look need not resolve */

/* A row in a search: base is its distance; head the nearest column of those not settled. */
struct reached {
	double base;
	uint32_t head;
	uint32_t from; /* the settled column whose shipment led here, or NONE at the start */
	bool is;
};

/* A column in a search. */
struct settled {
	double distance;
	uint32_t row; /* it was reached from */
};

struct solver {
	const struct flow_problem *p;
	struct menu menu;
	struct ledger ledger;
	double scale;
	double *price;  /* by column, the caller's */
	double *u;      /* by row */
	uint32_t *left; /* supply by row that is not shipped */
	uint32_t *room; /* demand by column that is not met */
	double values;  /* that may still be computed */
	size_t stale;   /* prices changed since the menu took note */
	/* one search */
	struct heap heap; /* rows by the distance of their head */
	struct reached *reached;
	struct settled *settled;
	uint32_t *rows, *columns; /* those in the search */
	size_t n_rows, n_columns;
	uint32_t goal; /* a settled column with room, or NONE */
};

static double weight_of(const struct flow_problem *p, uint32_t row)
{
	return p->weight ? (double)p->weight[row] : 1.0;
}

static double value_of(const struct flow_problem *p, uint32_t row, uint32_t column)
{
	return weight_of(p, row) * survival_at(p->survival[row], p->length[column]);
}

static void solver_release(struct solver *s)
{
	menu_release(&s->menu);
	ledger_release(&s->ledger);
	heap_release(&s->heap);
	free(s->u);
	free(s->left);
	free(s->room);
	free(s->reached);
	free(s->settled);
	free(s->rows);
	free(s->columns);
}

static int solver_alloc(struct solver *s, const struct flow_problem *p)
{
	s->u = malloc(p->rows * sizeof *s->u);
	s->left = malloc(p->rows * sizeof *s->left);
	s->room = malloc(p->columns * sizeof *s->room);
	s->reached = calloc(p->rows, sizeof *s->reached);
	s->settled = malloc(p->columns * sizeof *s->settled);
	s->rows = malloc(p->rows * sizeof *s->rows);
	s->columns = malloc(p->columns * sizeof *s->columns);
	if (!s->u || !s->left || !s->room || !s->reached || !s->settled || !s->rows || !s->columns)
		return ERR_NOMEM;
	return heap_reserve(&s->heap, p->rows);
}

static int solver_init(struct solver *s, const struct flow_problem *p, double values, double *price)
{
	int rc;

	*s = (struct solver){.p = p, .price = price, .values = values};
	heap_init(&s->heap);
	rc = solver_alloc(s, p);
	if (!rc)
		rc = ledger_init(&s->ledger, p->rows, p->columns);
	if (!rc)
		rc = menu_init(&s->menu, p->length, price, p->columns);
	for (uint32_t i = 0; !rc && i < p->rows; i++) {
		s->left[i] = p->supply ? p->supply[i] : 1;
		s->scale = fmax(s->scale, weight_of(p, i));
	}
	for (uint32_t j = 0; !rc && j < p->columns; j++)
		s->room[j] = p->demand ? p->demand[j] : 1;
	return rc;
}

static struct menu_offer look(struct solver *s, uint32_t row, uint32_t hint)
{
	struct menu_page page = {.survival = s->p->survival[row],
		.weight = weight_of(s->p, row),
		.hint = hint,
		.patience = UINT32_MAX,
		.tolerance = fmax(TOLERANCE * s->scale, DBL_MIN)};
	struct menu_offer offer = menu_look(&s->menu, &page);

	s->values -= offer.values;
	return offer;
}

static int ship(struct solver *s, uint32_t row, uint32_t column, uint32_t amount)
{
	s->left[row] -= amount;
	s->room[column] -= amount;
	return ledger_add(&s->ledger, row, column, amount);
}

/* Gives every row its u, and keeps those shipments for which there is no better place. */
static int begin(struct solver *s, const struct flow_start *start)
{
	uint32_t hint = NONE;
	int rc = 0;

	for (uint32_t i = 0; i < s->p->rows; i++) {
		struct menu_offer offer = look(s, i, hint);

		s->u[i] = offer.surplus;
		hint = offer.interval;
	}
	for (size_t k = 0; !rc && k < start->n; k++) {
		struct flow_shipment t = start->shipments[k];
		double cost = s->u[t.row] + s->price[t.column] - value_of(s->p, t.row, t.column);

		if (cost <= TIGHT * s->scale)
			rc = ship(s, t.row, t.column, t.amount);
	}
	return rc;
}

/* The menu may lag behind prices that rise; it only gets slower. */
static void repriced(struct solver *s, size_t columns)
{
	s->stale += columns;
	if (s->stale > s->p->columns / 4) {
		menu_price(&s->menu);
		s->stale = 0;
	}
}

/* Empties a column that demands one; returns the row that shipped there, or NONE. */
static uint32_t evict(struct solver *s, uint32_t column)
{
	uint32_t i = s->ledger.of_column[column], loser;

	if (i == LEDGER_END)
		return NONE;
	loser = s->ledger.entries.ptr[i].row;
	ledger_take(&s->ledger, loser, column, 1);
	s->left[loser]++;
	s->room[column]++;
	return loser;
}

/*
 * Lets a row outbid the others for the column it likes best, by what makes it indifferent to its
 * second choice. *ret_loser is the row it drives out, or NONE.
 */
static int outbid(struct solver *s, uint32_t row, uint32_t *ret_loser)
{
	struct menu_offer first = look(s, row, NONE), second;
	uint32_t column = first.interval;

	menu_close(&s->menu, column);
	second = look(s, row, NONE);
	menu_reopen(&s->menu, column);
	s->u[row] = first.surplus;
	if (second.interval != NONE) {
		s->price[column] += first.surplus - second.surplus;
		s->u[row] = second.surplus;
	}
	repriced(s, 1);
	*ret_loser = evict(s, column);
	return ship(s, row, column, 1);
}

/*
 * Cheap placements first, where all quantities are one; what still fights after BIDS_MAX bids is
 * left to place.
 */
static int bid(struct solver *s, uint32_t row)
{
	int rc = 0;

	for (int i = 0; !rc && i < BIDS_MAX && row != NONE; i++) {
		if (s->left[row] == 0 || (s->p->supply && s->p->supply[row] != 1))
			break;
		rc = s->values > 0 ? outbid(s, row, &row) : ERR_LIMIT;
	}
	return rc;
}

/* Finds the nearest column of a row that the search has reached. */
static int look_on(struct solver *s, uint32_t row)
{
	struct reached *r = &s->reached[row];
	struct menu_offer offer;

	if (s->values <= 0)
		return ERR_LIMIT;
	offer = look(s, row, r->head);
	if (offer.interval == NONE)
		return 0;
	r->head = offer.interval;
	return heap_push(&s->heap, row,
		(struct heap_key){.key = r->base + fmax(s->u[row] - offer.surplus, 0)});
}

static void reach(struct solver *s, uint32_t row, double base, uint32_t from)
{
	s->reached[row] = (struct reached){.base = base, .head = NONE, .from = from, .is = true};
	s->rows[s->n_rows++] = row;
}

/* Whoever ships to a settled column could be sent elsewhere. */
static void settle(struct solver *s, uint32_t column, double distance, uint32_t row)
{
	const struct ledger_entry *all = s->ledger.entries.ptr;

	menu_close(&s->menu, column);
	s->settled[column] = (struct settled){.distance = distance, .row = row};
	s->columns[s->n_columns++] = column;
	if (s->room[column] > 0)
		s->goal = column;
	for (uint32_t i = s->ledger.of_column[column]; i != LEDGER_END; i = all[i].column_next)
		if (!s->reached[all[i].row].is)
			reach(s, all[i].row, distance, column);
}

/*
 * Goes on from the rows reached since `from`. The columns where a row ships are as near as the row
 * itself, by (2), and need no looking for.
 */
static int spread(struct solver *s, size_t from)
{
	const struct ledger_entry *all = s->ledger.entries.ptr;
	int rc = 0;

	for (size_t k = from; k < s->n_rows && s->goal == NONE; k++) {
		uint32_t row = s->rows[k];

		for (uint32_t i = s->ledger.of_row[row]; i != LEDGER_END; i = all[i].row_next)
			if (!s->menu.closed[all[i].column])
				settle(s, all[i].column, s->reached[row].base, row);
	}
	for (size_t k = from; !rc && k < s->n_rows && s->goal == NONE; k++)
		rc = look_on(s, s->rows[k]);
	return rc;
}

/* Dijkstra's method from a row over reduced costs to the nearest column with room. */
static int search(struct solver *s, uint32_t start)
{
	struct heap_key key;
	uint32_t row;
	int rc;

	s->n_rows = s->n_columns = 0;
	s->goal = NONE;
	reach(s, start, 0, NONE);
	rc = spread(s, 0);
	while (!rc && s->goal == NONE && heap_pop(&s->heap, &row, &key)) {
		size_t known = s->n_rows;

		if (!s->menu.closed[s->reached[row].head]) {
			settle(s, s->reached[row].head, key.key, row);
			rc = spread(s, known);
		}
		if (!rc && s->goal == NONE)
			rc = look_on(s, row);
	}
	assert(rc || s->goal != NONE); /* supply and demand are equal */
	return rc;
}

/* Keeps (1) and (2): what lies nearer than the goal gets dearer by the difference. */
static void reprice(struct solver *s)
{
	double goal = s->settled[s->goal].distance;

	for (size_t k = 0; k < s->n_columns; k++)
		s->price[s->columns[k]] += goal - s->settled[s->columns[k]].distance;
	for (size_t k = 0; k < s->n_rows; k++)
		s->u[s->rows[k]] -= goal - s->reached[s->rows[k]].base;
}

static void forget_search(struct solver *s)
{
	uint32_t row;

	for (size_t k = 0; k < s->n_columns; k++)
		menu_reopen(&s->menu, s->columns[k]);
	for (size_t k = 0; k < s->n_rows; k++)
		s->reached[s->rows[k]].is = false;
	while (heap_pop(&s->heap, &row, NULL))
		;
	repriced(s, s->n_columns);
}

/* How much the path to the goal can carry. */
static uint32_t narrowest(const struct solver *s, uint32_t start)
{
	uint32_t amount = s->room[s->goal], row = s->settled[s->goal].row;

	while (row != start) {
		uint32_t from = s->reached[row].from;
		uint32_t shipped = ledger_amount(&s->ledger, row, from);

		amount = shipped < amount ? shipped : amount;
		row = s->settled[from].row;
	}
	return amount < s->left[start] ? amount : s->left[start];
}

static int augment(struct solver *s, uint32_t start)
{
	uint32_t amount = narrowest(s, start), column = s->goal;
	uint32_t row = s->settled[column].row;

	while (row != start) {
		uint32_t from = s->reached[row].from;
		int rc;

		ledger_take(&s->ledger, row, from, amount);
		s->left[row] += amount;
		s->room[from] += amount;
		rc = ship(s, row, column, amount);
		if (rc)
			return rc;
		column = from;
		row = s->settled[from].row;
	}
	return ship(s, start, column, amount);
}

static int place(struct solver *s, uint32_t row)
{
	int rc = search(s, row);

	if (!rc) {
		reprice(s);
		rc = augment(s, row);
	}
	forget_search(s);
	return rc;
}

int flow_solve(const struct flow_problem *p, const struct flow_start *start, double *price,
	uint32_t *ret_row_of)
{
	struct solver s;
	int rc = solver_init(&s, p, start->max_values, price);

	if (!rc)
		rc = begin(&s, start);
	for (uint32_t i = 0; !rc && !p->demand && i < p->rows; i++)
		rc = bid(&s, i);
	for (uint32_t i = 0; !rc && i < p->rows; i++)
		while (!rc && s.left[i] > 0)
			rc = place(&s, i);
	for (size_t j = 0; !rc && ret_row_of && j < p->columns; j++)
		ret_row_of[j] = s.ledger.entries.ptr[s.ledger.of_column[j]].row;
	solver_release(&s);
	return rc;
}
