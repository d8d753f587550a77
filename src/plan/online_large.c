/*
 * stillpoint-online on large sites: the two chains of the offline solution, built from the outside
 * in while the site is discovered.
 *
 * Pages not found yet are thought to be like those found: E waiting pages stand for all U + E that
 * are left, each for a stretch of the pyramid, so the j-th shortest interval of E is
 * 2 j (U + E) / E delays long. As in assign_chains.c, pages taken from hot to cold go to the
 * shortest or the longest free interval, whichever is less sensitive to their rate, and only pages
 * hotter than a cut may be given up; the cut is searched on a sample of the waiting pages whenever
 * enough has changed. The page that this puts on the longest interval is visited next: the hottest
 * hopeless page, or else the coldest of all.
 *
 * The rule would keep a few of the very hottest pages for the shortest intervals. While new pages
 * keep turning up it does not: a page that is kept back may hide half the site, and that costs more
 * than one interval is worth.
 *
 * What is still to be found often hangs on pages that change all the time, because they list what
 * is new; the rule would leave them to the end, and all that is behind them. So while many pages
 * of a large site are missing a few of the hottest are visited at once, and more if those find more
 * than others. On a small site that costs more than it finds.
 *
 * All this is for pages of equal weight. Where weights differ, weighted.c decides.
 *
 * Cost of a decision: O(log n) for the ranking; a search is O(SAMPLE), and the pages or intervals
 * must change by a REFRESH-th before the next.
 */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign_steps.h"
#include "plan/online.h"
#include "plan/order.h"
#include "plan/ranking.h"

/*
 * Waiting pages of different weight, and which of them is to be visited next: what
 * stillpoint-online does where pages differ in more than their rates.
 */

enum {
	WEIGHTED_CLASSES = 32, /* of weights, a factor of the square root of two each */
	WEIGHTED_SAMPLE = 64,  /* pages that stand for all that wait, and as many intervals */
};

/* A page at the hot or the cold end of its class, and what it loses if it is visited next. */
struct weighted_end {
	uint32_t page;
	uint32_t round; /* of the prices; 0: unknown */
	double regret;
};

/* Zeroed is empty. */
struct weighted {
	struct ranking by_rate[WEIGHTED_CLASSES]; /* each from hot to cold */
	struct weighted_end hot[WEIGHTED_CLASSES], cold[WEIGHTED_CLASSES];
	size_t len;
	float first_weight; /* of the first page: the middle of the classes */
	bool begun, mixed;  /* whether there was a page, and one of another weight */

	double price[WEIGHTED_SAMPLE]; /* by interval, i intervals long */
	size_t prices;
	double interval;
	uint32_t round;
};

/* While pages keep turning up, this share of the intervals is kept for nobody. */
static const double EXPLORING = 1.0 / 32;

static void weighted_release(struct weighted *w)
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

/* As long as they are not mixed: all pages, and taking one of them by its rank. */
static const struct ranking *weighted_middle(const struct weighted *w)
{
	return &w->by_rate[class_of(w, w->first_weight)];
}

static uint32_t weighted_take_rank(struct weighted *w, size_t rank)
{
	w->len--;
	return ranking_take(&w->by_rate[class_of(w, w->first_weight)], rank).page;
}

/* 0 or ERR_NOMEM. */
static int weighted_insert(struct weighted *w, const struct plan_site *site, uint32_t page)
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

/* Takes a page out that was inserted with this weight; false when it is not there. O(len). */
static bool weighted_remove(struct weighted *w, const struct plan_site *site, uint32_t page)
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

/* Prices the intervals for the left pages of the capture, len > 0 of which wait. 0 or ERR_NOMEM. */
static int weighted_price(struct weighted *w, const struct plan_site *site, double left)
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

/*
 * Takes the page that loses least on the longest interval, by the last prices. exploring: pages are
 * not kept back for the very shortest intervals.
 */
static void weighted_take(struct weighted *w, const struct plan_site *site, bool exploring,
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

enum {
	SAMPLE = 128,   /* waiting pages on which the cut is searched */
	CUTS = 24,      /* cut points of a first round; a second looks between them */
	REFRESH = 16,   /* a new search when the pages, intervals or pauses changed by a 16th */
	PATIENCE = 256, /* but not before a 256th of the waiting pages has been visited */
	SETTLED = 16,   /* pages keep turning up until a 16th of those waiting found none */
	MISSING = 4,    /* many are: more than a 4th of those waiting */
	SOUNDINGS = 4,  /* of the hottest pages, whatever they find, */
	SOUNDING_SHARE = 512, /* but only one for so many pages: each costs up to one sharp page */
	SOUNDING_COST = 32,   /* pages that they must find, beyond what others do, for each more */
};

struct online {
	struct weighted waiting;
	double cut;         /* pages colder than this are not given up */
	uint32_t cut_known; /* when it was found */
	uint32_t cut_visited;
	double cut_left;
	double cut_delay;
	bool cut_mixed;
	bool sounding;      /* the last visit was one */
	uint32_t soundings; /* so far */
	uint32_t sounded;   /* pages found by them */
	uint32_t known;     /* at the last visit */
};

static int add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct online *o = state;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = weighted_insert(&o->waiting, site, pages[i]);
	return rc;
}

/* A picture of the rest of the capture: n pages from hot to cold, the j-th interval j steps long.
 */
struct picture {
	size_t n;
	struct survival page[SAMPLE];
	double step;
	double first; /* length of the shortest: the mean of those that it stands for */
};

static void draw(struct picture *p, const struct ranking *hottest_first,
	const struct plan_site *site, double left)
{
	size_t waiting = hottest_first->len;

	p->n = waiting < SAMPLE ? waiting : SAMPLE;
	p->step = plan_pyramid(site, 1) * left / (double)p->n;
	p->first = (p->step - plan_pyramid(site, 1)) / 2;
	for (size_t i = 0; i < p->n; i++) {
		size_t rank = (size_t)(((double)i + 0.5) * (double)waiting / (double)p->n);

		p->page[i] = site->survival[ranking_at(hottest_first, rank).page];
	}
}

/* Expected sharp pages of the picture when only the first k may be given up. */
static double lay(const struct picture *p, size_t k)
{
	size_t lo = 0, hi = p->n;
	double sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		double shortest = p->first + (double)lo * p->step;
		double longest = p->first + (double)(hi - 1) * p->step;

		if (i < k && survival_sensitivity(p->page[i], shortest) >
				     survival_sensitivity(p->page[i], longest)) {
			sum += survival_at(p->page[i], longest);
			hi--;
		} else {
			sum += survival_at(p->page[i], shortest);
			lo++;
		}
	}
	return sum;
}

/* Pages that are all alike, as at first, when nothing is known of any, can be exchanged freely. */
static bool is_uniform(const struct picture *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->page[i].rate != p->page[0].rate || p->page[i].shape != p->page[0].shape)
			return false;
	return true;
}

static size_t best_cut(const struct picture *p)
{
	size_t best = 0, width = p->n / CUTS + 1;
	double total = lay(p, 0);

	for (int round = 0; round < 2; round++) {
		size_t from = round == 0 || best < width ? 0 : best - width;
		size_t to = round == 0 ? p->n : best + width;
		size_t step = round == 0 ? width : 1;

		for (size_t k = from; k <= to && k <= p->n; k += step) {
			double t = lay(p, k);

			if (t > total) {
				total = t;
				best = k;
			}
		}
	}
	return best;
}

static double find_cut(
	const struct ranking *hottest_first, const struct plan_site *site, double left)
{
	struct picture p;
	size_t k;

	draw(&p, hottest_first, site, left);
	k = is_uniform(&p) ? 0 : best_cut(&p);
	return k == 0 ? INFINITY : p.page[k - 1].rate;
}

static bool is_stale(const struct online *o, const struct plan_site *site, double left)
{
	bool grown = site->known > o->cut_known + o->cut_known / REFRESH;
	bool shrunk = fabs(left - o->cut_left) > o->cut_left / REFRESH;
	bool paced = fabs(site->delay - o->cut_delay) > o->cut_delay / REFRESH;
	bool soon = site->visited < o->cut_visited + o->waiting.len / PATIENCE;

	return paced || o->cut_mixed != o->waiting.mixed || ((grown || shrunk) && !soon);
}

/* Looks at the waiting pages anew, when enough has changed. 0 or ERR_NOMEM. */
static int refresh(struct online *o, const struct plan_site *site, double left)
{
	if (!is_stale(o, site, left))
		return 0;
	o->cut_known = site->known;
	o->cut_visited = site->visited;
	o->cut_left = left;
	o->cut_delay = site->delay;
	o->cut_mixed = o->waiting.mixed;
	if (o->waiting.mixed)
		return weighted_price(&o->waiting, site, left);
	o->cut = find_cut(weighted_middle(&o->waiting), site, left);
	return 0;
}

/* Rank of the hottest page that is given up, or the number of pages. */
static size_t first_hopeless(const struct ranking *hottest_first, const struct plan_site *site,
	double cut, double left, bool exploring)
{
	size_t waiting = hottest_first->len;
	double step = plan_pyramid(site, 1) * left / (double)waiting;
	double first = (step - plan_pyramid(site, 1)) / 2;
	double longest = first + step * (double)(waiting - 1);

	for (size_t rank = 0; rank < waiting; rank++) {
		struct survival s = site->survival[ranking_at(hottest_first, rank).page];

		if (s.rate < cut)
			break;
		if (exploring || survival_sensitivity(s, first + step * (double)rank) >
					 survival_sensitivity(s, longest))
			return rank;
	}
	return waiting;
}

/* Pages that soundings found beyond what as many visits of other pages would have. */
static double sounded_more(const struct online *o, const struct plan_site *site)
{
	double others = (double)site->visited - o->soundings;
	double found = (double)site->growth.found - o->sounded;

	return others > 0 ? o->sounded - o->soundings * found / others : o->sounded;
}

/* Whether the hottest page should be visited now for what may hang on it. */
static bool is_sounding(struct online *o, const struct plan_site *site, double left)
{
	double waiting = (double)o->waiting.len;
	double few = fmin(SOUNDINGS, floor(left / SOUNDING_SHARE));

	if (o->sounding)
		o->sounded += site->known - o->known;
	o->known = site->known;
	o->sounding = (left - waiting) * MISSING > waiting &&
		      o->soundings < few + sounded_more(o, site) / SOUNDING_COST;
	o->soundings += o->sounding;
	return o->sounding;
}

static int take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct online *o = state;
	size_t waiting = o->waiting.len, rank;
	bool exploring = (size_t)site->quiet * SETTLED < waiting;
	double left;
	int rc;

	if (waiting == 0)
		return ERR_END;
	left = (double)waiting + size_unknown(site, (uint32_t)waiting);
	rc = refresh(o, site, left);
	if (rc)
		return rc;
	if (o->waiting.mixed) {
		weighted_take(&o->waiting, site, exploring, ret_choice);
		return 0;
	}
	rank = is_sounding(o, site, left) ? 0
					  : first_hopeless(weighted_middle(&o->waiting), site,
						    o->cut, left, exploring);
	ret_choice->hopeless = rank < waiting;
	ret_choice->page = weighted_take_rank(&o->waiting, rank < waiting ? rank : waiting - 1);
	return 0;
}

static bool take_out(void *state, const struct plan_site *site, uint32_t page)
{
	struct online *o = state;

	o->cut_known = 0; /* look again soon */
	return weighted_remove(&o->waiting, site, page);
}

static void close(void *state)
{
	struct online *o = state;

	weighted_release(&o->waiting);
}

const struct visit_order online_large = {.state_size = sizeof(struct online),
	.add = add,
	.take = take,
	.remove = take_out,
	.close = close};
