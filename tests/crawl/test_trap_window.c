#include "crawl/gate.h"

#include <stdlib.h>
#include <time.h>

#include "tap.h"

static void use_zone(const char *zone)
{
	CHECK_INT(setenv("TZ", zone, 1), 0);
	tzset();
}

/* POSIX rules of Central Europe: 2024-03-31 02:00 becomes 03:00, 2024-10-27 03:00 becomes 02:00. */
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

static void test_bad(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", "not a window of time"},
		{"22", "not a window of time"},
		{"22-", "not a window of time"},
		{"-06", "not a window of time"},
		{"22-25", "not a window of time"},
		{"24:01-06", "not a window of time"},
		{"22:60-06", "not a window of time"},
		{"22:5-06", "not a window of time"},
		{"022-06", "not a window of time"},
		{"22-06-07", "not a window of time"},
		{"06-06", "not a window of time"},
		{"night", "not a window of time"},
		{"22-06,", "after the last comma"},
		{",22-06", "not a window of time"},
		{"1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2,1-2",
			"at most 16"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct windows w = {.count = 3};
		struct err err = {0};

		tap_case("bad: '%s'", rows[i].text);
		CHECK_INT(windows_parse(&w, slice_str(rows[i].text), &err), ERR_USAGE);
		CHECK(strstr(err.text, rows[i].want) != NULL);
		CHECK_INT(w.count, 3);
	}
}

/* Times are UTC; the zone is what the wall clock shows. */
static void test_opening(void)
{
	static const struct {
		const char *label, *zone, *text;
		int64_t now, want;
	} rows[] = {
		{"none is always open", "UTC", NULL, 1000, 1000},
		{"within", "UTC", "22-06", 1704150000, 1704150000}, /* 2024-01-01 23:00 */
		{"within, after midnight", "UTC", "22-06", 1704160800, 1704160800},    /* 02:00 */
		{"its end is not part of it", "UTC", "22-06", 1704175200, 1704232800}, /* 06:00 */
		{"its start is", "UTC", "22-06", 1704232800, 1704232800},              /* 22:00 */
		{"before it", "UTC", "22-06", 1704196800, 1704232800},                 /* 12:00 */
		{"seconds count", "UTC", "22-06", 1704196859, 1704232800},
		{"the last second before it", "UTC", "22-06", 1704232799, 1704232800},
		{"minutes count", "UTC", "22:30-06", 1704232800, 1704234600},
		{"the next of several", "UTC", "22-06,12:15-13", 1704196800, 1704197700},
		{"all day", "UTC", "0-24", 1704196800, 1704196800},
		{"until midnight", "UTC", "20-24", 1704239999, 1704239999},
		{"and no longer", "UTC", "20-24", 1704240000, 1704312000},
		{"from midnight", "UTC", "00:00-1", 1704239999, 1704240000},
		{"local time, winter", BERLIN, "22-06", 1704142800, 1704142800}, /* 21:00Z */
		{"local time, a second before", BERLIN, "22-06", 1704142799, 1704142800},
		{"local time, summer", BERLIN, "22-06", 1719863999, 1719864000}, /* 20:00Z */
		/* 2024-03-31: 01:00Z is when 02:00 becomes 03:00. */
		{"the hour that is left out", BERLIN, "02:15-02:45", 1711843200, 1711930500},
		{"what begins in it opens when it is over", BERLIN, "02:30-04", 1711843200,
			1711846800},
		{"what ends in it ends when it begins", BERLIN, "01-02:30", 1711846800, 1711926000},
		/* 2024-10-27: 01:00Z is when 03:00 becomes 02:00. */
		{"the hour that comes twice, once", BERLIN, "02-03", 1729987200, 1729987200},
		{"the hour that comes twice, again", BERLIN, "02-03", 1729990800, 1729990800},
		{"and then it is over", BERLIN, "02-03", 1729994400, 1730077200},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct windows w = {0};
		struct err err = {0};

		tap_case("opening: %s", rows[i].label);
		use_zone(rows[i].zone);
		if (rows[i].text)
			CHECK_INT(windows_parse(&w, slice_str(rows[i].text), &err), 0);
		CHECK_INT(windows_opening(&w, rows[i].now), rows[i].want);
	}
}

static void test_closing(void)
{
	static const struct {
		const char *label, *zone, *text;
		int64_t now, want;
	} rows[] = {
		{"within", "UTC", "22-06", 1704160800, 1704175200},
		{"its last second", "UTC", "22-06", 1704175199, 1704175200},
		{"closed now", "UTC", "22-06", 1704175200, 1704175200},
		{"one after the other", "UTC", "22-23,23-06", 1704232800, 1704261600},
		{"all day", "UTC", "0-24", 1704196800, INT64_MAX},
		{"none", "UTC", NULL, 1704196800, INT64_MAX},
		/* 2024-10-27: 01:00Z is when 03:00 becomes 02:00. */
		{"the hour that comes twice", BERLIN, "02-03", 1729987200, 1729994400},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct windows w = {0};
		struct err err = {0};

		tap_case("closing: %s", rows[i].label);
		use_zone(rows[i].zone);
		if (rows[i].text)
			CHECK_INT(windows_parse(&w, slice_str(rows[i].text), &err), 0);
		CHECK_INT(windows_closing(&w, rows[i].now), rows[i].want);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_bad();
	test_opening();
	test_closing();
	return tap_done();
}
