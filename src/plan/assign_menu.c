#include "plan/assign_menu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { DEPTH_MAX = 40 }; /* one for each halving of 2^32, and some */

static size_t middle(size_t a, size_t b)
{
	return a + (b - a) / 2;
}

int menu_init(struct menu *m, const double *length, const double *price, size_t n)
{
	*m = (struct menu){.n = n, .length = length, .price = price};
	m->low = calloc(n, sizeof *m->low);
	m->sag = malloc(n * sizeof *m->sag);
	m->open = malloc(n * sizeof *m->open);
	m->closed = calloc(n, sizeof *m->closed);
	if (!m->low || !m->sag || !m->open || !m->closed)
		return ERR_NOMEM;
	menu_price(m);
	return 0;
}

void menu_release(struct menu *m)
{
	free(m->low);
	free(m->sag);
	free(m->open);
	free(m->closed);
}

/*
 * The sag below a chord is at most that of the middle below it plus that of the halves below
 * theirs: their chords lie no deeper than the middle does.
 */
static double measure(struct menu *m, size_t a, size_t b)
{
	size_t mid = middle(a, b);
	double span = m->length[b] - m->length[a], x, sag, left, right;

	if (b - a < 2)
		return 0;
	x = span > 0 ? (m->length[mid] - m->length[a]) / span : 0;
	sag = m->low[a] + x * (m->low[b] - m->low[a]) - m->low[mid];
	left = measure(m, a, mid);
	right = measure(m, mid, b);
	m->sag[mid] = (sag > 0 ? sag : 0) + (left > right ? left : right);
	m->open[mid] = !m->closed[mid] + (mid - a > 1 ? m->open[middle(a, mid)] : 0) +
		       (b - mid > 1 ? m->open[middle(mid, b)] : 0);
	return m->sag[mid];
}

void menu_price(struct menu *m)
{
	for (size_t j = 0; j < m->n; j++)
		m->low[j] = m->price[j];
	measure(m, 0, m->n - 1);
}

static void shift_open(struct menu *m, size_t interval, uint32_t by)
{
	size_t a = 0, b = m->n - 1, mid;

	if (interval == a || interval == b)
		return;
	do {
		mid = middle(a, b);
		m->open[mid] += by;
		if (interval < mid)
			b = mid;
		else
			a = mid;
	} while (mid != interval);
}

void menu_close(struct menu *m, uint32_t interval)
{
	m->closed[interval] = true;
	shift_open(m, interval, UINT32_MAX); /* - 1 */
}

void menu_reopen(struct menu *m, uint32_t interval)
{
	m->closed[interval] = false;
	shift_open(m, interval, 1);
}

/* A segment that may hold something better. */
struct segment {
	uint32_t a, b;
	double at_a, at_b; /* surplus at its ends, at the low prices */
	double limit;
};

struct look {
	const struct menu *m;
	const struct menu_page *page;
	struct menu_offer best;
	double tolerance;
	struct segment todo[DEPTH_MAX];
	size_t depth;
};

/* The surplus at low prices; what the interval offers now, if anything, goes into best. */
static double try_interval(struct look *l, size_t j)
{
	const struct menu *m = l->m;
	double value = l->page->weight * survival_at(l->page->survival, m->length[j]);
	double surplus = value - m->price[j];

	l->best.values++;
	if (!m->closed[j] && surplus > l->best.surplus) {
		l->best.surplus = surplus;
		l->best.interval = (uint32_t)j;
	}
	return value - m->low[j];
}

static struct segment segment(const struct menu *m, size_t a, size_t b, double at_a, double at_b)
{
	struct segment s = {.a = (uint32_t)a, .b = (uint32_t)b, .at_a = at_a, .at_b = at_b};
	size_t mid = middle(a, b);

	s.limit = -INFINITY;
	if (b - a > 1 && m->open[mid] > 0)
		s.limit = (at_a > at_b ? at_a : at_b) + m->sag[mid];
	return s;
}

static void push(struct look *l, struct segment s)
{
	if (s.limit > l->best.surplus + l->tolerance)
		l->todo[l->depth++] = s;
}

/* Halves the segment on top, the more promising half being the next. */
static void halve(struct look *l)
{
	struct segment s = l->todo[--l->depth], left, right;
	size_t mid = middle(s.a, s.b);
	double at_mid;

	if (s.limit <= l->best.surplus + l->tolerance)
		return;
	at_mid = try_interval(l, mid);
	left = segment(l->m, s.a, mid, s.at_a, at_mid);
	right = segment(l->m, mid, s.b, at_mid, s.at_b);
	push(l, left.limit < right.limit ? left : right);
	push(l, left.limit < right.limit ? right : left);
}

struct menu_offer menu_look(const struct menu *m, const struct menu_page *page)
{
	struct look l; /* not initialised as a whole: most of it is the stack */
	uint64_t patience = page->patience;
	double first, last;

	l.m = m;
	l.page = page;
	l.best = (struct menu_offer){UINT32_MAX, -INFINITY, -INFINITY, 0};
	l.tolerance = page->tolerance;
	l.depth = 0;
	if (page->hint < m->n)
		(void)try_interval(&l, page->hint);
	first = try_interval(&l, 0);
	last = try_interval(&l, m->n - 1);
	push(&l, segment(m, 0, m->n - 1, first, last));
	while (l.depth > 0) {
		halve(&l);
		if (l.best.values >= patience) {
			l.tolerance *= 100;
			patience += page->patience;
		}
	}
	l.best.limit = l.best.surplus + l.tolerance;
	return l.best;
}

static size_t memo_slot(struct survival survival, double weight)
{
	double parts[] = {survival.rate, survival.shape, weight};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		uint64_t bits;

		memcpy(&bits, &parts[i], sizeof bits);
		hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash % MENU_MEMO_SLOTS;
}

struct menu_offer menu_recall(
	const struct menu *m, const struct menu_page *page, struct menu_memo *memo)
{
	size_t i = memo_slot(page->survival, page->weight);
	struct menu_offer offer;

	if (memo->slots[i].used && memo->slots[i].survival.rate == page->survival.rate &&
		memo->slots[i].survival.shape == page->survival.shape &&
		memo->slots[i].weight == page->weight && !m->closed[memo->slots[i].offer.interval])
		return memo->slots[i].offer;
	memo->slots[i].survival = page->survival;
	memo->slots[i].weight = page->weight;
	memo->slots[i].offer = menu_look(m, page);
	memo->slots[i].used = memo->slots[i].offer.interval != UINT32_MAX;
	offer = memo->slots[i].offer;
	memo->slots[i].offer.values = 0;
	return offer;
}
