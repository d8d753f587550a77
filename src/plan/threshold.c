/*
 * SHARC-threshold (SOLAR section 6, after its references 9 and 20): the pyramid with the hottest
 * page innermost, in which a page is given up when its half length exceeds its confidence length.
 * The rule is not printed; half length against confidence length is what reproduces the published
 * figures. Given-up pages are scheduled after all hopeful ones, which move in.
 */
#include <math.h>

#include "plan/planned.h"

static int threshold(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	size_t slot = 0;
	int rc = planned_sort_by_heat(site, choices, n);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++) {
		double length = survival_confidence(site->survival[choices[i].page], site->tau);

		choices[i].hopeless = (double)slot * site->delay > length;
		if (!choices[i].hopeless)
			slot++;
	}
	return pyramid_lay(choices, n);
}

PLANNED_ORDER(visit_threshold, threshold);
