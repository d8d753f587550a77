/*
 * SHARC-selective (SHARC section 7.2).
 *
 * Offline, Algorithm 3: pages are tested from hot to cold against the free intervals of a pyramid.
 * With F hopeful and H hopeless pages so far, page m = F + H is hopeful if keeping it on the
 * shortest free interval, all colder ones following in order, expects at least as many coherent
 * pages as moving it to the longest one while all colder ones move in by one (Definition 6; ties
 * and the interval of length 0 are hopeful). The two sums differ only in what moves, so with rates
 * m_x per interval step the test is
 *
 *	e^(-m_m F) - e^(-m_m (n-1-H))  >=  sum over x > m of  e^(-m_x (x-H-1)) - e^(-m_x (x-H)).
 *
 * The printed algorithm adds up both sides each time, O(n^2) in all. shift_sum keeps the right side
 * up to date: the same decisions, but for ties beyond the eleventh digit, in O(n log n).
 */
#include <stdlib.h>

#include "base/err.h"
#include "plan/decay.h"
#include "plan/planned.h"
#include "plan/pyramid.h"
#include "plan/selective.h"
#include "plan/shift_sum.h"

double selective_balance(double m, size_t shortest, size_t longest, double gain)
{
	return decay(m * (double)shortest) - decay(m * (double)longest) - gain;
}

bool selective_hopeful(double m, size_t shortest, size_t longest, double gain)
{
	double balance = selective_balance(m, shortest, longest, gain);

	return shortest == 0 || balance >= -SELECTIVE_TIE * (balance + 2 * gain);
}

static void decide(struct visit_choice *by_heat, const double *m, size_t n)
{
	struct shift_sum sum;
	size_t hopeless = 0;
	double gain;

	shift_sum_init(&sum, m, n ? 1 : 0, n);
	gain = shift_sum_value(&sum);
	for (size_t i = 0; i < n; i++) {
		by_heat[i].hopeless =
			!selective_hopeful(m[i], i - hopeless, n - 1 - hopeless, gain);
		shift_sum_pass(&sum, i + 2);
		if (by_heat[i].hopeless)
			shift_sum_give_up(&sum, ++hopeless);
		gain = shift_sum_value(&sum);
	}
}

static int selective(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	double *m = malloc((n ? n : 1) * sizeof *m);
	int rc = m ? planned_sort_by_heat(site, choices, n) : ERR_NOMEM;

	if (!rc) {
		for (size_t i = 0; i < n; i++)
			m[i] = site->survival[choices[i].page].rate * plan_pyramid(site, 1);
		decide(choices, m, n);
		rc = pyramid_lay(choices, n);
	}
	free(m);
	return rc;
}

PLANNED_ORDER(visit_selective_offline, selective);
