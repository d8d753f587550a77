#include "sim/evaluate.h"

#include <math.h>

#include "measure/actual.h"
#include "measure/blur.h"
#include "measure/coherence.h"
#include "measure/sum.h"

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
