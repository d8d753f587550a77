/*
 * Captures with a limit: the choice among known pages by brute force, its bound, and how a run
 * keeps to an aim.
 */
#include <math.h>

#include "families.h"
#include "plan/plan.h"
#include "plan/select.h"
#include "tap.h"

enum { SMALL = 7, MEDIUM = 60, MANY = 400 };

/* The best value of the intervals from j on, pages being used up. */
static double brute(const struct select_problem *p, size_t j, unsigned used)
{
	double best = 0;

	if (j == p->slots)
		return 0;
	for (uint32_t i = 0; i < p->assign.n; i++)
		if (!(used & 1U << i))
			best = fmax(best,
				assign_value(&p->assign, i, j) + brute(p, j + 1, used | 1U << i));
	return best;
}

/* Every interval has a page of its own; what they are worth. */
static double check_pages(const struct select_problem *p, const uint32_t *page_of)
{
	bool taken[MANY] = {false};
	double sum = 0;

	for (size_t j = 0; j < p->slots; j++) {
		if (!CHECK(page_of[j] < p->assign.n) || !CHECK(!taken[page_of[j]]))
			return -1;
		taken[page_of[j]] = true;
		sum += assign_value(&p->assign, page_of[j], j);
	}
	return sum;
}

static void test_selection_is_optimal(void)
{
	struct rng rng;

	rng_init(&rng, 14);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		tap_case("best selection: %s", families[f].label);
		for (size_t round = 0; round < tap_rounds(40); round++) {
			size_t n = 1 + rng_below(&rng, SMALL);
			struct instance t;
			struct select_problem p = {0};
			double value, bound, best;

			instance_init(&t, &families[f], &rng, n);
			p.assign = t.p;
			p.slots = rng_below(&rng, n + 1);
			CHECK_INT(select_pages(&p, t.page_of, &value, &bound), 0);
			best = brute(&p, 0, 0);
			CHECK_NEAR(check_pages(&p, t.page_of), value, 1e-9);
			CHECK_NEAR(value, best, 1e-9 * fmax(1, best));
			CHECK_NEAR(bound, best, 1e-9 * fmax(1, best));
			instance_release(&t);
		}
	}
}

/* What is chosen without an exact solution comes near, and its bound holds. */
static void test_fast_selection(void)
{
	struct rng rng;

	rng_init(&rng, 15);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		double worst_gap = 0;

		tap_case("fast selection: %s", families[f].label);
		for (size_t round = 0; round < tap_rounds(2); round++) {
			struct instance t;
			struct select_problem p = {.slots = 250 + rng_below(&rng, 100)};
			double exact, fast, bound, fast_bound;

			instance_init(&t, &families[f], &rng, MANY);
			p.assign = t.p;
			CHECK_INT(select_pages(&p, t.page_of, &exact, &bound), 0);
			CHECK_NEAR(bound, exact, 1e-9 * fmax(1, exact));
			p.fast = true;
			CHECK_INT(select_pages(&p, t.page_of, &fast, &fast_bound), 0);
			CHECK_NEAR(check_pages(&p, t.page_of), fast, 1e-9 * fmax(1, fast));
			CHECK(fast <= exact * (1 + 1e-9));
			CHECK(fast_bound >= exact * (1 - 1e-9));
			CHECK(fast >= 0.98 * exact);
			if (exact > 0)
				worst_gap = fmax(worst_gap, fast_bound / fast - 1);
			instance_release(&t);
		}
		tap_note("bound at most %.3f %% above", 100 * worst_gap);
	}
}

/* What so many revisits are worth to the aim `balanced`, by another selection. */
static double balanced_worth(const struct instance *t, size_t downloads, size_t revisits)
{
	struct select_problem p = {.assign = t->p, .slots = revisits};
	size_t visits = downloads - revisits < t->p.n ? downloads - revisits : t->p.n;
	double sharp = 0;

	CHECK_INT(select_pages(&p, t->page_of, &sharp, NULL), 0);
	return (double)visits + 2 * sharp;
}

static void check_share(const struct instance *t, size_t downloads)
{
	struct plan_budgeting b = {
		.survival = t->survival, .n = t->p.n, .delay = 1, .downloads = downloads};
	struct plan_share sharp, complete, balanced;
	double best = 0;

	b.aim = PLAN_SHARP;
	CHECK_INT(plan_share(&b, NULL, &sharp), 0);
	b.aim = PLAN_COMPLETE;
	CHECK_INT(plan_share(&b, NULL, &complete), 0);
	b.aim = PLAN_BALANCED;
	CHECK_INT(plan_share(&b, t->page_of, &balanced), 0);
	CHECK_INT(complete.visits, downloads < b.n ? downloads : b.n);
	CHECK(sharp.visits + sharp.revisits <= downloads);
	CHECK(complete.visits + complete.revisits <= downloads);
	CHECK(balanced.visits + balanced.revisits <= downloads);
	CHECK(sharp.sharp >= balanced.sharp - 1e-9 && balanced.sharp >= complete.sharp - 1e-9);
	CHECK(sharp.captured <= balanced.captured && balanced.captured <= complete.captured);
	CHECK(sharp.bound >= sharp.sharp && sharp.bound <= sharp.sharp * (1 + 1e-9) + 1e-9);
	for (size_t r = complete.revisits; r <= sharp.revisits; r++)
		best = fmax(best, balanced_worth(t, downloads, r));
	CHECK_NEAR((double)balanced.visits + 2 * balanced.sharp, best, 1e-9 * best);
}

/*
 * Every capture of a few pages with a limit: each page from i on is left out, visited once, or
 * visited and revisited on one of the r shortest intervals, r in all.
 */
struct choice {
	const struct plan_budgeting *b;
	size_t revisits;
	double best; /* by the aim */
};

/* Most weight captured comes first with PLAN_COMPLETE: by a factor that nothing else reaches. */
static double worth(const struct plan_budgeting *b, double captured, double sharp)
{
	static const double CAPTURED[] = {
		[PLAN_BALANCED] = 1, [PLAN_SHARP] = 0, [PLAN_COMPLETE] = 1e6};

	return CAPTURED[b->aim] * captured + (b->aim == PLAN_BALANCED ? 2 : 1) * sharp;
}

static void choose(
	struct choice *c, size_t i, size_t visits, unsigned used, double captured, double sharp)
{
	const struct plan_budgeting *b = c->b;
	double weight;

	if (i == b->n) {
		if (used == (1U << c->revisits) - 1)
			c->best = fmax(c->best, worth(b, captured, sharp));
		return;
	}
	weight = b->weight ? (double)b->weight[i] : 1;
	choose(c, i + 1, visits, used, captured, sharp);
	if (visits + c->revisits == b->downloads)
		return;
	choose(c, i + 1, visits + 1, used, captured + weight, sharp);
	for (size_t j = 0; j < c->revisits; j++)
		if (!(used & 1U << j))
			choose(c, i + 1, visits + 1, used | 1U << j, captured + weight,
				sharp + weight * survival_at(
							 b->survival[i], 2 * b->delay * (double)j));
}

static double best_share(const struct plan_budgeting *b)
{
	struct choice c = {.b = b};

	for (; 2 * c.revisits <= b->downloads && c.revisits <= b->n; c.revisits++)
		choose(&c, 0, 0, 0, 0, 0);
	return c.best;
}

/*
 * The choice by each aim against all others. With weights the pages to revisit are chosen for their
 * sharpness alone, whatever else could be captured with them.
 */
static void test_shares_by_brute_force(void)
{
	struct rng rng;

	rng_init(&rng, 18);
	for (unsigned aim = 0; aim < 3; aim++) {
		double worst = 1;

		tap_case("aim %s by brute force", PLAN_AIMS[aim]);
		for (size_t round = 0; round < tap_rounds(200); round++) {
			size_t n = 1 + rng_below(&rng, 5);
			const struct family *family = &families[rng_below(&rng, FAMILIES_N)];
			struct plan_share share;
			struct instance t;
			struct plan_budgeting b;
			double best, got;

			instance_init(&t, family, &rng, n);
			b = (struct plan_budgeting){.survival = t.survival,
				.weight = t.weight,
				.n = n,
				.delay = 1,
				.downloads = 1 + rng_below(&rng, 2 * n),
				.aim = (enum plan_aim)aim};
			CHECK_INT(plan_share(&b, NULL, &share), 0);
			best = best_share(&b);
			got = worth(&b, share.captured, share.sharp);
			CHECK(got <= best * (1 + 1e-9));
			if (aim == PLAN_SHARP)
				CHECK(share.bound >= best * (1 - 1e-9));
			if (!t.weight || aim == PLAN_SHARP)
				CHECK_NEAR(got, best, 1e-9 * best);
			CHECK(got >= 0.95 * best);
			if (best > 0)
				worst = fmin(worst, got / best);
			instance_release(&t);
		}
		tap_note("at least %.4f %% of the best", 100 * worst);
	}
}

/* Families 0 to 3 have equal weights and even intervals, two delays apart. */
static void test_shares(void)
{
	struct rng rng;

	rng_init(&rng, 16);
	for (size_t f = 0; f < 4; f++) {
		tap_case("aims: %s", families[f].label);
		for (size_t round = 0; round < tap_rounds(6); round++) {
			struct instance t;

			instance_init(&t, &families[f], &rng, 40);
			check_share(&t, 1 + rng_below(&rng, 90));
			instance_release(&t);
		}
	}
}

static void test_weights_are_captured(void)
{
	static const struct survival SURVIVAL[4] = {
		{.rate = 1}, {.rate = 1}, {.rate = 1}, {.rate = 0}};
	static const float WEIGHT[4] = {1, 5, 3, 1};
	struct plan_budgeting b = {.survival = SURVIVAL,
		.weight = WEIGHT,
		.n = 4,
		.delay = 1,
		.downloads = 3,
		.aim = PLAN_COMPLETE};
	struct plan_share share;
	uint32_t pages[4];

	tap_case("the heaviest pages are captured");
	CHECK_INT(plan_share(&b, pages, &share), 0);
	CHECK_INT(share.visits, 3);
	CHECK_INT(share.revisits, 0);
	CHECK(share.captured == 9);
	CHECK_INT(pages[0], 1);
	CHECK_INT(pages[1], 2);
	CHECK_INT(pages[2], 0);
}

/* ---- runs ---- */

struct outcome {
	size_t visits, revisits;
	double sharp;
	struct plan_progress progress;
};

/* Pages 0..n-1, all known at once; a download takes one unit of time. */
static struct outcome capture(const char *strategy, enum plan_aim aim,
	const struct survival *survival, size_t n, size_t downloads)
{
	struct plan_params params = {.strategy = plan_strategy_find(strategy, false),
		.delay = 1,
		.size = (uint32_t)n,
		.aim = aim,
		.downloads = downloads};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	struct outcome o = {0};
	struct plan_order order;
	double *visited = calloc(n, sizeof *visited), now = 0;

	for (uint32_t i = 0; i < n; i++)
		CHECK_INT(plan_discovered(run, i, survival[i], 1), 0);
	for (size_t done = 0; done < downloads; done++) {
		if (plan_budget(run, now, (double)(downloads - done)))
			plan_end_visits(run);
		if (plan_next(run, now, &order) != PLAN_ORDER)
			break;
		plan_done(run, &order, PLAN_OK, now, now);
		if (order.leg == PLAN_VISIT) {
			visited[order.page] = now;
			o.visits++;
		} else {
			o.revisits++;
			o.sharp += survival_at(survival[order.page], now - visited[order.page]);
		}
		now++;
	}
	o.progress = plan_progress(run);
	plan_run_free(run);
	free(visited);
	return o;
}

static void test_runs(void)
{
	static const struct {
		const char *strategy;
		enum plan_aim aim;
		size_t visits, revisits;
	} ROWS[] = {
		/* 40 pages, half of them never the same, 40 downloads */
		{"stillpoint-online", PLAN_SHARP, 20, 20},
		{"stillpoint-online", PLAN_BALANCED, 20, 20},
		{"stillpoint-online", PLAN_COMPLETE, 40, 0},
		{"bfs-lifo", PLAN_COMPLETE, 40, 0},
		{"stillpoint-offline", PLAN_SHARP, 20, 20},
		{"stillpoint-offline", PLAN_BALANCED, 20, 20},
		{"stillpoint-offline", PLAN_COMPLETE, 39, 1},
		{"hottest-middle-offline", PLAN_SHARP, 20, 20},
		{"bfs", PLAN_SHARP, 40, 0},
	};
	struct survival survival[40];

	for (size_t i = 0; i < ARRAY_LEN(survival); i++)
		survival[i] = survival_poisson(i % 2 ? 100 : 1e-6);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct outcome o = capture(ROWS[i].strategy, ROWS[i].aim, survival, 40, 40);

		tap_case("%s with aim %s", ROWS[i].strategy, PLAN_AIMS[ROWS[i].aim]);
		CHECK_INT(o.visits, ROWS[i].visits);
		CHECK_INT(o.revisits, ROWS[i].revisits);
		if (ROWS[i].aim == PLAN_SHARP && ROWS[i].revisits)
			CHECK(o.sharp > 19.9); /* none is wasted on a page that changes */
	}
}

/* Aims order what they get, whatever the site; sharp never expects less than complete. */
static void test_aims_keep_their_order(void)
{
	struct rng rng;

	rng_init(&rng, 17);
	for (size_t round = 0; round < tap_rounds(20); round++) {
		struct survival survival[MEDIUM];
		size_t downloads = 10 + rng_below(&rng, 90);
		struct outcome of[3];

		for (size_t i = 0; i < MEDIUM; i++)
			survival[i] = survival_poisson(exp(3 * rng_normal(&rng) - 4));
		for (unsigned aim = 0; aim < 3; aim++)
			of[aim] = capture("stillpoint-offline", (enum plan_aim)aim, survival,
				MEDIUM, downloads);
		CHECK(of[PLAN_COMPLETE].visits >= of[PLAN_BALANCED].visits);
		CHECK(of[PLAN_BALANCED].visits >= of[PLAN_SHARP].visits);
		CHECK(of[PLAN_SHARP].sharp >= of[PLAN_BALANCED].sharp - 1e-9);
		CHECK(of[PLAN_BALANCED].sharp >= of[PLAN_COMPLETE].sharp - 1e-9);
		CHECK_INT(of[PLAN_SHARP].progress.failed,
			MEDIUM - of[PLAN_SHARP].visits); /* the others were never asked */
		CHECK_INT(of[PLAN_SHARP].progress.unasked, of[PLAN_SHARP].progress.failed);
	}
}

/* A run that was restored learns of the limit among its revisits: the best come first. */
static void test_late_limit(void)
{
	struct plan_params params = {
		.strategy = plan_strategy_find("stillpoint-online", false), .delay = 1};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	struct plan_order order;
	double now = 0;

	tap_case("limit after the barrier");
	for (uint32_t i = 0; i < 10; i++)
		CHECK_INT(plan_discovered(run, i, survival_poisson(i < 5 ? 0.5 : 1e-9), 1), 0);
	for (; now < 10; now++) {
		CHECK_INT(plan_next(run, now, &order), PLAN_ORDER);
		plan_done(run, &order, PLAN_OK, now, now);
	}
	CHECK_INT(plan_next(run, now, &order), PLAN_ORDER);
	CHECK_INT(order.leg, PLAN_REVISIT);
	plan_done(run, &order, PLAN_OK, now, now);
	CHECK(!plan_budget(run, now + 20, 5));
	for (size_t i = 0; i < 4; i++) {
		CHECK_INT(plan_next(run, now + 20, &order), PLAN_ORDER);
		CHECK(order.page >= 5);
		plan_done(run, &order, PLAN_OK, now + 20, now + 20);
	}
	plan_run_free(run);
}

/*
 * A capture of pages that take a second each, with hours that end after `left` of them. Half of the
 * pages are found by the visit of the first.
 */
struct night {
	const char *label;
	double rate, left;
	enum plan_aim aim;
	bool ends; /* the visits, before the hours do */
};

enum { NIGHT_PAGES = 40 };

static void run_night(const struct night *night)
{
	struct plan_params params = {.strategy = plan_strategy_find("stillpoint-online", false),
		.delay = 1,
		.size = NIGHT_PAGES,
		.aim = night->aim};
	struct plan_hours hours = {.left = night->left, .closed = 50000, .open = 36400, .pace = 1};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	size_t put_off = 0, legs[3] = {0};
	bool ended = false;
	struct plan_order o;

	for (uint32_t i = 0; i < NIGHT_PAGES / 2; i++)
		CHECK_INT(plan_discovered(run, i, survival_poisson(night->rate), 1), 0);
	for (double now = 0; plan_next(run, now, &o) == PLAN_ORDER;) {
		for (uint32_t i = NIGHT_PAGES / 2; o.page == 0 && i < NIGHT_PAGES; i++)
			CHECK_INT(plan_discovered(run, i, survival_poisson(night->rate), 1), 0);
		plan_done(run, &o, o.put_off ? PLAN_PUT_OFF : PLAN_OK, now, now);
		put_off += o.put_off;
		legs[o.leg] += !o.put_off;
		now += !o.put_off;
		hours.left = fmax(0, night->left - now);
		if (!ended && plan_hours(run, now, &hours)) {
			ended = true;
			CHECK(hours.left >= (double)legs[PLAN_VISIT] - 1);
			plan_put_off_rest(run);
			CHECK(!plan_hours(run, now, &hours));
		}
	}
	CHECK_INT(ended, night->ends);
	CHECK_INT(legs[PLAN_REVISIT], legs[PLAN_VISIT]);
	CHECK_INT(legs[PLAN_LATE], put_off); /* none is lost */
	CHECK_INT(legs[PLAN_VISIT] + put_off, NIGHT_PAGES);
	CHECK_INT(put_off > 0, night->ends);
	plan_run_free(run);
}

static void test_hours(void)
{
	static const struct night ROWS[] = {
		{"too short, and the night would change all", 1e-3, 40, PLAN_BALANCED, true},
		{"the same for most sharp pages", 1e-3, 40, PLAN_SHARP, true},
		{"too short, and nothing changes in a night", 1e-8, 40, PLAN_BALANCED, false},
		{"most pages", 1e-3, 40, PLAN_COMPLETE, false},
		{"long enough for both legs", 1e-3, 100, PLAN_BALANCED, false},
		{"only the page at the barrier has a chance", 10, 40, PLAN_BALANCED, false},
		{"time for next to nothing", 1e-5, 4, PLAN_BALANCED, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("hours: %s", ROWS[i].label);
		run_night(&ROWS[i]);
	}
}

int main(void)
{
	test_selection_is_optimal();
	test_fast_selection();
	test_shares();
	test_shares_by_brute_force();
	test_weights_are_captured();
	test_runs();
	test_aims_keep_their_order();
	test_late_limit();
	test_hours();
	return tap_done();
}
