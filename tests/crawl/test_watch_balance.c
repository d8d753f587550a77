#include "crawl/watch_daemon.h"

#include <math.h>

#include "tap.h"

enum { SITES = 3 };

static double sum(const struct balance_site *s)
{
	return s[0].budget + s[1].budget + s[2].budget;
}

static struct balance_site site(const char *policy, double pages)
{
	return (struct balance_site){.policy = refresh_policy_find(policy),
		.pages = pages,
		.limit = (double)INFINITY,
		.use = (double)INFINITY};
}

static void test_first_by_pages(void)
{
	struct balance_site s[SITES] = {site("fresh", 10), site("fresh", 30), site("age", 60)};

	balance(s, SITES, 50, 10);
	CHECK_NEAR(s[0].budget, 5, 1e-6);
	CHECK_NEAR(s[1].budget, 15, 1e-6);
	CHECK_NEAR(s[2].budget, 30, 1e-6);
}

/* A site whose pages want c / margin. */
static struct balance_site with_curve(const char *policy, double pages, double c)
{
	struct balance_site s = site(policy, pages);

	s.curve.middle = 1;
	for (int i = 0; i < MARKET_CURVE; i++)
		s.curve.wants[i] = ldexp(c, MARKET_CURVE / 2 - i);
	return s;
}

static void test_curve(void)
{
	struct balance_site s = with_curve("fresh", 1, 3);

	for (double margin = 1e-7; margin < 1e7; margin *= 3) /* also beyond its points */
		CHECK_NEAR(market_curve_at(&s.curve, margin) * margin, 3, 1e-9);
	for (int i = MARKET_CURVE / 2 + 1; i < MARKET_CURVE; i++)
		s.curve.wants[i] = 0;
	CHECK_NEAR(market_curve_at(&s.curve, 1), 3, 1e-9);
	CHECK(market_curve_at(&s.curve, 1.5) > 0 && market_curve_at(&s.curve, 1.5) < 2);
	CHECK_NEAR(market_curve_at(&s.curve, 2), 0, 0);
	CHECK_NEAR(market_curve_at(&s.curve, 1e9), 0, 0);
}

/* At once, however many pages they have; a site whose wishes are not known shares by its pages. */
static void test_common_margin(void)
{
	struct balance_site s[SITES] = {with_curve("fresh", 10, 1e-3),
		with_curve("fresh", 10, 4e-3), with_curve("fresh", 10, 15e-3)};

	balance(s, SITES, 20, 10);
	CHECK_NEAR(s[0].budget, 1, 1e-6);
	CHECK_NEAR(s[1].budget, 4, 1e-6);
	CHECK_NEAR(s[2].budget, 15, 1e-6);
	s[2].curve.middle = 0;
	balance(s, SITES, 20, 10);
	CHECK_NEAR(s[2].budget, 20.0 / 3, 1e-6);
	CHECK_NEAR(s[1].budget, 4 * s[0].budget, 1e-6);
	CHECK_NEAR(sum(s), 20, 1e-6);
}

/* A cold site of many pages whose wishes are small at present, beside a hot one. */
static void test_another_balance(void)
{
	struct balance_site s[SITES] = {with_curve("fresh", 401, 1e4), with_curve("fresh", 13, 1),
		with_curve("fresh", 1, 1)};

	balance(s, SITES, 8, 10);
	CHECK(s[0].budget > 7);
	for (int i = 1; i < SITES; i++)
		CHECK_NEAR(s[i].budget, 0.05 * 8 / SITES, 1e-6); /* the floor */
	CHECK_NEAR(sum(s), 8, 1e-6);
}

static void test_limits(void)
{
	struct balance_site s[SITES] = {site("fresh", 10), site("fresh", 10), site("age", 10)};

	s[0].limit = 1;
	balance(s, SITES, 30, 10);
	CHECK_NEAR(s[0].budget, 1, 1e-6);
	CHECK_NEAR(s[1].budget, 14.5, 1e-3); /* shares what the first cannot have with the third */
	CHECK_NEAR(s[2].budget, 14.5, 1e-3);
	s[1].use = 2;
	s[2].limit = 3;
	balance(s, SITES, 30, 10);
	CHECK_NEAR(sum(s), 6, 1e-6);
}

static void test_no_site_starves(void)
{
	struct balance_site s[SITES] = {site("fresh", 1), site("fresh", 1), site("fresh", 1e6)};

	balance(s, SITES, 30, 10);
	CHECK(s[0].budget >= 0.05 * 10 - 1e-9);
	CHECK_NEAR(sum(s), 30, 1e-6);
}

/* A large new site beside a small one and one that is complete and hot. */
static void test_first_copies(void)
{
	struct balance_site s[SITES] = {site("fresh", 13), site("fresh", 1977), site("age", 20)};

	s[0] = with_curve("fresh", 13, 1e9);
	s[1].unseen = 1976;
	s[2].unseen = 20;
	balance(s, SITES, 20, 10);
	CHECK_NEAR(s[0].first, 0, 0);
	CHECK_NEAR(s[1].first, 16, 1e-6);
	CHECK_NEAR(s[2].first, 2, 1e-6); /* all it needs until the next call */
	CHECK_NEAR(sum(s), 2, 1e-6);
	s[1].limit = 5;
	balance(s, SITES, 20, 10);
	CHECK_NEAR(s[1].first, 5, 1e-6);
	CHECK_NEAR(sum(s), 20 - 7, 1e-6);
	CHECK_NEAR(s[1].budget, 0, 1e-6);
	s[1].use = 0; /* its server is down */
	balance(s, SITES, 20, 10);
	CHECK_NEAR(s[1].first + s[1].budget, 0, 1e-6);
	CHECK_NEAR(sum(s), 18, 1e-6);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_first_by_pages);
	TAP_RUN(test_curve);
	TAP_RUN(test_common_margin);
	TAP_RUN(test_another_balance);
	TAP_RUN(test_limits);
	TAP_RUN(test_first_copies);
	TAP_RUN(test_no_site_starves);
	return tap_done();
}
