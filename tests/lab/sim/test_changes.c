/* Simulated changes, and the order that knows them. */
#include "sim/changes.h"

#include <math.h>

#include "plan/fixture.h"
#include "sim/trial.h"

/* Counts are Poisson: within five standard deviations of their mean. */
static void test_counts(void)
{
	static const double until = 1000;
	struct site s = fixture_site("page,rate\na,3\nb,0\nc,0.5\nd,1e-300\n");
	struct changes c;
	struct rng rng;

	rng_init(&rng, 5);
	if (CHECK_INT(changes_draw(&s, until, &rng, &c), 0)) {
		for (size_t i = 0; i < s.n; i++) {
			double mean = s.survival[i].rate * until;

			CHECK_NEAR((double)c.histories[i].len, mean, 5 * sqrt(mean));
			for (size_t k = 1; k < c.histories[i].len; k++)
				CHECK(c.histories[i].times[k - 1] <= c.histories[i].times[k]);
			if (c.histories[i].len)
				CHECK(c.histories[i].times[0] >= 0 &&
					c.histories[i].times[c.histories[i].len - 1] <= until);
		}
		CHECK_INT(c.histories[1].len, 0);
		CHECK_INT(c.histories[3].len, 0);
		changes_release(&c);
	}
	site_release(&s);
}

static void test_seed(void)
{
	struct site s = fixture_site("page,rate\na,3\nb,2\n");
	struct changes c[2];

	for (int i = 0; i < 2; i++) {
		struct rng rng;

		rng_init(&rng, 9);
		CHECK_INT(changes_draw(&s, 50, &rng, &c[i]), 0);
	}
	if (CHECK_INT(c[0].histories[1].len, c[1].histories[1].len))
		for (size_t i = 0; i < c[0].histories[1].len; i++)
			CHECK_NEAR(c[0].histories[1].times[i], c[1].histories[1].times[i], 0);
	changes_release(&c[0]);
	changes_release(&c[1]);
	site_release(&s);
}

/*
 * SHARC 9.2: with delay 2 and four pages the interval is [0, 6]. Utilities: a 1+2 = 3, b 5, c none,
 * d 3 (what comes after the end counts for nothing). So b, then a before d, then c.
 */
static void test_op(void)
{
	static const double a[] = {1, 2}, b[] = {5}, d[] = {3, 7, 100};
	const struct change_history histories[] = {{a, 2}, {b, 1}, {NULL, 0}, {d, 3}};
	static const uint32_t want[] = {1, 0, 3, 2};
	struct site s = fixture_site("page,rate\na,1\nb,1\nc,1\nd,1\n");
	struct drive_result r;

	if (CHECK_INT(op_capture(&s, histories, 2, &r), 0)) {
		CHECK_INT(r.visits.len, 4);
		for (size_t i = 0; i < 4; i++) {
			CHECK_INT(r.visits.ptr[i], want[i]);
			CHECK_NEAR(r.visited_at[want[i]], 2 * (double)i, 0);
			CHECK(isnan(r.revisited_at[i]));
		}
		CHECK(r.single);
		CHECK_NEAR(r.end, 6, 0);
		drive_release(&r);
	}
	site_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_counts);
	TAP_RUN(test_seed);
	TAP_RUN(test_op);
	return tap_done();
}
