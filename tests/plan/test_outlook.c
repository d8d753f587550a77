/* Prices of what is left, what a page loses by them, and what it gains by what it leads to. */
#include "plan/outlook.h"

#include <math.h>

#include "tap.h"

/* Every page found can be drawn, and the sample stays spread over all of them. */
static void test_found(void)
{
	struct outlook_found f = {0};
	uint32_t gap = 0;

	for (uint32_t page = 0; page < 1000; page++) {
		outlook_find(&f, page);
		CHECK(f.n >= 1 && f.n <= OUTLOOK_SAMPLE);
	}
	CHECK(f.n >= OUTLOOK_SAMPLE / 2);
	CHECK_INT(f.page[0], 0);
	for (size_t i = 1; i < f.n; i++)
		gap = f.page[i] - f.page[i - 1] > gap ? f.page[i] - f.page[i - 1] : gap;
	CHECK_INT(gap, f.every);
}

enum { PAGES = 40 };

/* Forty pages from hot to cold, e^(-rate * length) over some hundred delays. */
static struct outlook priced(double hottest, double coldest)
{
	struct outlook_page page[PAGES], found[PAGES];
	struct outlook_params params = {.page = page,
		.n = PAGES,
		.waiting = PAGES,
		.step = 2,
		.found = found,
		.found_n = PAGES};
	struct outlook o = {0};

	for (size_t i = 0; i < PAGES; i++) {
		double share = (double)i / (PAGES - 1);

		page[i].survival = survival_poisson(hottest * pow(coldest / hottest, share));
		page[i].weight = 1;
		found[i] = page[i];
	}
	CHECK_INT(outlook_price(&o, &params), 0);
	CHECK_INT(o.n, PAGES);
	return o;
}

static double regret_of(const struct outlook *o, double rate, double yield)
{
	struct outlook_page page = {survival_poisson(rate), 1};

	return outlook_regret(o, page, yield, 0);
}

/* Where nothing is hopeless the coldest loses least; else so do the hottest. */
static void test_regret(void)
{
	struct outlook calm = priced(1e-3, 1e-6), wild = priced(5, 1e-3);

	CHECK(regret_of(&calm, 1e-6, 0) < regret_of(&calm, 1e-5, 0));
	CHECK(regret_of(&calm, 1e-5, 0) < regret_of(&calm, 1e-3, 0));
	CHECK(regret_of(&wild, 5, 0) < regret_of(&wild, 2e-2, 0));
}

/* Finding pages is worth more the earlier it is; a page that leads to some loses less. */
static void test_leads(void)
{
	struct outlook o = priced(1e-2, 1e-4);

	for (size_t j = 1; j < o.n; j++)
		CHECK(o.lead[j] >= o.lead[j - 1]);
	CHECK(o.lead[o.n - 1] > o.lead[0]);
	CHECK(regret_of(&o, 1e-2, 5) < regret_of(&o, 1e-2, 0));
}

/* A hot page that others hang on cannot count on a short interval, so it loses less when it is
 * given up. For a cold page, which has no use for one, it makes next to no difference. */
static void test_behind(void)
{
	struct outlook o = priced(1e-2, 1e-4);
	struct outlook_page hot = {survival_poisson(1e-2), 1};
	struct outlook_page cold = {survival_poisson(1e-4), 1};

	for (double behind = 0.5; behind < 20; behind *= 2)
		CHECK(outlook_regret(&o, hot, 0, 2 * behind) < outlook_regret(&o, hot, 0, behind));
	CHECK(outlook_regret(&o, hot, 0, 0.5) < outlook_regret(&o, hot, 0, 0));
	CHECK_NEAR(outlook_regret(&o, cold, 0, 3), outlook_regret(&o, cold, 0, 0), 0.01);
}

static void test_nothing_known(void)
{
	struct outlook o = {0};

	CHECK_NEAR(regret_of(&o, 1, 1), 0, 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_found);
	TAP_RUN(test_regret);
	TAP_RUN(test_leads);
	TAP_RUN(test_behind);
	TAP_RUN(test_nothing_known);
	return tap_done();
}
