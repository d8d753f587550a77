/* Pictures of captures: what became of each page, and which of many are shown. */
#include "histories/pyramid.h"

#include <math.h>
#include <stdlib.h>

#include "histories/schedule.h"
#include "history_fixture.h"

enum { MANY = 1000 };

/* n pages without links that all change at that rate, captured in their order and back. */
static void capture(size_t n, struct drive_result *ret)
{
	struct site site = {
		.n = n,
		.survival = calloc(n, sizeof *site.survival),
		.link_from = calloc(n + 1, sizeof *site.link_from),
	};
	struct drive_params params = {
		.site = &site,
		.plan = {.strategy = plan_strategy_find("bfs-lifo", true), .delay = 0.5},
	};
	struct err err = {0};

	CHECK_INT(drive(&params, ret, &err), 0);
	site_release(&site);
}

static void test_fates(void)
{
	/* Visits at 0, 0.5, 1, revisits at 1, 1.5, 2. */
	static const double AT_VISIT[] = {0}, BEFORE[] = {0.4}, BETWEEN[] = {1.2};
	static const struct change_history CHANGES[] = {{AT_VISIT, 1}, {BEFORE, 1}, {BETWEEN, 1}};
	struct drive_result c;
	struct pyramid p;

	capture(3, &c);
	c.hopeless[0] = true;
	pyramid_of_drive(&c, CHANGES, &p);
	CHECK_INT((int64_t)p.count, 3);
	CHECK_NEAR(p.bars[0].visit, -2, 1e-12);
	CHECK_NEAR(p.bars[0].revisit, 2, 1e-12);
	CHECK_INT(p.bars[0].fate, PYRAMID_HOPELESS); /* the interval is closed */
	CHECK_INT(p.bars[1].fate, PYRAMID_SHARP);
	CHECK_NEAR(p.bars[2].visit, 0, 1e-12);
	CHECK_INT(p.bars[2].fate, PYRAMID_SHARP); /* its interval is an instant */
	CHECK_INT((int64_t)p.pages[PYRAMID_SHARP], 2);

	pyramid_of_drive(&c, NULL, &p);
	CHECK_INT(p.bars[0].fate, PYRAMID_HOPELESS);
	CHECK_INT(p.bars[1].fate, PYRAMID_PLANNED);
	drive_release(&c);
}

/* First and last are among them, and none comes twice. */
static void test_thinned(void)
{
	struct drive_result c;
	struct pyramid p;

	capture(MANY, &c);
	pyramid_of_drive(&c, NULL, &p);
	CHECK_INT((int64_t)p.count, PYRAMID_BARS_MAX);
	CHECK_INT((int64_t)p.pages[PYRAMID_PLANNED], MANY);
	CHECK_NEAR(p.bars[0].visit, -(MANY - 1), 1e-9);
	CHECK_NEAR(p.bars[p.count - 1].visit, 0, 1e-9);
	for (size_t i = 1; i < p.count; i++)
		CHECK(p.bars[i].visit > p.bars[i - 1].visit);
	drive_release(&c);
}

static void test_history(void)
{
	struct past_capture c;
	struct pyramid p;
	struct history h;
	struct draw d;
	struct buf text;
	struct err err = {0};

	buf_init(&text, 4096);
	fixture_line(&text, 0, "c0", 'A', "a");
	fixture_line(&text, 0, "c0", 'A', "b");
	fixture_line(&text, 12, "c1", 'M', "b");
	fixture_line(&text, 100, "c2", 'M', "a");
	h = fixture_history(buf_slice(&text));
	CHECK_INT(draw_make(&h, &(struct draw_params){.start = 10, .days = 8}, &d), 0);
	CHECK_INT(schedule_plain(&(struct schedule_params){.draw = &d,
					 .strategy = plan_strategy_find("bfs-fifo", true)},
			  &c, &err),
		0);
	/* Visits on days 10 and 12, revisits on 14 and 16. */
	CHECK_INT(pyramid_of_capture(&d, &c, &p), 0);
	CHECK_INT((int64_t)p.count, 2);
	CHECK_NEAR(p.bars[0].visit, -4, 1e-9);
	CHECK_NEAR(p.bars[1].revisit, 2, 1e-9);
	CHECK_INT(p.bars[0].fate, PYRAMID_SHARP);
	CHECK_INT(p.bars[1].fate, PYRAMID_CHANGED);
	past_capture_release(&c);
	draw_release(&d);
	history_release(&h);
	buf_release(&text);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_fates);
	TAP_RUN(test_thinned);
	TAP_RUN(test_history);
	return tap_done();
}
