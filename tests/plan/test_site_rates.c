#include "plan/site_rates.h"

#include <math.h>

#include "base/rng.h"
#include "tap.h"

enum { PAGES = 200, LOOKS = 30 };

#define HOUR 3600.0

/* Looks at pages of this rate, an hour apart. */
static void look(
	struct site_rates *s, struct rate_memory *page, struct rng *rng, double rate, int looks)
{
	for (int i = 0; i < looks; i++)
		site_rates_observe(s, page,
			(struct rate_interval){
				HOUR, rng_double(rng) < -expm1(-rate * HOUR), false});
}

/* Half of the pages change every ten hours, the others never. */
static void test_two_kinds(void)
{
	struct rate_memory pages[PAGES] = {{0}}, fresh = {0};
	struct site_rates s;
	struct rng rng;
	double hot = 0, cold = 0, rate = 0.1 / HOUR;

	rng_init(&rng, 1);
	site_rates_init(&s, (struct rate_gamma){1, 1e7});
	for (int i = 0; i < PAGES; i++)
		look(&s, &pages[i], &rng, i % 2 ? rate : 0, LOOKS);
	CHECK(site_rates_is_due(&s));
	CHECK_INT(site_rates_fit(&s, pages, PAGES), 0);
	CHECK(!site_rates_is_due(&s));
	for (int i = 0; i < PAGES; i++)
		*(i % 2 ? &hot : &cold) += site_rates_rate(&s, &pages[i], HOUR) * 2 / PAGES;
	CHECK_NEAR(hot / rate, 1, 0.15);
	CHECK(cold < 0.1 * rate); /* 30 hours prove that little */
	/* A page that was never looked at has the mean of both. */
	CHECK_NEAR(site_rates_rate(&s, &fresh, HOUR) / rate, 0.5, 0.15);
}

/* A page that changes at every look is not said to change without bounds. */
static void test_always(void)
{
	struct rate_memory page = {0};
	struct site_rates s;
	struct rng rng;

	rng_init(&rng, 1);
	site_rates_init(&s, (struct rate_gamma){1, HOUR});
	look(&s, &page, &rng, 1e3, LOOKS);
	CHECK(site_rates_rate(&s, &page, HOUR / 2) > 1 / HOUR);
	CHECK(site_rates_rate(&s, &page, HOUR / 2) < 100 / HOUR);
}

/* What a page did long ago fades. */
static void test_fading(void)
{
	struct rate_memory page = {0};
	struct site_rates s;
	struct rng rng;
	double before;

	rng_init(&rng, 1);
	site_rates_init(&s, (struct rate_gamma){1, HOUR});
	look(&s, &page, &rng, 0, 10000);
	before = site_rates_rate(&s, &page, HOUR);
	look(&s, &page, &rng, 1e3, 300);
	CHECK(before < 0.02 / HOUR);
	CHECK(site_rates_rate(&s, &page, HOUR) > 0.8 / HOUR);
}

static void test_odd_input(void)
{
	struct rate_memory page = {0};
	struct site_rates s;

	site_rates_init(&s, (struct rate_gamma){1, 1});
	CHECK_INT(site_rates_fit(&s, &page, 1), 0); /* nothing was seen: stays as it was */
	site_rates_observe(&s, &page, (struct rate_interval){-1, true, false});
	site_rates_observe(&s, &page, (struct rate_interval){(double)NAN, true, false});
	CHECK_NEAR((double)page.changes, 0, 0);
	CHECK(isfinite(site_rates_rate(&s, &page, 1)));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_two_kinds);
	TAP_RUN(test_always);
	TAP_RUN(test_fading);
	TAP_RUN(test_odd_input);
	return tap_done();
}
