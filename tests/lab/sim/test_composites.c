/* Pages with requisites for experiments, and captures of them. */
#include "sim/trial.h"

#include <math.h>

#include "plan/expect.h"
#include "sim/kinds.h"
#include "tap.h"

enum { PAGES = 60, PER_PAGE = 4 };

static void test_made(void)
{
	struct kind kind = {KIND_SECTIONS, KIND_PARETO, 1, PAGES};
	struct u32_vec reached = {0}, rest = {0};
	struct site site;
	struct rng rng;
	double before = 0, after = 0;

	tap_case("requisites: edges, links and rates");
	rng_init(&rng, 1);
	CHECK_INT(kind_site(&kind, &rng, &site), 0);
	for (size_t i = 0; i < PAGES; i++)
		before += site.survival[i].rate * (double)site.n;
	CHECK_INT(composites_add(&site, PER_PAGE, &rng), 0);
	for (size_t i = 0; i < PAGES; i++)
		after += site.survival[i].rate * (double)site.n;
	CHECK_NEAR(after, before, 1e-9 * before); /* as many changes in a longer capture */
	CHECK(site.n > PAGES * PER_PAGE / 2);
	CHECK_INT(site.requisites.len, PAGES * (PER_PAGE + 1));
	for (size_t i = 0; i < site.requisites.len; i++) {
		const struct group_edge *e = &site.requisites.ptr[i];
		bool is_link = false;

		CHECK(e->page < PAGES && e->requisite >= PAGES && e->requisite < site.n);
		for (size_t k = site.link_from[e->page]; k < site.link_from[e->page + 1]; k++)
			is_link |= site.links[k] == e->requisite;
		CHECK(is_link);
	}
	CHECK_INT(site_reach(&site, (uint32_t[]){0}, 1, &reached, &rest), 0);
	CHECK_INT(reached.len, site.n);
	u32_vec_release(&reached);
	u32_vec_release(&rest);
	site_release(&site);
}

static double whole_groups(const struct site *site, bool apart)
{
	static const uint32_t HOME[] = {0};
	struct drive_params params = {.site = site,
		.plan = {.strategy = plan_strategy_find("stillpoint-online", false),
			.delay = 1,
			.apart = apart},
		.seeds = HOME,
		.seed_count = 1};
	struct group_evaluation groups = {0};
	struct drive_result result;
	struct err err = {0};

	if (!CHECK_INT(drive(&params, &result, &err), 0))
		return NAN;
	CHECK_INT(evaluate_groups(site, &result, true, NULL, &groups), 0);
	CHECK(groups.expected <= groups.bound * (1 + 1e-9));
	CHECK(isnan(groups.actual));
	drive_release(&result);
	return groups.expected;
}

/* Requisites that are found with their pages are worth planning for. */
static void test_captured(void)
{
	double told = 0, untold = 0;
	struct rng rng;

	tap_case("whole groups: more of them when the planner knows");
	rng_init(&rng, 2);
	for (size_t round = 0; round < tap_rounds(8); round++) {
		struct kind kind = {KIND_COPIED, KIND_GAMMA, 3, PAGES};
		struct site site;

		CHECK_INT(kind_site(&kind, &rng, &site), 0);
		CHECK_INT(composites_add(&site, PER_PAGE, &rng), 0);
		told += whole_groups(&site, false);
		untold += whole_groups(&site, true);
		site_release(&site);
	}
	tap_note("told %.2f, not told %.2f", told, untold);
	CHECK(told > 1.03 * untold);
}

int main(void)
{
	test_made();
	test_captured();
	return tap_done();
}
