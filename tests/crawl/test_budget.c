#include "crawl/budget.h"

#include "tap.h"

enum { DAY = 86400, START = 1000 * DAY };

static void test_pace(void)
{
	struct budget b;

	budget_init(&b, 2, 0, 0);
	CHECK_NEAR(budget_wait(&b, 0), 0, 0); /* begins with one request */
	budget_spend(&b, START);
	CHECK_NEAR(budget_wait(&b, 0), 0.5, 1e-9);
	CHECK_NEAR(budget_wait(&b, 0.5), 0, 0);
	budget_change(&b, 1, 0, 0.5);
	budget_spend(&b, START);
	CHECK_NEAR(budget_wait(&b, 0.5), 1, 1e-9);
	budget_release(&b);
}

static void test_bytes(void)
{
	struct budget b;

	budget_init(&b, 1000, 100, 0);
	budget_received(&b, 1001); /* known only afterwards */
	CHECK_NEAR(budget_wait(&b, 0), 10.01, 1e-6);
	CHECK_NEAR(budget_wait(&b, 11), 0, 0);
	budget_change(&b, 1000, 0, 11);
	budget_received(&b, 1000000);
	CHECK_NEAR(budget_wait(&b, 12), 0, 0);
	budget_release(&b);
}

static void test_last_day(void)
{
	struct budget b;

	budget_init(&b, 1, 0, 0);
	for (int i = 0; i < 100; i++)
		budget_count(&b, START + 60 * i);
	CHECK_INT((int)budget_spent(&b, START + 60 * 99), 100);
	CHECK_INT((int)budget_spent(&b, START + DAY), 99);
	CHECK_INT((int)budget_spent(&b, START + DAY + 60 * 49), 50);
	CHECK_INT((int)budget_spent(&b, START + 3 * DAY), 0);
	budget_count(&b, START - DAY); /* long ago, or a clock that was wrong */
	CHECK_INT((int)budget_spent(&b, START + 60 * 99), 100);
	budget_count(&b, START + 10 * DAY);
	CHECK_INT((int)budget_spent(&b, START + 10 * DAY), 1);
	budget_release(&b);
}

static void test_carry_over(void)
{
	struct budget b;

	budget_init(&b, 0.5, 0, 0);
	budget_carry_over(&b, START); /* no earlier process */
	budget_spend(&b, START);
	CHECK(budget_wait(&b, 0) > 0);
	budget_release(&b);
	budget_init(&b, 0.5, 0, 0);
	budget_count(&b, START - 20);
	budget_carry_over(&b, START);
	for (int i = 0; i < 11; i++) {
		CHECK_NEAR(budget_wait(&b, 0), 0, 0);
		budget_spend(&b, START);
	}
	CHECK(budget_wait(&b, 0) > 0);
	CHECK_NEAR(budget_idle(START, START + DAY), 3600, 0);
	CHECK_NEAR(budget_idle(START, START - 5), 0, 0);
	budget_release(&b);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_pace);
	TAP_RUN(test_bytes);
	TAP_RUN(test_last_day);
	TAP_RUN(test_carry_over);
	return tap_done();
}
