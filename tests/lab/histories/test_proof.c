/*
 * Three pages, one download a day, visits on days 10, 11, 12 and back (bfs-lifo): a is looked at on
 * days 10 and 14, b on 11 and 13, c on 12 and 12; the still point is day 12.
 */
#include "histories/proof.h"

#include "histories/schedule.h"
#include "history_fixture.h"

struct scene {
	struct history history;
	struct draw draw;
	struct past_capture capture;
};

/* Changes in the form "a10.5 b12.5"; those with a ! are of a commit that touches 12 pages. */
static void add_changes(struct buf *text, const char *changes)
{
	while (*changes) {
		char page[2] = {*changes, '\0'}, *end;
		double day = strtod(changes + 1, &end);
		bool bulk = *end == '!';

		fixture_line(text, day, bulk ? "bulk" : end, 'M', page);
		for (int i = 0; bulk && i < 11; i++)
			fixture_line(text, day, "bulk", 'D', "elsewhere");
		changes = end + bulk;
		changes += *changes == ' ';
	}
}

/* The draw borrows the history, so a scene stays where it is. */
static void make(struct scene *s, const char *changes, const char *strategy)
{
	struct draw_params p = {.start = 10, .days = 6};
	struct err err = {0};
	struct buf text;

	*s = (struct scene){0};
	buf_init(&text, 1 << 20);
	fixture_line(&text, 0, "first", 'A', "a");
	fixture_line(&text, 0, "first", 'A', "b");
	fixture_line(&text, 0, "first", 'A', "c");
	add_changes(&text, changes);
	s->history = fixture_history(buf_slice(&text));
	buf_release(&text);
	if (CHECK_INT(draw_make(&s->history, &p, &s->draw), 0)) {
		struct schedule_params schedule = {
			.draw = &s->draw, .strategy = plan_strategy_find(strategy, true)};

		CHECK_INT(schedule_plain(&schedule, &s->capture, &err), 0);
	}
}

static void release(struct scene *s)
{
	past_capture_release(&s->capture);
	draw_release(&s->draw);
	history_release(&s->history);
}

static struct proof weigh(const struct scene *s, bool last_modified, bool best_instant)
{
	struct proof_params p = {last_modified, best_instant};
	struct proof e = {0};

	CHECK_INT(proof_weigh(&s->draw, &s->capture, &p, &e), 0);
	return e;
}

/* Out of three pages. */
static const struct {
	const char *label, *changes;
	int plain, modified, best, modified_best, lost_bulk;
} ROWS[] = {
	{"nothing changes", "", 3, 3, 3, 3, 0},
	{"before, and after all", "a9 b14.5", 3, 3, 3, 3, 0},
	/* All three are known on day 10 from their visits, where Last-Modified is believed. */
	{"before and after the still point", "a10.5 b12.5", 1, 2, 1, 3, 0},
	{"at the visit", "a10", 2, 3, 2, 3, 0},
	{"at the revisit", "a14", 2, 2, 2, 3, 0},
	{"at its only looks", "c12", 2, 2, 2, 2, 0},
	{"bulk", "a10.5! b10.5!", 3 - 1, 3, 2, 3, 1},
	{"bulk and not", "a10.5! a11 b12.5!", 1, 2, 1, 3, 1},
	/* a is known on (10.5, 14], b on (11.5, 13] and up to 11, c up to 12. */
	{"earlier than planned", "a10.5 b11.5", 1, 3, 1, 3, 0},
};

static void test_gains(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct scene s;

		tap_case("gains: %s", ROWS[i].label);
		make(&s, ROWS[i].changes, "bfs-lifo");
		CHECK_NEAR(3 * weigh(&s, false, false).sharp, ROWS[i].plain, 1e-12);
		CHECK_NEAR(3 * weigh(&s, true, false).sharp, ROWS[i].modified, 1e-12);
		CHECK_NEAR(3 * weigh(&s, false, true).sharp, ROWS[i].best, 1e-12);
		CHECK_NEAR(3 * weigh(&s, true, true).sharp, ROWS[i].modified_best, 1e-12);
		CHECK_NEAR(3 * weigh(&s, true, true).joint, ROWS[i].modified_best, 1e-12);
		CHECK_NEAR(3 * weigh(&s, false, false).lost_bulk, ROWS[i].lost_bulk, 1e-12);
		CHECK_NEAR(weigh(&s, false, false).lost_large, 0, 0);
		CHECK_NEAR(weigh(&s, false, false).requests, 2, 1e-12);
		release(&s);
	}
}

/*
 * b goes away on day 11.5. Visited after that it is seen missing twice, which is known; visited
 * before, it is lost, and no Last-Modified can tell.
 */
static void test_absent(void)
{
	static const char TEXT[] = "0\tc1\tA\ta\n0\tc1\tA\tb\n0\tc1\tA\tc\n993600\tc2\tD\tb\n";
	struct draw_params p = {.start = 10, .days = 6};
	struct scene s = {.history = fixture_history(SLICE(TEXT))};
	struct proof e;

	CHECK_INT(draw_make(&s.history, &p, &s.draw), 0);
	CHECK_INT(past_capture_init(&s.capture, 3), 0);
	for (uint32_t i = 0; i < 3; i++) {
		s.capture.looks[i] = (struct looks){2, {11.6, 14}};
		s.capture.still[i] = 12;
	}
	e = weigh(&s, false, false);
	CHECK_NEAR(e.sharp, 1, 0);
	CHECK_NEAR(3 * e.absent, 1, 1e-12);
	s.capture.looks[1].at[0] = 11;
	CHECK_NEAR(3 * weigh(&s, true, false).sharp, 2, 1e-12);
	CHECK_NEAR(weigh(&s, true, false).absent, 0, 0);
	release(&s);
}

/*
 * a changes on day 10.5. Queries from day 10 to 14; those before day 12 get the copy of day 10, and
 * of these the ones after 10.5 are one change off: 1.5 of 4 days.
 */
static void test_blur(void)
{
	struct scene s;

	make(&s, "a10.5", "bfs-lifo");
	CHECK_NEAR(3 * weigh(&s, false, false).blur, 1.5 / 4, 1e-12);
	/* A third look at day 11 takes over from 10.5 to 12.5: none is off then. */
	s.capture.looks[0] = (struct looks){3, {10, 11, 14}};
	CHECK_NEAR(weigh(&s, false, false).blur, 0, 1e-12);
	release(&s);
}

static void test_single_visit(void)
{
	struct proof e;
	struct scene s;

	make(&s, "a10.5", "bfs");
	e = weigh(&s, false, false);
	CHECK(e.sharp != e.sharp); /* not a number */
	CHECK_NEAR(e.requests, 1, 0);
	CHECK_NEAR(e.joint, 0, 0);
	/* Three days pass from 10 to 12; a's copy is off from 10.5 on. */
	CHECK_NEAR(3 * e.blur, 1.5 / 2, 1e-12);
	release(&s);
}

/* Third looks at b on day 15 and at a on day 16 (in the order of their second). */
static void test_third_visit(void)
{
	const struct looks *a, *b;
	struct scene s;

	make(&s, "a10.5 b12.5 b15.5", "bfs-lifo");
	a = &s.capture.looks[0];
	b = &s.capture.looks[1];
	CHECK_INT(schedule_third_visits(&s.draw, &s.capture), 0);
	CHECK_INT(a->count, 3);
	CHECK_NEAR(a->at[2], 16, 1e-9);
	CHECK_NEAR(b->at[2], 15, 1e-9);
	CHECK_INT(s.capture.looks[2].count, 2);
	CHECK_NEAR(3 * weigh(&s, false, false).requests, 8, 1e-12);
	CHECK_NEAR(3 * weigh(&s, false, false).sharp, 1, 1e-12); /* the still point stays */
	CHECK_NEAR(3 * weigh(&s, false, true).sharp, 2, 1e-12);  /* day 14: [14, 16], [13, 15] */
	release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_gains();
	TAP_RUN(test_absent);
	TAP_RUN(test_blur);
	TAP_RUN(test_single_visit);
	TAP_RUN(test_third_visit);
	return tap_done();
}
