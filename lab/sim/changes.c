#include "sim/changes.h"

#include <stdlib.h>

#include "base/vec.h"

VEC_DECLARE(time_list, double);

static int draw_page(double rate, double until, struct rng *rng, struct time_list *times)
{
	double at = 0;

	if (!(rate > 0))
		return 0;
	while ((at += rng_exponential(rng, rate)) <= until) {
		if (times->len >= CHANGES_MAX)
			return ERR_LIMIT;
		if (time_list_push(times, at))
			return ERR_NOMEM;
	}
	return 0;
}

int changes_draw(
	const struct site *site, double until, struct rng *rng, struct changes *ret_changes)
{
	struct change_history *histories = calloc(site->n + 1, sizeof *histories);
	struct time_list times = {0};
	const double *at;
	int rc = histories ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < site->n; i++) {
		size_t before = times.len;

		rc = draw_page(site->survival[i].rate, until, rng, &times);
		if (rc == 0)
			histories[i].len = times.len - before;
	}
	if (rc) {
		free(histories);
		time_list_release(&times);
		return rc;
	}
	at = times.ptr; /* the array has stopped moving */
	for (size_t i = 0; i < site->n; i++) {
		histories[i].times = at;
		at = histories[i].len ? at + histories[i].len : at;
	}
	*ret_changes = (struct changes){.histories = histories, .times = times.ptr};
	return 0;
}

void changes_release(struct changes *c)
{
	free(c->histories);
	free(c->times);
	*c = (struct changes){0};
}
