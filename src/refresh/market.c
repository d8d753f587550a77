#include "refresh/market.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refresh/value.h"

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
	free(m->index);
	m->index = NULL;
	m->slots = 0;
}

/* Pages that never change are always fresh and sharp. */
static void count_still(struct market *m, struct market_page page, double sign)
{
	if (page.rate == 0 && m->policy != &REFRESH_UNIFORM)
		m->still = fmax(0, m->still + sign * (double)page.weight);
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

static size_t slot_of(const struct market *m, uint32_t key)
{
	size_t slot = (key * (size_t)0x9E3779B97F4A7C15 >> 32) & (m->slots - 1);

	while (m->index[slot] && m->cells.ptr[m->index[slot] - 1].key != key)
		slot = (slot + 1) & (m->slots - 1);
	return slot;
}

static struct market_cell *find(const struct market *m, uint32_t key)
{
	uint32_t at = m->slots ? m->index[slot_of(m, key)] : 0;

	return at ? &m->cells.ptr[at - 1] : NULL;
}

static int grow(struct market *m)
{
	size_t slots = m->slots ? 2 * m->slots : 256;
	uint32_t *index = calloc(slots, sizeof *index);

	if (!index)
		return ERR_NOMEM;
	free(m->index);
	m->index = index;
	m->slots = slots;
	for (size_t i = 0; i < m->cells.len; i++)
		m->index[slot_of(m, m->cells.ptr[i].key)] = (uint32_t)i + 1;
	return 0;
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
	int rc = 2 * (m->cells.len + 1) > m->slots ? grow(m) : 0;
	size_t slot;

	if (rc)
		return rc;
	slot = slot_of(m, key);
	assert(m->cells.ptr || (m->cells.cap == 0 && m->cells.len == 0));
	rc = market_cells_push(&m->cells, (struct market_cell){.key = key});
	if (rc == 0)
		m->index[slot] = (uint32_t)m->cells.len;
	return rc;
}

int market_add(struct market *m, struct market_page page)
{
	uint32_t key = key_of(page);
	struct market_cell *c = find(m, key);
	int rc = 0;

	count_still(m, page, 1);
	if (!is_traded(m, page))
		return 0;
	if (!c) {
		rc = add_cell(m, key);
		if (rc)
			return rc;
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

	count_still(m, page, -1);
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
		if (u32_vec_push(&m->order, i))
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

	if (!m->policy->threshold && m->cells.len > 0)
		bracket(m, fmax(bandwidth, MARGIN_MIN), &low, &high);
	more = total(m, low);
	for (size_t i = 0; i < m->cells.len; i++)
		m->cells.ptr[i].f_more = m->cells.ptr[i].f;
	less = total(m, high);
	m->mix = more > less ? fmax(0, fmin(1, (bandwidth - less) / (more - less))) : 0;
	if (m->policy == &REFRESH_SHARP)
		rank_pairs(m);
}

static double freshness(const struct market_cell *c, double rate, double f)
{
	return is_announced(c) ? f : refresh_value(REFRESH_FRESH_PERIODIC, rate, f);
}

struct market_outlook market_outlook(const struct market *m)
{
	struct market_outlook o = {.fresh = m->still, .sharp = m->still};
	double weights = m->still;

	for (size_t i = 0; i < m->cells.len; i++) {
		const struct market_cell *c = &m->cells.ptr[i];
		double rate;

		if (c->pages == 0)
			continue;
		rate = c->rates / c->pages;
		o.fresh += c->weights *
			   mixed(m, freshness(c, rate, c->f), freshness(c, rate, c->f_more));
		o.sharp += c->weights * mixed(m, refresh_sharp_value(m->aim, rate, c->f),
						refresh_sharp_value(m->aim, rate, c->f_more));
		weights += c->weights;
	}
	o.fresh = weights > 0 ? o.fresh / weights : NAN;
	o.sharp = weights > 0 && m->aim->grid > 0 ? o.sharp / weights : NAN;
	return o;
}
