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
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "plan/online.h"
#include "plan/order.h"
#include "plan/outlook.h"
#include "plan/ranking.h"
#include "plan/yields.h"

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
	int rc = find_depth(o, page, &new);

	if (!rc)
		rc = make_class(o, site, page, &c);
	if (!rc)
		rc = ranking_insert(&c->by_rate, site->survival[page].rate, page);
	if (rc)
		return rc;
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
	int rc;

	if (o->waiting == 0)
		return ERR_END;
	learn(o, site);
	hidden = find_hidden(o, site);
	o->is_settled = is_settled(o, site, hidden);
	rc = refresh(o, site, hidden);
	if (rc)
		return rc;
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

bool online_small_is_settled(const void *state)
{
	const struct online *o = state;

	return o->is_settled;
}

int online_small_waiting(const void *state, struct u32_vec *pages)
{
	const struct online *o = state;
	int rc = 0;

	for (size_t i = 0; i < o->classes.len; i++) {
		const struct ranking *r = &o->classes.ptr[i].by_rate;

		for (size_t rank = 0; rc == 0 && rank < r->len; rank++)
			rc = u32_vec_try_push(pages, ranking_at(r, rank).page);
	}
	return rc;
}

static void close(void *state)
{
	struct online *o = state;

	for (size_t i = 0; i < o->classes.len; i++)
		ranking_release(&o->classes.ptr[i].by_rate);
	classes_release(&o->classes);
	depths_release(&o->depths);
}

const struct visit_order online_small = {.state_size = sizeof(struct online),
	.add = add,
	.take = take,
	.remove = take_out,
	.close = close};
