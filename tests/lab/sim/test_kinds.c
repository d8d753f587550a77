/*
 * Kinds of sites: every page can be reached, as much changes as was asked for; and on small ones
 * stillpoint-online leads.
 */
#include "sim/kinds.h"

#include <math.h>

#include "plan/expect.h"
#include "tap.h"

static const uint32_t HOME[] = {0};

static void test_sites(void)
{
	for (enum kind_links l = KIND_SECTIONS; l <= KIND_RANDOM; l++)
		for (enum kind_rates r = KIND_PARETO; r <= KIND_HOT_TOP; r++)
			for (uint32_t n = 1; n <= 300; n = 3 * n + 1) {
				struct kind kind = {l, r, 0.3, n};
				struct u32_vec reached = {0}, rest = {0};
				double changes = 0;
				struct site site;
				struct rng rng;

				tap_case("links %d, rates %d, %u pages", l, r, n);
				rng_init(&rng, 14);
				CHECK_INT(kind_site(&kind, &rng, &site), 0);
				CHECK_INT(site_reach(&site, HOME, 1, &reached, &rest), 0);
				CHECK_INT(reached.len, n);
				for (size_t i = 0; i < n; i++)
					changes += site.survival[i].rate * (2 * (double)n - 1);
				CHECK_NEAR(changes / n, 0.3, 1e-9);
				u32_vec_release(&reached);
				u32_vec_release(&rest);
				site_release(&site);
			}
}

/* Expected, when so many pages are known from the start. */
static double sharp_from(
	const struct site *site, const char *strategy, const uint32_t *known, size_t count)
{
	struct drive_params params = {.site = site,
		.plan = {.strategy = plan_strategy_find(strategy, false),
			.delay = 1,
			.size = (uint32_t)site->n},
		.seeds = known,
		.seed_count = count};
	struct drive_result result;
	struct err err = {0};
	double coherence;

	if (!CHECK_INT(drive(&params, &result, &err), 0))
		return 0;
	coherence = evaluate(site, &result, NULL).coherence;
	drive_release(&result);
	return coherence;
}

static double sharp(const struct site *site, const char *strategy)
{
	return sharp_from(site, strategy, HOME, 1);
}

/* An earlier capture told all pages: then not knowing that there are no more costs next to nothing.
 */
static void test_all_told(void)
{
	enum { PAGES = 250 };
	uint32_t all[PAGES];
	struct rng rng;

	rng_init(&rng, 16);
	for (uint32_t i = 0; i < PAGES; i++)
		all[i] = i;
	for (enum kind_rates r = KIND_PARETO; r <= KIND_HOT_TOP; r++) {
		struct kind kind = {KIND_LISTS, r, 3, PAGES};
		struct site site;
		double ours, best;

		tap_case("all pages told: rates %d", r);
		if (!CHECK_INT(kind_site(&kind, &rng, &site), 0))
			return;
		ours = sharp_from(&site, "stillpoint-online", all, PAGES);
		best = sharp_from(&site, "stillpoint-offline", all, PAGES);
		tap_note("%.3f of %.3f", ours, best);
		CHECK(ours >= 0.999 * best && ours <= best * (1 + 1e-9));
		site_release(&site);
	}
}

/* Where little changes on a small site, nothing that finds pages early is worth its price. */
static void test_small(void)
{
	static const struct {
		const char *label;
		enum kind_links links;
		enum kind_rates rates;
	} rows[] = {
		{"sections, Pareto", KIND_SECTIONS, KIND_PARETO},
		{"sections, hot lists", KIND_SECTIONS, KIND_HOT_LISTS},
		{"lists, hot lists", KIND_LISTS, KIND_HOT_LISTS},
		{"copied, Gamma", KIND_COPIED, KIND_GAMMA},
		{"random, hot top", KIND_RANDOM, KIND_HOT_TOP},
	};
	enum { RUNS = 8, PAGES = 50 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kind kind = {rows[i].links, rows[i].rates, 0.3, PAGES};
		double ours = 0, middle = 0, solar = 0;
		struct rng rng;

		rng_init(&rng, 15 + i);
		for (int run = 0; run < RUNS; run++) {
			struct site site;

			if (!CHECK_INT(kind_site(&kind, &rng, &site), 0))
				return;
			ours += sharp(&site, "stillpoint-online");
			middle += sharp(&site, "hottest-middle-online");
			solar += sharp(&site, "solar-online");
			site_release(&site);
		}
		tap_case("small sites: %s", rows[i].label);
		tap_note("%.2f, hottest-middle %.2f, solar %.2f", ours / RUNS, middle / RUNS,
			solar / RUNS);
		CHECK(ours >= fmax(middle, solar) - 0.002 * RUNS * PAGES);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sites();
	test_all_told();
	test_small();
	return tap_done();
}
