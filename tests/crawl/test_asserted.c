#include "crawl/polling.h"

#include "base/rng.h"
#include "tap.h"

static void test_judging(void)
{
	static const struct {
		const char *label;
		struct asserted_check check;
		bool doubted; /* before */
		bool is_lie, is_doubt;
	} rows[] = {
		{"the same", {.differs = false}, false, false, false},
		{"the same, after a doubt", {.same_validators = true}, true, false, false},
		{"changed just then, or a lie", {.differs = true}, false, false, true},
		{"and again", {.differs = true}, true, true, false},
		{"under the ETag that was confirmed", {true, .same_validators = true}, false, true,
			false},
		{"changed before the 304", {true, .is_older = true}, false, true, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct asserted a = {.checked = 4, .doubted = rows[i].doubted};

		tap_case("a full download after a 304: %s", rows[i].label);
		CHECK(asserted_judge(&a, &rows[i].check) == rows[i].is_lie);
		CHECK_INT((int)a.checked, 5);
		CHECK_INT((int)a.lies, rows[i].is_lie);
		CHECK(a.doubted == rows[i].is_doubt);
	}
}

static void test_sample(void)
{
	struct asserted a = {0};
	struct rng rng;

	tap_case("the first 304 is checked, later ones at random, the next after a doubt");
	CHECK(asserted_came(&a, 0.999));
	a.checked = 1;
	CHECK(asserted_came(&a, 0.49) && !asserted_came(&a, 0.51));
	a.checked = 1000;
	rng_init(&rng, 1);
	{
		unsigned checks = 0;

		for (int i = 0; i < 10000; i++)
			checks += asserted_came(&a, rng_double(&rng));
		CHECK_NEAR(checks, 1000, 100);
	}
	a.doubted = true;
	CHECK(asserted_came(&a, 0.999));
	CHECK_INT((int)a.answers, 10004);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_judging();
	test_sample();
	return tap_done();
}
