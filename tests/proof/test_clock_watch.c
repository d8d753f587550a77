#include "proof/clock_watch.h"

#include "tap.h"

#define S CLOCK_NS_PER_SECOND

enum { READINGS_MAX = 4 };

/* Seconds; capture times are what the wall clock said when the process began, unless given. */
struct reading {
	const char *moment;
	double wall, monotonic, capture_time;
	const char *boot;
};

static const struct {
	const char *label;
	bool set, adjusted;
	struct reading readings[READINGS_MAX];
} ROWS[] = {
	{"nothing", false, false, {{0}}},
	{"all is well", false, false,
		{{"start", 1000, 10, 1000, "a"}, {"stillpoint", 1090, 100, 1090, "a"},
			{"end", 1190, 200, 1190, "a"}}},
	{"as well as can be told", false, false,
		{{"start", 1000, 10, 1000, "a"}, {"end", 1190.09, 200, 1190, "a"}}},
	{"forward at the end", false, true,
		{{"start", 1000, 10, 1000, "a"}, {"stillpoint", 1090, 100, 1090, "a"},
			{"end", 1190.2, 200, 1190, "a"}}},
	{"back at the still point, and right again", false, true,
		{{"start", 1000, 10, 1000, "a"}, {"stillpoint", 1089, 100, 1090, "a"},
			{"end", 1190, 200, 1190, "a"}}},
	{"between the beginning of the process and that of the capture", false, true,
		{{"start", 1001, 10, 1000, "a"}}},
	{"noticed by somebody", false, true,
		{{"start", 1000, 10, 1000, "a"}, {"clock-set", 1090, 100, 1090, "a"}}},
	{"noticed, and gone on by another process", true, true,
		{{"start", 1000, 10, 1000, "a"}, {"clock-set", 1092, 100, 1090, "a"},
			{"resume", 1502, 510, 1502, "a"}}},
	{"resumed", false, false,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 1500, 510, 1500, "a"},
			{"end", 1600, 610, 1600, "a"}}},
	{"resumed after the clock was set forward", true, false,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 5100, 510, 5100, "a"},
			{"end", 5200, 610, 5200, "a"}}},
	{"resumed after another boot: who knows", false, false,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 5100, 20, 5100, "b"},
			{"end", 5200, 120, 5200, "b"}}},
	{"resumed where boots have no number: the same", false, false,
		{{"start", 1000, 10, 1000, ""}, {"resume", 5100, 20, 5100, ""}}},
	{"resumed after another boot, before the start", true, false,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 900, 20, 900, "b"}}},
	{"a start behind a resume: the names of the files were sorted wrongly", true, false,
		{{"resume", 900, 20, 900, "b"}, {"start", 1000, 10, 1000, "a"}}},
};

/* The true time lies between all readings; a drift is recorded by steps that grow. */
static void test_doubt(void)
{
	struct clock_watch w = {0};
	unsigned recorded = 0;

	tap_case("the doubt of a clock that drifts");
	clock_watch_add(&w, &(struct catalog_clock){.moment = SLICE("start"),
				    .wall = 1000 * S,
				    .monotonic = 10 * S,
				    .capture_time = 1000 * S});
	CHECK(clock_watch_earlier(&w) == 0 && clock_watch_later(&w) == 0);
	for (int64_t i = 1; i <= 10000; i++) {
		int64_t monotonic = (10 + i) * S, wall = monotonic + 990 * S + i * S / 100;

		if (!clock_watch_is_news(&w, wall - monotonic))
			continue;
		recorded++;
		clock_watch_add(&w, &(struct catalog_clock){.moment = SLICE("clock-set"),
					    .wall = wall,
					    .monotonic = monotonic,
					    .capture_time = monotonic + 990 * S});
	}
	CHECK(recorded > 5 && recorded < 50);
	CHECK(clock_watch_later(&w) >= 100 && clock_watch_later(&w) < 160);
	CHECK(clock_watch_earlier(&w) >= 0.1 && clock_watch_earlier(&w) < 40);
	CHECK(!w.set);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct clock_watch w = {0};

		tap_case("%s", ROWS[i].label);
		for (size_t j = 0; j < READINGS_MAX && ROWS[i].readings[j].moment; j++) {
			const struct reading *r = &ROWS[i].readings[j];

			clock_watch_add(
				&w, &(struct catalog_clock){
					    .moment = slice_str(r->moment),
					    .wall = (int64_t)(r->wall * (double)S),
					    .monotonic = (int64_t)(r->monotonic * (double)S),
					    .capture_time = (int64_t)(r->capture_time * (double)S),
					    .boot = slice_str(r->boot),
				    });
		}
		CHECK(w.set == ROWS[i].set);
		CHECK(w.adjusted == ROWS[i].adjusted);
	}
	test_doubt();
	return tap_done();
}
