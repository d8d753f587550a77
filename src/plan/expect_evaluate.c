#include "plan/expect_evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "plan/assign_solve.h"
#include "plan/expect_drive.h"
#include "plan/heat.h"
#include "plan/measure.h"

static bool is_fast(const struct exposure_params *p)
{
	return p->fast || p->site->n > EXPOSURE_EXACT_MAX;
}

static int expect(const struct exposure_params *p, const struct plan_strategy *strategy,
	double delay, double *ret_sharp, struct err *err)
{
	struct drive_params params = {
		.site = p->site,
		.plan = {.strategy = strategy, .delay = delay, .tau = p->tau, .fast = is_fast(p)},
	};
	struct drive_result capture;
	int rc = drive(&params, &capture, err);

	if (rc)
		return rc;
	*ret_sharp = evaluate(p->site, &capture, NULL).coherence;
	drive_release(&capture);
	return 0;
}

int exposure_row(const struct exposure_params *params, double delay, double *sharp,
	double *ret_bound, struct err *err)
{
	double most = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < params->strategy_count; i++) {
		rc = expect(params, params->strategies[i], delay, &sharp[i], err);
		if (rc == 0)
			most = fmax(most, sharp[i]);
	}
	if (rc)
		return rc;
	return err_code(err, evaluate_bound(params->site, delay, is_fast(params), most, ret_bound));
}

double exposure_duration(size_t n, double delay)
{
	return n ? (2 * (double)n - 1) * delay : 0;
}

size_t exposure_downloads(double delay, double seconds)
{
	static const double MOST = 1e15, ROUNDING = 1e-9;
	double count = floor(seconds / delay * (1 + ROUNDING));

	return count < 1 ? 0 : (size_t)fmin(count, MOST) + 1;
}

int exposure_share(const struct exposure_params *params, double delay, size_t downloads,
	enum plan_aim aim, struct plan_share *ret_share)
{
	return plan_share(
		&(struct plan_budgeting){
			.survival = params->site->survival,
			.weight = params->site->weights,
			.n = params->site->n,
			.delay = delay,
			.downloads = downloads,
			.aim = aim,
			.shared_slot = true,
			.fast = is_fast(params),
		},
		NULL, ret_share);
}

/* Two legs one after the other, from the beginning of the hours; one page has both innermost slots.
 */
static int go_on(const struct exposure_params *p, const struct plan_hours *h, double *length,
	struct plan_limit *ret)
{
	double last = (double)p->site->n - 1;
	struct assign_problem problem = {.n = p->site->n,
		.survival = p->site->survival,
		.weight = p->site->weights,
		.length = length};
	struct assign_solution s = {0};
	int rc;

	for (size_t j = 0; j < p->site->n; j++)
		length[j] = plan_hours_until(h, h->pace * (last + (double)j)) -
			    plan_hours_until(h, h->pace * (last - (double)j));
	rc = assign_solve(&problem, is_fast(p), ASSIGN_BOUND, &s);
	if (rc)
		return rc;
	ret->reached = assign_total(&problem, s.page_of);
	ret->bound = fmax(s.bound, ret->reached);
	assign_solution_release(&s);
	return 0;
}

int exposure_hours(const struct exposure_params *params, const struct plan_hours *hours,
	struct exposure_hours *ret)
{
	double *length = malloc((params->site->n + 1) * sizeof *length);
	size_t downloads = exposure_downloads(hours->pace, hours->open);
	struct plan_share share = {0};
	int rc = length ? exposure_share(params, hours->pace, downloads, PLAN_SHARP, &share)
			: ERR_NOMEM;

	*ret = (struct exposure_hours){
		.visits = share.visits,
		.in_time = {.bound = share.bound, .reached = share.sharp},
	};
	if (rc == 0)
		rc = go_on(params, hours, length, &ret->go_on);
	free(length);
	return rc;
}

/* What is measured of a page whose revisit may be missing (NAN). */
struct page_value {
	double coherence; /* without its weight */
	double blur;
};

static struct page_value expected_page(
	struct survival survival, double visit, double revisit, struct blur_interval obs)
{
	if (isnan(revisit))
		return (struct page_value){.blur = blur_page(survival.rate, visit, obs)};
	return (struct page_value){
		.coherence = survival_at(survival, revisit - visit),
		.blur = blur_page_revisit(survival.rate, visit, revisit, obs),
	};
}

static struct page_value actual_page(
	struct change_history history, double visit, double revisit, struct blur_interval obs)
{
	if (isnan(revisit))
		return (struct page_value){.blur = blur_actual_page(history, visit, obs)};
	return (struct page_value){
		.coherence = coherence_actual_page(history, visit, revisit),
		.blur = blur_actual_page_revisit(history, visit, revisit, obs),
	};
}

struct evaluation evaluate(const struct site *site, const struct drive_result *capture,
	const struct change_history *histories)
{
	const struct u32_vec *const lists[] = {&capture->visits, &capture->late};
	struct blur_interval obs = {0, capture->end};
	struct sum coherence = {0}, blur = {0};

	for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
		for (size_t i = 0; i < lists[l]->len; i++) {
			uint32_t p = lists[l]->ptr[i];
			double visit = capture->visited_at[p], revisit = capture->revisited_at[p];
			struct page_value v =
				histories ? actual_page(histories[p], visit, revisit, obs)
					  : expected_page(site->survival[p], visit, revisit, obs);

			sum_add(&coherence, (double)site_weight(site, p) * v.coherence);
			sum_add(&blur, v.blur);
		}
	return (struct evaluation){
		.coherence = capture->single ? NAN : sum_value(&coherence),
		.blur = sum_value(&blur),
	};
}

int evaluate_bound(
	const struct site *site, double delay, bool fast, double reached, double *ret_bound)
{
	static const double ROUNDING = 1e-9;
	struct plan_limit limit;
	int rc = plan_limit(site->survival, site->weights, site->n, delay, fast, &limit);

	if (rc)
		return rc;
	if (reached > limit.bound && reached <= limit.bound * (1 + ROUNDING))
		limit.bound = reached;
	*ret_bound = limit.bound;
	return 0;
}

/* The probability that a page was sharp; with histories 0 or 1. */
static double alive(const struct site *site, const struct drive_result *capture,
	const struct change_history *histories, uint32_t page)
{
	double visit = capture->visited_at[page], revisit = capture->revisited_at[page];

	if (histories)
		return coherence_actual_page(histories[page], visit, revisit);
	return survival_at(site->survival[page], revisit - visit);
}

static double groups_whole(const struct site *site, const struct drive_result *capture,
	const struct groups *g, const struct change_history *histories)
{
	struct sum sum = {0};

	for (size_t a = 0; a < g->count; a++) {
		double whole = g->weight[a];

		for (size_t k = g->from[a]; k < g->from[a + 1]; k++)
			whole *= alive(site, capture, histories, g->member[k]);
		sum_add(&sum, whole);
	}
	for (uint32_t i = 0; i < site->n; i++)
		if (!g->grouped[i])
			sum_add(&sum,
				(double)site_weight(site, i) * alive(site, capture, histories, i));
	return sum_value(&sum);
}

/* Pages by the length of their intervals, which are those of the pyramid if all are revisited. */
static int order_by_length(
	const struct site *site, const struct drive_result *capture, uint32_t *page_of)
{
	double *key = malloc((site->n + 1) * sizeof *key);
	int rc = key ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < site->n; i++) {
		page_of[i] = i;
		key[i] = capture->visited_at[i] - capture->revisited_at[i];
	}
	if (rc == 0)
		rc = heat_sort_by(key, page_of, site->n);
	free(key);
	return rc;
}

int evaluate_groups(const struct site *site, const struct drive_result *capture, bool fast,
	const struct change_history *histories, struct group_evaluation *ret)
{
	struct assign_problem p = {.n = site->n,
		.survival = site->survival,
		.weight = site->weights,
		.step = 2 * capture->delay};
	uint32_t *same = malloc((site->n + 1) * sizeof *same);
	uint32_t *page_of = malloc((site->n + 1) * sizeof *page_of);
	struct groups g = {0};
	int rc = same && page_of ? 0 : ERR_NOMEM;

	*ret = (struct group_evaluation){.expected = NAN, .bound = NAN, .actual = NAN};
	for (uint32_t i = 0; rc == 0 && i < site->n; i++)
		same[i] = i;
	if (rc == 0)
		rc = groups_init(&g, &(struct groups_params){.edges = site->requisites.ptr,
					     .edge_count = site->requisites.len,
					     .index_of = same,
					     .pages = site->n,
					     .weight = site->weights,
					     .n = site->n});
	ret->groups = g.count;
	if (rc == 0 && !capture->single && capture->revisits.len == site->n) {
		rc = order_by_length(site, capture, page_of);
		if (rc == 0)
			rc = groups_bound(&g, &p, fast, page_of, &ret->bound);
		ret->expected = groups_whole(site, capture, &g, NULL);
		if (histories)
			ret->actual = groups_whole(site, capture, &g, histories);
	}
	groups_release(&g);
	free(same);
	free(page_of);
	return rc;
}
