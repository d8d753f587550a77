/*
 * With K looks, each at the best moment:
 *
 *	freshness   A look right behind a change makes the copy current until the next change. The
 *	            K longest of these times count.
 *	versions    Each look catches one at most.
 *	sharpness   The instants between two changes are proven by two looks, one behind the first
 *	            change and one before the second. One is enough before the first change and
 *	            behind the last, for there is a look at the start and at the end. By instants
 *	            per look, the last one in part.
 *
 * Copies that are current when the measured time begins are counted as if nothing had to be spent.
 */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "sim/watch.h"
#include "sim/watch_ledger.h"

struct gain {
	double gain, cost;
};

VEC_DECLARE(gain_vec, struct gain);

static int best_first(const void *a, const void *b)
{
	const struct gain *x = a, *y = b;
	double p = x->gain / x->cost, q = y->gain / y->cost;

	return (p < q) - (p > q);
}

/* The largest sum that so many looks can have. */
static double best(struct gain_vec *gains, double looks)
{
	double sum = 0;

	if (gains->len > 0)
		qsort(gains->ptr, gains->len, sizeof *gains->ptr, best_first);
	for (size_t i = 0; i < gains->len && looks > 0; i++) {
		const struct gain *g = &gains->ptr[i];

		sum += g->gain * fmin(1, looks / g->cost);
		looks -= g->cost;
	}
	return sum;
}

struct bound {
	const struct watch_params *params;
	struct gain_vec fresh, sharp;
	double free, versions, proven; /* without looks */
	double time, instants;
};

/* The time from one change to the next, within what is measured. The first and the last one have a
 * look at one end already. */
static int add_span(struct bound *b, double from, double to, bool first, bool last)
{
	double instants = watch_instants(b->params->grid, from, to);
	int rc = 0;

	if (to <= from)
		return 0;
	if (first)
		b->free += to - from;
	else
		rc = gain_vec_push(&b->fresh, (struct gain){to - from, 1});
	if (first && last)
		b->proven += instants;
	else if (rc == 0 && instants > 0)
		rc = gain_vec_push(&b->sharp, (struct gain){instants, first || last ? 1 : 2});
	return rc;
}

static int add_page(struct bound *b, struct change_history changes, double end)
{
	double from = b->params->from, at = from;
	bool first = true;
	int rc = 0;

	if (end <= from)
		return 0;
	b->time += end - from;
	b->instants += watch_instants(b->params->grid, from, end);
	for (size_t i = change_history_until(changes, from);
		rc == 0 && i < changes.len && changes.times[i] <= end; i++) {
		rc = add_span(b, at, changes.times[i], first, false);
		at = changes.times[i];
		first = false;
		b->versions++;
	}
	return rc ? rc : add_span(b, at, end, first, true);
}

static void conclude(struct bound *b, struct watch_result *ret)
{
	double looks = b->params->budget * (b->params->end - b->params->from) + 1;

	for (size_t i = 0; i < WATCH_MEASURES; i++)
		ret->of[i] = NAN;
	ret->claimed = ret->claimed_error = NAN;
	if (b->time > 0)
		ret->of[WATCH_FRESHNESS] = (b->free + best(&b->fresh, looks)) / b->time;
	if (b->versions > 0)
		ret->of[WATCH_VERSIONS] = fmin(1, looks / b->versions);
	if (b->instants > 0)
		ret->of[WATCH_SHARPNESS] = (b->proven + best(&b->sharp, looks)) / b->instants;
}

int watch_bound(
	const struct watch_site *site, const struct watch_params *params, struct watch_result *ret)
{
	struct bound b = {.params = params};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < site->n; i++)
		rc = add_page(&b, site->changes[i], watch_end(site, params, i));
	if (rc == 0)
		conclude(&b, ret);
	gain_vec_release(&b.fresh);
	gain_vec_release(&b.sharp);
	return rc;
}
