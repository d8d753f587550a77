#include "frontier/pace.h"

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
		CHECK_INT(pace_init(&p, rows[i].rule), 0);
		pace_begin(&p, 100);
		pace_set_crawl_delay(&p, rows[i].crawl_delay);
		pace_end(&p, 101, rows[i].response, false);
		CHECK_NEAR(pace_delay(&p), rows[i].want, 1e-12);
		CHECK_NEAR(pace_ready(&p), 101 + rows[i].want, 1e-12);
		pace_release(&p);
	}
}

static void test_one_job(void)
{
	struct pace p;

	CHECK_INT(pace_init(&p, (struct pace_rule){.delay = 2}), 0);
	CHECK(pace_ready(&p) < -1e300);
	pace_begin(&p, 10);
	CHECK(isinf(pace_ready(&p)) && pace_ready(&p) > 0);
	pace_end(&p, 13, 3, false);
	CHECK_NEAR(pace_ready(&p), 15, 0);
	pace_begin(&p, 20);
	pace_end(&p, 20.5, 0.5, false);
	CHECK_NEAR(pace_ready(&p), 22.5, 0);
	pace_release(&p);
}

static void test_jobs_have_pauses_of_their_own(void)
{
	struct pace p;

	CHECK_INT(pace_init(&p, (struct pace_rule){.delay = 10, .jobs = 3}), 0);
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	CHECK(pace_ready(&p) < 0); /* the third has not begun */
	pace_begin(&p, 1);
	CHECK(pace_ready(&p) > 1e300);
	pace_end(&p, 5, 5, false);
	CHECK_NEAR(pace_ready(&p), 15, 0);
	pace_end(&p, 2, 1, false); /* told late: it ended before the other */
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

	CHECK_INT(pace_init(&p, (struct pace_rule){.delay = 1, .jobs = 3}), 0);
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_set_crawl_delay(&p, 5);
	CHECK(pace_ready(&p) > 1e300);
	pace_end(&p, 1, 1, false);
	CHECK(pace_ready(&p) > 1e300);
	pace_end(&p, 2, 2, false);
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

	CHECK_INT(pace_init(&p, (struct pace_rule){.delay = 1, .jobs = 2}), 0);
	pace_begin(&p, 0);
	pace_end(&p, 1, 1, false);
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
	pace_end(&p, 4001, 1, false);
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
	pace_end(p, *now, 0.5, true);
	return waited;
}

static void test_backoff(void)
{
	static const double want[] = {0, 0.25, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300};
	double now = 0;
	struct pace p;

	CHECK_INT(pace_init(&p, (struct pace_rule){.delay = 0.25}), 0);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK_NEAR(fail_once(&p, &now), want[i], 1e-9);
	for (int i = 0; i < 200; i++)
		CHECK_NEAR(fail_once(&p, &now), PACE_BACKOFF_MAX, 1e-6);
	now = pace_ready(&p);
	pace_begin(&p, now);
	pace_end(&p, now + 1, 1, false);
	CHECK_NEAR(pace_ready(&p), now + 1.25, 1e-9); /* an answer ends it */
	pace_release(&p);
}

static void test_backoff_is_for_all_jobs(void)
{
	struct pace p;

	CHECK_INT(pace_init(&p, (struct pace_rule){.delay = 0, .jobs = 4}), 0);
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_begin(&p, 0);
	pace_end(&p, 10, 10, true);
	CHECK(pace_ready(&p) < 0);
	pace_end(&p, 10, 10, true);
	CHECK_NEAR(pace_ready(&p), 11, 0); /* though the fourth has never begun */
	pace_end(&p, 10.5, 10.5, false);
	CHECK(pace_ready(&p) < 0); /* it lives */
	pace_release(&p);
}

static void test_failures_are_no_response_times(void)
{
	struct pace p;

	CHECK_INT(pace_init(&p, (struct pace_rule){.automatic = true}), 0);
	pace_begin(&p, 0);
	pace_end(&p, 0.3, 0.3, false);
	pace_begin(&p, 10);
	pace_end(&p, 70, 60, true);
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
	TAP_RUN(test_backoff_is_for_all_jobs);
	TAP_RUN(test_failures_are_no_response_times);
	return tap_done();
}
