/*
 * Which pages are worth the intervals that there are. Where pages differ in their rates only, the
 * coldest: on the same interval a colder page is sharp with a larger probability. Else a few pages
 * are settled by the Hungarian method on intervals x pages; of many those with the largest surplus
 * are taken, assigned, and priced again, until that changes nothing or gains nothing.
 */
#include "plan/select.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_menu.h"
#include "plan/heat.h"

/* Values and steps of the Hungarian method: 32 MB, and less than a second. */
static const double VALUES_MAX = 4e6, STEPS_MAX = 3e8, FAST_STEPS_MAX = 2e7;

enum { ROUNDS_MAX = 8 };

/* A bound this near to what is reached needs no further round. */
static const double NEAR = 1e-9;

/* What a selection has found. */
struct found {
	double value, bound;
};

/* ---- a given set of pages ---- */

/* The pages of a set, copied to the indices 0..k-1. */
struct subset {
	struct assign_problem problem;
	struct survival *survival;
	float *weight;
};

static void subset_release(struct subset *s)
{
	free(s->survival);
	free(s->weight);
}

static int subset_init(struct subset *s, const struct select_problem *p, const uint32_t *pages)
{
	size_t k = p->slots;

	s->survival = malloc((k ? k : 1) * sizeof *s->survival);
	s->weight = malloc((k ? k : 1) * sizeof *s->weight);
	if (!s->survival || !s->weight)
		return ERR_NOMEM;
	for (size_t i = 0; i < k; i++) {
		s->survival[i] = p->assign.survival[pages[i]];
		s->weight[i] = (float)assign_weight(&p->assign, pages[i]);
	}
	s->problem = (struct assign_problem){
		.n = k,
		.survival = s->survival,
		.weight = s->weight,
		.length = p->assign.length,
		.step = p->assign.step,
	};
	return 0;
}

/* Assigns the first `slots` pages; page_of has their numbers. */
static int assign_subset(const struct select_problem *p, const uint32_t *pages,
	enum assign_effort effort, uint32_t *page_of, struct assign_solution *ret)
{
	struct subset set = {0};
	int rc = subset_init(&set, p, pages);

	if (rc == 0)
		rc = assign_solve(&set.problem, p->fast, effort, ret);
	for (size_t j = 0; rc == 0 && j < p->slots; j++)
		page_of[j] = pages[ret->page_of[j]];
	subset_release(&set);
	return rc;
}

static double total(const struct select_problem *p, const uint32_t *page_of)
{
	double sum = 0;

	for (size_t j = 0; j < p->slots; j++)
		sum += assign_value(&p->assign, page_of[j], j);
	return sum;
}

/* ---- pages that differ in their rates only ---- */

static int take_coldest(const struct select_problem *p, uint32_t *pages, bool bound,
	uint32_t *page_of, struct found *ret)
{
	struct assign_solution s = {0};
	size_t n = p->assign.n;
	int rc = heat_sort(p->assign.survival, pages, n);

	if (rc == 0)
		rc = assign_subset(p, pages + (n - p->slots), bound ? ASSIGN_BOUND : ASSIGN_PAGES,
			page_of, &s);
	if (rc)
		return rc;
	*ret = (struct found){.value = total(p, page_of), .bound = s.bound};
	assign_solution_release(&s);
	return 0;
}

/* ---- a few pages: the Hungarian method ---- */

/* Columns are pages and rows intervals, from 1; 0 stands for none. */
struct matrix {
	size_t rows, columns;
	double *value; /* row by row */
	double *row_dual, *column_dual, *least;
	uint32_t *row_of, *before; /* by column */
	bool *seen;
};

static void matrix_release(struct matrix *m)
{
	free(m->value);
	free(m->row_dual);
	free(m->column_dual);
	free(m->least);
	free(m->row_of);
	free(m->before);
	free(m->seen);
}

static int matrix_init(struct matrix *m, const struct select_problem *p)
{
	size_t n = p->assign.n, k = p->slots;

	*m = (struct matrix){
		.rows = k,
		.columns = n,
		.value = malloc((k * n + 1) * sizeof(double)),
		.row_dual = calloc(k + 1, sizeof(double)),
		.column_dual = calloc(n + 1, sizeof(double)),
		.least = malloc((n + 1) * sizeof(double)),
		.row_of = calloc(n + 1, sizeof(uint32_t)),
		.before = calloc(n + 1, sizeof(uint32_t)),
		.seen = malloc((n + 1) * sizeof(bool)),
	};
	if (!m->value || !m->row_dual || !m->column_dual || !m->least || !m->row_of || !m->before ||
		!m->seen)
		return ERR_NOMEM;
	for (size_t j = 0; j < k; j++)
		for (uint32_t i = 0; i < n; i++)
			m->value[j * n + i] = assign_value(&p->assign, i, j);
	return 0;
}

/* Looks at all columns from the row of `column`; returns the nearest one that was not seen. */
static size_t extend(struct matrix *m, size_t column)
{
	size_t row = m->row_of[column], next = 0;
	const double *value = m->value + (row - 1) * m->columns;
	double least = INFINITY;

	m->seen[column] = true;
	for (size_t j = 1; j <= m->columns; j++) {
		double cost = -value[j - 1] - m->row_dual[row] - m->column_dual[j];

		if (m->seen[j])
			continue;
		if (cost < m->least[j]) {
			m->least[j] = cost;
			m->before[j] = (uint32_t)column;
		}
		if (m->least[j] < least) {
			least = m->least[j];
			next = j;
		}
	}
	for (size_t j = 0; j <= m->columns; j++)
		if (m->seen[j]) {
			m->row_dual[m->row_of[j]] += least;
			m->column_dual[j] -= least;
		} else {
			m->least[j] -= least;
		}
	return next;
}

/* Gives a row its column, by the shortest chain of exchanges. */
static void add_row(struct matrix *m, size_t row)
{
	size_t column = 0;

	m->row_of[0] = (uint32_t)row;
	for (size_t j = 0; j <= m->columns; j++) {
		m->least[j] = INFINITY;
		m->seen[j] = false;
	}
	do
		column = extend(m, column);
	while (m->row_of[column] != 0);
	while (column != 0) {
		size_t before = m->before[column];

		m->row_of[column] = m->row_of[before];
		column = before;
	}
}

/* The bound that prices -row_dual certify; a column without a row has surplus 0 or less. */
static double matrix_bound(const struct matrix *m)
{
	double sum = 0;

	for (size_t row = 1; row <= m->rows; row++)
		sum -= m->row_dual[row];
	for (size_t j = 1; j <= m->columns; j++)
		sum -= m->column_dual[j];
	return sum;
}

static int settle_few(const struct select_problem *p, uint32_t *page_of, struct found *ret)
{
	struct matrix m;
	int rc = matrix_init(&m, p);

	for (size_t row = 1; rc == 0 && row <= m.rows; row++)
		add_row(&m, row);
	for (size_t j = 1; rc == 0 && j <= m.columns; j++)
		if (m.row_of[j])
			page_of[m.row_of[j] - 1] = (uint32_t)(j - 1);
	if (rc == 0)
		*ret = (struct found){.value = total(p, page_of), .bound = matrix_bound(&m)};
	matrix_release(&m);
	return rc;
}

/* ---- many pages: by their surplus ---- */

/* What is needed for a round. */
struct round {
	double *length;    /* by interval */
	double *surplus;   /* by page */
	uint32_t *pages;   /* all, from the largest surplus down */
	uint32_t *page_of; /* of this round */
};

static void round_release(struct round *r)
{
	free(r->length);
	free(r->surplus);
	free(r->pages);
	free(r->page_of);
}

/* Begins with those that are worth most on an interval of middle length. */
static int round_init(struct round *r, const struct select_problem *p)
{
	size_t n = p->assign.n, k = p->slots;

	*r = (struct round){
		.length = malloc((k + 1) * sizeof(double)),
		.surplus = malloc((n + 1) * sizeof(double)),
		.pages = malloc((n + 1) * sizeof(uint32_t)),
		.page_of = malloc((k + 1) * sizeof(uint32_t)),
	};
	if (!r->length || !r->surplus || !r->pages || !r->page_of)
		return ERR_NOMEM;
	for (size_t j = 0; j < k; j++)
		r->length[j] = assign_length(&p->assign, j);
	for (uint32_t i = 0; i < n; i++) {
		r->pages[i] = i;
		r->surplus[i] = assign_value(&p->assign, i, k / 2);
	}
	return heat_sort_by(r->surplus, r->pages, n);
}

/* What each page would gain at these prices: sorts the pages and returns the bound. */
static int price_pages(
	const struct select_problem *p, struct round *r, const double *price, double *ret_bound)
{
	static const double TOLERANCE = 1e-13;
	struct menu_page page = {.hint = UINT32_MAX, .patience = 1000};
	struct menu menu = {0};
	double sum = 0;
	int rc = menu_init(&menu, r->length, price, p->slots);

	page.tolerance = fmax(TOLERANCE * assign_scale(&p->assign), DBL_MIN);
	for (uint32_t i = 0; rc == 0 && i < p->assign.n; i++) {
		struct menu_offer offer;

		page.survival = p->assign.survival[i];
		page.weight = assign_weight(&p->assign, i);
		offer = menu_look(&menu, &page);
		page.hint = offer.interval;
		r->surplus[i] = offer.limit;
	}
	menu_release(&menu);
	if (rc == 0)
		rc = heat_sort_by(r->surplus, r->pages, p->assign.n);
	for (size_t j = 0; rc == 0 && j < p->slots; j++)
		sum += price[j] + r->surplus[r->pages[j]];
	*ret_bound = sum;
	return rc;
}

static int improve(
	const struct select_problem *p, struct round *r, uint32_t *page_of, struct found *best)
{
	struct assign_solution s = {0};
	double bound = INFINITY, value;
	int rc = assign_subset(p, r->pages, ASSIGN_PRICES, r->page_of, &s);

	if (rc)
		return rc;
	value = total(p, r->page_of);
	rc = price_pages(p, r, s.price, &bound);
	assign_solution_release(&s);
	if (rc)
		return rc;
	best->bound = fmin(best->bound, bound);
	if (value > best->value) {
		best->value = value;
		memcpy(page_of, r->page_of, p->slots * sizeof *page_of);
	}
	return 0;
}

/* ---- one page for another ---- */

/* Intervals at which a page is compared with the one that is there; all of a few. */
enum { PLACES = 256 };

/* Takes a page in for the one that it beats by most on its own interval; false if it beats none. */
static bool take_in(const struct select_problem *p, uint32_t page, uint32_t *page_of, bool *taken)
{
	double most = NEAR * assign_weight(&p->assign, page);
	size_t at = p->slots;

	for (size_t j = 0; j < p->slots; j += p->slots / PLACES + 1) {
		double gain =
			assign_value(&p->assign, page, j) - assign_value(&p->assign, page_of[j], j);

		if (gain > most) {
			most = gain;
			at = j;
		}
	}
	if (at == p->slots)
		return false;
	taken[page_of[at]] = false;
	taken[page] = true;
	page_of[at] = page;
	return true;
}

/* Exchanges and assigns again as long as that gains something. */
static int exchange_pages(const struct select_problem *p, uint32_t *page_of, struct found *best)
{
	bool *taken = calloc(p->assign.n + 1, sizeof *taken), changed = true;
	uint32_t *pages = malloc((p->slots + 1) * sizeof *pages);
	int rc = taken && pages ? 0 : ERR_NOMEM;

	for (size_t j = 0; rc == 0 && j < p->slots; j++)
		taken[page_of[j]] = true;
	for (int i = 0; rc == 0 && changed && i < ROUNDS_MAX; i++) {
		struct assign_solution s = {0};

		changed = false;
		for (uint32_t page = 0; page < p->assign.n; page++)
			changed |= !taken[page] && take_in(p, page, page_of, taken);
		memcpy(pages, page_of, p->slots * sizeof *pages);
		if (changed)
			rc = assign_subset(p, pages, ASSIGN_PAGES, page_of, &s);
		assign_solution_release(&s);
	}
	if (rc == 0)
		best->value = total(p, page_of);
	free(taken);
	free(pages);
	return rc;
}

static int settle_many(const struct select_problem *p, uint32_t *page_of, struct found *ret)
{
	struct found best = {.value = -1, .bound = INFINITY};
	struct round r;
	int rc = round_init(&r, p);

	for (int i = 0; rc == 0 && i < ROUNDS_MAX; i++) {
		double before = best.value;

		rc = improve(p, &r, page_of, &best);
		if (i > 0 && !(best.value > before * (1 + NEAR)))
			break;
		if (best.bound <= best.value * (1 + NEAR))
			break;
	}
	round_release(&r);
	if (rc == 0 && best.bound > best.value * (1 + NEAR))
		rc = exchange_pages(p, page_of, &best);
	*ret = best;
	return rc;
}

/* ---- all of them ---- */

static bool are_few(const struct select_problem *p)
{
	double n = (double)p->assign.n, k = (double)p->slots;

	return n * k <= VALUES_MAX && k * k * n <= (p->fast ? FAST_STEPS_MAX : STEPS_MAX);
}

int select_pages(
	const struct select_problem *p, uint32_t *page_of, double *ret_value, double *ret_bound)
{
	struct found found = {0};
	uint32_t *pages;
	int rc;

	if (p->slots > 0 && !assign_uniform(&p->assign) && p->slots < p->assign.n)
		rc = are_few(p) ? settle_few(p, page_of, &found) : settle_many(p, page_of, &found);
	else if (p->slots > 0) {
		pages = malloc(p->assign.n * sizeof *pages);
		for (uint32_t i = 0; pages && i < p->assign.n; i++)
			pages[i] = i;
		rc = pages ? take_coldest(p, pages, ret_bound, page_of, &found) : ERR_NOMEM;
		free(pages);
	} else {
		rc = 0;
	}
	if (rc == 0 && ret_value)
		*ret_value = found.value;
	if (rc == 0 && ret_bound)
		*ret_bound = fmax(found.bound, found.value) * (1 + ASSIGN_ROUNDING);
	return rc;
}
