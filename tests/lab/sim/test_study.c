/* Experiments on synthetic sites: figures of the papers, and what must hold of any experiment. */
#include "sim/study.h"

#include <math.h>
#include <string.h>

#include "tap.h"

enum { MAX = 32 };

struct outcome {
	size_t count;
	struct contender contenders[MAX];
	struct study_result results[MAX];
};

/* Runs the study for a list of names that ends with NULL. */
static void run(struct study_params params, const char *const *names, struct outcome *out)
{
	struct err err = {0};

	for (out->count = 0; names[out->count]; out->count++)
		CHECK(contender_find(names[out->count], &out->contenders[out->count]));
	params.trial.contenders = out->contenders;
	params.trial.contender_count = out->count;
	if (!CHECK_INT(study_run(&params, out->results, &err), 0))
		tap_note("%s", err.text);
}

static const char *const ALL[] = {"bfs", "sharc-offline", "sharc-online", "op", "dfs-lifo",
	"sharc-revisits", "sharc-selective-online", "hottest-middle-online", "solar-online",
	"stillpoint-offline", "stillpoint-online", NULL};

/* SHARC 9.6 with 10,000 pages, as recomputed independently from its formulas. */
static void test_expected_blur(void)
{
	static const char *const names[] = {"sharc-offline", "sharc-online", NULL};
	static const struct {
		const char *label;
		enum synthetic_leaves leaves;
		double offline, online;
	} rows[] = {
		{"cold", SYNTHETIC_COLD, 1.222, 1.746},
		{"hot", SYNTHETIC_HOT, 1.222, 1.239},
	};

	for (size_t i = 0; i < tap_rounds(ARRAY_LEN(rows)); i++) {
		struct study_params params = {
			.trial = {.site = {SYNTHETIC_DEFAULTS, .leaves = rows[i].leaves},
				.delay = 1},
			.runs = 1};
		struct outcome o;

		tap_case("expected blur: %s leaves", rows[i].label);
		run(params, names, &o);
		CHECK_NEAR(o.results[0].of[TRIAL_EXPECTED_BLUR].mean, rows[i].offline, 0.0005);
		CHECK_NEAR(o.results[1].of[TRIAL_EXPECTED_BLUR].mean, rows[i].online, 0.0005);
	}
}

/* SHARC-online on hot leaves that is told a wrong size. */
static void test_wrong_size(void)
{
	static const char *const names[] = {"sharc-online", NULL};
	static const struct {
		double error, blur;
	} rows[] = {{-0.1, 1.47}, {0, 1.24}, {1, 2.29}};

	for (size_t i = 0; i < tap_rounds(ARRAY_LEN(rows)); i++) {
		struct study_params params = {
			.trial = {.site = {SYNTHETIC_DEFAULTS, .leaves = SYNTHETIC_HOT},
				.delay = 1,
				.size_error = rows[i].error},
			.runs = 1};
		struct outcome o;

		tap_case("wrong size: %+g", rows[i].error);
		run(params, names, &o);
		CHECK_NEAR(o.results[0].of[TRIAL_EXPECTED_BLUR].mean, rows[i].blur, 0.005);
	}
}

static void test_expected_incoherence(void)
{
	static const char *const names[] = {"sharc-selective-offline", NULL};
	static const struct {
		double delay, incoherence;
	} rows[] = {{1, 3030}, {2, 4648}, {3, 5618}, {4, 6267}, {5, 6734}, {10, 7942}};

	for (size_t i = 0; i < tap_rounds(ARRAY_LEN(rows)); i++) {
		struct study_params params = {
			.trial = {.site = {SYNTHETIC_DEFAULTS}, .delay = rows[i].delay}, .runs = 1};
		struct outcome o;

		tap_case("expected incoherence: slow-down %g", rows[i].delay);
		run(params, names, &o);
		CHECK_NEAR(10000 - o.results[0].of[TRIAL_EXPECTED_COHERENCE].mean,
			rows[i].incoherence, 0.5);
	}
}

/* The mean of what happened is what was expected; OP's order is made from what happened. */
static void test_simulated(void)
{
	struct study_params params = {.trial = {.site = {.n = 200, .outdegree = 10, .skew = 1},
					      .delay = 0.5,
					      .fast = true},
		.runs = 100,
		.seed = 3};
	struct outcome o;

	run(params, ALL, &o);
	for (size_t i = 0; i < o.count; i++) {
		const struct estimate *of = o.results[i].of;
		bool single = isnan(of[TRIAL_COHERENCE].mean);

		tap_case("simulated: %s", o.contenders[i].name);
		CHECK_NEAR(of[TRIAL_PAGES].mean, 200, 0);
		CHECK(single == isnan(of[TRIAL_EXPECTED_COHERENCE].mean));
		if (!single)
			CHECK_NEAR(of[TRIAL_COHERENCE].mean, of[TRIAL_EXPECTED_COHERENCE].mean,
				4 * of[TRIAL_COHERENCE].error);
		CHECK(of[TRIAL_BLUR].error > 0);
		if (o.contenders[i].plan)
			CHECK_NEAR(of[TRIAL_BLUR].mean, of[TRIAL_EXPECTED_BLUR].mean,
				4 * of[TRIAL_BLUR].error);
	}
}

static void test_threads(void)
{
	struct study_params params = {.trial = {.site = {.n = 300, .outdegree = 20, .skew = 1.2},
					      .delay = 1,
					      .failure = 0.1,
					      .late = 0.05,
					      .rate_error = 2},
		.runs = 9,
		.seed = 1};
	struct outcome one, many, other;

	params.threads = 1;
	run(params, ALL, &one);
	params.threads = 5;
	run(params, ALL, &many);
	CHECK(memcmp(one.results, many.results, one.count * sizeof one.results[0]) == 0);
	params.seed = 2;
	run(params, ALL, &other);
	CHECK(one.results[0].of[TRIAL_BLUR].mean != other.results[0].of[TRIAL_BLUR].mean);
}

/* One run has no standard error. */
static void test_one_run(void)
{
	static const char *const names[] = {"bfs-lifo", NULL};
	struct study_params params = {
		.trial = {.site = {.n = 10, .outdegree = 3, .skew = 1}, .delay = 1}, .runs = 1};
	struct outcome o;

	run(params, names, &o);
	CHECK(isnan(o.results[0].of[TRIAL_COHERENCE].error));
	CHECK(!isnan(o.results[0].of[TRIAL_COHERENCE].mean));
}

/* p = 0.1 and three attempts: a visit fails for good with 0.001, then a revisit with 0.001. */
static void test_failures(void)
{
	static const char *const names[] = {"bfs-lifo", "stillpoint-offline", NULL};
	struct study_params params = {.trial = {.site = {.n = 2000, .outdegree = 2000, .skew = 10},
					      .delay = 1e-9,
					      .failure = 0.1},
		.runs = 40};
	struct outcome o;

	run(params, names, &o);
	for (size_t i = 0; i < o.count; i++) {
		const struct estimate *of = o.results[i].of;

		tap_case("failures: %s", o.contenders[i].name);
		CHECK(of[TRIAL_PAGES].mean < 2000);
		/* bfs loses all pages when the root fails */
		CHECK_NEAR(of[TRIAL_PAGES].mean, 1998, fmax(1, 4 * of[TRIAL_PAGES].error));
		CHECK_NEAR(of[TRIAL_COHERENCE].mean, 1996, fmax(1, 4 * of[TRIAL_COHERENCE].error));
		CHECK(of[TRIAL_COHERENCE].mean < of[TRIAL_PAGES].mean);
	}
}

/* Nothing was captured: no blur, rather than none that is a number. */
static void test_nothing_captured(void)
{
	static const char *const names[] = {"bfs", "bfs-lifo", NULL};
	struct study_params params = {
		.trial = {.site = {.n = 5, .outdegree = 5, .skew = 1}, .delay = 1, .failure = 1},
		.runs = 2};
	struct outcome o;

	run(params, names, &o);
	for (size_t i = 0; i < o.count; i++) {
		CHECK_NEAR(o.results[i].of[TRIAL_PAGES].mean, 0, 0);
		CHECK_NEAR(o.results[i].of[TRIAL_BLUR].mean, 0, 0);
		CHECK_NEAR(o.results[i].of[TRIAL_EXPECTED_BLUR].mean, 0, 0);
	}
	CHECK_NEAR(o.results[1].of[TRIAL_COHERENCE].mean, 0, 0);
}

/* Wrong rates cost something, and no luck helps against the optimum. */
static void test_wrong_rates(void)
{
	static const char *const names[] = {"stillpoint-offline", NULL};
	struct study_params params = {
		.trial = {.site = {.n = 300, .outdegree = 20, .skew = 1.2}, .delay = 1}, .runs = 4};
	struct outcome exact, off;

	run(params, names, &exact);
	params.trial.rate_error = 10;
	run(params, names, &off);
	CHECK(off.results[0].of[TRIAL_EXPECTED_COHERENCE].mean <
		exact.results[0].of[TRIAL_EXPECTED_COHERENCE].mean);
}

/*
 * Four hosts that take equally long, and lists that each name the next one: a host that is held
 * back may hold the list that all others wait for.
 */
static void test_lists_of_servers(void)
{
	static const char *const names[] = {"stillpoint-online:eager", "stillpoint-online", NULL};
	static const struct kind kind = {KIND_LISTS, KIND_HOT_LISTS, 3, 400};
	struct study_params params = {.runs = 6,
		.seed = 14,
		.trial = {.site = {.n = kind.n},
			.kind = &kind,
			.delay = 1,
			.fleet = {4, {0.1, 0.3, 1, 3}, FLEET_TIMES}}};

	for (int unknown = 0; unknown < 2; unknown++) {
		struct outcome out;
		double eager, planned;

		tap_case("lists on several servers, size %s", unknown ? "unknown" : "told");
		params.trial.size_unknown = unknown;
		run(params, names, &out);
		eager = out.results[0].of[TRIAL_EXPECTED_COHERENCE].mean;
		planned = out.results[1].of[TRIAL_EXPECTED_COHERENCE].mean;
		tap_note("planned together %.1f, each alone %.1f", planned, eager);
		CHECK(planned >= (unknown ? 0.97 : 0.99) * eager);
	}
}

static void test_find(void)
{
	struct contender c = {0};

	CHECK(contender_find("op", &c) && !c.plan);
	CHECK(contender_find("stillpoint", &c));
	CHECK_STR(c.name, "stillpoint-online");
	CHECK(!contender_find("nothing", &c));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_expected_blur();
	test_wrong_size();
	test_expected_incoherence();
	test_simulated();
	TAP_RUN(test_threads);
	TAP_RUN(test_one_run);
	test_failures();
	TAP_RUN(test_nothing_captured);
	TAP_RUN(test_wrong_rates);
	test_lists_of_servers();
	TAP_RUN(test_find);
	return tap_done();
}
