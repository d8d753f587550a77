/* What a capture yields: against SHARC's examples and sums written out by hand. */
#include "plan/expect.h"

#include <math.h>

#include "plan/fixture.h"

static struct evaluation expected(const struct site *s, const char *strategy, double delay)
{
	struct drive_params params = {
		.site = s,
		.plan = {.strategy = plan_strategy_find(strategy, true), .delay = delay},
	};
	struct evaluation e = {0};
	struct drive_result c;
	struct err err = {0};

	if (CHECK_INT(drive(&params, &c, &err), 0)) {
		e = evaluate(s, &c, NULL);
		drive_release(&c);
	}
	return e;
}

/* SHARC Example 9: the pyramid of five pages. */
static void test_coherence(void)
{
	struct site s = fixture_site("page,rate\na,0.4\nb,0.35\nc,0.3\nd,0.25\ne,0.2\n");
	struct evaluation e = expected(&s, "hottest-middle-offline", 1);

	CHECK_NEAR(e.coherence, 2.2228061938466968, 1e-14);
	e = expected(&s, "hottest-middle-offline", 2);
	CHECK_NEAR(e.coherence, 1 + exp(-1.4) + exp(-2.4) + exp(-3) + exp(-3.2), 1e-14);
	/* Nobody shares a slot: every page waits n delays. */
	e = expected(&s, "bfs-fifo", 0.5);
	CHECK_NEAR(
		e.coherence, exp(-1) + exp(-0.875) + exp(-0.75) + exp(-0.625) + exp(-0.5), 1e-14);
	site_release(&s);
}

static void test_weights(void)
{
	struct site s = fixture_site("page,rate,weight\na,0.5,4\nb,0.25,0\nc,1,0.5\n");

	CHECK_NEAR(expected(&s, "bfs-lifo", 1).coherence, 4 * exp(-2) + 0.5, 1e-14);
	CHECK(isnan(expected(&s, "bfs", 1).coherence));
	site_release(&s);
}

/*
 * Blur, integrated by hand. Single visit at 0, 1, 2 (SHARC eq. 3): penalties 2, 1, 2 over a length
 * of 2. LIFO at -2..0 and 0..2 (eq. 20): penalties 2·(1 + 1), 1/2 + 1/2 + 1/2 + 1/2 and 2 + 2 over
 * a length of 4.
 */
static void test_blur(void)
{
	struct site s = fixture_site("page,rate\na,1\nb,10\nc,100\n");

	CHECK_NEAR(expected(&s, "bfs", 1).blur, (1 * 2 + 10 * 1 + 100 * 2) / 2.0, 1e-12);
	CHECK_NEAR(expected(&s, "bfs", 3).blur, 3 * (1 * 2 + 10 * 1 + 100 * 2) / 2.0, 1e-12);
	CHECK_NEAR(expected(&s, "bfs-lifo", 1).blur, (1 * 4 + 10 * 2 + 100 * 4) / 4.0, 1e-12);
	site_release(&s);
}

static void test_one_page(void)
{
	struct site s = fixture_site("page,rate\na,5\n");

	CHECK_NEAR(expected(&s, "bfs", 1).blur, 0, 0);
	CHECK_NEAR(expected(&s, "stillpoint", 1).blur, 0, 0);
	CHECK_NEAR(expected(&s, "stillpoint", 1).coherence, 1, 0);
	site_release(&s);
}

/*
 * What happened, by hand. LIFO at delay 1: a is visited at 0 and revisited at 4, b at 1 and 3, c at
 * 2. A change counts for the queries between itself and the nearer download (eq. 24).
 */
static void test_actual(void)
{
	static const double a[] = {4.5}, b[] = {1.5, 2.75}, c[] = {1, 3.5};
	const struct change_history histories[] = {{a, 1}, {b, 2}, {c, 2}};
	struct site s = fixture_site("page,rate,weight\na,1,2\nb,1,4\nc,1,8\n");
	struct drive_params params = {
		.site = &s,
		.plan = {.strategy = plan_strategy_find("bfs-lifo", true), .delay = 1},
	};
	struct drive_result capture;
	struct err err = {0};

	if (CHECK_INT(drive(&params, &capture, &err), 0)) {
		struct evaluation e = evaluate(&s, &capture, histories);

		/* a changed after its revisit, c outside its instant; b between its downloads */
		CHECK_NEAR(e.coherence, 2 + 8, 0);
		CHECK_NEAR(e.blur, (0 + 0.5 + 0.75 + 1 + 0.5) / 4, 1e-15);
		drive_release(&capture);
	}
	site_release(&s);
}

/* A page without its revisit is not sharp, and blurred as after a single visit. */
static void test_without_revisit(void)
{
	struct site s = fixture_site("page,rate\na,0\nb,10\n");
	uint32_t pages[] = {0, 1};
	double visited[] = {0, 1}, revisited[] = {4, NAN};
	struct drive_result capture = {
		.visits = {.ptr = pages, .len = 2},
		.revisits = {.ptr = pages, .len = 1},
		.visited_at = visited,
		.revisited_at = revisited,
		.delay = 1,
		.end = 4,
	};
	struct evaluation e = evaluate(&s, &capture, NULL);

	CHECK_NEAR(e.coherence, 1, 0);
	CHECK_NEAR(e.blur, 10 * (0.5 + 4.5) / 4, 1e-14);
	site_release(&s);
}

/* Two pages on intervals 0 and 2: one on each, and the better way round is the bound. */
static void test_bound(void)
{
	struct site s = fixture_site("page,rate\na,0.1\nb,0.2\n");
	double best = 1 + exp(-0.2), bound = 0;

	CHECK_INT(evaluate_bound(&s, 1, false, 0, &bound), 0);
	CHECK_NEAR(bound, best, 1e-12);
	/* Rounding is forgiven, and nothing else. */
	CHECK_INT(evaluate_bound(&s, 1, false, best + 1e-10, &bound), 0);
	CHECK(bound == best + 1e-10);
	CHECK_INT(evaluate_bound(&s, 1, false, best + 1e-3, &bound), 0);
	CHECK_NEAR(bound, best, 1e-12);
	site_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_coherence);
	TAP_RUN(test_weights);
	TAP_RUN(test_blur);
	TAP_RUN(test_one_page);
	TAP_RUN(test_actual);
	TAP_RUN(test_without_revisit);
	TAP_RUN(test_bound);
	return tap_done();
}
