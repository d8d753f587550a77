/*
 * stillpoint-online: two rules. On a small site every page counts, and what matters is what is
 * still hidden: online_small weighs single pages and what they lead to. On a large one pages can
 * be counted rather than weighed: online_large is finer where many are known, and cheaper. A site
 * is large when that was told or when so many pages are known; then the waiting pages change over,
 * once. They also do when a small site has next to nothing left to find, which online_large is
 * then told in place of the size that was given.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lists.h"
#include "base/vec.h"
#include "plan/assign.h"
#include "plan/order.h"
#include "plan/outlook.h"
#include "plan/ranking.h"
#include "plan/yields.h"

/*
 * stillpoint-online on small sites: the offline solution, built from the outside in while the site
 * is discovered.
 *
 * The next visit has the longest of the intervals that are left. It goes to the page that loses
 * least by that: against the interval that would suit the page best, at the prices of an
 * assignment of all that is left (outlook.h), and less what the page leads to. Pages behind a page
 * are worth more the earlier they are found, and which pages lead to others is learned in the
 * capture (yields.h).
 *
 * Of pages that differ in their rates only, the hottest or the coldest loses least (two chains,
 * docs/planning.md). So waiting pages are kept in classes of nearly equal weight, of one depth and
 * one octave of heat, and only the ends of the classes are asked.
 *
 * A page that may lead to others cannot count on the shortest intervals: what it leads to comes
 * behind it (outlook.c).
 *
 * Cost of a decision: O(log n) for the rankings and the regret of the ends that changed, which is
 * O(OUTLOOK_SAMPLE); new prices are made when pages or intervals changed by a REFRESH-th.
 */

enum {
	WEIGHTS = 32,     /* classes of weights, a factor of the square root of two each */
	REFRESH = 16,     /* new prices when the waiting pages or intervals changed by a 16th */
	PATIENCE = 256,   /* but not before a 256th of the waiting pages has been visited */
	ALL_FOUND = 64,   /* nearly all: one page is hidden for so many that wait, */
	QUIET = 8,        /* and so many visits in a row found nothing: a size told may be wrong, */
	QUIET_SHARE = 32, /* for each so many pages that wait one visit */
	UNKNOWN_DEPTH = UINT8_MAX,
};

/* What a page at the hot or the cold end of its class loses if it is visited next. */
struct end {
	struct outlook_page kind; /* of the page: others of the class that are alike lose as much */
	uint32_t round;           /* of the prices; 0: unknown */
	double regret;
};

struct page_class {
	struct ranking by_rate; /* from hot to cold */
	unsigned weight, depth, heat;
	struct end hot, cold;
};

VEC_DECLARE(classes, struct page_class);
VEC_DECLARE(depths, unsigned char);

struct online {
	struct classes classes;
	size_t waiting;
	uint32_t waiting_by_depth[YIELD_DEPTHS];
	float first_weight;   /* of the first page: the middle of the classes */
	bool mixed;           /* there was another weight */
	struct depths depths; /* by page: clicks from a seed, as far as they count */
	struct yields yields;
	struct outlook_found found;

	struct outlook as_told, as_sure; /* if the size told is right, and if it is too large; */
	double right;                    /* how far the size told is believed in */
	double expected[YIELD_DEPTHS][YIELD_HEATS]; /* found by a visit, when prices were made */
	double yield[YIELD_DEPTHS][YIELD_HEATS];    /* beyond the mean of the waiting pages */
	double behind[YIELD_DEPTHS][YIELD_HEATS];   /* found through such a page in the end */
	uint32_t round;                             /* of prices; 0: none yet */
	uint32_t priced_known, priced_visited;      /* when they were made */
	double priced_left, priced_delay;

	bool is_settled;
	bool begun; /* there was a visit; the last one: */
	unsigned last_depth;
	double last_rate;
	uint32_t known; /* at that time */
};

/* Weights that are all equal are as good as none. */
static struct outlook_page kind_of(
	const struct online *o, const struct plan_site *site, uint32_t page)
{
	return (struct outlook_page){site->survival[page], o->mixed ? site->weight[page] : 1};
}

static unsigned weight_class(const struct online *o, float weight)
{
	double c = WEIGHTS / 2.0 + 2 * log2((double)weight / (double)o->first_weight);

	if (!(c > 0)) /* also weight 0, and two of them */
		return 0;
	return c < WEIGHTS - 1 ? (unsigned)c : WEIGHTS - 1;
}

/* The class of a page whose depth is known; NULL when there is none yet. */
static struct page_class *find_class(struct online *o, const struct plan_site *site, uint32_t page)
{
	unsigned weight = weight_class(o, site->weight[page]), depth = o->depths.ptr[page];
	unsigned heat = yield_heat(site->survival[page].rate);

	for (size_t i = 0; i < o->classes.len; i++) {
		struct page_class *c = &o->classes.ptr[i];

		if (c->weight == weight && c->depth == depth && c->heat == heat)
			return c;
	}
	return NULL;
}

static int make_class(struct online *o, const struct plan_site *site, uint32_t page,
	struct page_class **ret_class)
{
	struct page_class made = {
		.weight = weight_class(o, site->weight[page]),
		.depth = o->depths.ptr[page],
		.heat = yield_heat(site->survival[page].rate),
	};
	int rc;

	*ret_class = find_class(o, site, page);
	if (*ret_class)
		return 0;
	rc = classes_try_push(&o->classes, made);
	if (!rc)
		*ret_class = &o->classes.ptr[o->classes.len - 1];
	return rc;
}

/* Clicks from a seed, by the page visited last; a page that is back keeps what it had. */
static int find_depth(struct online *o, uint32_t page, bool *ret_new)
{
	unsigned depth = o->begun ? yield_depth_below(o->last_depth) : 0;
	int rc = 0;

	while (!rc && o->depths.len <= page)
		rc = depths_try_push(&o->depths, UNKNOWN_DEPTH);
	if (rc)
		return rc;
	*ret_new = o->depths.ptr[page] == UNKNOWN_DEPTH;
	if (*ret_new)
		o->depths.ptr[page] = (unsigned char)depth;
	return 0;
}

static int insert(struct online *o, const struct plan_site *site, uint32_t page)
{
	struct page_class *c = NULL;
	bool new = false;

	TRY(find_depth(o, page, &new));
	TRY(make_class(o, site, page, &c));
	TRY(ranking_insert(&c->by_rate, site->survival[page].rate, page));
	if (new)
		outlook_find(&o->found, page);
	o->mixed = o->mixed || site->weight[page] != o->first_weight;
	o->waiting++;
	o->waiting_by_depth[c->depth]++;
	return 0;
}

static int add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct online *o = state;
	int rc = 0;

	if (o->depths.len == 0 && n > 0)
		o->first_weight = site->weight[pages[0]];
	for (size_t i = 0; !rc && i < n; i++)
		rc = insert(o, site, pages[i]);
	return rc;
}

/* What the last visit found. Of several under way at once the one ordered last is thought of. */
static void learn(struct online *o, const struct plan_site *site)
{
	if (o->begun)
		yields_visit(&o->yields, o->last_depth, o->last_rate, site->known - o->known);
	o->known = site->known;
}

/* Pages that visits to all that wait are expected to find. */
static double sum_leads(const struct online *o)
{
	double sum = 0;

	for (size_t i = 0; i < o->classes.len; i++) {
		const struct page_class *c = &o->classes.ptr[i];

		sum += (double)c->by_rate.len * o->expected[c->depth][c->heat];
	}
	return sum;
}

/* Pages that the quiet visits should have found. */
static double sum_quiet(const struct online *o)
{
	double sum = 0;

	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		for (unsigned h = 0; h < YIELD_HEATS; h++)
			sum += (double)o->yields.quiet[d][h] * o->expected[d][h];
	return sum;
}

static struct yields_hidden find_hidden(const struct online *o, const struct plan_site *site)
{
	struct yields_waiting waiting = {.leads = sum_leads(o), .quiet = sum_quiet(o)};

	memcpy(waiting.by_depth, o->waiting_by_depth, sizeof waiting.by_depth);
	return yields_hidden(&o->yields, &waiting, site);
}

/*
 * Pages that each class is expected to lead to, beyond the mean: of those hidden no more than there
 * are, and at least those that are sure.
 */
static void expect_yields(struct online *o, struct yields_hidden hidden)
{
	double sum, scale;

	yields_expect(&o->yields, o->expected);
	sum = sum_leads(o);
	scale = sum > hidden.mean ? hidden.mean / sum : fmax(1, hidden.sure / sum);
	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		for (unsigned h = 0; h < YIELD_HEATS; h++) {
			o->behind[d][h] = hidden.mean * o->expected[d][h] / sum;
			o->yield[d][h] = scale * (o->expected[d][h] - sum / (double)o->waiting);
		}
}

/* At most OUTLOOK_SAMPLE of the waiting pages, evenly from all classes; the number of them. */
static size_t sample(
	const struct online *o, const struct plan_site *site, struct outlook_page *pages)
{
	size_t n = OUTLOOK_SAMPLE;
	const struct page_class *c = o->classes.ptr;
	size_t before = 0; /* pages of the classes before */

	if (o->waiting < n)
		n = o->waiting;
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)(((double)i + 0.5) * (double)o->waiting / (double)n);
		uint32_t page;

		while (at - before >= c->by_rate.len)
			before += (c++)->by_rate.len;
		page = ranking_at(&c->by_rate, at - before).page;
		pages[i] = kind_of(o, site, page);
	}
	return n;
}

static bool is_stale(const struct online *o, const struct plan_site *site, double left)
{
	bool grown = site->known > o->priced_known + o->priced_known / REFRESH;
	bool shrunk = fabs(left - o->priced_left) > o->priced_left / REFRESH;
	bool paced = fabs(site->delay - o->priced_delay) > o->priced_delay / REFRESH;
	bool soon = site->visited < o->priced_visited + o->waiting / PATIENCE;

	return o->round == 0 || paced || ((grown || shrunk) && !soon);
}

/* Prices under both explanations of what visits have found so far. */
static int find_prices(struct online *o, struct outlook_params *params, struct yields_hidden hidden)
{
	int rc;

	o->right = hidden.right;
	params->hidden = hidden.told;
	rc = outlook_price(&o->as_told, params);
	if (rc || hidden.right == 1)
		return rc;
	params->hidden = hidden.sure;
	return outlook_price(&o->as_sure, params);
}

/* Looks at what is left anew, when enough has changed. 0 or ERR_NOMEM. */
static int refresh(struct online *o, const struct plan_site *site, struct yields_hidden hidden)
{
	struct outlook_page pages[OUTLOOK_SAMPLE], found[OUTLOOK_SAMPLE];
	struct outlook_params params = {.page = pages,
		.waiting = (double)o->waiting,
		.step = plan_pyramid(site, 1),
		.found = found,
		.found_n = o->found.n};

	if (!is_stale(o, site, params.waiting + hidden.mean))
		return 0;
	o->priced_known = site->known;
	o->priced_visited = site->visited;
	o->priced_left = params.waiting + hidden.mean;
	o->priced_delay = site->delay;
	o->round++;
	expect_yields(o, hidden);
	params.n = sample(o, site, pages);
	for (size_t i = 0; i < o->found.n; i++)
		found[i] = kind_of(o, site, o->found.page[i]);
	return find_prices(o, &params, hidden);
}

/* Expected over both explanations. That is not what it loses at the mean: where a size may be too
 * large, a cold page loses little in any case, a hot one much if it is. */
static double expect_regret(
	const struct online *o, const struct page_class *c, struct outlook_page page)
{
	double yield = o->yield[c->depth][c->heat], behind = o->behind[c->depth][c->heat];
	double told = outlook_regret(&o->as_told, page, yield, behind);

	if (o->right == 1)
		return told;
	return o->right * told + (1 - o->right) * outlook_regret(&o->as_sure, page, yield, behind);
}

/* What a page loses if it is visited next; from memory, unless prices or the end have changed. */
static double regret(const struct online *o, const struct plan_site *site,
	const struct page_class *c, struct end *end, size_t rank)
{
	struct outlook_page kind = kind_of(o, site, ranking_at(&c->by_rate, rank).page);

	if (end->round != o->round || !outlook_page_eq(end->kind, kind))
		*end = (struct end){
			.kind = kind, .round = o->round, .regret = expect_regret(o, c, kind)};
	return end->regret;
}

/* A waiting page: a class and a rank in it. */
struct choice {
	struct page_class *class;
	size_t rank;
	double regret;
};

static void consider(struct choice *best, struct page_class *c, size_t rank, double regret)
{
	if (!best->class || regret < best->regret)
		*best = (struct choice){c, rank, regret};
}

/* Of all that wait; least: the page that loses least, of equal ones the colder. */
struct choices {
	struct choice coldest, least;
};

static void choose(struct online *o, const struct plan_site *site, struct choices *ret)
{
	for (size_t i = 0; i < o->classes.len; i++) {
		struct page_class *c = &o->classes.ptr[i];
		size_t last = c->by_rate.len - 1;

		if (c->by_rate.len == 0)
			continue;
		consider(&ret->coldest, c, last, ranking_at(&c->by_rate, last).key);
		consider(&ret->least, c, last, regret(o, site, c, &c->cold, last));
		consider(&ret->least, c, 0, regret(o, site, c, &c->hot, 0));
	}
}

static void take_choice(struct online *o, const struct plan_site *site, const struct choice *choice,
	struct visit_choice *ret_choice)
{
	struct ranked_page page = ranking_take(&choice->class->by_rate, choice->rank);

	o->waiting--;
	o->waiting_by_depth[choice->class->depth]--;
	o->begun = true;
	o->last_depth = choice->class->depth;
	o->last_rate = site->survival[page.page].rate;
	ret_choice->page = page.page;
}

/*
 * Whether next to nothing is hidden. That cannot be taken back, so doubt in a size that was told is
 * not enough: on large sites it grows within a few visits, and the next may find a thousand pages.
 */
static bool is_settled(
	const struct online *o, const struct plan_site *site, struct yields_hidden hidden)
{
	return site->known >= site->growth.given && hidden.mean * ALL_FOUND < (double)o->waiting &&
	       site->quiet >= QUIET && (size_t)site->quiet * QUIET_SHARE >= o->waiting;
}

static int take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct online *o = state;
	struct choices all = {0};
	const struct choice *next = &all.least;
	struct yields_hidden hidden;

	if (o->waiting == 0)
		return ERR_END;
	learn(o, site);
	hidden = find_hidden(o, site);
	o->is_settled = is_settled(o, site, hidden);
	TRY(refresh(o, site, hidden));
	choose(o, site, &all);
	assert(next->class && all.coldest.class); /* some page waits */
	/* Before a colder page: the longest interval is as good as any for it. */
	ret_choice->hopeless = ranking_at(&next->class->by_rate, next->rank).key >
			       ranking_at(&all.coldest.class->by_rate, all.coldest.rank).key;
	take_choice(o, site, next, ret_choice);
	return 0;
}

static bool take_out(void *state, const struct plan_site *site, uint32_t page)
{
	struct online *o = state;
	struct page_class *c = page < o->depths.len ? find_class(o, site, page) : NULL;

	if (!c || !ranking_remove(&c->by_rate, page))
		return false;
	o->waiting--;
	o->waiting_by_depth[c->depth]--;
	o->priced_known = 0; /* look again soon */
	return true;
}

/* Whether next to nothing was hidden at the last visit. */
static bool online_small_is_settled(const void *state)
{
	const struct online *o = state;

	return o->is_settled;
}

static int online_small_waiting(const void *state, struct u32_vec *pages)
{
	const struct online *o = state;

	for (size_t i = 0; i < o->classes.len; i++) {
		const struct ranking *r = &o->classes.ptr[i].by_rate;

		for (size_t rank = 0; rank < r->len; rank++)
			TRY(u32_vec_try_push(pages, ranking_at(r, rank).page));
	}
	return 0;
}

static void close(void *state)
{
	struct online *o = state;

	for (size_t i = 0; i < o->classes.len; i++)
		ranking_release(&o->classes.ptr[i].by_rate);
	classes_release(&o->classes);
	depths_release(&o->depths);
}

static const struct visit_order online_small = {.state_size = sizeof(struct online),
	.add = add,
	.take = take,
	.remove = take_out,
	.close = close};

/*
 * stillpoint-online on large sites: the two chains of the offline solution, built from the outside
 * in while the site is discovered.
 *
 * Pages not found yet are thought to be like those found: E waiting pages stand for all U + E that
 * are left, each for a stretch of the pyramid, so the j-th shortest interval of E is
 * 2 j (U + E) / E delays long. As in assign.c, pages taken from hot to cold go to the
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

/*
 * Waiting pages of different weight, and which of them is to be visited next: what
 * stillpoint-large_online does where pages differ in more than their rates.
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

	if (!w->begun)
		w->first_weight = weight;
	TRY(ranking_insert(&w->by_rate[class_of(w, weight)], site->survival[page].rate, page));
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
static double large_regret(
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
		*end = (struct weighted_end){.page = page,
			.round = w->round,
			.regret = large_regret(w, site, page, shortest)};
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
	SAMPLE = 128,       /* waiting pages on which the cut is searched */
	CUTS = 24,          /* cut points of a first round; a second looks between them */
	LARGE_REFRESH = 16, /* a new search when the pages, intervals or pauses changed by a 16th */
	LARGE_PATIENCE = 256, /* but not before a 256th of the waiting pages has been visited */
	SETTLED = 16,         /* pages keep turning up until a 16th of those waiting found none */
	MISSING = 4,          /* many are: more than a 4th of those waiting */
	SOUNDINGS = 4,        /* of the hottest pages, whatever they find, */
	SOUNDING_SHARE = 512, /* but only one for so many pages: each costs up to one sharp page */
	SOUNDING_COST = 32,   /* pages that they must find, beyond what others do, for each more */
};

struct large_online {
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

static int large_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct large_online *o = state;
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

static bool large_is_stale(const struct large_online *o, const struct plan_site *site, double left)
{
	bool grown = site->known > o->cut_known + o->cut_known / LARGE_REFRESH;
	bool shrunk = fabs(left - o->cut_left) > o->cut_left / LARGE_REFRESH;
	bool paced = fabs(site->delay - o->cut_delay) > o->cut_delay / LARGE_REFRESH;
	bool soon = site->visited < o->cut_visited + o->waiting.len / LARGE_PATIENCE;

	return paced || o->cut_mixed != o->waiting.mixed || ((grown || shrunk) && !soon);
}

/* Looks at the waiting pages anew, when enough has changed. 0 or ERR_NOMEM. */
static int large_refresh(struct large_online *o, const struct plan_site *site, double left)
{
	if (!large_is_stale(o, site, left))
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
static double sounded_more(const struct large_online *o, const struct plan_site *site)
{
	double others = (double)site->visited - o->soundings;
	double found = (double)site->growth.found - o->sounded;

	return others > 0 ? o->sounded - o->soundings * found / others : o->sounded;
}

/* Whether the hottest page should be visited now for what may hang on it. */
static bool is_sounding(struct large_online *o, const struct plan_site *site, double left)
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

static int large_take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct large_online *o = state;
	size_t waiting = o->waiting.len, rank;
	bool exploring = (size_t)site->quiet * SETTLED < waiting;
	double left;

	if (waiting == 0)
		return ERR_END;
	left = (double)waiting + size_unknown(site, (uint32_t)waiting);
	TRY(large_refresh(o, site, left));
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

static bool large_take_out(void *state, const struct plan_site *site, uint32_t page)
{
	struct large_online *o = state;

	o->cut_known = 0; /* look again soon */
	return weighted_remove(&o->waiting, site, page);
}

static void large_close(void *state)
{
	struct large_online *o = state;

	weighted_release(&o->waiting);
}

static const struct visit_order online_large = {.state_size = sizeof(struct large_online),
	.add = large_add,
	.take = large_take,
	.remove = large_take_out,
	.close = large_close};

enum { LARGE = 3200 };

/* The states are made when they are needed. */
struct online_state {
	const struct visit_order *rule; /* NULL: no page yet */
	void *state;
	bool all_found;
};

static int set_rule(struct online_state *o, const struct visit_order *rule)
{
	void *state = calloc(1, rule->state_size);

	if (!state)
		return ERR_NOMEM;
	o->rule = rule;
	o->state = state;
	return 0;
}

static void drop_rule(struct online_state *o)
{
	if (o->rule)
		o->rule->close(o->state);
	free(o->state);
	*o = (struct online_state){0};
}

/* All waiting pages under the new rule. Without memory for that they stay where they are. */
static void change_over(struct online_state *o, const struct plan_site *site)
{
	struct u32_vec waiting = {0};
	struct online_state large = {0};
	int rc = online_small_waiting(o->state, &waiting);

	if (rc == 0)
		rc = set_rule(&large, &online_large);
	if (rc == 0)
		rc = large.rule->add(large.state, site, waiting.ptr, waiting.len);
	u32_vec_release(&waiting);
	if (rc) {
		drop_rule(&large);
		return;
	}
	large.all_found = online_small_is_settled(o->state);
	drop_rule(o);
	*o = large;
}

static int online_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct online_state *o = state;
	bool large = site->growth.given > LARGE || site->known > LARGE;

	if (!o->rule)
		TRY(set_rule(o, large ? &online_large : &online_small));
	TRY(o->rule->add(o->state, site, pages, n));
	if (large && o->rule == &online_small)
		change_over(o, site);
	return 0;
}

static int online_take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct online_state *o = state;
	struct plan_site as_found = *site;

	if (!o->rule)
		return ERR_END;
	if (o->rule == &online_small && online_small_is_settled(o->state))
		change_over(o, site);
	if (!o->all_found)
		return o->rule->take(o->state, site, ret_choice);
	as_found.growth.given = site->known;
	return o->rule->take(o->state, &as_found, ret_choice);
}

static bool online_take_out(void *state, const struct plan_site *site, uint32_t page)
{
	struct online_state *o = state;

	return o->rule && o->rule->remove(o->state, site, page);
}

static void online_close(void *state)
{
	drop_rule(state);
}

const struct visit_order visit_stillpoint_online = {.state_size = sizeof(struct online_state),
	.add = online_add,
	.take = online_take,
	.remove = online_take_out,
	.close = online_close,
	.weighs = true};
