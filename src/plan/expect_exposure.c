#include "plan/expect_exposure.h"

#include <math.h>
#include <stdlib.h>

#include "plan/assign_solve.h"
#include "plan/expect_drive.h"
#include "plan/expect_evaluate.h"

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
