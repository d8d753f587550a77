#include "crawl/gate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
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
	budget_hurry(&b);
	CHECK_NEAR(budget_wait(&b, 0.5), 0, 0);
	budget_spend(&b, START);
	CHECK_NEAR(budget_wait(&b, 0.5), 2, 1e-9); /* in advance, not in addition */
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
		budget_spend(&b, (START + 60 * i) * CLOCK_NS_PER_SECOND);
	CHECK_INT((int)budget_spent(&b, START + 60 * 99), 100);
	CHECK_INT((int)budget_spent(&b, START + DAY), 99);
	CHECK_INT((int)budget_spent(&b, START + DAY + 60 * 49), 50);
	CHECK_INT((int)budget_spent(&b, START + 3 * DAY), 0);
	budget_spend(
		&b, (START - DAY) * CLOCK_NS_PER_SECOND); /* long ago, or a clock that was wrong */
	CHECK_INT((int)budget_spent(&b, START + 60 * 99), 100);
	budget_spend(&b, (START + 10 * DAY) * CLOCK_NS_PER_SECOND);
	CHECK_INT((int)budget_spent(&b, START + 10 * DAY), 1);
	budget_release(&b);
}

/* By this process, or by another one that goes on with the account. */
static int sent_at_once(struct budget *b)
{
	int sent = 0;

	for (; budget_wait(b, 0) <= 0; sent++)
		budget_spend(b, START * CLOCK_NS_PER_SECOND);
	return sent;
}

static void test_account(void)
{
	static const struct {
		const char *text;
		int sent, later; /* at once, at one request in two seconds; 20 s later */
	} ROWS[] = {{"", 1, 10}, {"x\n", 1, 10}, {"5\tnan\t1\n", 1, 10},
		{"-3.5\t0\t86400000000000000\n", 0, 6}, {"-3.5\t0\t86399980000000000\n", 6, 10},
		{"2\t0\t86399980000000000\n     ", 12, 10},
		{"0\t0\t1\n", 60, 60}, /* an hour's share */
		{"1\t0\t90000000000000000\n", 1, 10}};
	char path[] = "/tmp/stillpoint-budget-XXXXXX";
	int fd = mkstemp(path);
	struct err err = {0};
	struct budget b;

	CHECK(fd >= 0);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("account %zu", i);
		CHECK_INT(ftruncate(fd, 0), 0);
		CHECK(pwrite(fd, ROWS[i].text, strlen(ROWS[i].text), 0) >= 0);
		budget_init(&b, 0.5, 0, 0);
		CHECK_INT(budget_open(&b, path, START * CLOCK_NS_PER_SECOND, 0, &err), 0);
		CHECK_INT(sent_at_once(&b), ROWS[i].sent);
		budget_release(&b);
		budget_init(&b, 0.5, 0, -7); /* killed, and started twenty seconds later */
		CHECK_INT(budget_open(&b, path, (START + 20) * CLOCK_NS_PER_SECOND, 0, &err), 0);
		CHECK_INT((int)budget_spent(&b, START + 20), ROWS[i].sent);
		CHECK_NEAR(budget_surplus(&b), i == 6 ? 3500 : 2 * ROWS[i].later, 2);
		CHECK_INT(sent_at_once(&b), ROWS[i].later);
		budget_release(&b);
	}
	CHECK_INT(unlink(path), 0);
	budget_init(&b, 0.5, 0, 0);
	CHECK_INT(budget_open(&b, "/dev/null/x", 0, 0, &err), ERR_IO);
	CHECK_NEAR(budget_idle(START, START + DAY), 3600, 0);
	CHECK_NEAR(budget_idle(START, START - 5), 0, 0);
	budget_release(&b);
	(void)close(fd);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_pace);
	TAP_RUN(test_bytes);
	TAP_RUN(test_last_day);
	TAP_RUN(test_account);
	return tap_done();
}
