#include "crawl/limit.h"

#include <math.h>

#include "tap.h"

/* So many visits of one second and 1000 bytes each, one after the other, from the given time on. */
static struct counters after_visits(size_t count, double from, double delay, uint64_t budget)
{
	struct counters n;

	counters_init(&n, budget);
	for (size_t i = 0; i < count; i++) {
		double begin = from + (double)i;

		counters_add_visit(&n, &(struct counted_visit){.begin = begin,
					       .end = begin + 1,
					       .bytes = 1000,
					       .delay = delay,
					       .jobs = 1});
	}
	return n;
}

static void test_visits(void)
{
	struct counters n = after_visits(3, 5, 0.5, 0);

	CHECK_INT(n.visits, 3);
	CHECK_INT(n.visit_bytes, 3000);
	CHECK(n.first_visit == 5);
	CHECK(n.last_visit == 8);
	CHECK(n.visit_seconds == 3);
	CHECK(n.serial == 4.5);
	/* One that began earlier and ends earlier moves neither end. */
	counters_add_visit(
		&n, &(struct counted_visit){.begin = 4, .end = 6, .bytes = 1, .jobs = 2});
	CHECK(n.first_visit == 5);
	CHECK(n.last_visit == 8);
	CHECK(n.serial == 5.5);
}

/* A slow page at the start of a capture must not make the visits end. */
static void test_slow(void)
{
	struct counters n;

	counters_init(&n, 0);
	counters_add_visit(&n, &(struct counted_visit){.end = 5, .jobs = 1, .slow = true});
	CHECK_INT(n.visits, 0);
	CHECK(n.last_visit == 5);
	counters_add_visit(
		&n, &(struct counted_visit){.begin = 5, .end = 5.25, .delay = 0.75, .jobs = 1});
	/* 10.5 s, while another one is under way. */
	CHECK(fabs(counters_time_to_spare(&n, 9, 20, 10) - 0.5) < 1e-9);
	counters_add_visit(
		&n, &(struct counted_visit){.begin = 6, .end = 9, .jobs = 1, .slow = true});
	CHECK(n.last_visit == 9);
	CHECK(n.held_up == 3);
	CHECK(fabs(counters_time_to_spare(&n, 9, 20, 10) - 0.5) < 1e-9);
	/* A quarter of what is left, unless slow pages have had half of the limit. */
	CHECK(counters_patience(&n, 9, 15) == 6.0 / 4);
	n.held_up = 5;
	CHECK(counters_patience(&n, 9, 15) == 5.0 / 4);
}

static void test_revisits(void)
{
	struct counters n;

	counters_init(&n, 0);
	counters_add_revisit(&n, 0.75, true);
	counters_add_revisit(&n, 0.5, false);
	CHECK_INT(n.revisited, 2);
	CHECK_INT(n.sharp, 1);
	CHECK(n.expected == 1.25);
}

static void test_budget(void)
{
	struct counters n = after_visits(2, 0, 0, 3000);

	CHECK(fabs(counters_bytes_left(&n) - 3000.0 / 1050) < 1e-9); /* a little more for each */
	counters_spend(&n, 1000);
	CHECK_INT(n.budget, 2000);
	CHECK(fabs(counters_bytes_left(&n) - 2000.0 / 1050) < 1e-9);
	counters_spend(&n, 5000);
	CHECK_INT(n.budget, 0);
	CHECK(counters_bytes_left(&n) == 0);
	counters_init(&n, 10);
	CHECK(isinf(counters_bytes_left(&n))); /* nothing is known yet */
}

static void test_time(void)
{
	static const struct {
		const char *label;
		size_t visits;
		double delay, idle, now, limit, want;
	} ROWS[] = {
		{"nothing was visited", 0, 0, 0, 99, 100, (double)INFINITY},
		{"a little more for each", 10, 0, 0, 10, 100, 90 / 1.05},
		{"pauses count where servers are revisited one after the other", 10, 1, 0, 10, 100,
			45 / 1.05},
		{"time without a process does not count", 10, 0, 50, 60, 100, 90 / 1.05},
		{"nothing is left", 10, 0, 0, 120, 100, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct counters n = after_visits(ROWS[i].visits, 0, ROWS[i].delay, 0);
		double left;

		tap_case("time limit: %s", ROWS[i].label);
		n.idle = ROWS[i].idle;
		CHECK(counters_elapsed(&n, ROWS[i].now) == ROWS[i].now - ROWS[i].idle);
		left = counters_time_left(&n, ROWS[i].now, ROWS[i].limit);
		CHECK(left == ROWS[i].want || fabs(left - ROWS[i].want) < 1e-9);
	}
}

/* docs/crawling.md, "What fails". */
static void test_patience(void)
{
	static const struct {
		const char *label;
		size_t visits;
		double now, limit, want;
	} ROWS[] = {
		{"at least 10 s", 0, 0, 0, 10},
		{"a tenth of the visits", 1, 300, 0, 30},
		{"at most a minute", 1, 3000, 0, 60},
		{"a quarter of the remaining time", 1, 80, 100, 5},
		{"four downloads when less remains", 1, 99, 100, 4},
		{"a second at the end", 0, 200, 100, 1},
		{"a twentieth of a short limit", 0, 200, 10, 0.5},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct counters n = after_visits(ROWS[i].visits, 0, 0, 0);

		tap_case("patience: %s", ROWS[i].label);
		CHECK(fabs(counters_patience(&n, ROWS[i].now, ROWS[i].limit) - ROWS[i].want) <
			1e-9);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_visits);
	TAP_RUN(test_slow);
	TAP_RUN(test_revisits);
	TAP_RUN(test_budget);
	test_time();
	test_patience();
	return tap_done();
}
