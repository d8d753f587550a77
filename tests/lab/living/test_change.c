#include "living/change.h"

#include <math.h>

#include "base/clock.h"
#include "tap.h"

enum { SECOND = 1000000000 };

static void test_same_stream_same_changes(void)
{
	struct change_source s = {.stream = 7, .rate = 2}, other = {.stream = 8, .rate = 2};
	struct change_cursor a = change_begin(&s), b = change_begin(&s), c = change_begin(&other);

	CHECK_INT(a.version, 1);
	CHECK_INT(a.at_ns, 0);
	for (int i = 0; i < 100; i++) {
		change_step(&s, &a);
		change_step(&s, &b);
		CHECK_INT(a.at_ns, b.at_ns);
		CHECK_INT(a.version, i + 2);
		CHECK(a.next_ns > a.at_ns);
	}
	change_step(&other, &c);
	CHECK(c.at_ns != change_at(&s, a.at_ns).at_ns);
}

/* Over 10,000 s at 0.5 per second: 5000 changes, standard deviation 71; five of them. */
static void test_rate(void)
{
	for (uint64_t stream = 0; stream < 5; stream++) {
		struct change_source s = {.stream = stream, .rate = 0.5};

		CHECK_NEAR(change_at(&s, INT64_C(10000) * SECOND).count, 5000, 354);
	}
}

/* The gaps are exponential: a share of e^-1 is longer than the mean, and the mean is right. */
static void test_gaps(void)
{
	enum { N = 20000 };
	struct change_source s = {.stream = 3, .rate = 4};
	struct change_cursor c = change_begin(&s);
	double sum = 0;
	int longer = 0;

	for (int i = 0; i < N; i++) {
		double gap = clock_seconds(c.next_ns - c.at_ns);

		sum += gap;
		longer += gap > 0.25;
		change_step(&s, &c);
	}
	CHECK_NEAR(sum / N, 0.25, 5 * 0.25 / sqrt(N));
	CHECK_NEAR((double)longer / N, exp(-1), 5 * sqrt(0.2325 / N));
}

static void test_at_is_where_stepping_leads(void)
{
	struct change_source s = {.stream = 11, .rate = 1, .reverts = 0.5};
	struct change_cursor c = change_begin(&s);

	for (int i = 0; i < 50; i++) {
		int64_t next = c.next_ns;
		struct change_cursor before = change_at(&s, next - 1), at = change_at(&s, next);

		CHECK_INT(before.version, c.version);
		CHECK_INT(before.count, i);
		change_step(&s, &c);
		CHECK_INT(at.version, c.version);
		CHECK_INT(at.at_ns, next);
		CHECK_INT(at.count, i + 1);
	}
}

static void test_reverts(void)
{
	struct change_source s = {.stream = 5, .rate = 1, .reverts = 0.3};
	struct change_cursor c = change_begin(&s);
	int reverts = 0;
	enum { N = 10000 };

	for (int i = 0; i < N; i++) {
		uint32_t version = c.version, previous = c.previous;

		change_step(&s, &c);
		CHECK(c.version != version);
		if (c.version != c.count + 1) {
			CHECK_INT(c.version, previous);
			reverts++;
		}
	}
	CHECK_NEAR((double)reverts / N, 0.3, 5 * sqrt(0.21 / N));
}

static void test_never(void)
{
	struct change_source never = {.stream = 1}, rare = {.stream = 1, .rate = 1e-300};

	CHECK(change_begin(&never).next_ns == CHANGE_NEVER);
	CHECK(change_begin(&rare).next_ns == CHANGE_NEVER);
	CHECK_INT(change_at(&never, INT64_MAX).version, 1);
}

static void test_recorded(void)
{
	static const struct recorded_change CHANGES[] = {
		{-5, false}, {0, false}, {10, false}, {20, true}, {30, false}};
	struct change_source s = {
		.is_recorded = true, .recorded = CHANGES, .recorded_len = ARRAY_LEN(CHANGES)};
	static const struct {
		int64_t at;
		uint32_t version;
	} ROWS[] = {
		{0, 2}, {9, 2}, {10, 3}, {20, LIVING_GONE}, {29, LIVING_GONE}, {30, 5}, {99, 5}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		CHECK_INT(change_at(&s, ROWS[i].at).version, ROWS[i].version);
	s.recorded_len = 0;
	CHECK_INT(change_begin(&s).version, LIVING_GONE);
}

/* There, gone, there, …, and each time it comes with a new version. */
static void test_vanishing(void)
{
	for (int absent = 0; absent <= 1; absent++) {
		struct change_source s = {.stream = 5,
			.rate = 1,
			.reverts = 0.5,
			.vanishing = true,
			.absent_first = absent};
		struct change_cursor c = change_begin(&s);
		uint32_t last = 0;

		for (int i = 0; i < 100; i++) {
			CHECK_INT(c.version == LIVING_GONE, (i + absent) % 2);
			CHECK(c.version == LIVING_GONE || c.version > last);
			if (c.version != LIVING_GONE)
				last = c.version;
			change_step(&s, &c);
		}
	}
}

/* Instants of the commits that touch two resources; both change at none but these. */
static void test_commits(void)
{
	enum { N = 2000 };
	struct change_source a = {
		.stream = 1, .commit_stream = 9, .commit_seconds = 10, .commit_share = 0.5};
	struct change_source b = a;
	struct change_cursor x, y;
	int together = 0, all = 0;

	b.stream = 2;
	x = change_begin(&a);
	y = change_begin(&b);
	for (; all < N; all++) {
		int64_t of_a = x.next_ns, of_b = y.next_ns;

		CHECK(of_a > x.at_ns && of_a > y.at_ns && of_b > x.at_ns && of_b > y.at_ns);
		together += of_a == of_b;
		if (of_a <= of_b)
			change_step(&a, &x);
		if (of_b <= of_a)
			change_step(&b, &y);
	}
	CHECK_NEAR((double)together / N, 1.0 / 3, 5 * sqrt(2.0 / 9 / N));
	CHECK_NEAR((double)x.count * 20, (double)x.at_ns / (double)CLOCK_NS_PER_SECOND,
		5 * 20 * sqrt((double)x.count));
	CHECK_INT(change_at(&a, x.at_ns).count, x.count);
	CHECK_INT(change_at(&a, x.at_ns - 1).count, x.count - 1);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_same_stream_same_changes);
	TAP_RUN(test_rate);
	TAP_RUN(test_gaps);
	TAP_RUN(test_at_is_where_stepping_leads);
	TAP_RUN(test_reverts);
	TAP_RUN(test_never);
	TAP_RUN(test_recorded);
	TAP_RUN(test_vanishing);
	TAP_RUN(test_commits);
	return tap_done();
}
