#include "base/clock.h"

#include <string.h>

#include "tap.h"

/* Dates checked with GNU date: date -u -d @SECONDS. */
static void test_format(void)
{
	static const struct {
		const char *label;
		int64_t ns;
		const char *down, *up;
	} rows[] = {
		{"epoch", 0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"},
		{"whole millisecond", INT64_C(1297416600125000000), "2011-02-11T09:30:00.125Z",
			"2011-02-11T09:30:00.125Z"},
		{"a nanosecond more", INT64_C(1297416600125000001), "2011-02-11T09:30:00.125Z",
			"2011-02-11T09:30:00.126Z"},
		{"carries to the next year", INT64_C(1735689599999000001),
			"2024-12-31T23:59:59.999Z", "2025-01-01T00:00:00.000Z"},
		{"leap day", INT64_C(1709164800000000000), "2024-02-29T00:00:00.000Z",
			"2024-02-29T00:00:00.000Z"},
		{"leap day of a century", INT64_C(951782400000000000), "2000-02-29T00:00:00.000Z",
			"2000-02-29T00:00:00.000Z"},
		{"no leap day in 2100", INT64_C(4107542400000000000), "2100-03-01T00:00:00.000Z",
			"2100-03-01T00:00:00.000Z"},
		{"before the epoch", -1, "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"},
		{"first", INT64_MIN, "1677-09-21T00:12:43.145Z", "1677-09-21T00:12:43.146Z"},
		{"last", INT64_MAX, "2262-04-11T23:47:16.854Z", "2262-04-11T23:47:16.855Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[CLOCK_TEXT_SIZE];

		tap_case("format: %s", rows[i].label);
		clock_format(rows[i].ns, CLOCK_ROUND_DOWN, text);
		CHECK_STR(text, rows[i].down);
		clock_format(rows[i].ns, CLOCK_ROUND_UP, text);
		CHECK_STR(text, rows[i].up);
	}
}

static void test_manual(void)
{
	struct clock_manual m;

	clock_manual_init(&m, 5 * CLOCK_NS_PER_SECOND);
	CHECK_INT(clock_monotonic(&m.clock), 0);
	CHECK_INT(clock_realtime(&m.clock), 5 * CLOCK_NS_PER_SECOND);
	clock_manual_advance(&m, 1.5);
	CHECK_INT(clock_monotonic(&m.clock), 1500000000);
	CHECK_INT(clock_realtime(&m.clock), 6500000000);
	CHECK_NEAR(clock_seconds(clock_monotonic(&m.clock)), 1.5, 0);
}

/* Setting the wall clock changes nothing; the offsets tell. */
static void test_anchored(void)
{
	struct clock_manual m;
	struct clock_anchored a;

	clock_manual_init(&m, 5 * CLOCK_NS_PER_SECOND);
	clock_manual_advance(&m, 1);
	clock_anchor(&a, &m.clock);
	CHECK_INT(clock_offset(&m.clock), 5 * CLOCK_NS_PER_SECOND);
	CHECK_INT(clock_offset(&a.clock), 5 * CLOCK_NS_PER_SECOND);
	m.realtime_ns += 3600 * CLOCK_NS_PER_SECOND;
	clock_manual_advance(&m, 1);
	CHECK_INT(clock_monotonic(&a.clock), 2 * CLOCK_NS_PER_SECOND);
	CHECK_INT(clock_realtime(&a.clock), 7 * CLOCK_NS_PER_SECOND);
	CHECK_INT(clock_offset(&a.clock), 5 * CLOCK_NS_PER_SECOND);
	CHECK_INT(clock_offset(&m.clock), 3605 * CLOCK_NS_PER_SECOND);
}

static void test_boot_id(void)
{
	char first[CLOCK_BOOT_SIZE], second[CLOCK_BOOT_SIZE];

	clock_boot_id(first);
	clock_boot_id(second);
	CHECK_STR(first, second);
	CHECK(strlen(first) == 0 || strlen(first) == CLOCK_BOOT_SIZE - 1);
}

static void test_system(void)
{
	const struct clock *c = clock_system();
	int64_t first = clock_monotonic(c);

	CHECK(clock_monotonic(c) >= first);
	CHECK(clock_realtime(c) > INT64_C(1600000000) * CLOCK_NS_PER_SECOND);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_format();
	TAP_RUN(test_manual);
	TAP_RUN(test_anchored);
	TAP_RUN(test_boot_id);
	TAP_RUN(test_system);
	return tap_done();
}
