#include "net/pace.h"

#include <math.h>

#include "base/err.h"
#include "tap.h"

static void test_delays(void)
{
	static const struct {
		const char *label;
		struct pace_rule rule;
		double response, crawl_delay, want;
	} rows[] = {
		{"fixed", {.delay = 2.5}, 9, 0, 2.5},
		{"fixed: none", {.delay = 0}, 9, 0, 0},
		{"fixed: a longer Crawl-delay counts", {.delay = 2}, 0.1, 7, 7},
		{"fixed: a shorter Crawl-delay does not", {.delay = 2}, 0.1, 1, 2},
		{"fixed: Crawl-delay has a maximum", {.delay = 2}, 0.1, 86400, 300},
		{"fixed beyond the maximum of Crawl-delay", {.delay = 600}, 0.1, 86400, 600},
		{"automatic: ten times the response", {.automatic = true}, 0.25, 0, 2.5},
		{"automatic: at least a second", {.automatic = true}, 0.01, 0, 1},
		{"automatic: at most a minute", {.automatic = true}, 30, 0, 60},
		{"automatic: a longer Crawl-delay counts", {.automatic = true}, 0.25, 90, 90},
		{"automatic: a shorter one does not", {.automatic = true}, 0.25, 2, 2.5},
		{"automatic: the fixed delay does not count", {.delay = 99, .automatic = true}, 0.2,
			0, 2},
		{"Crawl-delay not a number", {.delay = 2}, 0, (double)NAN, 2},
		{"Crawl-delay infinite", {.delay = 2}, 0, (double)INFINITY, 300},
		{"Crawl-delay negative", {.delay = 2}, 0, -5, 2},
		{"response time not a number", {.automatic = true}, (double)NAN, 0, 1},
		{"response time negative", {.automatic = true}, -5, 0, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct pace p;

		tap_case("delays: %s", rows[i].label);
		pace_init(&p, rows[i].rule);
		pace_begin(&p, 100);
		pace_set_crawl_delay(&p, rows[i].crawl_delay);
		pace_end(&p, 101, rows[i].response, PACE_ANSWERED, 0);
		CHECK_NEAR(pace_delay(&p), rows[i].want, 1e-12);
		CHECK_NEAR(pace_ready(&p), 101 + rows[i].want, 1e-12);
		pace_release(&p);
	}
}

static void test_one_job(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 2});
	CHECK(pace_ready(&p) < -1e300);
	pace_begin(&p, 10);
	CHECK(isinf(pace_ready(&p)) && pace_ready(&p) > 0);
	pace_end(&p, 13, 3, PACE_ANSWERED, 0);
	CHECK_NEAR(pace_ready(&p), 15, 0);
	pace_begin(&p, 20);
	pace_end(&p, 20.5, 0.5, PACE_ANSWERED, 0);
	CHECK_NEAR(pace_ready(&p), 22.5, 0);
	pace_release(&p);
}

static void test_jobs_have_pauses_of_their_own(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 10, .jobs = 3});
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	CHECK(pace_ready(&p) < 0); /* the third has not begun */
	pace_begin(&p, 1);
	CHECK(pace_ready(&p) > 1e300);
	pace_end(&p, 5, 5, PACE_ANSWERED, 0);
	CHECK_NEAR(pace_ready(&p), 15, 0);
	pace_end(&p, 2, 1, PACE_ANSWERED, 0); /* told late: it ended before the other */
	CHECK_NEAR(pace_ready(&p), 12, 0);
	pace_begin(&p, 12);
	CHECK_NEAR(pace_ready(&p), 15, 0);
	pace_begin(&p, 15);
	CHECK(pace_ready(&p) > 1e300);
	pace_release(&p);
}

static void test_crawl_delay_holds_for_all_jobs(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 1, .jobs = 3});
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_set_crawl_delay(&p, 5);
	CHECK(pace_ready(&p) > 1e300);
	pace_end(&p, 1, 1, PACE_ANSWERED, 0);
	CHECK(pace_ready(&p) > 1e300);
	pace_end(&p, 2, 2, PACE_ANSWERED, 0);
	CHECK_NEAR(pace_ready(&p), 7, 0);
	pace_begin(&p, 7);
	CHECK(pace_ready(&p) > 1e300);
	pace_set_crawl_delay(&p, 0);
	CHECK_NEAR(pace_ready(&p), 2, 0); /* of the job that ended first */
	pace_release(&p);
}

static void test_retry_after(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 1, .jobs = 2});
	pace_begin(&p, 0);
	pace_end(&p, 1, 1, PACE_ANSWERED, 0);
	pace_retry_after(&p, 1, 120);
	CHECK_NEAR(pace_ready(&p), 121, 0); /* for the other job, too */
	pace_retry_after(&p, 2, 5);
	CHECK_NEAR(pace_ready(&p), 121, 0); /* the latest end counts */
	pace_retry_after(&p, 2, 0);
	pace_retry_after(&p, 2, -3);
	pace_retry_after(&p, 2, (double)NAN);
	CHECK_NEAR(pace_ready(&p), 121, 0);
	pace_retry_after(&p, 2, 1e9);
	CHECK_NEAR(pace_ready(&p), 2 + PACE_RETRY_AFTER_MAX, 0);
	pace_begin(&p, 4000);
	pace_end(&p, 4001, 1, PACE_ANSWERED, 0);
	pace_begin(&p, 4001);
	CHECK_NEAR(pace_ready(&p), 4002, 0); /* and then it is over */
	pace_release(&p);
}

/* Fails the next request at its pace's pleasure, and tells how long it had to wait. */
static double fail_once(struct pace *p, double *now)
{
	double start = fmax(pace_ready(p), *now), waited = start - *now;

	pace_begin(p, start);
	*now = start + 0.5;
	pace_end(p, *now, 0.5, PACE_FAILED, 0);
	return waited;
}

static void test_backoff(void)
{
	static const double want[] = {0, 0.25, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300};
	double now = 0;
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 0.25});
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK_NEAR(fail_once(&p, &now), want[i], 1e-9);
	for (int i = 0; i < 200; i++)
		CHECK_NEAR(fail_once(&p, &now), PACE_BACKOFF_MAX, 1e-6);
	now = pace_ready(&p);
	pace_begin(&p, now);
	pace_end(&p, now + 1, 1, PACE_ANSWERED, 0);
	CHECK_NEAR(pace_ready(&p), now + 1.25, 1e-9); /* an answer ends it */
	pace_release(&p);
}

static void test_jitter(void)
{
	static const double chances[] = {0, 0.5, 0.999};
	struct pace p;

	for (size_t i = 0; i < ARRAY_LEN(chances); i++) {
		pace_init(&p, (struct pace_rule){.delay = 0});
		for (int failures = 0; failures < 4; failures++) {
			double now = fmax(0, pace_ready(&p));

			pace_begin(&p, now);
			pace_end(&p, now, 0, PACE_FAILED, chances[i]);
		}
		/* After four failures: 4 s, longer by up to a half; those before were 1 s and 2 s.
		 */
		CHECK_NEAR(pace_ready(&p), 7 * (1 + 0.5 * chances[i]), 1e-9);
		pace_release(&p);
	}
}

/* A request at the pace's pleasure. */
static double end_once(struct pace *p, double now, enum pace_outcome outcome)
{
	now = fmax(now, pace_ready(p));
	pace_begin(p, now);
	pace_end(p, now, 0.01, outcome, 0);
	return now;
}

static void test_refusals(void)
{
	double now = 0;
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 0});
	now = end_once(&p, now, PACE_REFUSED);
	CHECK_NEAR(pace_ready(&p), now + 1, 1e-9); /* the first is heeded: it is no accident */
	now = end_once(&p, now, PACE_REFUSED);
	CHECK_NEAR(pace_ready(&p), now + 1, 1e-9);
	now = end_once(&p, now, PACE_REFUSED);
	CHECK_NEAR(pace_ready(&p), now + 2, 1e-9);
	CHECK(!pace_wants_probe(&p)); /* it lives */
	now = end_once(&p, now, PACE_ANSWERED);
	CHECK_NEAR(pace_ready(&p), now, 1e-9);
	pace_release(&p);
}

static void test_refusals_slow_down(void)
{
	static const double want[] = {2, 4, 8, 16, 32, 60, 60, 60};
	double now = 0;
	struct pace p;

	pace_init(&p, (struct pace_rule){.automatic = true});
	now = end_once(&p, now, PACE_ANSWERED);
	CHECK_NEAR(pace_delay(&p), 1, 0);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		now = end_once(&p, now, PACE_REFUSED);
		CHECK_NEAR(pace_delay(&p), want[i], 1e-9);
	}
	for (int i = 0; i < PACE_CALM - 1; i++)
		now = end_once(&p, now, PACE_ANSWERED);
	CHECK_NEAR(pace_delay(&p), 60, 1e-9);
	now = end_once(&p, now, PACE_ANSWERED);
	CHECK_NEAR(pace_delay(&p), 32, 1e-9);
	for (int i = 0; i < 5 * PACE_CALM; i++)
		now = end_once(&p, now, PACE_ANSWERED);
	CHECK_NEAR(pace_delay(&p), 1, 1e-9);
	pace_release(&p);
}

/* Pages that fail on a server that lives: once it has shown that, they cost nothing. */
static void test_probe(void)
{
	double now = 0, proven;
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 0});
	for (int i = 0; i < PACE_PROBE_FAILURES; i++) {
		CHECK(!pace_wants_probe(&p));
		now = end_once(&p, now, PACE_FAILED);
	}
	CHECK(pace_wants_probe(&p));
	proven = now = end_once(&p, now, PACE_ANSWERED);
	CHECK(!pace_wants_probe(&p));
	for (int i = 0; i < 100; i++)
		now = end_once(&p, now, PACE_FAILED);
	CHECK_NEAR(now, proven, 1e-9);
	CHECK(!pace_wants_probe(&p));
	now = proven + PACE_ALIVE_SECONDS;
	for (int i = 0; i < 3; i++) /* and then it has to show it again */
		now = end_once(&p, now, PACE_FAILED);
	CHECK_NEAR(pace_ready(&p), now + 2, 1e-9);
	pace_release(&p);
}

static void test_down(void)
{
	int failures = 0;
	double now = 0;
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 0});
	CHECK(!pace_is_down(&p, 1e6, 0));
	for (int i = 0; i < PACE_DOWN_FAILURES - 1; i++)
		now = end_once(&p, now, PACE_FAILED);
	CHECK(!pace_is_down(&p, now + 1e6, PACE_DOWN_AFTER)); /* too few to know */
	while (!pace_is_down(&p, now, PACE_DOWN_AFTER) && failures++ < 100)
		now = end_once(&p, now, PACE_FAILED);
	CHECK_NEAR(now, 511, 1e-9); /* 1 + 2 + 4 + … + 256: the first beyond 300 */
	now = end_once(&p, now, PACE_ANSWERED);
	CHECK(!pace_is_down(&p, now, 0));
	pace_release(&p);
}

static void test_undo(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 10});
	pace_begin(&p, 0);
	pace_end(&p, 1, 1, PACE_ANSWERED, 0);
	pace_begin(&p, 20);
	pace_undo(&p);
	CHECK_NEAR(pace_ready(&p), 11, 0);
	pace_release(&p);
	pace_init(&p, (struct pace_rule){.delay = 10, .jobs = 2});
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_end(&p, 1, 1, PACE_ANSWERED, 0);
	pace_end(&p, 2, 1, PACE_ANSWERED, 0);
	pace_begin(&p, 11); /* the one that ended at 1 */
	pace_undo(&p);
	CHECK_NEAR(pace_ready(&p), 11, 0);
	pace_begin(&p, 11);
	CHECK_NEAR(pace_ready(&p), 12, 0);
	pace_release(&p);
}

static void test_backoff_is_for_all_jobs(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.delay = 0, .jobs = 4});
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_end(&p, 10, 10, PACE_FAILED, 0);
	CHECK(pace_ready(&p) < 0);
	pace_end(&p, 10, 10, PACE_FAILED, 0);
	CHECK_NEAR(pace_ready(&p), 11, 0); /* though the fourth has never begun */
	pace_end(&p, 10.5, 10.5, PACE_ANSWERED, 0);
	CHECK(pace_ready(&p) < 0); /* it lives */
	pace_release(&p);
}

static void test_failures_are_no_response_times(void)
{
	struct pace p;

	pace_init(&p, (struct pace_rule){.automatic = true});
	pace_begin(&p, 0);
	pace_end(&p, 0.3, 0.3, PACE_ANSWERED, 0);
	pace_begin(&p, 10);
	pace_end(&p, 70, 60, PACE_FAILED, 0);
	CHECK_NEAR(pace_delay(&p), 3, 1e-12);
	pace_release(&p);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_delays();
	TAP_RUN(test_one_job);
	TAP_RUN(test_jobs_have_pauses_of_their_own);
	TAP_RUN(test_crawl_delay_holds_for_all_jobs);
	TAP_RUN(test_retry_after);
	TAP_RUN(test_backoff);
	TAP_RUN(test_jitter);
	TAP_RUN(test_backoff_is_for_all_jobs);
	TAP_RUN(test_refusals);
	TAP_RUN(test_refusals_slow_down);
	TAP_RUN(test_probe);
	TAP_RUN(test_down);
	TAP_RUN(test_undo);
	TAP_RUN(test_failures_are_no_response_times);
	return tap_done();
}
