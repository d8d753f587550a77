/*
 * A capture for which there is no memory at some moment goes on: no page is lost, and pages that
 * could not be planned come in the order of their discovery. Allocations fail on demand; the linker
 * sends them here (meson.build).
 */
#include "plan/plan.h"

#include "graphs.h"

/* How many allocations still succeed; then so many fail. */
static size_t until_failure = SIZE_MAX, failures;

static bool fails(void)
{
	if (until_failure > 0) {
		until_failure -= until_failure != SIZE_MAX;
		return false;
	}
	if (failures == 0)
		return false;
	failures -= failures != SIZE_MAX;
	return true;
}

/* The names that the linker's --wrap gives to what it takes away and to what it puts there. */
void *real_malloc(size_t size) __asm__("__real_malloc");
void *real_calloc(size_t n, size_t size) __asm__("__real_calloc");
void *real_realloc(void *ptr, size_t size) __asm__("__real_realloc");
void *failing_malloc(size_t size) __asm__("__wrap_malloc");
void *failing_calloc(size_t n, size_t size) __asm__("__wrap_calloc");
void *failing_realloc(void *ptr, size_t size) __asm__("__wrap_realloc");

void *failing_malloc(size_t size)
{
	return fails() ? NULL : real_malloc(size);
}

void *failing_calloc(size_t n, size_t size)
{
	return fails() ? NULL : real_calloc(n, size);
}

void *failing_realloc(void *ptr, size_t size)
{
	return fails() ? NULL : real_realloc(ptr, size);
}

enum { PAGES = 40, FAILURES_MAX = 400 };

/* The order of discovery is neither that of the numbers nor that of the rates. */
static uint32_t nth_found(size_t i)
{
	return (uint32_t)(i * 17 % PAGES);
}

struct orders {
	uint32_t page[PAGES];
	size_t n;
};

/*
 * All pages are known before the first order, and one is out at a time; memory fails from the given
 * allocation of the first plan_next of the leg on. Returns what plan_error says in the end.
 */
static int capture_with(const struct plan_strategy *s, enum plan_leg leg, size_t succeed,
	size_t fail, struct orders *orders)
{
	struct plan_params params = {.strategy = s, .delay = 1, .size = PAGES, .fast = true};
	struct plan_run *run = plan_run_new(&params, NULL);
	struct plan_order o;
	double now = 0;
	int rc;

	for (size_t i = 0; i < PAGES; i++)
		CHECK_INT(plan_discovered(run, nth_found(i),
				  survival_poisson(0.3 / (double)(1 + i * 7 % PAGES)),
				  (float)(1 + i % 3)),
			0);
	orders[PLAN_VISIT].n = orders[PLAN_REVISIT].n = 0;
	for (;; now++) {
		enum plan_step step;

		if (now == (leg == PLAN_VISIT ? 0 : PAGES)) {
			until_failure = succeed;
			failures = fail;
		}
		step = plan_next(run, now, &o);
		until_failure = SIZE_MAX;
		if (step != PLAN_ORDER || !CHECK(orders[o.leg].n < PAGES))
			break;
		orders[o.leg].page[orders[o.leg].n++] = o.page;
		plan_done(run, &o, PLAN_OK, now, now);
	}
	rc = plan_error(run);
	plan_run_free(run);
	return rc;
}

static void check_all_once(const struct orders *orders)
{
	bool seen[PAGES] = {0};

	CHECK_INT(orders->n, PAGES);
	for (size_t i = 0; i < orders->n; i++) {
		CHECK(!seen[orders->page[i]]);
		seen[orders->page[i]] = true;
	}
}

static bool in_order_of_discovery(const struct orders *orders)
{
	for (size_t i = 0; i < PAGES; i++)
		if (orders->page[i] != nth_found(i))
			return false;
	return true;
}

static bool same(const struct orders *a, const struct orders *b)
{
	return a->n == b->n && memcmp(a->page, b->page, a->n * sizeof *a->page) == 0;
}

/* One allocation after the other fails, alone or with all that follow in that call. */
static void fail_each(const struct plan_strategy *s, enum plan_leg leg, size_t fail)
{
	struct orders good[2], bad[2];
	size_t i = 0;
	int rc;

	CHECK_INT(capture_with(s, leg, SIZE_MAX, 0, good), 0);
	do {
		rc = capture_with(s, leg, i, fail, bad);
		check_all_once(&bad[PLAN_VISIT]);
		if (s->revisits)
			check_all_once(&bad[PLAN_REVISIT]);
		if (rc == 0) { /* no allocation, or none that matters, was left to fail */
			CHECK(same(&bad[PLAN_VISIT], &good[PLAN_VISIT]));
		} else if (leg == PLAN_VISIT && s->offline) {
			CHECK_INT(rc, ERR_NOMEM);
			CHECK(in_order_of_discovery(&bad[PLAN_VISIT]));
		} else if (leg == PLAN_REVISIT) {
			CHECK_INT(rc, ERR_NOMEM);
			CHECK(same(&bad[PLAN_REVISIT], &bad[PLAN_VISIT]));
		}
	} while (rc != 0 && ++i < FAILURES_MAX);
	CHECK(i < FAILURES_MAX);
	tap_note("%zu allocations", i);
}

static void test_failing_plans(void)
{
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		tap_case("%s: one allocation fails", s->name);
		fail_each(s, PLAN_VISIT, 1);
		tap_case("%s: all allocations of a call fail", s->name);
		fail_each(s, PLAN_VISIT, SIZE_MAX);
		if (!s->revisits)
			continue;
		tap_case("%s: revisits", s->name);
		fail_each(s, PLAN_REVISIT, 1);
		fail_each(s, PLAN_REVISIT, SIZE_MAX);
	}
}

/* Batches that cannot be taken line up behind each other, however bad it gets. */
static void test_failing_batches(void)
{
	struct plan_params params = {.strategy = plan_strategy_find("dfs-fifo", false)};
	struct plan_run *run = plan_run_new(&params, NULL);
	struct plan_order o;
	struct orders got = {0};

	for (size_t i = 0; i < PAGES; i++) {
		CHECK_INT(plan_discovered(run, nth_found(i), survival_poisson(1), 1), 0);
		if (i % 8 != 7)
			continue;
		until_failure = 0;
		failures = SIZE_MAX;
		CHECK_INT(plan_next(run, 0, &o), PLAN_ORDER);
		until_failure = SIZE_MAX;
		got.page[got.n++] = o.page;
		plan_done(run, &o, PLAN_OK, 0, 0);
	}
	while (plan_next(run, 0, &o) == PLAN_ORDER && o.leg == PLAN_VISIT) {
		got.page[got.n++] = o.page;
		plan_done(run, &o, PLAN_OK, 0, 0);
	}
	check_all_once(&got);
	CHECK_INT(plan_error(run), ERR_NOMEM);
	plan_run_free(run);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_failing_plans();
	TAP_RUN(test_failing_batches);
	return tap_done();
}
