#include "plan/refresh_market.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan/refresh_policy.h"

enum {
	KEY_SHIFT = 19, /* leaves the exponent of a float and four bits of its mantissa */
	WEIGHT_BITS = 12,
	SEARCH_MAX = 200,
};

/* How exact the margin is: pages on both sides of it share what is left. */
#define STEP 1.0002

#define MARGIN_MIN 1e-60
#define MARGIN_MAX 1e60

void market_init(
	struct market *m, const struct refresh_policy *policy, const struct refresh_aim *aim)
{
	*m = (struct market){.policy = policy, .aim = aim, .margin = 1};
}

void market_release(struct market *m)
{
	market_cells_release(&m->cells);
	u32_vec_release(&m->order);
	nummap_release(&m->index);
}

/* Under uniform, pages that never change and those without weight are looked at as well. */
static bool is_traded(const struct market *m, struct market_page page)
{
	return m->policy->demand &&
	       (m->policy == &REFRESH_UNIFORM || (page.rate > 0 && page.weight > 0));
}

static uint32_t bits_of(float number)
{
	uint32_t bits;

	memcpy(&bits, &number, sizeof bits);
	return bits >> KEY_SHIFT;
}

static uint32_t key_of(struct market_page page)
{
	return ((uint32_t)page.announced << WEIGHT_BITS | bits_of(page.rate)) << WEIGHT_BITS |
	       bits_of(page.weight);
}

static struct market_cell *find(const struct market *m, uint32_t key)
{
	const struct nummap_entry *e = nummap_find(&m->index, key);

	return e ? &m->cells.ptr[e->value] : NULL;
}

static bool is_announced(const struct market_cell *c)
{
	return c->key >> (2 * WEIGHT_BITS) != 0;
}

/* What a page of a cell gets at the present margin. */
static double cell_wants(const struct market *m, const struct market_cell *c)
{
	double rate = c->rates / c->pages, weight = c->weights / c->pages;

	if (is_announced(c))
		return refresh_announced_share(rate, weight, m->margin);
	return m->policy->demand(m->aim, rate, weight, m->margin);
}

static int add_cell(struct market *m, uint32_t key)
{
	struct nummap_entry *e;

	TRY(market_cells_try_reserve(&m->cells, 1));
	TRY(nummap_put(&m->index, key, (uint32_t)m->cells.len, &e, NULL));
	return market_cells_try_push(&m->cells, (struct market_cell){.key = key});
}

int market_add(struct market *m, struct market_page page)
{
	uint32_t key = key_of(page);
	struct market_cell *c = find(m, key);

	if (!is_traded(m, page))
		return 0;
	if (!c) {
		TRY(add_cell(m, key));
		c = &m->cells.ptr[m->cells.len - 1];
	}
	c->rates += (double)page.rate;
	c->weights += (double)page.weight;
	if (c->pages++ == 0)
		c->f = c->f_more = cell_wants(m, c);
	return 0;
}

void market_remove(struct market *m, struct market_page page)
{
	struct market_cell *c = find(m, key_of(page));

	if (!is_traded(m, page) || !c || c->pages == 0)
		return;
	c->rates -= (double)page.rate;
	c->weights -= (double)page.weight;
	if (--c->pages == 0) /* nothing is left of rounding either */
		c->rates = c->weights = 0;
}

double market_demand(const struct market *m, struct market_page page, double draw)
{
	const struct market_cell *c = is_traded(m, page) ? find(m, key_of(page)) : NULL;

	if (!c)
		return 0;
	return draw < m->mix ? c->f_more : c->f;
}

/* What all want at a margin, which becomes the present one. */
static double total(struct market *m, double margin)
{
	double sum = 0;

	m->margin = margin;
	for (size_t i = 0; i < m->cells.len; i++) {
		struct market_cell *c = &m->cells.ptr[i];

		if (c->pages == 0)
			continue;
		c->f = cell_wants(m, c);
		sum += is_announced(c) ? c->rates * c->f : c->pages * c->f;
	}
	return sum;
}

/* The margins on both sides of the bandwidth: *low wants no less, *high no more. Begins at the last
 * margin: a little change takes a few steps. */
static void bracket(struct market *m, double bandwidth, double *ret_low, double *ret_high)
{
	double low = m->margin, high = low, step = STEP;

	while (low > MARGIN_MIN && total(m, low) < bandwidth) {
		high = low;
		low /= step;
		step *= step;
	}
	step = STEP;
	while (high < MARGIN_MAX && (high == low || total(m, high) > bandwidth)) {
		low = high;
		high *= step;
		step *= step;
	}
	for (int i = 0; i < SEARCH_MAX && high > low * STEP; i++) {
		double middle = sqrt(low) * sqrt(high);

		if (total(m, middle) >= bandwidth)
			low = middle;
		else
			high = middle;
	}
	*ret_low = low;
	*ret_high = high;
}

static void draw_curve(struct market *m, double middle)
{
	m->curve.middle = middle;
	for (int i = 0; i < MARKET_CURVE; i++)
		m->curve.wants[i] = total(m, ldexp(middle, i - MARKET_CURVE / 2));
}

/* Straight lines between the points as logarithms; where nothing is wanted, as numbers. */
double market_curve_at(const struct market_curve *curve, double margin)
{
	const int middle = MARKET_CURVE / 2;
	double place = log2(margin / curve->middle) + middle;
	double left = fmin(fmax(floor(place), 0), MARKET_CURVE - 2);
	double less = curve->wants[(int)left + 1], more = curve->wants[(int)left];

	place -= left;
	if (less > 0)
		return more * pow(less / more, place);
	return fmax(0, more * (1 - place));
}

/* The mean of something over the pages of a cell. */
static double mixed(const struct market *m, double less, double more)
{
	return (1 - m->mix) * less + m->mix * more;
}

static double pairs_of(const struct market *m, const struct market_cell *c)
{
	return c->pages *
	       mixed(m, refresh_sharp_pairs(m->aim, c->f), refresh_sharp_pairs(m->aim, c->f_more));
}

double market_pairs(const struct market *m)
{
	double pages = 0;

	for (size_t i = 0; i < m->cells.len; i++)
		pages += pairs_of(m, &m->cells.ptr[i]);
	return pages;
}

static int hottest_first(const void *a, const void *b, void *context)
{
	const struct market_cell *cells = context;
	uint32_t x = cells[*(const uint32_t *)a].key, y = cells[*(const uint32_t *)b].key;

	return (x < y) - (x > y); /* keys begin with the rate */
}

/* Hot pairs get the places near the instant. Without memory all cells share all places. */
static void rank_pairs(struct market *m)
{
	double all = market_pairs(m), before = 0;

	m->order.len = 0;
	for (uint32_t i = 0; i < m->cells.len; i++) {
		m->cells.ptr[i].inner = 0;
		m->cells.ptr[i].outer = 1;
		if (u32_vec_try_push(&m->order, i))
			return;
	}
	if (!(all > 0))
		return;
	qsort_r(m->order.ptr, m->order.len, sizeof *m->order.ptr, hottest_first, m->cells.ptr);
	for (size_t i = 0; i < m->order.len; i++) {
		struct market_cell *c = &m->cells.ptr[m->order.ptr[i]];

		c->inner = (float)(before / all);
		before += pairs_of(m, c);
		c->outer = (float)(before / all);
	}
}

double market_place(const struct market *m, struct market_page page, double draw)
{
	const struct market_cell *c = find(m, key_of(page));

	return c ? (double)c->inner + draw * (double)(c->outer - c->inner) : draw;
}

void market_clear(struct market *m, double bandwidth)
{
	double low = m->margin, high = low, more, less;

	if (!m->policy->threshold && m->cells.len > 0) {
		bracket(m, fmax(bandwidth, MARGIN_MIN), &low, &high);
		draw_curve(m, low);
	}
	more = total(m, low);
	for (size_t i = 0; i < m->cells.len; i++)
		m->cells.ptr[i].f_more = m->cells.ptr[i].f;
	less = total(m, high);
	m->mix = more > less ? fmax(0, fmin(1, (bandwidth - less) / (more - less))) : 0;
	if (m->policy == &REFRESH_SHARP)
		rank_pairs(m);
}
