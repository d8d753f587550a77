#include "proof/stillpoint.h"

#include "tap.h"

#define MS INT64_C(1000000)

static void add(struct stillpoint *s, enum attempt_leg leg, int64_t sent, int64_t last)
{
	stillpoint_add(s, leg, &(struct attempt_times){.sent = sent, .last_byte = last});
}

static void test_window(void)
{
	struct stillpoint s = {0};

	CHECK(!stillpoint_is_known(&s));
	add(&s, ATTEMPT_SIDE, 1, 5000);
	add(&s, ATTEMPT_REVISIT, 700, 800);
	CHECK(!stillpoint_is_known(&s));
	add(&s, ATTEMPT_VISIT, 100, 500);
	add(&s, ATTEMPT_VISIT, 200, 300);
	add(&s, ATTEMPT_REVISIT, 600, 900);
	add(&s, ATTEMPT_REVISIT, 0, 10); /* never sent: a name that did not resolve */
	add(&s, ATTEMPT_VISIT, 0, 690);  /* the same: its server is down */
	add(&s, ATTEMPT_LATE, 950, 5000);
	CHECK_INT(s.from, 500);
	CHECK_INT(s.to, 600);
	CHECK(stillpoint_is_known(&s));
	CHECK(stillpoint_is_within(&s, 500, 600));
	CHECK(!stillpoint_is_within(&s, 501, 600));
	CHECK(!stillpoint_is_within(&s, 500, 599));
	CHECK(!stillpoint_is_within(&s, 0, 700));
	s.clock_set = true;
	CHECK(!stillpoint_is_known(&s));
	CHECK(!stillpoint_is_within(&s, 500, 600));
	s.clock_set = false;
	add(&s, ATTEMPT_VISIT, 610, 0); /* without an end: its last known moment counts */
	CHECK_INT(s.from, 610);
	CHECK(!stillpoint_is_known(&s));
	CHECK(!stillpoint_is_within(&s, 500, 700));
}

/* Printed inwards, while intervals are printed outwards at the start and end of each download. */
static void test_format(void)
{
	static const struct {
		const char *label;
		int64_t from, to;
		const char *want_from, *want_to;
	} rows[] = {
		{"whole milliseconds", 5 * MS, 7 * MS, "1970-01-01T00:00:00.005Z",
			"1970-01-01T00:00:00.007Z"},
		{"inwards", 5 * MS + 1, 8 * MS - 1, "1970-01-01T00:00:00.006Z",
			"1970-01-01T00:00:00.007Z"},
		{"one", 5 * MS + 1, 6 * MS + 1, "1970-01-01T00:00:00.006Z",
			"1970-01-01T00:00:00.006Z"},
		{"none inside", 5 * MS + 1, 6 * MS - 1, NULL, NULL},
		{"not known", 7 * MS, 5 * MS, NULL, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct stillpoint s = {.from = rows[i].from, .to = rows[i].to};
		char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];

		tap_case("format: %s", rows[i].label);
		if (CHECK(stillpoint_format(&s, from, to) == (rows[i].want_from != NULL)) &&
			rows[i].want_from) {
			CHECK_STR(from, rows[i].want_from);
			CHECK_STR(to, rows[i].want_to);
		}
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_window);
	test_format();
	return tap_done();
}
