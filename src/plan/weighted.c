/*
 * With weights no order of heat tells which page to visit next, but prices of intervals do
 * (docs/planning.md): a sample of the waiting pages is assigned to the intervals that are left, and
 * the prices that go with that assignment tell what every page would lose on the longest one
 * against the interval that suits it best. The page that loses least is next.
 *
 * Of pages with the same weight only the hottest and the coldest come into question: they lie on
 * two chains as all pages do where weights are equal. So pages are kept in classes of nearly equal
 * weight, and only the ends of the classes are asked.
 */
#include "plan/weighted.h"

#include <math.h>

#include "base/err.h"
#include "plan/assign_steps.h"

/* While pages keep turning up, this share of the intervals is kept for nobody. */
static const double EXPLORING = 1.0 / 32;

void weighted_release(struct weighted *w)
{
	for (size_t c = 0; c < WEIGHTED_CLASSES; c++)
		ranking_release(&w->by_rate[c]);
}

static size_t class_of(const struct weighted *w, float weight)
{
	double octaves = log2((double)weight / (double)w->first_weight);
	double c = WEIGHTED_CLASSES / 2.0 + 2 * octaves;

	if (!(c > 0)) /* also weight 0, and two of them */
		return 0;
	return c < WEIGHTED_CLASSES - 1 ? (size_t)c : WEIGHTED_CLASSES - 1;
}

const struct ranking *weighted_middle(const struct weighted *w)
{
	return &w->by_rate[class_of(w, w->first_weight)];
}

uint32_t weighted_take_rank(struct weighted *w, size_t rank)
{
	w->len--;
	return ranking_take(&w->by_rate[class_of(w, w->first_weight)], rank).page;
}

int weighted_insert(struct weighted *w, const struct plan_site *site, uint32_t page)
{
	float weight = site->weight[page];
	int rc;

	if (!w->begun)
		w->first_weight = weight;
	rc = ranking_insert(&w->by_rate[class_of(w, weight)], site->survival[page].rate, page);
	if (rc)
		return rc;
	w->begun = true;
	w->mixed = w->mixed || weight != w->first_weight;
	w->len++;
	return 0;
}

bool weighted_remove(struct weighted *w, const struct plan_site *site, uint32_t page)
{
	size_t class = class_of(w, site->weight[page]);

	if (!ranking_remove(&w->by_rate[class], page))
		return false;
	/* What is remembered of the page at an end may no longer be true when it is back. */
	w->hot[class].round = w->cold[class].round = 0;
	w->len--;
	return true;
}

/* The waiting page at a rank among all, class by class. */
static uint32_t page_at(const struct weighted *w, size_t rank)
{
	size_t c = 0;

	while (rank >= w->by_rate[c].len)
		rank -= w->by_rate[c++].len;
	return ranking_at(&w->by_rate[c], rank).page;
}

int weighted_price(struct weighted *w, const struct plan_site *site, double left)
{
	struct survival survival[WEIGHTED_SAMPLE];
	float weight[WEIGHTED_SAMPLE];
	uint32_t page_of[WEIGHTED_SAMPLE];
	double scratch[(WEIGHTED_SAMPLE + 1) * ASSIGN_SCRATCH / sizeof(double)];
	size_t n = w->len < WEIGHTED_SAMPLE ? w->len : WEIGHTED_SAMPLE;
	struct assign_problem p = {.n = n, .survival = survival, .weight = weight};
	int rc;

	for (size_t i = 0; i < n; i++) {
		double rank = ((double)i + 0.5) * (double)w->len / (double)n;
		uint32_t page = page_at(w, (size_t)rank);

		survival[i] = site->survival[page];
		weight[i] = site->weight[page];
	}
	p.step = plan_pyramid(site, 1) * left / (double)n;
	assign_chains(&p, scratch, page_of);
	assign_exchange(&p, scratch, page_of); /* good enough to find prices from */
	rc = assign_prices(&p, page_of, w->price);
	w->prices = rc ? 0 : n;
	w->interval = p.step;
	w->round++;
	return rc;
}

/* What a page loses on the longest interval against the best from j on. */
static double regret(
	const struct weighted *w, const struct plan_site *site, uint32_t page, size_t j)
{
	double weight = (double)site->weight[page], best = -INFINITY, surplus = 0;

	for (; j < w->prices; j++) {
		double length = w->interval * (double)j;

		surplus = weight * survival_at(site->survival[page], length) - w->price[j];
		best = fmax(best, surplus);
	}
	return best - surplus;
}

/* The same from memory, unless the end has changed. */
static double end_regret(const struct weighted *w, const struct plan_site *site,
	struct weighted_end *end, uint32_t page, size_t shortest)
{
	if (end->round != w->round || end->page != page)
		*end = (struct weighted_end){
			.page = page, .round = w->round, .regret = regret(w, site, page, shortest)};
	return end->regret;
}

void weighted_take(struct weighted *w, const struct plan_site *site, bool exploring,
	struct visit_choice *ret_choice)
{
	size_t shortest = exploring ? (size_t)ceil(EXPLORING * (double)w->prices) : 0;
	size_t class = 0, rank = 0;
	double least = INFINITY;

	for (size_t c = 0; c < WEIGHTED_CLASSES; c++) {
		const struct ranking *r = &w->by_rate[c];
		double hot, cold;

		if (r->len == 0)
			continue;
		hot = end_regret(w, site, &w->hot[c], ranking_at(r, 0).page, shortest);
		cold = end_regret(w, site, &w->cold[c], ranking_at(r, r->len - 1).page, shortest);
		if (hot < least) {
			least = hot;
			class = c;
			rank = 0;
			ret_choice->hopeless = true;
		}
		if (cold <= least) {
			least = cold;
			class = c;
			rank = r->len - 1;
			ret_choice->hopeless = false;
		}
	}
	w->len--;
	ret_choice->page = ranking_take(&w->by_rate[class], rank).page;
}
