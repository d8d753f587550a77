#include "base/closest.h"

#include "tap.h"

static void test_suggestions(void)
{
	static const char *const words[] = {
		"delay", "strategy", "json", "tau", "output", "hottest-first", "hottest-last"};
	static const struct {
		const char *label, *word, *want;
	} rows[] = {
		{"letter missing", "dely", "delay"},
		{"letter too many", "strattegy", "strategy"},
		{"wrong letter", "jsin", "json"},
		{"two neighbours swapped", "tua", "tau"},
		{"beginning only", "strat", "strategy"},
		{"two slips in a long word", "hotest-frist", "hottest-first"},
		{"nothing alike", "colour", NULL},
		{"short and wrong", "x", NULL},
		{"nothing", "", NULL},
		{"no word at all",
			"delaydelaydelaydelaydelaydelaydelaydelaydelaydelaydelaydelaydelay", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct closest c;

		tap_case("closest: %s", rows[i].label);
		closest_init(&c, rows[i].word);
		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			closest_offer(&c, words[k]);
		CHECK_STR(closest_get(&c), rows[i].want);
	}
}

static void test_first_of_equals(void)
{
	struct closest c;

	closest_init(&c, "cat");
	closest_offer(&c, "car");
	closest_offer(&c, "cap");
	CHECK_STR(closest_get(&c), "car");
	closest_offer(&c, "cat");
	CHECK_STR(closest_get(&c), "cat");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_suggestions();
	TAP_RUN(test_first_of_equals);
	return tap_done();
}
