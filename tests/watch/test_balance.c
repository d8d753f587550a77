#include "watch/balance.h"

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

/* Margins that fall with the budget like c / budget are equal where budgets are as c. */
static void test_margins_become_equal(void)
{
	static const double C[SITES] = {1, 4, 15};
	struct balance_site s[SITES] = {site("fresh", 10), site("fresh", 10), site("fresh", 10)};

	for (int round = 0; round < 40; round++) {
		balance(s, SITES, 20, 10);
		for (int i = 0; i < SITES; i++)
			s[i].margin = C[i] / s[i].budget;
		CHECK_NEAR(sum(s), 20, 1e-6);
	}
	for (int i = 0; i < SITES; i++)
		CHECK_NEAR(s[i].budget, C[i], 1e-3);
}

static void test_one_step_at_a_time(void)
{
	struct balance_site s[SITES] = {site("fresh", 1), site("fresh", 1), site("fresh", 1)};

	for (int i = 0; i < SITES; i++)
		s[i].budget = 1;
	s[0].margin = 1e6;
	s[1].margin = s[2].margin = 1;
	balance(s, SITES, 3, 10);
	CHECK(s[0].budget <= 4 * s[1].budget + 1e-9);
	CHECK(s[0].budget > s[1].budget);
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

	s[0].margin = 1e9;
	s[0].budget = 10;
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
	TAP_RUN(test_margins_become_equal);
	TAP_RUN(test_one_step_at_a_time);
	TAP_RUN(test_limits);
	TAP_RUN(test_first_copies);
	TAP_RUN(test_no_site_starves);
	return tap_done();
}
