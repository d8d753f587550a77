#include "quality/clock_watch.h"

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
	bool set;
	struct reading readings[READINGS_MAX];
} ROWS[] = {
	{"nothing", false, {{0}}},
	{"all is well", false,
		{{"start", 1000, 10, 1000, "a"}, {"stillpoint", 1090, 100, 1090, "a"},
			{"end", 1190, 200, 1190, "a"}}},
	{"as well as can be told", false,
		{{"start", 1000, 10, 1000, "a"}, {"end", 1190.09, 200, 1190, "a"}}},
	{"forward at the end", true,
		{{"start", 1000, 10, 1000, "a"}, {"stillpoint", 1090, 100, 1090, "a"},
			{"end", 1190.2, 200, 1190, "a"}}},
	{"back at the still point, and right again", true,
		{{"start", 1000, 10, 1000, "a"}, {"stillpoint", 1089, 100, 1090, "a"},
			{"end", 1190, 200, 1190, "a"}}},
	{"between the beginning of the process and that of the capture", true,
		{{"start", 1001, 10, 1000, "a"}}},
	{"noticed by somebody", true,
		{{"start", 1000, 10, 1000, "a"}, {"clock-set", 1090, 100, 1090, "a"}}},
	{"resumed", false,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 1500, 510, 1500, "a"},
			{"end", 1600, 610, 1600, "a"}}},
	{"resumed after the clock was set forward", true,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 5100, 510, 5100, "a"},
			{"end", 5200, 610, 5200, "a"}}},
	{"resumed after another boot: who knows", false,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 5100, 20, 5100, "b"},
			{"end", 5200, 120, 5200, "b"}}},
	{"resumed where boots have no number: the same", false,
		{{"start", 1000, 10, 1000, ""}, {"resume", 5100, 20, 5100, ""}}},
	{"resumed after another boot, before the start", true,
		{{"start", 1000, 10, 1000, "a"}, {"resume", 900, 20, 900, "b"}}},
	{"a start behind a resume: the names of the files were sorted wrongly", true,
		{{"resume", 900, 20, 900, "b"}, {"start", 1000, 10, 1000, "a"}}},
};

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
	}
	return tap_done();
}
