/* The papers' sites: rates and trees as SHARC 9.3 and SOLAR 6 describe them, and their text form.
 */
#include "sim/synthetic.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

static struct site make(const struct synthetic *spec, struct rng *rng)
{
	struct site site = {0};

	CHECK_INT(synthetic_site(spec, rng, &site), 0);
	return site;
}

static void test_zipf(void)
{
	struct synthetic spec = {.n = 4, .outdegree = 2, .skew = 1.5};
	double rates[4];

	synthetic_fill_rates(&spec, rates);
	for (int i = 0; i < 4; i++)
		CHECK_NEAR(rates[i], 1 / pow(i + 1, 1.5), 1e-15);
}

/* At tau = 0.7 the confidence lengths are 1, 2, 3, … */
static void test_smooth(void)
{
	struct synthetic spec = {.n = 3, .rates = SYNTHETIC_SMOOTH};
	double rates[3];

	synthetic_fill_rates(&spec, rates);
	for (int i = 0; i < 3; i++)
		CHECK_NEAR(exp(-rates[i] * (i + 1)), 0.7, 1e-15);
}

/* Three steps of 6 %, then six of 0.1 %, and so on. */
static void test_skewed(void)
{
	struct synthetic spec = {.n = 14, .rates = SYNTHETIC_SKEWED};
	double rates[14];

	synthetic_fill_rates(&spec, rates);
	CHECK_NEAR(rates[0], 1, 0);
	CHECK_NEAR(rates[3], 1 / (1.06 * 1.06 * 1.06), 1e-15);
	CHECK_NEAR(rates[8] / rates[9], 1.001, 1e-14);
	CHECK_NEAR(rates[9] / rates[10], 1.06, 1e-14);
	CHECK_NEAR(rates[12] / rates[13], 1.001, 1e-14);
}

static void test_leaves(void)
{
	static const struct {
		const char *label;
		enum synthetic_leaves leaves;
		size_t hottest;
	} rows[] = {{"cold", SYNTHETIC_COLD, 0}, {"hot", SYNTHETIC_HOT, 9}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct synthetic spec = {
			.n = 10, .outdegree = 3, .skew = 1, .leaves = rows[i].leaves};
		struct site s = make(&spec, NULL);

		tap_case("leaves: %s", rows[i].label);
		CHECK_NEAR(s.survival[rows[i].hottest].rate, 1, 0);
		CHECK_NEAR(s.survival[9 - rows[i].hottest].rate, 0.1, 1e-15);
		site_release(&s);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The same rates in another order. */
static void test_mixed(void)
{
	struct synthetic spec = {.n = 100, .outdegree = 3, .skew = 1, .leaves = SYNTHETIC_MIXED};
	double rates[100], sorted[100];
	struct rng rng;
	struct site s;
	bool moved = false;

	rng_init(&rng, 1);
	s = make(&spec, &rng);
	synthetic_fill_rates(&spec, rates);
	for (size_t i = 0; i < 100; i++) {
		sorted[i] = s.survival[i].rate;
		moved |= sorted[i] != rates[i];
	}
	CHECK(moved);
	qsort(sorted, 100, sizeof sorted[0], compare);
	for (size_t i = 0; i < 100; i++)
		CHECK_NEAR(sorted[i], rates[i], 0);
	site_release(&s);
}

/* SOLAR: p0 links to p1 to p20, p_i to p_(10i+11) to p_(10i+20), as far as there are pages. */
static void test_solar_tree(void)
{
	struct synthetic spec = {.n = 1000, .outdegree = 10, .root = 20, .rates = SYNTHETIC_SMOOTH};
	struct site s = make(&spec, NULL);

	CHECK_INT(s.link_from[1], 20);
	for (size_t i = 1; i < 98; i++) {
		CHECK_INT(s.link_from[i + 1] - s.link_from[i], 10);
		CHECK_INT(s.links[s.link_from[i]], 10 * i + 11);
	}
	CHECK_INT(s.link_from[99] - s.link_from[98], 9);
	CHECK_INT(s.link_from[1000], 999);
	site_release(&s);
}

/* Every page but the root is linked once; its place within its parent is random. */
static void test_random_links(void)
{
	struct synthetic spec = {.n = 1000, .outdegree = 30, .skew = 1.2};
	struct u32_vec reached = {0}, rest = {0};
	struct rng rng;
	struct site s;
	bool shuffled = false;

	rng_init(&rng, 7);
	s = make(&spec, &rng);
	for (size_t i = 0; i < s.n; i++)
		for (size_t k = s.link_from[i]; k < s.link_from[i + 1]; k++) {
			CHECK_INT((s.links[k] - 1) / 30, i);
			shuffled |= s.links[k] != k + 1;
		}
	CHECK(shuffled);
	CHECK_INT(site_reach(&s, (const uint32_t[]){0}, 1, &reached, &rest), 0);
	CHECK_INT(reached.len, 1000);
	CHECK_INT(rest.len, 0);
	u32_vec_release(&reached);
	site_release(&s);
}

static void test_one_page(void)
{
	struct synthetic spec = {.n = 1, .outdegree = 1, .skew = 1};
	struct site s = make(&spec, NULL);

	CHECK_INT(s.link_from[1], 0);
	site_release(&s);
}

static void test_parse(void)
{
	static const struct {
		const char *text;
		struct synthetic want;
	} rows[] = {
		{"synthetic", {SYNTHETIC_DEFAULTS}},
		{"synthetic:n=5,skew=0.5,outdegree=2,leaves=hot",
			{.n = 5, .skew = 0.5, .outdegree = 2, .leaves = SYNTHETIC_HOT}},
		{"synthetic:leaves=mixed,rates=skewed,root=3", {.n = 10000,
								       .outdegree = 400,
								       .skew = 1.2,
								       .root = 3,
								       .rates = SYNTHETIC_SKEWED,
								       .leaves = SYNTHETIC_MIXED}},
		{"synthetic:n=1,n=10000000",
			{.n = SYNTHETIC_PAGES_MAX, .outdegree = 400, .skew = 1.2}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct synthetic *want = &rows[i].want;
		struct synthetic got = {0};
		struct err err = {0};

		tap_case("parse: %s", rows[i].text);
		CHECK_INT(synthetic_parse(rows[i].text, &got, &err), 0);
		CHECK_INT(got.n, want->n);
		CHECK_INT(got.outdegree, want->outdegree);
		CHECK_INT(got.root, want->root);
		CHECK_NEAR(got.skew, want->skew, 0);
		CHECK_INT(got.rates, want->rates);
		CHECK_INT(got.leaves, want->leaves);
	}
}

static void test_parse_errors(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", "'' is not a kind of site (example: synthetic:KEY=VALUE,…)"},
		{"real:n=1", "'real:n=1' is not a kind of site (example: synthetic:KEY=VALUE,…)"},
		{"synthetics",
			"'synthetics' is not a kind of site (example: synthetic:KEY=VALUE,…)"},
		{"synthetic:", "'' should be KEY=VALUE"},
		{"synthetic:n=3,", "'' should be KEY=VALUE"},
		{"synthetic:n", "'n' should be KEY=VALUE"},
		{"synthetic:outdegre=3", "unknown key 'outdegre', did you mean 'outdegree'?"},
		{"synthetic:colour=red",
			"unknown key 'colour' (keys are n, skew, outdegree, root, rates, leaves)"},
		{"synthetic:n=0", "n must be a whole number from 1 to 10000000, not '0'"},
		{"synthetic:n=1e4", "n must be a whole number from 1 to 10000000, not '1e4'"},
		{"synthetic:n=10000001",
			"n must be a whole number from 1 to 10000000, not '10000001'"},
		{"synthetic:skew=-1", "skew must be a number from 0 to 10, not '-1'"},
		{"synthetic:skew=nan", "skew must be a number from 0 to 10, not 'nan'"},
		{"synthetic:outdegree=",
			"outdegree must be a whole number from 1 to 10000000, not ''"},
		{"synthetic:leaves=Cold", "leaves must be cold, hot or mixed, not 'Cold'"},
		{"synthetic:rates=flat",
			"rates must be zipf, smooth, skewed or lognormal, not 'flat'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct synthetic got = {.n = 42};
		struct err err = {0};

		tap_case("parse errors: %s", rows[i].text);
		CHECK_INT(synthetic_parse(rows[i].text, &got, &err), ERR_USAGE);
		CHECK_STR(err.text, rows[i].want);
		CHECK_INT(got.n, 42);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_zipf);
	TAP_RUN(test_smooth);
	TAP_RUN(test_skewed);
	test_leaves();
	TAP_RUN(test_mixed);
	TAP_RUN(test_solar_tree);
	TAP_RUN(test_random_links);
	TAP_RUN(test_one_page);
	test_parse();
	test_parse_errors();
	return tap_done();
}
