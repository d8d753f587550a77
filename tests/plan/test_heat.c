#include <stdlib.h>

#include "base/rng.h"
#include "plan/heat.h"
#include "tap.h"

enum family { RANDOM, EQUAL, FEW, ASCENDING, DESCENDING, SAW };

static double key_of(enum family family, struct rng *rng, size_t i, size_t n)
{
	switch (family) {
	case RANDOM:
		return rng_double(rng);
	case EQUAL:
		return 1;
	case FEW:
		return (double)rng_below(rng, 3);
	case ASCENDING:
		return (double)i;
	case DESCENDING:
		return (double)(n - i);
	case SAW:
		return (double)(i % 17);
	}
	return 0;
}

/* Sorted from large to small, equal keys in the order they had, and each page once. */
static void check_sorted(const double *key, const uint32_t *pages, size_t n)
{
	bool *seen = calloc(n + 1, sizeof *seen);

	for (size_t i = 0; seen && i < n; i++) {
		if (!CHECK(pages[i] < n && !seen[pages[i]]))
			break;
		seen[pages[i]] = true;
		if (i == 0)
			continue;
		if (!CHECK(key[pages[i - 1]] > key[pages[i]] ||
			    (key[pages[i - 1]] == key[pages[i]] && pages[i - 1] < pages[i])))
			break;
	}
	free(seen);
}

static void test_families(void)
{
	static const struct {
		const char *label;
		enum family family;
	} rows[] = {
		{"random", RANDOM},
		{"all equal", EQUAL},
		{"few keys", FEW},
		{"ascending", ASCENDING},
		{"descending", DESCENDING},
		{"saw", SAW},
	};
	static const size_t sizes[] = {0, 1, 2, 3, 16, 17, 18, 100, 1000, 100000};
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		tap_case("sorts: %s", rows[r].label);
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
			size_t n = sizes[k];
			double *key = calloc(n + 1, sizeof *key);
			uint32_t *pages = calloc(n + 1, sizeof *pages);

			for (size_t i = 0; key && pages && i < n; i++) {
				key[i] = key_of(rows[r].family, &rng, i, n);
				pages[i] = (uint32_t)i;
			}
			if (key && pages) {
				CHECK_INT(heat_sort_by(key, pages, n), 0);
				check_sorted(key, pages, n);
			}
			free(key);
			free(pages);
		}
	}
}

static void test_by_rate(void)
{
	const struct survival s[] = {{1, 0}, {3, 2}, {2, 0}, {3, 0}, {0, 0}};
	uint32_t pages[] = {4, 3, 2, 1, 0};
	const uint32_t want[] = {3, 1, 2, 0, 4}; /* 3 stood before 1 */

	CHECK_INT(heat_sort(s, pages, 5), 0);
	for (size_t i = 0; i < 5; i++)
		CHECK_INT(pages[i], want[i]);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_families();
	TAP_RUN(test_by_rate);
	return tap_done();
}
