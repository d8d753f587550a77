/*
 * SHARC-offline (SHARC section 4.2, Theorem 2 and eq. 6): the organ pipe. The i-th coldest page is
 * downloaded at slot i/2 for even i and n - (i-1)/2 for odd i, so the hottest are in the middle,
 * where the download schedule penalty is least. (Algorithm 1 as printed gives the inverse
 * permutation, which alternates cold and hot pages; eq. 6 and Example 2 are what is meant.)
 *
 * With revisits in the same order it is SHARC-revisits (Definition 4).
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/planned.h"

static int organ_pipe(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	struct visit_choice *by_heat = malloc((n ? n : 1) * sizeof *by_heat);
	int rc;

	if (!by_heat)
		return ERR_NOMEM;
	rc = planned_sort_by_heat(site, choices, n);
	if (!rc) {
		memcpy(by_heat, choices, n * sizeof *by_heat);
		for (size_t i = 0; i < n; i++)
			choices[i % 2 ? n - 1 - i / 2 : i / 2] = by_heat[n - 1 - i];
	}
	free(by_heat);
	return rc;
}

PLANNED_ORDER(visit_sharc_offline, organ_pipe);
