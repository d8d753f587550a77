/* Rules of retention: their text, and what they keep. */
#include "archive/retire.h"

#include <string.h>

#include "base/clock.h"
#include "tap.h"

enum { VERSIONS_MAX = 16 };

static const int64_t DAY = 86400 * CLOCK_NS_PER_SECOND;

static void test_parse(void)
{
	static const struct {
		const char *text;
		int rc;
		size_t steps;
	} ROWS[] = {
		{"all", 0, 1},
		{"all:30d", 0, 1},
		{"all:30d,7d:1y,30d", 0, 3},
		{"all:30d, 1w:1y, 4w", 0, 3},
		{"1h:1d", 0, 1},
		{"", ERR_SYNTAX, 0},
		{"all:", ERR_SYNTAX, 0},
		{"everything", ERR_SYNTAX, 0},
		{"all:30d,7d:30d", ERR_SYNTAX, 0},
		{"all:30d,7d:1d", ERR_SYNTAX, 0},
		{"all,7d", ERR_SYNTAX, 0},
		{"all:1d,,7d", ERR_SYNTAX, 0},
		{"0d:3d", ERR_SYNTAX, 0},
		{"-7d", ERR_SYNTAX, 0},
		{"nan", ERR_SYNTAX, 0},
		{"1e300y", ERR_SYNTAX, 0},
		{"all:1d:2d", ERR_SYNTAX, 0},
		{"w", ERR_SYNTAX, 0},
		{"1d:1w,1d:2w,1d:3w,1d:4w,1d:5w,1d:6w,1d:7w,1d:8w,1d:9w,1d:10w,1d:11w,1d:12w,"
		 "1d:13w,1d:14w,1d:15w,1d:16w,1d:17w",
			ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct retention r = {0};
		struct err err = {0};

		tap_case("parse: %s", ROWS[i].text);
		CHECK_INT(retention_parse(slice_str(ROWS[i].text), &r, &err), ROWS[i].rc);
		CHECK_INT(r.count, ROWS[i].steps);
		CHECK((ROWS[i].rc == 0) == (err.text[0] == 0));
	}
}

/* Days since 1970 on which versions were seen last; want has a letter for each: k kept, r not. */
static void test_choose(void)
{
	static const struct {
		const char *label, *rules;
		int now;
		int seen[VERSIONS_MAX];
		const char *want;
	} ROWS[] = {
		{"young ones stay", "all:30d", 100, {80, 90, 95}, "kkk"},
		{"old ones go, but the newest", "all:30d", 1000, {80, 90, 95}, "rrk"},
		{"the only one stays", "all:1d", 1000, {1}, "k"},
		{"one a week: the last of each", "all:10d,7d", 100,
			{70, 72, 76, 77, 78, 83, 84, 91, 95}, "rrkrrkkkk"},
		{"then one in 28 days", "all:10d,7d:50d,28d", 200,
			{1, 27, 28, 55, 56, 60, 155, 156, 160, 161, 195}, "rkrkrkrrkkk"},
		{"behind the last age nothing", "all:10d,7d:50d", 200, {10, 20, 155, 195}, "rrkk"},
		{"of the future", "all:10d", 5, {6, 7}, "kk"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		size_t count = strlen(ROWS[i].want);
		int64_t seen[VERSIONS_MAX];
		bool keep[VERSIONS_MAX];
		char got[VERSIONS_MAX + 1] = "";
		struct retention r;
		struct err err = {0};

		tap_case("choose: %s", ROWS[i].label);
		CHECK_INT(retention_parse(slice_str(ROWS[i].rules), &r, &err), 0);
		for (size_t n = 0; n < count; n++)
			seen[n] = ROWS[i].seen[n] * DAY;
		retention_choose(&r, ROWS[i].now * DAY, seen, count, keep);
		for (size_t n = 0; n < count; n++)
			got[n] = keep[n] ? 'k' : 'r';
		CHECK_STR(got, ROWS[i].want);
	}
}

/* Done every day or once, the same is left, but where a step ends in the middle of a period. */
static void test_often(void)
{
	enum { DAYS = 400 };
	bool once[DAYS], left[DAYS];
	int64_t seen[DAYS], some[DAYS];
	struct retention r;
	struct err err = {0};

	CHECK_INT(retention_parse(SLICE("all:10d,7d:100d,28d"), &r, &err), 0);
	for (int i = 0; i < DAYS; i++) {
		seen[i] = i * DAY;
		left[i] = true;
	}
	for (int now = 0; now < DAYS; now++) {
		bool keep[DAYS];
		size_t count = 0;

		for (int i = 0; i <= now; i++)
			if (left[i])
				some[count++] = seen[i];
		retention_choose(&r, now * DAY, some, count, keep);
		count = 0;
		for (int i = 0; i <= now; i++)
			if (left[i])
				left[i] = keep[count++];
	}
	retention_choose(&r, (DAYS - 1) * DAY, seen, DAYS, once);
	for (int i = 0; i < DAYS; i++)
		if (i < DAYS - 100 - 28 || i > DAYS - 100 + 7)
			CHECK_INT(left[i], once[i]);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_parse();
	test_choose();
	TAP_RUN(test_often);
	return tap_done();
}
