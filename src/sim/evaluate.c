#include "sim/evaluate.h"

#include <math.h>

#include "measure/blur.h"
#include "measure/sum.h"

static double last_of(const struct page_list *pages, const double *times)
{
	return pages->len ? times[pages->ptr[pages->len - 1]] : 0;
}

static struct blur_interval own_interval(const struct drive_result *c)
{
	double end = last_of(&c->visits, c->visited_at);

	return (struct blur_interval){0, fmax(end, last_of(&c->revisits, c->revisited_at))};
}

static double page_blur(double rate, double visit, double revisit, struct blur_interval obs)
{
	return isnan(revisit) ? blur_page(rate, visit, obs)
			      : blur_page_revisit(rate, visit, revisit, obs);
}

struct evaluation evaluate(const struct site *site, const struct drive_result *capture)
{
	struct blur_interval obs = own_interval(capture);
	struct sum coherence = {0}, blur = {0};

	for (size_t i = 0; i < capture->visits.len; i++) {
		uint32_t page = capture->visits.ptr[i];
		struct survival survival = site->survival[page];
		double visit = capture->visited_at[page], revisit = capture->revisited_at[page];

		sum_add(&blur, page_blur(survival.rate, visit, revisit, obs));
		if (!isnan(revisit))
			sum_add(&coherence, (double)site_weight(site, page) *
						    survival_at(survival, revisit - visit));
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
