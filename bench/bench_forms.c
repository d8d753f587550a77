/*
 * How many queries it takes to find 90 % of a hidden database by its search form: of an oracle, of
 * the words that `crawl --forms` chooses, of random words. Figures for docs/forms.md.
 */
#include <stdio.h>

#include "sim/hidden_database.h"

static const struct {
	const char *name;
	struct hidden_params params;
} ROWS[] = {
	{"flat", {10000, 5000, 8, 16, 0, 0, 0.6, 0, 5, 0.9}},
	{"Zipf, frequent words", {10000, 20000, 8, 16, 0, 0, 1, 0, 5, 0.9}},
	{"Zipf, rare words", {10000, 20000, 8, 16, 0, 0, 1, 100, 5, 0.9}},
	{"short records", {10000, 3000, 3, 6, 0, 0, 0.8, 0, 5, 0.9}},
	{"20 topics", {10000, 8000, 5, 10, 20, 0.9, 1, 0, 3, 0.9}},
	{"50 topics", {10000, 20000, 8, 16, 50, 0.6, 1, 20, 5, 0.9}},
	{"50 topics, rare words", {10000, 20000, 8, 16, 50, 0.6, 1, 100, 5, 0.9}},
	{"100 topics, long records", {10000, 20000, 20, 40, 100, 0.8, 1, 100, 3, 0.9}},
};

enum { QUERIES_MAX = 20000 };

int main(void)
{
	printf("%-26s %8s %8s %8s\n", "10,000 records", "oracle", "--forms", "random");
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		struct hidden_result result;
		struct rng rng;

		rng_init(&rng, 1);
		if (hidden_database_run(&ROWS[i].params, &rng, QUERIES_MAX, &result))
			return 1;
		printf("%-26s %8u %8u %8u\n", ROWS[i].name, result.oracle, result.adaptive,
			result.random);
	}
	return 0;
}
