/* What visits lead to, and how much is still hidden. */
#include "plan/yields.h"

#include "tap.h"

/* Hot pages found ten each, cold ones nothing. */
static void test_heat(void)
{
	double expected[YIELD_DEPTHS][YIELD_HEATS];
	struct yields y = {0};

	for (int i = 0; i < 20; i++) {
		yields_visit(&y, 1, 1e-2, 10);
		yields_visit(&y, 1, 1e-5, 0);
	}
	yields_expect(&y, expected);
	CHECK(expected[1][yield_heat(1e-2)] > 8);
	CHECK(expected[1][yield_heat(1e-5)] < 1);
	/* Of a depth without visits heat tells, less surely. */
	CHECK(expected[2][yield_heat(1e-2)] > 2 * expected[2][yield_heat(1e-5)]);
	/* Of an octave without visits those near it tell. */
	CHECK(expected[1][yield_heat(4e-2)] > 1.5 * expected[1][yield_heat(1e-6)]);
}

/* What was learned of one depth is not blamed on another when heat explains all visits. */
static void test_models(void)
{
	double expected[YIELD_DEPTHS][YIELD_HEATS];
	struct yields y = {0};
	unsigned hot = yield_heat(1e-2), cold = yield_heat(1e-5);

	for (unsigned depth = 1; depth < YIELD_DEPTHS; depth++) {
		yields_visit(&y, depth, 1e-2, 11);
		for (int i = 0; i < 4; i++)
			yields_visit(&y, depth, 1e-5, 0);
	}
	tap_case("heat tells: hot");
	yields_expect(&y, expected);
	CHECK(expected[3][hot] > 8);
	tap_case("heat tells: cold, of any depth");
	CHECK(expected[1][cold] < 0.5 && expected[3][cold] < 0.5);

	y = (struct yields){0};
	for (int i = 0; i < 6; i++) {
		yields_visit(&y, 1, i % 2 ? 1e-2 : 1e-5, 5);
		yields_visit(&y, 2, i % 2 ? 1e-2 : 1e-5, 0);
	}
	tap_case("depth tells, of any heat");
	yields_expect(&y, expected);
	CHECK(expected[1][hot] > 4 && expected[1][cold] > 4);
	CHECK(expected[2][hot] < 1 && expected[2][cold] < 1);
}

/* A quiet visit to a page that never leads on is no reason to doubt a size. */
static void test_doubt(void)
{
	struct plan_site site = {
		.known = 20, .quiet = 10, .growth = {.given = 100, .finders = 2, .found = 20}};
	struct yields_waiting waiting = {.by_depth = {0, 10, 0, 0}, .leads = 10, .quiet = 0.01};
	struct yields y = {0};
	double sure = yields_hidden(&y, &waiting, &site).sure;

	tap_case("quiet visits of which nothing was expected");
	CHECK(sure > 29 && sure <= 30);
	tap_case("quiet visits of which much was expected");
	waiting.quiet = 1000;
	CHECK(yields_hidden(&y, &waiting, &site).sure < 0.9 * sure);
	tap_case("no size told");
	site.growth.given = 0;
	CHECK(yields_hidden(&y, &waiting, &site).sure == 0);
}

/* Every rate has its place, and hotter pages none below. */
static void test_octaves(void)
{
	static const double rates[] = {0, 1e-300, 1e-9, 1e-6, 1e-3, 1, 1e3, 1e300};

	CHECK_INT(yield_heat(rates[0]), 0);
	for (size_t i = 1; i < ARRAY_LEN(rates); i++) {
		CHECK(yield_heat(rates[i]) >= yield_heat(rates[i - 1]));
		CHECK(yield_heat(rates[i]) < YIELD_HEATS);
	}
}

static void test_hidden(void)
{
	enum { WAITING = 80 };
	static const struct {
		const char *label;
		uint32_t visits, found; /* of links of links, each */
		uint32_t known, given, quiet;
		double least, most;
	} rows[] = {
		{"nothing seen", 0, 0, 100, 0, 0, 20, 25},
		{"quiet", 60, 0, 100, 0, 60, 0, 3},
		{"quiet, twice as many told", 60, 0, 100, 200, 60, 0, 3},
		{"growing, all told found", 60, 1, 100, 100, 0, 0, 0},
		{"growing, few missing", 60, 1, 100, 110, 0, 10, 10},
		{"growing, many missing", 60, 1, 100, 1000, 0, 400, 400},
		{"growing, twice as many told", 60, 1, 100, 200, 0, 100, 100},
		{"the same, quiet of late", 60, 1, 100, 200, 60, 1, 60},
		{"the same, most visited in vain", 60, 1, 100, 1000, 4000, 0, 40},
		{"growing, too few told", 60, 1, 100, 50, 0, 25, 25},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_site site = {.known = rows[i].known,
			.quiet = rows[i].quiet,
			.growth = {.given = rows[i].given, .finders = 6, .found = 120}};
		struct yields_waiting waiting = {.by_depth = {0, 0, WAITING, 0}};
		double hidden, expected[YIELD_DEPTHS][YIELD_HEATS];
		unsigned heat = yield_heat(1e-3);
		struct yields y = {0};

		tap_case("hidden: %s", rows[i].label);
		yields_visit(&y, 0, 1e-3, 20);
		for (uint32_t k = 0; k < rows[i].visits; k++)
			yields_visit(&y, 2, 1e-3, rows[i].found);
		yields_expect(&y, expected);
		waiting.leads = WAITING * expected[2][heat];
		waiting.quiet = rows[i].quiet * expected[2][heat];
		hidden = yields_hidden(&y, &waiting, &site).mean;
		tap_note("%.2f", hidden);
		CHECK(hidden >= rows[i].least - 1e-9 && hidden <= rows[i].most + 1e-9);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_heat);
	TAP_RUN(test_models);
	TAP_RUN(test_doubt);
	TAP_RUN(test_octaves);
	test_hidden();
	return tap_done();
}
