#include "sim/watch_ledger.h"

#include <math.h>
#include <stdlib.h>

int watch_ledger_init(
	struct watch_ledger *l, const struct watch_site *site, const struct watch_params *params)
{
	*l = (struct watch_ledger){.site = site, .params = params};
	l->last = calloc(site->n + 1, sizeof *l->last);
	if (!l->last)
		return ERR_NOMEM;
	for (size_t i = 0; i < site->n; i++)
		l->last[i] = params->start;
	return 0;
}

void watch_ledger_release(struct watch_ledger *l)
{
	free(l->last);
	l->last = NULL;
}

double watch_instants(double grid, double after, double until)
{
	return until > after ? floor(until / grid) - floor(after / grid) : 0;
}

size_t watch_changes(struct change_history changes, double after, double until)
{
	if (until <= after)
		return 0;
	return change_history_until(changes, until) - change_history_until(changes, after);
}

/* The freshness, age and expectation of a copy from its look until the next; what lies before the
 * measured time is cut off. */
static void count_copy(struct watch_ledger *l, size_t page, double stale, double until)
{
	double from = fmax(l->last[page], l->params->from), begin = fmax(stale, from);
	double rate = l->site->rates ? l->site->rates[page] : NAN;

	if (until <= from)
		return;
	l->fresh += fmax(0, fmin(stale, until) - from);
	if (begin < until)
		l->age += (until - begin) * ((until + begin) / 2 - stale);
	if (rate > 0)
		l->expected += (exp(-rate * (from - l->last[page])) -
				       exp(-rate * (until - l->last[page]))) /
			       rate;
	else
		l->expected += until - from;
}

/* The first change behind the last look; infinite: none. */
static double stale_from(const struct watch_ledger *l, size_t page)
{
	struct change_history changes = l->site->changes[page];
	size_t seen = change_history_until(changes, l->last[page]);

	return seen < changes.len ? changes.times[seen] : INFINITY;
}

/* Instants between two looks that saw the same. */
static double proven_until(const struct watch_ledger *l, size_t page, double stale, double until)
{
	double from = fmax(l->last[page], l->params->from);

	return stale > until ? watch_instants(l->params->grid, from, until) : 0;
}

bool watch_ledger_look(struct watch_ledger *l, size_t page, double time)
{
	double stale = stale_from(l, page), from = l->params->from;
	double end = watch_end(l->site, l->params, page), until = fmin(time, end);

	if (l->last[page] < end) {
		count_copy(l, page, stale, until);
		l->proven += proven_until(l, page, stale, until);
		l->caught +=
			watch_changes(l->site->changes[page], fmax(l->last[page], from), until) > 0;
	}
	l->looks += time >= from;
	l->last[page] = time;
	return stale <= time;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

struct watch_result watch_ledger_close(struct watch_ledger *l)
{
	const struct watch_params *p = l->params;
	double all = 0, versions = 0, instants = 0;

	for (size_t i = 0; i < l->site->n; i++) {
		double end = watch_end(l->site, p, i), stale = stale_from(l, i);

		if (end <= p->from)
			continue;
		if (l->last[i] < end) {
			count_copy(l, i, stale, end);
			l->proven += proven_until(l, i, stale, end);
		}
		all += end - p->from;
		versions += (double)watch_changes(l->site->changes[i], p->from, end);
		instants += watch_instants(p->grid, p->from, end);
	}
	return (struct watch_result){
		.of = {[WATCH_FRESHNESS] = share(l->fresh, all),
			[WATCH_AGE] = share(l->age, all),
			[WATCH_VERSIONS] = share(l->caught, versions),
			[WATCH_SHARPNESS] = share(l->proven, instants),
			[WATCH_EXPECTED] = l->site->rates ? share(l->expected, all) : NAN,
			[WATCH_LOOKS] = share(l->looks, p->end - p->from)},
		.claimed = NAN,
		.claimed_error = NAN,
	};
}
