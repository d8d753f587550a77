#include "histories/history.h"

#include "histories/draw.h"
#include "history_fixture.h"

/* c2 touches two pages; b is gone from day 3 to day 5. */
static const char SAMPLE[] = "86400\tc1\tA\ta\n"
			     "86400\tc1\tA\tb\n"
			     "172800\tc2\tM\ta\n"
			     "172800\tc2\tM\tb\n"
			     "345600\tc3\tD\tb\n"
			     "518400\tc4\tA\tb\n"
			     "950400\tc5\tA\tlate\n";

static void test_pages(void)
{
	struct history h = fixture_history(SLICE(SAMPLE));
	struct change_history b = history_events(&h, 1);

	CHECK_INT(h.n, 3);
	CHECK_INT(h.began_s, 86400);
	CHECK_NEAR(h.days, 10, 0);
	CHECK_SLICE(h.paths[1], SLICE("b"));
	CHECK_INT(b.len, 4);
	CHECK_NEAR(b.times[2], 3, 0);
	CHECK(!history_alive(&h, 1, -0.1));
	CHECK(history_alive(&h, 1, 0));
	CHECK(history_alive(&h, 1, 2.9));
	CHECK(!history_alive(&h, 1, 3));
	CHECK(!history_alive(&h, 1, 4.9));
	CHECK(history_alive(&h, 1, 5));
	CHECK(!history_alive(&h, 2, 9));
	CHECK_NEAR(history_last_change(&h, 1, 4), 3, 0);
	CHECK_NEAR(history_last_change(&h, 1, 3), 3, 0);
	history_release(&h);
}

static void test_changed(void)
{
	struct history h = fixture_history(SLICE(SAMPLE));

	CHECK(history_changed(&h, 0, 0.5, 1.5, UINT32_MAX));
	CHECK(history_changed(&h, 0, 1, 1, UINT32_MAX)); /* closed at both ends */
	CHECK(!history_changed(&h, 0, 1.1, 9, UINT32_MAX));
	CHECK(!history_changed(&h, 0, 0.5, 1.5, 2)); /* c2 touched two */
	CHECK(history_changed(&h, 0, 0.5, 1.5, 3));
	CHECK(history_changed(&h, 1, 0.5, 3.5, 2)); /* c3 touched one */
	history_release(&h);
}

static void test_refused(void)
{
	static const struct {
		const char *label, *text, *want;
		int rc;
	} ROWS[] = {
		{"empty", "", "history.tsv: the history is empty", ERR_SYNTAX},
		{"backwards", "5\tc\tA\ta\n4\tc\tA\tb\n",
			"history.tsv:2: the time is before that of the line above; sort the file "
			"by "
			"time",
			ERR_RANGE},
		{"action", "5\tc\tA\ta\n6\tc\tR\tb\n", "history.tsv:2: 'R' is neither A, M nor D",
			ERR_SYNTAX},
		{"fields", "5 c A a\n",
			"history.tsv:1: a line is time, commit, A, M or D, and path, separated by "
			"tabs",
			ERR_SYNTAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct history h = {0};
		struct err err = {0};

		tap_case("refused: %s", ROWS[i].label);
		CHECK_INT(
			history_load(fixture_file(slice_str(ROWS[i].text)), &h, &err), ROWS[i].rc);
		if (!CHECK(strstr(err.text, ROWS[i].want)))
			tap_note("%s", err.text);
	}
}

/* Rates of the sample at day 6: a changed once in 6 days, b three times, late is not there. */
static void test_draw(void)
{
	struct history h = fixture_history(SLICE(SAMPLE));
	struct draw_params p = {.start = 6, .days = 4};
	struct draw d;

	if (CHECK_INT(draw_make(&h, &p, &d), 0)) {
		CHECK_INT(d.site.n, 2);
		CHECK_NEAR(draw_delay(&d), 1, 0);
		CHECK(d.site.survival[0].rate < d.site.survival[1].rate);
		/* The counts are hardly more spread than Poisson's: both near 4 in 12 days. */
		CHECK_NEAR(d.site.survival[0].rate, 1.0 / 3, 0.17);
		draw_release(&d);
	}
	p.memory = 1.5; /* only b's return is remembered, at day 5 */
	if (CHECK_INT(draw_make(&h, &p, &d), 0)) {
		CHECK(d.site.survival[0].rate < d.site.survival[1].rate);
		draw_release(&d);
	}
	p = (struct draw_params){.start = 0.5, .days = 4, .rates = DRAW_ORACLE};
	if (CHECK_INT(draw_make(&h, &p, &d), 0)) {
		CHECK_NEAR(d.site.survival[0].rate, 1.0 / 4, 0);
		CHECK_NEAR(d.site.survival[1].rate, 2.0 / 4, 0);
		draw_release(&d);
	}
	/* The past of one of the two pages is known: both are predicted to be as it. */
	p = (struct draw_params){.start = 5.5, .days = 4, .rates = DRAW_PREDICTED};
	rng_init(&p.randoms, 1);
	if (CHECK_INT(draw_make(&h, &p, &d), 0)) {
		CHECK(d.site.survival[0].rate > 0);
		CHECK_NEAR(d.site.survival[0].rate, d.site.survival[1].rate, 0);
		draw_release(&d);
	}
	p.start = -1;
	CHECK_INT(draw_make(&h, &p, &d), ERR_NOTFOUND);
	history_release(&h);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_pages);
	TAP_RUN(test_changed);
	test_refused();
	TAP_RUN(test_draw);
	return tap_done();
}
