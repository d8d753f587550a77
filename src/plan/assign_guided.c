/*
 * An assignment for pages that differ in more than their rates. No order of heat tells where they
 * belong, but prices do: at the optimal ones every page sits where its own surplus is largest. So
 * prices come from the problem in small, every page chooses a knot, and pages are laid in the order
 * of their choices; those of one knot in the order of what they lose by moving on.
 *
 * Which pages stand for the others in the small problem depends on the assignment it is made
 * from, and a bad one shows it the wrong pages; so this is done a few times, coarsely at first.
 * Of very many pages only some take part in all but the last of these rounds.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/assign_menu.h"
#include "plan/assign_steps.h"
#include "plan/assign_strata.h"
#include "plan/heat.h"

static const struct strata_params ROUNDS[] = {
	{.spacing = {16, 8}, .samples = 2, .max_values = 5e7},
	{.spacing = {32, 16}, .samples = 2, .max_values = 5e7},
	{.spacing = {64, 32}, .samples = 2, .max_values = 5e7},
	{.spacing = {64, 32}, .samples = 4, .max_values = 5e7},
};

enum {
	ROUNDS_N = sizeof ROUNDS / sizeof ROUNDS[0],
	THIN_MIN = 60000, /* pages from which on only some take part at first */
	THIN_TO = 30000,  /* about so many of them */
	FULL_ROUNDS = 2,  /* in which all do, then */
	PATIENCE = 100,
};

static const uint32_t NOT_YET = UINT32_MAX;

static const double TOLERANCE = 1e-12; /* in units of the largest weight */

struct guide {
	const struct assign_problem *p;
	uint32_t *best_of;    /* of the best round, the caller's */
	double best;          /* its total */
	struct strata strata; /* of the last round; n == 0 before the first */
	uint32_t *room;       /* by knot: how many more may choose it; while they do */
	struct menu_memo *memo;

	/* In scratch memory, from the first round on. */
	double *loss;      /* by page: what it would lose from the knot before to the one after */
	uint32_t *knot;    /* by page: the one it chooses, or NOT_YET */
	uint32_t *page_of; /* of the last round */
	void *sorting;
};

static_assert(sizeof(double) + 2 * sizeof(uint32_t) + HEAT_SCRATCH <= ASSIGN_SCRATCH,
	"a guide lies in scratch memory");

static int guide_init(
	struct guide *g, const struct assign_problem *p, void *scratch, uint32_t *page_of)
{
	*g = (struct guide){
		.p = p, .best_of = page_of, .best = -1, .memo = malloc(sizeof *g->memo)};
	g->loss = scratch;
	g->sorting = g->loss + p->n;
	g->knot = (uint32_t *)((char *)g->sorting + p->n * HEAT_SCRATCH);
	g->page_of = g->knot + p->n;
	return g->memo ? 0 : ERR_NOMEM;
}

static void guide_release(struct guide *g)
{
	strata_release(&g->strata);
	free(g->memo);
}

static uint32_t intervals_around(const struct guide *g, size_t knot)
{
	const struct strata *s = &g->strata;
	size_t end = knot + 1 < s->n ? strata_begin(s, knot + 1) : g->p->n;

	return (uint32_t)(end - strata_begin(s, knot));
}

/* A knot takes somewhat more pages than there are intervals around it: they can move over. */
static uint32_t extra(const struct guide *g, size_t knot)
{
	return (uint32_t)sqrt((double)intervals_around(g, knot));
}

static int make_room(struct guide *g)
{
	g->room = malloc(g->strata.n * sizeof *g->room);
	for (size_t k = 0; g->room && k < g->strata.n; k++)
		g->room[k] = intervals_around(g, k) + extra(g, k);
	return g->room ? 0 : ERR_NOMEM;
}

static void remove_extra(struct guide *g, struct menu *menu)
{
	for (uint32_t k = 0; k < g->strata.n; k++) {
		uint32_t less = extra(g, k);

		if (g->room[k] > 0 && g->room[k] <= less)
			menu_close(menu, k);
		g->room[k] = g->room[k] > less ? g->room[k] - less : 0;
	}
}

static double loss_around(const struct strata *s, size_t knot, struct survival page)
{
	size_t before = knot > 0 ? knot - 1 : 0, after = knot + 1 < s->n ? knot + 1 : knot;

	return survival_at(page, s->length[before]) - survival_at(page, s->length[after]);
}

static void take(
	struct guide *g, struct menu *menu, const struct menu_page *page, uint32_t i, uint32_t knot)
{
	if (--g->room[knot] == 0)
		menu_close(menu, knot);
	g->knot[i] = knot;
	g->loss[i] = page->weight * loss_around(&g->strata, knot, page->survival);
}

/* Lets all pages choose but those that are to be deferred; then those that were. */
static void choose_pass(struct guide *g, struct menu *menu, bool defer)
{
	double scale = assign_scale(g->p);
	struct menu_page page = {.hint = UINT32_MAX, .patience = PATIENCE};

	page.tolerance = fmax(TOLERANCE * scale, DBL_MIN);
	for (uint32_t i = 0; i < g->p->n; i++) {
		struct menu_offer offer;

		if (!defer && g->knot[i] != NOT_YET)
			continue;
		page.survival = g->p->survival[i];
		page.weight = assign_weight(g->p, i);
		offer = menu_recall(menu, &page, g->memo);
		g->knot[i] = NOT_YET;
		if (!defer || offer.values > 0)
			take(g, menu, &page, i, offer.interval);
		page.hint = offer.interval;
	}
}

/*
 * Thousands of pages may find the same interval as good as many others; those whom it has no room
 * for have to be sent on. Pages of which there are many alike (the memo knows them) come second: as
 * a rule several knots are equally good for them, but not for those whose place they would take.
 */
static int choose(struct guide *g)
{
	struct menu menu;
	int rc = menu_init(&menu, g->strata.length, g->strata.price, g->strata.n);

	if (!rc)
		rc = make_room(g);
	if (!rc) {
		*g->memo = (struct menu_memo){0};
		choose_pass(g, &menu, true);
		remove_extra(g, &menu);
		choose_pass(g, &menu, false);
	}
	free(g->room);
	g->room = NULL;
	menu_release(&menu);
	return rc;
}

static void keep_best(struct guide *g)
{
	double total = assign_total(g->p, g->page_of);

	if (total > g->best) {
		g->best = total;
		memcpy(g->best_of, g->page_of, g->p->n * sizeof *g->page_of);
	}
}

/* Puts pages into the order of their knots; end[k] becomes the first place behind knot k. */
static void sort_by_knot(const struct guide *g, uint32_t *end)
{
	for (uint32_t i = 0; i < g->p->n; i++)
		end[g->knot[i]]++;
	for (size_t k = 1; k < g->strata.n; k++)
		end[k] += end[k - 1];
	for (uint32_t i = (uint32_t)g->p->n; i-- > 0;)
		g->page_of[--end[g->knot[i]]] = i;
	for (size_t k = 0; k + 1 < g->strata.n; k++)
		end[k] = end[k + 1];
	end[g->strata.n - 1] = (uint32_t)g->p->n;
}

static int lay(struct guide *g)
{
	uint32_t *end = calloc(g->strata.n, sizeof *end);

	if (!end)
		return ERR_NOMEM;
	sort_by_knot(g, end);
	for (size_t k = 0, from = 0; k < g->strata.n; from = end[k++])
		heat_sort_by_in(g->sorting, g->loss, g->page_of + from, end[k] - from);
	free(end);
	keep_best(g);
	return 0;
}

static int next_round(struct guide *g, const struct strata_params *params)
{
	struct strata s;
	int rc = strata_init(&s, g->p, g->page_of, params, g->strata.n ? &g->strata : NULL);

	strata_release(&g->strata);
	g->strata = s;
	if (!rc)
		rc = choose(g);
	return rc ? rc : lay(g);
}

static int all_rounds(struct guide *g)
{
	int rc = 0;

	assign_chains(g->p, g->loss, g->best_of);
	memcpy(g->page_of, g->best_of, g->p->n * sizeof *g->page_of);
	g->best = assign_total(g->p, g->best_of);
	for (size_t i = 0; !rc && i < ROUNDS_N; i++)
		rc = next_round(g, &ROUNDS[i]);
	return rc;
}

/* Every step-th page in order of heat, and every step-th interval. */
struct thin {
	struct assign_problem p;
	struct survival *survival;
	float *weight;
	double *length;
	uint32_t *page_of;
	void *scratch;
};

static int thin_init(struct thin *t, const struct assign_problem *p, const uint32_t *by_heat)
{
	size_t step = p->n / THIN_TO, n = p->n / step;

	*t = (struct thin){.survival = malloc(n * sizeof *t->survival),
		.weight = malloc(n * sizeof *t->weight),
		.length = malloc(n * sizeof *t->length),
		.page_of = malloc(n * sizeof *t->page_of),
		.scratch = assign_scratch(n)};
	if (!t->survival || !t->weight || !t->length || !t->page_of || !t->scratch)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t page = by_heat[i * step + step / 2];

		t->survival[i] = p->survival[page];
		t->weight[i] = (float)assign_weight(p, page);
		t->length[i] = assign_length(p, i * step + step / 2);
	}
	t->p = (struct assign_problem){
		.n = n, .survival = t->survival, .weight = t->weight, .length = t->length};
	return 0;
}

static void thin_release(struct thin *t)
{
	free(t->survival);
	free(t->weight);
	free(t->length);
	free(t->page_of);
	free(t->scratch);
}

/* The prices that a few of the pages lead to, and what these tell all of them. */
static int thin_rounds(struct guide *g)
{
	struct thin t;
	struct guide small = {0};
	int rc;

	for (uint32_t i = 0; i < g->p->n; i++)
		g->page_of[i] = i;
	heat_sort_in(g->sorting, g->p->survival, g->page_of, g->p->n);
	rc = thin_init(&t, g->p, g->page_of);
	if (!rc)
		rc = guide_init(&small, &t.p, t.scratch, t.page_of);
	if (!rc)
		rc = all_rounds(&small);
	if (!rc)
		rc = strata_adopt(&g->strata, g->p, ROUNDS[ROUNDS_N - 1].spacing, &small.strata);
	if (!rc)
		rc = choose(g);
	if (!rc)
		rc = lay(g);
	for (int i = 0; !rc && i < FULL_ROUNDS; i++)
		rc = next_round(g, &ROUNDS[ROUNDS_N - 1]);
	guide_release(&small);
	thin_release(&t);
	return rc;
}

int assign_guided(const struct assign_problem *p, void *scratch, uint32_t *page_of)
{
	struct guide g;
	int rc = guide_init(&g, p, scratch, page_of);

	if (!rc)
		rc = p->n < THIN_MIN ? all_rounds(&g) : thin_rounds(&g);
	guide_release(&g);
	return rc;
}
