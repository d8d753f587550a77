#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/order.h"
#include "plan/ranking.h"
#include "plan/shift_sum.h"
#include "plan/survival.h"

/*
 * SHARC-offline (SHARC section 4.2, Theorem 2 and eq. 6): the organ pipe. The i-th coldest page is
 * downloaded at slot i/2 for even i and n - (i-1)/2 for odd i, so the hottest are in the middle,
 * where the download schedule penalty is least. (Algorithm 1 as printed gives the inverse
 * permutation, which alternates cold and hot pages; eq. 6 and Example 2 are what is meant.)
 *
 * With revisits in the same order it is SHARC-revisits (Definition 4).
 */

static int organ_pipe(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	struct visit_choice *by_heat = malloc((n ? n : 1) * sizeof *by_heat);
	int rc;

	if (!by_heat)
		return ERR_NOMEM;
	rc = planned_sort_by_heat(site, choices, n);
	if (!rc) {
		memcpy(by_heat, choices, n * sizeof *by_heat);
		for (size_t i = 0; i < n; i++)
			choices[i % 2 ? n - 1 - i / 2 : i / 2] = by_heat[n - 1 - i];
	}
	free(by_heat);
	return rc;
}

PLANNED_ORDER(visit_sharc_offline, organ_pipe);

/*
 * SHARC-online (SHARC section 5, Algorithm 2): an organ pipe built while the site is discovered.
 * With n_D pages visited, n_E found and waiting in the order of their rates, and n + 1 pages
 * expected, it visits
 *	the coldest                while n_D + n_E <= (n + 1) / 2     (ascending, eq. 11-12),
 *	the n_D-th coldest         while n_D <= (n + 1) / 2           (middle, eq. 13-14),
 *	the hottest                from then on                       (descending, eq. 15-16).
 */

static int add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct ranking *coldest_first = state;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = ranking_insert(coldest_first, -site->survival[pages[i]].rate, pages[i]);
	return rc;
}

static size_t position(size_t visited, size_t waiting, size_t size)
{
	if (2 * (visited + waiting) <= size)
		return 0;
	if (2 * visited <= size)
		return visited < waiting ? visited : waiting - 1;
	return waiting - 1;
}

static int take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct ranking *coldest_first = state;
	size_t pos;

	if (coldest_first->len == 0)
		return ERR_END;
	pos = position(site->visited, coldest_first->len, site->size);
	ret_choice->page = ranking_take(coldest_first, pos).page;
	return 0;
}

static bool take_out(void *state, const struct plan_site *site, uint32_t page)
{
	(void)site;
	return ranking_remove(state, page);
}

static void close(void *state)
{
	ranking_release(state);
}

const struct visit_order visit_sharc_online = {.state_size = sizeof(struct ranking),
	.add = add,
	.take = take,
	.remove = take_out,
	.close = close};

/*
 * SHARC-threshold (SOLAR section 6, after its references 9 and 20): the pyramid with the hottest
 * page innermost, in which a page is given up when its half length exceeds its confidence length.
 * The rule is not printed; half length against confidence length is what reproduces the published
 * figures. Given-up pages are scheduled after all hopeful ones, which move in.
 */

static int threshold(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	size_t slot = 0;
	int rc = planned_sort_by_heat(site, choices, n);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++) {
		double length = survival_confidence(site->survival[choices[i].page], site->tau);

		choices[i].hopeless = (double)slot * site->delay > length;
		if (!choices[i].hopeless)
			slot++;
	}
	return pyramid_lay(choices, n);
}

PLANNED_ORDER(visit_threshold, threshold);

/*
 * SHARC-selective online (SHARC section 7.2, Algorithm 4): before each visit the pages found so
 * far, D of them, are divided by Algorithm 3 against the D longest free intervals; the hottest
 * hopeless page is visited next or, without one, the coldest hopeful. (Printed are the intervals
 * 2|D| to 2n; the longest are those that give the paper's tables.)
 *
 * Only the first hopeless page matters, so as long as none is found nothing has been given up, and
 * one pass from cold to hot with a running sum tests all pages: O(D). With f_m(s) = e^(-m (s-1)) -
 * e^(-m s), what a page of rate m gains by moving in from step s, both sides of the test are sums
 * over the steps s further out: page x is hopeful if the sum of f_x(s) is at least that of the
 * f_j(s) of the pages j that are there. It follows:
 *   (a) f_m(s) grows with m up to m = log(s / (s-1)), about 1/s; so a page that cold even for the
 *       longest interval is hopeful, without a test;
 *   (b) when the coldest page goes, the balance of another falls by f_x - f_coldest at the longest
 *       step at most; until that has used up the smallest balance of a pass without hopeless pages
 *       there still is none;
 *   (c) when the front page has gone as hopeless, what the colder ones would gain by the next one
 *       moving out is at least what it was without that one's own part; while even the whole value
 *       of the next page is below that, it is hopeless too.
 * (b) and (c) hold until new pages are found or the delay proves to be another, and make most
 * passes unnecessary.
 */

/* The test that SHARC-selective makes of a page, shared by its offline and online forms. */

/* Sums that differ by less than this share of them are equal: a tie, and ties are hopeful. */
#define SELECTIVE_TIE 1e-11

/*
 * What keeping a page of rate m on the shortest of the free intervals (counted in steps) brings in
 * expected coherence over moving it to the longest, when all colder pages would gain by the move.
 */
static double selective_balance(double m, size_t shortest, size_t longest, double gain)
{
	return decay(m * (double)shortest) * -expm1(-m * (double)(longest - shortest)) - gain;
}

/* Whether it stays: not on a negative balance, except on the interval of length 0. */
static bool selective_hopeful(double m, size_t shortest, size_t longest, double gain)
{
	double balance = selective_balance(m, shortest, longest, gain);

	return shortest == 0 || balance >= -SELECTIVE_TIE * (balance + 2 * gain);
}

static void decide(struct visit_choice *by_heat, const double *m, size_t n)
{
	struct shift_sum sum;
	size_t hopeless = 0;
	double gain;

	shift_sum_init(&sum, m, n ? 1 : 0, n);
	gain = shift_sum_value(&sum);
	for (size_t i = 0; i < n; i++) {
		by_heat[i].hopeless =
			!selective_hopeful(m[i], i - hopeless, n - 1 - hopeless, gain);
		shift_sum_pass(&sum, i + 2);
		if (by_heat[i].hopeless)
			shift_sum_give_up(&sum, ++hopeless);
		gain = shift_sum_value(&sum);
	}
}

static int selective(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	double *m = malloc((n ? n : 1) * sizeof *m);
	int rc = m ? planned_sort_by_heat(site, choices, n) : ERR_NOMEM;

	if (!rc) {
		for (size_t i = 0; i < n; i++)
			m[i] = site->survival[choices[i].page].rate * plan_pyramid(site, 1);
		decide(choices, m, n);
		rc = pyramid_lay(choices, n);
	}
	free(m);
	return rc;
}

PLANNED_ORDER(visit_selective_offline, selective);

struct found {
	double rate;
	uint32_t page;
	uint32_t seq;
};

enum mode {
	LOOK,           /* nothing known: make a pass */
	ALL_HOPEFUL,    /* slack is how much of the smallest balance is left */
	FRONT_HOPELESS, /* gain bounds from below what moving the front page out would bring */
};

struct online {
	struct found *all; /* what to free */
	struct found *hot; /* the first of len pages, from hot to cold */
	size_t len;
	uint32_t seq;
	double step; /* the pyramid's; rates times this are called m */
	enum mode mode;
	double slack;
	double gain, pass_gain; /* now, and after the pass */
	size_t gone;            /* pages gone from the front since the pass */
};

/* What a page gains by moving in from an interval of that many steps to the next shorter one. */
static double move_in(double m, size_t step)
{
	return decay(m * (double)(step - 1)) * -expm1(-m);
}

static int hotter_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Sorts the batch and merges it with what is there, into new memory. */
static int selective_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct online *o = state;
	struct found *batch = malloc((n ? n : 1) * sizeof *batch);
	struct found *all = malloc((o->len + n + 1) * sizeof *all);

	if (!batch || !all) {
		free(batch);
		free(all);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		batch[i] = (struct found){site->survival[pages[i]].rate, pages[i], o->seq++};
	qsort(batch, n, sizeof *batch, hotter_first);
	for (size_t i = 0, j = 0; i + j < o->len + n;) {
		bool old = j == n || (i < o->len && hotter_first(&o->hot[i], &batch[j]) < 0);

		all[i + j] = old ? o->hot[i] : batch[j];
		if (old)
			i++;
		else
			j++;
	}
	free(batch);
	free(o->all);
	o->all = o->hot = all;
	o->len += n;
	o->mode = LOOK;
	return 0;
}

/* Changes of the page at that rank per interval step. */
static double m_at(const struct online *o, size_t rank)
{
	return o->hot[rank].rate * o->step;
}

/* Shortest of the intervals that the pages found compete for, in steps: the others are longer. */
static size_t shortest_step(const struct online *o, const struct plan_site *site)
{
	size_t left = site->size > site->visited ? site->size - site->visited : 0;

	return left > o->len ? left - o->len : 0;
}

/* The first page that is tested: the interval of length 0 makes its page hopeful. */
static size_t front(size_t base)
{
	return base == 0 ? 1 : 0;
}

/* The rate above which f falls with the rate at that step. */
static double peak(size_t step)
{
	return step > 1 ? log1p(1 / (double)(step - 1)) : INFINITY;
}

/* Rank of the hottest hopeless page, or len. Leaves what it learned for the bounds. */
static size_t look(struct online *o, size_t base)
{
	size_t longest = base + o->len - 1, hopeless = o->len;
	double gain = 0;

	o->mode = ALL_HOPEFUL;
	o->slack = INFINITY;
	for (size_t x = o->len; x-- > front(base);) {
		double m = m_at(o, x);

		if (m > peak(longest)) {
			if (!selective_hopeful(m, base + x, longest, gain)) {
				hopeless = x;
				o->gain = o->pass_gain = gain;
			}
			o->slack = fmin(o->slack, selective_balance(m, base + x, longest, gain));
		}
		gain += move_in(m, base + x);
	}
	if (hopeless < o->len)
		o->mode = hopeless == front(base) ? FRONT_HOPELESS : LOOK;
	o->gone = 0;
	return hopeless;
}

/* The coldest page goes; is it still certain that no other is hopeless? */
static void take_coldest(struct online *o, size_t base)
{
	size_t longest = base + o->len - 1;
	double coldest = m_at(o, o->len - 1);

	o->len--;
	if (longest == 0 || o->len == 0)
		return;
	o->slack -= move_in(fmax(fmin(peak(longest), m_at(o, 0)), coldest), longest) -
		    move_in(coldest, longest);
	if (o->slack < 0)
		o->mode = LOOK;
}

static void take_hopeless(struct online *o, size_t rank)
{
	memmove(o->hot + 1, o->hot, rank * sizeof *o->hot);
	o->hot++;
	o->len--;
}

/* The share of the gain that must be left, lest rounding shows in it. */
static const double GAIN_LEFT = 1e-3;

/* The front page goes as hopeless; is it certain that the next is hopeless too? */
static void take_front(struct online *o, size_t base)
{
	size_t rank = front(base);
	double next;

	take_hopeless(o, rank);
	o->gone++;
	if (o->len <= rank) {
		o->mode = LOOK;
		return;
	}
	next = m_at(o, rank);
	o->gain -= move_in(next, base + rank + o->gone);
	if (o->gain < GAIN_LEFT * o->pass_gain ||
		decay(next * (double)(base + rank)) >= o->gain * (1 - SELECTIVE_TIE))
		o->mode = LOOK;
}

static int selective_take(
	void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct online *o = state;
	size_t base = shortest_step(o, site), hopeless;

	if (o->len == 0)
		return ERR_END;
	if (o->step != plan_pyramid(site, 1)) {
		o->step = plan_pyramid(site, 1);
		o->mode = LOOK;
	}
	if (o->mode == LOOK)
		hopeless = look(o, base);
	else
		hopeless = o->mode == FRONT_HOPELESS ? front(base) : o->len;
	ret_choice->hopeless = hopeless < o->len;
	ret_choice->page = o->hot[ret_choice->hopeless ? hopeless : o->len - 1].page;
	if (o->mode == FRONT_HOPELESS)
		take_front(o, base);
	else if (ret_choice->hopeless)
		take_hopeless(o, hopeless);
	else
		take_coldest(o, base);
	return 0;
}

static bool selective_take_out(void *state, const struct plan_site *site, uint32_t page)
{
	struct online *o = state;
	size_t i = 0;

	(void)site;
	while (i < o->len && o->hot[i].page != page)
		i++;
	if (i == o->len)
		return false;
	o->len--;
	memmove(&o->hot[i], &o->hot[i + 1], (o->len - i) * sizeof *o->hot);
	o->mode = LOOK;
	return true;
}

static void selective_close(void *state)
{
	struct online *o = state;

	free(o->all);
}

const struct visit_order visit_selective_online = {.state_size = sizeof(struct online),
	.add = selective_add,
	.take = selective_take,
	.remove = selective_take_out,
	.close = selective_close};
