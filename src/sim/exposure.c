#include "sim/exposure.h"

#include <math.h>

#include "sim/drive.h"
#include "sim/evaluate.h"

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
