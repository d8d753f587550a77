#include "plan/rate_estimate.h"

#include "tap.h"

/* Words: https://www.sitemaps.org/protocol.html#xmlTagDefinitions */
static void test_words(void)
{
	static const struct {
		const char *word;
		double seconds; /* 0: none */
	} rows[] = {
		{"always", 60},
		{"hourly", 3600},
		{"daily", 86400},
		{"Weekly", 604800},
		{"MONTHLY", 2592000},
		{"yearly", 31536000},
		{"never", 315360000},
		{"", 0},
		{"dail", 0},
		{"daily ", 0},
		{"sometimes", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double rate = -1;
		bool found = frequency_rate(slice_str(rows[i].word), &rate);

		tap_case("words: '%s'", rows[i].word);
		CHECK(found == (rows[i].seconds > 0));
		CHECK_NEAR(rate, found ? 1 / rows[i].seconds : -1, 1e-18);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_words();
	return tap_done();
}
