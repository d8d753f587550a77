#include "sim/op.h"

#include <stdlib.h>

#include "plan/heat.h"
#include "plan/measure.h"

/* Descending utility; of equals the earlier page first. */
static int sort_pages(const struct site *site, const struct change_history *histories, double end,
	uint32_t *pages)
{
	double *utility = malloc((site->n + 1) * sizeof *utility);
	int rc = utility ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < site->n; i++) {
		pages[i] = i;
		utility[i] = blur_actual_page(histories[i], end, (struct blur_interval){0, end});
	}
	if (rc == 0)
		rc = heat_sort_by(utility, pages, site->n);
	free(utility);
	return rc;
}

int op_capture(const struct site *site, const struct change_history *histories, double delay,
	struct drive_result *ret_result)
{
	struct drive_result r;
	int rc = drive_result_init(&r, site->n, true, delay);

	r.end = ((double)site->n - 1) * delay;
	if (rc == 0)
		rc = u32_vec_reserve(&r.visits, site->n);
	if (rc == 0)
		rc = sort_pages(site, histories, r.end, r.visits.ptr);
	if (rc) {
		drive_release(&r);
		return rc;
	}
	r.visits.len = site->n;
	for (size_t i = 0; i < site->n; i++)
		r.visited_at[r.visits.ptr[i]] = (double)i * delay;
	*ret_result = r;
	return 0;
}
