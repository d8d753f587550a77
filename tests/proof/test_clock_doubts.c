#include "proof/clock_watch.h"

#include "tap.h"

#define S CLOCK_NS_PER_SECOND

/* A reading: its moment, the wall clock, the monotonic clock, and what the capture makes of it. */
struct reading {
	const char *moment;
	int64_t wall, monotonic, capture;
	bool synchronised;
};

static struct attempt look_of(int64_t offset)
{
	return (struct attempt){.wall.sent = 500 * S + offset, .clock.sent = 500 * S};
}

enum { PROCESSES = 3, READINGS = 4 };

static void test_rows(void)
{
	static const struct {
		const char *label;
		struct reading readings[READINGS];
		int64_t offsets[PROCESSES];
		bool want[PROCESSES];
	} rows[] = {
		{"nothing happened",
			{{"start", 100 * S, 0, 100 * S, false},
				{"resume", 200 * S, 100 * S, 200 * S, false}},
			{100 * S, 100 * S, 7 * S}, {false, false, false}},
		{"set while it ran: that process alone",
			{{"start", 100 * S, 0, 100 * S, true},
				{"clock-set", 1200 * S, 100 * S, 200 * S, true},
				{"resume", 1300 * S, 200 * S, 1300 * S, true}},
			{100 * S, 1100 * S, 7 * S}, {true, false, true}},
		{"the same, and nobody vouches for the new time",
			{{"start", 100 * S, 0, 100 * S, false},
				{"clock-set", 1200 * S, 100 * S, 200 * S, false},
				{"resume", 1300 * S, 200 * S, 1300 * S, false}},
			{100 * S, 1100 * S, 7 * S}, {true, false, true}},
		{"set back between two processes",
			{{"start", 1000 * S, 0, 1000 * S, false},
				{"resume", 200 * S, 100 * S, 200 * S, false},
				{"resume", 300 * S, 200 * S, 300 * S, false}},
			{1000 * S, 100 * S, 7 * S}, {true, true, true}},
		{"the same, synchronised since",
			{{"start", 1000 * S, 0, 1000 * S, false},
				{"resume", 200 * S, 100 * S, 200 * S, true},
				{"resume", 300 * S, 200 * S, 300 * S, true}},
			{1000 * S, 100 * S, 7 * S}, {true, false, true}},
		{"set in a later process: the earlier one went by the same time",
			{{"start", 100 * S, 0, 100 * S, false},
				{"resume", 700 * S, 600 * S, 700 * S, false},
				{"clock-set", 1900 * S, 800 * S, 900 * S, false}},
			{100 * S, 7 * S, 7 * S}, {true, true, true}},
		{"the same, but it began with a synchronised clock",
			{{"start", 100 * S, 0, 100 * S, false},
				{"resume", 700 * S, 600 * S, 700 * S, true},
				{"clock-set", 1900 * S, 800 * S, 900 * S, true}},
			{100 * S, 7 * S, 7 * S}, {false, true, true}},
		{"set in a later process than that of the look",
			{{"start", 100 * S, 0, 100 * S, true},
				{"resume", 300 * S, 200 * S, 300 * S, true},
				{"clock-set", 1900 * S, 800 * S, 900 * S, true},
				{"resume", 2000 * S, 900 * S, 2000 * S, true}},
			{100 * S, 1100 * S, 7 * S}, {true, true, true}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct clock_doubts d = {0};

		tap_case("doubts: %s", rows[i].label);
		for (size_t k = 0; k < READINGS && rows[i].readings[k].moment; k++) {
			const struct reading *r = &rows[i].readings[k];
			struct catalog_clock clock = {.moment = slice_str(r->moment),
				.wall = r->wall,
				.monotonic = r->monotonic,
				.capture_time = r->capture,
				.boot = SLICE("b"),
				.synchronised = r->synchronised};

			clock_doubts_add(&d, &clock);
		}
		for (size_t k = 0; k < PROCESSES; k++) {
			struct attempt a = look_of(rows[i].offsets[k]);

			CHECK(clock_doubts_has(&d, &a) == rows[i].want[k]);
		}
		clock_doubts_release(&d);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	return tap_done();
}
