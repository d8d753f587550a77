/*
 * Prices. The sample of what is left is assigned to the intervals in small; the j-th of n stands
 * for all those in its stretch and is as long as their mean. Pages found lately stand for the
 * hidden ones: what is deep in a site is more like what was found last than like the home page.
 *
 * Leads. A page found on interval j can be visited on that interval or a shorter one, where its
 * survival less the price is greatest. The mean of this over the pages found is what finding a page
 * there is worth. It grows with the length: cold pages want long intervals, which cost little.
 *
 * What is behind a page. A page that leads to N others is visited before them: if it is kept for
 * the j-th interval from the inside, it gets the N-th where N is larger. With a geometric N of mean
 * b, r = b / (1 + b), that happens with probability r^(j+1), and then N - j - 1 is distributed as
 * N.
 */
#include "plan/outlook.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign.h"

void outlook_find(struct outlook_found *f, uint32_t page)
{
	if (f->skip > 0) {
		f->skip--;
		return;
	}
	if (f->n == OUTLOOK_SAMPLE) {
		f->n /= 2;
		for (size_t i = 0; i < f->n; i++)
			f->page[i] = f->page[2 * i];
		f->every *= 2;
	}
	if (f->every == 0)
		f->every = 1;
	f->page[f->n++] = page;
	f->skip = f->every - 1;
}

static int hotter_first(const void *a, const void *b)
{
	const struct outlook_page *x = a, *y = b;

	return (x->survival.rate < y->survival.rate) - (x->survival.rate > y->survival.rate);
}

static void sort(struct outlook_page *pages, size_t n)
{
	qsort(pages, n, sizeof *pages, hotter_first);
}

/* What is left, of the length of the problem. */
struct picture {
	size_t n;
	struct survival survival[OUTLOOK_SAMPLE];
	float weight[OUTLOOK_SAMPLE];
	double first, spacing;
};

/* count pages evenly from n sorted ones. */
static void draw(const struct outlook_page *from, size_t n, struct outlook_page *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = from[(size_t)(((double)i + 0.5) * (double)n / (double)count)];
}

/* The later half of those found, sorted; the number of them. */
static size_t sort_recent(const struct outlook_params *params, struct outlook_page *recent)
{
	enum { FEW = 8 };
	size_t from = params->found_n > FEW ? params->found_n / 2 : 0, n = params->found_n - from;

	for (size_t i = 0; i < n; i++)
		recent[i] = params->found[from + i];
	sort(recent, n);
	return n;
}

static void make_picture(const struct outlook_params *params, struct picture *p)
{
	struct outlook_page recent[OUTLOOK_SAMPLE], all[OUTLOOK_SAMPLE];
	double left = params->waiting + params->hidden;
	size_t hidden, recent_n = sort_recent(params, recent);

	p->n = left < OUTLOOK_SAMPLE ? (size_t)ceil(left) : OUTLOOK_SAMPLE;
	hidden = (size_t)lround((double)p->n * params->hidden / left);
	if (hidden > p->n - 1)
		hidden = p->n - 1; /* at least one waits */
	sort(params->page, params->n);
	draw(params->page, params->n, all, p->n - hidden);
	draw(recent, recent_n, all + p->n - hidden, hidden);
	sort(all, p->n);
	for (size_t i = 0; i < p->n; i++) {
		p->survival[i] = all[i].survival;
		p->weight[i] = all[i].weight;
	}
	p->spacing = params->step * left / (double)p->n;
	p->first = fmax(0, (p->spacing - params->step) / 2);
}

/* What a page is worth on each interval that is longer by so much, less the price. */
static void find_surplus(
	const struct outlook *o, struct outlook_page page, double longer, double *ret)
{
	survival_series(page.survival, o->first + longer, o->spacing, ret, o->n);
	for (size_t j = 0; j < o->n; j++)
		ret[j] = (double)page.weight * ret[j] - o->price[j];
}

/* What finding such a page on each interval is worth. */
static void find_lead(const struct outlook *o, struct outlook_page page, double *ret)
{
	find_surplus(o, page, 0, ret);
	for (size_t j = 1; j < o->n; j++)
		ret[j] = fmax(ret[j - 1], ret[j]);
}

static void find_leads(struct outlook *o, const struct outlook_page *found, size_t n)
{
	double lead[OUTLOOK_SAMPLE];

	for (size_t j = 0; j < o->n; j++)
		o->lead[j] = 0;
	for (size_t i = 0; i < n; i++) {
		/* In a first capture most pages are alike. */
		if (i == 0 || !outlook_page_eq(found[i], found[i - 1]))
			find_lead(o, found[i], lead);
		for (size_t j = 0; j < o->n; j++)
			o->lead[j] += lead[j] / (double)n;
	}
}

/* Whether hardly a page changes even on the longest interval: then no interval has a price. */
static bool is_calm(const struct assign_problem *p)
{
	static const double NEGLIGIBLE = 1e-4;
	double kept = 0, most = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		kept += assign_value(p, i, p->n - 1);
		most += assign_weight(p, i);
	}
	return kept >= most * (1 - NEGLIGIBLE);
}

/* Prices of the intervals, n entries that are 0 before. */
static int find_prices(const struct assign_problem *p, double *price)
{
	double scratch[(OUTLOOK_SAMPLE + 1) * ASSIGN_SCRATCH / sizeof(double)];
	uint32_t page_of[OUTLOOK_SAMPLE];

	if (is_calm(p))
		return 0;
	assign_chains(p, scratch, page_of);
	assign_exchange(p, scratch, page_of); /* good enough to find prices from */
	return assign_prices(p, page_of, price);
}

int outlook_price(struct outlook *o, const struct outlook_params *params)
{
	struct picture p;
	double price[OUTLOOK_SAMPLE] = {0}, length[OUTLOOK_SAMPLE];
	struct assign_problem problem = {
		.survival = p.survival, .weight = p.weight, .length = length};

	make_picture(params, &p);
	problem.n = (uint32_t)p.n;
	for (size_t j = 0; j < p.n; j++)
		length[j] = p.first + p.spacing * (double)j;
	TRY(find_prices(&problem, price));
	*o = (struct outlook){
		.n = p.n, .step = params->step, .first = p.first, .spacing = p.spacing};
	for (size_t j = 0; j < p.n; j++)
		o->price[j] = price[j];
	find_leads(o, params->found, params->found_n);
	return 0;
}

/*
 * Takes from the surplus of a page what it loses on each interval because it leads to a geometric
 * number of others, with ratio r.
 */
static void push_out(const struct outlook *o, struct outlook_page page, double r, double *surplus)
{
	static const double NEGLIGIBLE = 1e-4;
	double next[OUTLOOK_SAMPLE];
	double pushed = pow(r, 1 + o->first / o->step), ratio = pow(r, o->spacing / o->step);

	find_surplus(o, page, o->step, next);
	for (size_t j = 0; j < o->n && pushed >= NEGLIGIBLE; j++, pushed *= ratio) {
		double here = surplus[j] + o->price[j], beyond = next[j] + o->price[j];
		double outside = here > 0 ? beyond * (1 - r) / (1 - r * beyond / here) : 0;

		surplus[j] += pushed * (outside - here);
	}
}

double outlook_regret(
	const struct outlook *o, struct outlook_page page, double yield, double behind)
{
	double best = -INFINITY, surplus[OUTLOOK_SAMPLE];
	size_t longest;

	if (o->n < 2)
		return 0;
	longest = o->n - 1;
	find_surplus(o, page, 0, surplus);
	if (behind > 0)
		push_out(o, page, behind / (1 + behind), surplus);
	for (size_t j = 0; j < longest; j++)
		best = fmax(best, surplus[j] + yield * o->lead[j]);
	return best - surplus[longest] - yield * o->lead[longest];
}
