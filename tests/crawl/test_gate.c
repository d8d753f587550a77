#include "crawl/gate.h"

#include <stdlib.h>
#include <time.h>

#include "tap.h"

/* 2024-01-02, noon. */
#define NOON (INT64_C(1704196800) * CLOCK_NS_PER_SECOND)

static void open_gate(struct gate *g, struct clock_manual *clock, struct gate_params params)
{
	struct err err = {0};

	clock_manual_init(clock, NOON - CLOCK_NS_PER_SECOND);
	clock_manual_advance(clock, 1); /* the machine has been up for a while */
	params.clock = &clock->clock;
	params.path = tap_tempdir();
	params.quiet = true;
	CHECK_INT(gate_init(g, &params, &err), 0);
}

static void test_open(void)
{
	struct clock_manual clock;
	struct gate g;

	open_gate(&g, &clock, (struct gate_params){0});
	gate_received(&g, UINT64_MAX, 0);
	CHECK_NEAR(gate_wait(&g), 0, 0);
	CHECK_STR(gate_text(&g), "");
}

static void test_hours(void)
{
	struct clock_manual clock;
	struct gate g;

	open_gate(&g, &clock, (struct gate_params){.hours = "22:30-06"});
	CHECK_NEAR(gate_wait(&g), 10.5 * 3600, 0);
	CHECK_STR(gate_text(&g), "waiting until 22:30");
	clock_manual_advance(&clock, 10.5 * 3600 - 1);
	CHECK_NEAR(gate_wait(&g), 1, 0);
	clock_manual_advance(&clock, 1);
	CHECK_NEAR(gate_wait(&g), 0, 0);
	CHECK_STR(gate_text(&g), "");
	clock_manual_advance(&clock, 7.5 * 3600);
	CHECK_NEAR(gate_wait(&g), 16.5 * 3600, 0);
}

static void test_bad_hours(void)
{
	struct err err = {0};
	struct gate g;

	CHECK_INT(gate_init(&g, &(struct gate_params){.hours = "noon"}, &err), ERR_USAGE);
	CHECK(strstr(err.text, "--hours: 'noon'") != NULL);
}

/* More than any disk has, and less: it is looked at once a second, not more often. */
static void test_disk(void)
{
	struct clock_manual clock;
	struct gate g;

	open_gate(&g, &clock, (struct gate_params){.min_free = UINT64_C(1) << 60});
	CHECK(gate_wait(&g) > 0);
	CHECK(strstr(gate_text(&g), "waiting for disk space") != NULL);
	g.params.min_free = 1;
	CHECK(gate_wait(&g) > 0);
	clock_manual_advance(&clock, 1);
	CHECK_NEAR(gate_wait(&g), 0, 0);
	g.params.path = "/no/such/directory"; /* a disk that does not tell: writing will */
	g.params.min_free = UINT64_C(1) << 60;
	clock_manual_advance(&clock, 1);
	CHECK_NEAR(gate_wait(&g), 0, 0);
}

static void test_bandwidth(void)
{
	struct clock_manual clock;
	struct gate g;
	int64_t began;

	open_gate(&g, &clock, (struct gate_params){.bandwidth = 1000});
	began = clock_monotonic(&clock.clock);
	clock_manual_advance(&clock, 2);
	gate_received(&g, 5000, began); /* 5 s worth, of which 2 s have passed */
	CHECK_NEAR(gate_wait(&g), 3, 1e-9);
	gate_received(&g, 1000, began); /* at the same time: both are to be paid for */
	CHECK_NEAR(gate_wait(&g), 4, 1e-9);
	clock_manual_advance(&clock, 100);
	CHECK_NEAR(gate_wait(&g), 0, 0);
	began = clock_monotonic(&clock.clock);
	clock_manual_advance(&clock, 1);
	gate_received(&g, 1000, began); /* what was not used is not saved up */
	gate_received(&g, 1000, began);
	CHECK_NEAR(gate_wait(&g), 1, 1e-9);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	(void)setenv("TZ", "UTC", 1);
	tzset();
	TAP_RUN(test_open);
	TAP_RUN(test_hours);
	TAP_RUN(test_bad_hours);
	TAP_RUN(test_disk);
	TAP_RUN(test_bandwidth);
	return tap_done();
}
