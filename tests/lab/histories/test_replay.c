/* Subsites, canaries, the bootstrap, and whole replays. */
#include "histories/replay.h"

#include <math.h>
#include <stdlib.h>

#include "histories/canaries.h"
#include "histories/gains.h"
#include "histories/schedule.h"
#include "histories/subsites.h"
#include "history_fixture.h"

/* Adds count pages with that prefix on day 0. */
static void add_pages(struct buf *text, const char *prefix, int count)
{
	for (int i = 0; i < count; i++) {
		char path[64];

		(void)snprintf(path, sizeof path, "%s%03d", prefix, i);
		fixture_line(text, 0, "first", 'A', path);
	}
}

/* 200 pages: limit 20, least 2. */
static void test_subsites(void)
{
	static const struct {
		const char *prefix;
		int pages;
		uint32_t subsite;
	} ROWS[] = {
		{"a/", 20, 0},      /* small enough */
		{"b/", 1, 1},       /* the rest of b: its own file … */
		{"b/few/", 1, 1},   /* … and a directory that is too small */
		{"b/x/", 18, 2},    /* of a directory that is too large */
		{"b/y/z/", 40, 3},  /* flat, and so never divided */
		{"c.html", 119, 4}, /* files of the root */
		{"d/", 1, 4},
	};
	struct draw_params p = {.start = 1, .days = 1};
	struct subsites s = {0};
	struct history h;
	struct draw d = {0};
	struct buf text;
	uint32_t page = 0;

	buf_init(&text, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		add_pages(&text, ROWS[i].prefix, ROWS[i].pages);
	h = fixture_history(buf_slice(&text));
	CHECK_INT(draw_make(&h, &p, &d), 0);
	CHECK_INT(d.site.n, 200);
	CHECK_INT(subsites_divide(&d, &s), 0);
	CHECK_INT(s.count, 5);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		for (int k = 0; k < ROWS[i].pages; k++, page++)
			if (!CHECK_INT(s.of[page], ROWS[i].subsite))
				tap_note("%.*s", (int)draw_path(&d, page).len,
					draw_path(&d, page).ptr);
	subsites_release(&s);
	draw_release(&d);
	history_release(&h);
	buf_release(&text);
}

/* 40 pages in two directories of 20; all of `which` change together at that day. */
static struct history bulk(double day, const char *which)
{
	struct history h;
	struct buf text;

	buf_init(&text, 1 << 20);
	add_pages(&text, "a/", 20);
	add_pages(&text, "b/", 20);
	for (int i = 0; i < 40; i++) {
		char path[64];

		(void)snprintf(path, sizeof path, "%c/%03d", i < 20 ? 'a' : 'b', i % 20);
		if (strchr(which, path[0]))
			fixture_line(&text, day, "bulk", 'M', path);
	}
	h = fixture_history(buf_slice(&text));
	buf_release(&text);
	return h;
}

static double share(const struct draw *d, struct past_capture *c, double *ret_joint)
{
	struct proof_params p = {0};
	struct proof e = {0};

	CHECK_INT(proof_weigh(d, c, &p, &e), 0);
	*ret_joint = e.joint;
	past_capture_release(c);
	return e.sharp;
}

/*
 * One download a day from day 100 on, a first. The plain capture has its still point on day 139 and
 * loses all pages that were visited before the change of day 110.5: eleven, a/000 to a/010. With
 * subsites the pyramid of a stands from day 100 to 138: lost are those visited before the change
 * and revisited after it, the same eleven. A change of b on day 110.5 loses nothing at all.
 */
static void test_subsite_pyramids(void)
{
	static const struct {
		double day;
		const char *which;
		double plain, subsites;
	} ROWS[] = {
		{110.5, "a", 29, 29},
		{110.5, "b", 40, 40},
		/* a/i is revisited on day 178 - i in the plain capture, on 138 - i in its own. */
		{130.5, "a", 20, 32},
		/* b/i on day 158 - i; in its own pyramid it is visited on day 139 + i. */
		{150.5, "b", 32, 28},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct draw_params p = {.start = 100, .days = 80};
		struct schedule_params params = {.strategy = plan_strategy_find("bfs-lifo", true)};
		struct history h;
		struct past_capture c;
		struct err err = {0};
		struct draw d;
		double joint;

		tap_case("subsites: %s changes on day %g", ROWS[i].which, ROWS[i].day);
		h = bulk(ROWS[i].day, ROWS[i].which);
		CHECK_INT(draw_make(&h, &p, &d), 0);
		params.draw = &d;
		CHECK_INT(schedule_plain(&params, &c, &err), 0);
		CHECK_NEAR(40 * share(&d, &c, &joint), ROWS[i].plain, 1e-9);
		CHECK_NEAR(40 * joint, ROWS[i].plain, 1e-9);
		CHECK_INT(schedule_subsites(&params, &c, &err), 0);
		CHECK_INT(c.requests, 80);
		CHECK_NEAR(c.still[0], 119, 1e-9);
		CHECK_NEAR(40 * share(&d, &c, &joint), ROWS[i].subsites, 1e-9);
		CHECK(40 * joint <= 20); /* no instant is common to both directories */
		draw_release(&d);
		history_release(&h);
	}
}

static void test_canaries(void)
{
	struct draw_params p = {.start = 100, .days = 80};
	struct schedule_params params = {.strategy = plan_strategy_find("bfs-lifo", true)};
	struct history h = bulk(110.5, "ab");
	struct err err = {0};
	struct past_capture c;
	struct draw d;
	double joint;

	rng_init(&p.randoms, 1);
	CHECK_INT(draw_make(&h, &p, &d), 0);
	params.draw = &d;
	CHECK_INT(schedule_canaries(&params, 5, &c, &err), 0);
	/* Noticed, visited again, sharp: the eleven of the plain capture and no others. */
	CHECK(c.requests > 80 + 11 && c.requests < 80 + 8 + 4 + 20);
	CHECK_NEAR(share(&d, &c, &joint), 1, 0);
	/* Nothing happens: a canary for every five visits, and else the plain capture. */
	draw_release(&d);
	history_release(&h);
	h = bulk(300, "ab");
	CHECK_INT(draw_make(&h, &p, &d), 0);
	params.draw = &d;
	CHECK_INT(schedule_canaries(&params, 5, &c, &err), 0);
	CHECK_INT(c.requests, 88);
	CHECK_NEAR(share(&d, &c, &joint), 1, 0);
	draw_release(&d);
	history_release(&h);
}

/*
 * b changes after the still point, when b/019 to b/017 are revisited: the next four find it and b
 * is put off to the end, so that a is revisited the sooner.
 */
static void test_put_off(void)
{
	struct draw_params p = {.start = 100, .days = 80};
	struct schedule_params params = {.strategy = plan_strategy_find("bfs-lifo", true)};
	struct history h = bulk(144, "b");
	struct err err = {0};
	struct past_capture plain, c;
	struct draw d;

	rng_init(&p.randoms, 1);
	CHECK_INT(draw_make(&h, &p, &d), 0);
	params.draw = &d;
	CHECK_INT(schedule_plain(&params, &plain, &err), 0);
	CHECK_INT(schedule_canaries(&params, 1000, &c, &err), 0);
	CHECK_INT(c.requests, 80);
	CHECK_NEAR(looks_last(&plain.looks[19]), 159, 1e-9);
	CHECK(looks_last(&c.looks[19]) < 150);
	CHECK_NEAR(looks_last(&c.looks[20]), 178, 1e-9);
	past_capture_release(&plain);
	past_capture_release(&c);
	draw_release(&d);
	history_release(&h);
}

static void test_bootstrap(void)
{
	static const double VALUES[] = {1, 1, 1, 1, 0, 0, 0, 0}, GAP[] = {1, NAN};
	static const uint32_t ALONE[] = {0, 1, 2, 3, 4, 5, 6, 9}, TWO[] = {1, 1, 1, 1, 3, 3, 3, 3};
	struct bootstrap b = {.blocks = ALONE, .count = 8, .block_count = 10, .seed = 1};
	struct bootstrap_mean m, again;

	CHECK_INT(bootstrap_mean(&b, VALUES, &m), 0);
	CHECK_NEAR(m.mean, 0.5, 0);
	/* The mean of eight coins: P(mean <= 1/8) = 9/256, P(mean = 0) = 1/256. */
	CHECK_NEAR(m.low, 0.125, 0);
	CHECK_NEAR(m.high, 0.875, 0);
	CHECK_INT(bootstrap_mean(&b, VALUES, &again), 0);
	CHECK_NEAR(again.low, m.low, 0);
	/* Two blocks are two coins, however many values they hold. */
	b.blocks = TWO;
	CHECK_INT(bootstrap_mean(&b, VALUES, &m), 0);
	CHECK_NEAR(m.low, 0, 0);
	CHECK_NEAR(m.high, 1, 0);
	b.count = 2;
	CHECK_INT(bootstrap_mean(&b, GAP, &m), 0);
	CHECK(isnan(m.mean) && isnan(m.low));
}

static void test_gain_names(void)
{
	char text[GAINS_TEXT_SIZE];
	struct err err = {0};
	unsigned gains = 0;

	CHECK_INT(gains_parse(SLICE("third-visit+last-modified"), &gains, &err), 0);
	CHECK_INT(gains, GAIN_LAST_MODIFIED | GAIN_THIRD_VISIT);
	gains_text(31, text);
	CHECK_STR(text, "last-modified+best-instant+subsites+canaries+third-visit");
	CHECK_INT(gains_parse(SLICE("last-modfied"), &gains, &err), ERR_USAGE);
	CHECK_STR(err.text, "gain 'last-modfied' is not known; did you mean 'last-modified'?");
	CHECK_INT(gains_parse(SLICE(""), &gains, &err), ERR_USAGE);
	CHECK_INT(gains_parse(SLICE("canaries+subsites"), &gains, &err), ERR_USAGE);
	CHECK_INT(gains, GAIN_LAST_MODIFIED | GAIN_THIRD_VISIT);
}

/* A history of 1000 days in which each of 60 pages changes now and then, some together. */
static struct history lively(void)
{
	struct history h;
	struct buf text;
	struct rng r;

	rng_init(&r, 7);
	buf_init(&text, 1 << 22);
	add_pages(&text, "a/", 30);
	add_pages(&text, "b/", 30);
	for (int day = 1; day <= 1000; day++)
		for (int i = 0; i < 60; i++) {
			bool together = day % 50 == 0 && i < 30;
			char path[64], commit[32];

			if (!together && rng_below(&r, 200) >= (uint64_t)(i % 10))
				continue;
			(void)snprintf(path, sizeof path, "%c/%03d", i < 30 ? 'a' : 'b', i % 30);
			(void)snprintf(commit, sizeof commit, "c%d-%d", day, together ? -1 : i);
			fixture_line(&text, day, commit, 'M', path);
		}
	h = fixture_history(buf_slice(&text));
	buf_release(&text);
	return h;
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_proof(const struct proof *a, const struct proof *b)
{
	return same(a->sharp, b->sharp) && same(a->absent, b->absent) && same(a->joint, b->joint) &&
	       same(a->blur, b->blur) && same(a->lost_bulk, b->lost_bulk) &&
	       same(a->lost_large, b->lost_large) && same(a->requests, b->requests);
}

static void test_same_for_any_threads(void)
{
	const struct plan_strategy *s = plan_strategy_find("stillpoint", true);
	struct replay_arm arms[] = {{s, 0}, {s, GAIN_LAST_MODIFIED | GAIN_BEST_INSTANT},
		{s, GAIN_SUBSITES}, {s, GAIN_CANARIES | GAIN_THIRD_VISIT}, {s, GAIN_LAST_MODIFIED}};
	struct history h = lively();
	struct replay_params p = {.history = &h,
		.arms = arms,
		.arm_count = ARRAY_LEN(arms),
		.draws = 20,
		.days = 20,
		.seed = 3,
		.threads = 1};
	struct replay one, four;
	struct bootstrap_mean m;
	struct err err = {0};

	CHECK_INT(replay_run(&p, &one, &err), 0);
	p.threads = 4;
	CHECK_INT(replay_run(&p, &four, &err), 0);
	for (size_t i = 0; i < 20 * ARRAY_LEN(arms); i++)
		CHECK(same_proof(&one.values[i], &four.values[i]));
	CHECK(memcmp(one.blocks, four.blocks, 20 * sizeof *one.blocks) == 0);
	/* One-sided evidence loses nothing that two sides have, in any draw. */
	for (size_t i = 0; i < 20; i++)
		CHECK(one.values[i * 5 + 4].sharp >= one.values[i * 5].sharp);
	CHECK_INT(replay_mean(&one, 4, 0, offsetof(struct proof, sharp), &m), 0);
	CHECK(m.low >= 0 && m.low <= m.mean && m.mean <= m.high && m.mean > 0);
	CHECK_INT(replay_mean(&one, 0, REPLAY_NO_BASE, offsetof(struct proof, requests), &m), 0);
	CHECK_NEAR(m.low, 2, 1e-12);
	replay_release(&one);
	replay_release(&four);
	history_release(&h);
}

/* 1000 days: starts from day 200 on, up to two crawls before the end; the middle is day 600. */
static void test_ranges(void)
{
	static const struct {
		enum replay_half half;
		double from, to;
	} ROWS[] = {{REPLAY_ALL, 200, 960}, {REPLAY_FIRST, 200, 560}, {REPLAY_SECOND, 600, 960}};
	struct replay_arm arm = {plan_strategy_find("bfs-lifo", true), 0};
	struct history h = lively();
	struct replay_params p = {.history = &h,
		.arms = &arm,
		.arm_count = 1,
		.draws = 100,
		.days = 20,
		.threads = 1};
	struct err err = {0};
	struct replay r;

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		double least = INFINITY, most = 0;

		p.half = ROWS[i].half;
		CHECK_INT(replay_run(&p, &r, &err), 0);
		for (size_t k = 0; k < r.draws; k++) {
			least = fmin(least, r.drawn[k].start);
			most = fmax(most, r.drawn[k].start);
		}
		CHECK(least >= ROWS[i].from && least < ROWS[i].from + 40);
		CHECK(most < ROWS[i].to && most > ROWS[i].to - 40);
		replay_release(&r);
	}
	p.days = 300;
	CHECK_INT(replay_run(&p, &r, &err), ERR_RANGE);
	CHECK_STR(err.text, "1000 days of history are too few for crawls of 300 days");
	history_release(&h);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_subsites);
	test_subsite_pyramids();
	TAP_RUN(test_canaries);
	TAP_RUN(test_put_off);
	TAP_RUN(test_bootstrap);
	TAP_RUN(test_gain_names);
	TAP_RUN(test_same_for_any_threads);
	TAP_RUN(test_ranges);
	return tap_done();
}
