#include "sim/watch.h"

#include <math.h>
#include <stdlib.h>

#include "plan/site_rates.h"
#include "sim/watch_ledger.h"

/* The unit of time is a day; a live watch learns in seconds. */
#define DAY_S 86400.0

/* What a crawl assumes of pages that it knows nothing of. */
static const struct rate_gamma UNKNOWN = {0.5, 15 * DAY_S};

struct watcher {
	const struct watch_site *site;
	const struct watch_params *params;
	struct watch_ledger ledger;
	struct site_rates rates; /* as crawl/looking.c has them */
	struct rate_memory *memories;
	struct refresh_run *run;
};

static double rate_of(const struct watcher *w, size_t page)
{
	double usual = DAY_S * (double)w->site->n / w->params->budget;

	if (!w->params->learned)
		return w->site->rates[page];
	return DAY_S * site_rates_rate(&w->rates, &w->memories[page], usual / 2);
}

static void observe(struct watcher *w, size_t page, double days, bool changed)
{
	site_rates_observe(&w->rates, &w->memories[page],
		(struct rate_interval){.length = DAY_S * days, .changed = changed});
}

static int fit(struct watcher *w)
{
	return site_rates_is_due(&w->rates) ? site_rates_fit(&w->rates, w->memories, w->site->n)
					    : 0;
}

static uint32_t group_of(const struct watcher *w, size_t page)
{
	return w->site->classes ? w->site->classes[page] + 1 : 1;
}

/* What regular looks at all pages saw before the start. */
static int learn_past(struct watcher *w)
{
	const struct watch_params *p = w->params;

	for (size_t i = 0; i < w->site->n && p->past_period > 0; i++)
		for (double at = p->start - p->past; at + p->past_period <= p->start + 1e-9;
			at += p->past_period)
			observe(w, i, p->past_period,
				watch_changes(w->site->changes[i], at, at + p->past_period) > 0);
	return fit(w);
}

static int begin(struct watcher *w, struct err *err)
{
	struct refresh_params params = w->params->more;
	int rc = 0;

	params.policy = w->params->policy;
	params.budget = w->params->budget;
	params.start = w->params->start;
	params.aim.grid = w->params->grid;
	w->run = refresh_run_new(&params, err);
	if (!w->run)
		return ERR_RANGE;
	for (size_t i = 0; rc == 0 && i < w->site->n; i++) {
		rc = refresh_discovered(w->run, (uint32_t)i,
			&(struct refresh_facts){
				.rate = rate_of(w, i), .weight = 1, .group = group_of(w, i)});
		if (rc == 0)
			refresh_seen(w->run, (uint32_t)i,
				&(struct refresh_look){REFRESH_SAME, w->params->start, -1, 0});
	}
	return err_code(err, rc);
}

static int look(struct watcher *w, const struct refresh_order *order, double now)
{
	double last = w->ledger.last[order->page];
	bool changed = watch_ledger_look(&w->ledger, order->page, now);
	bool gone = w->site->until && w->site->until[order->page] <= now;
	struct refresh_look seen = {changed ? REFRESH_CHANGED : REFRESH_SAME, now, -1, 0};
	int rc = 0;

	if (gone)
		seen.outcome = REFRESH_GONE;
	if (w->params->learned) {
		if (!gone)
			observe(w, order->page, now - last, changed);
		rc = fit(w);
		seen.rate = rate_of(w, order->page);
	}
	refresh_done(w->run, order, &seen);
	return rc;
}

static int drive(struct watcher *w)
{
	double now = w->params->start, until = INFINITY;
	struct refresh_order order;
	int rc = 0;

	while (rc == 0 && now < w->params->end) {
		if (refresh_next(w->run, now, &order, &until) == REFRESH_ORDER)
			rc = look(w, &order, now);
		else
			now = until;
	}
	return rc;
}

struct heat {
	double rate;
	uint32_t page;
};

static int hottest_first(const void *a, const void *b)
{
	const struct heat *x = a, *y = b;

	return x->rate == y->rate ? (x->page > y->page) - (x->page < y->page)
				  : (x->rate < y->rate) - (x->rate > y->rate);
}

/*
 * Captures, one behind another: the coldest pages are visited first, the hottest innermost, and
 * revisits go the other way. Where the budget allows more than one capture for each instant, the
 * still points lie on the instants.
 */
static int drive_captures(struct watcher *w)
{
	const struct watch_params *p = w->params;
	size_t n = w->site->n;
	double step = 1 / p->budget, length = fmax(2 * (double)n * step, p->grid), still;
	struct heat *order = calloc(n + 1, sizeof *order);

	if (!order)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct heat){rate_of(w, i), (uint32_t)i};
	qsort(order, n, sizeof *order, hottest_first);
	still = length > p->grid ? p->start + length / 2
				 : ceil((p->start + length / 2) / p->grid) * p->grid;
	for (; still - length / 2 < p->end; still += length)
		for (size_t k = 0; k < 2 * n; k++) {
			size_t rank = k < n ? n - 1 - k : k - n;
			double at = still + (k < n ? -1 : 1) * ((double)rank + 0.5) * step;

			if (at >= p->start && at < p->end)
				(void)watch_ledger_look(&w->ledger, order[rank].page, at);
		}
	free(order);
	return 0;
}

int watch_run(const struct watch_site *site, const struct watch_params *params,
	struct watch_result *ret, struct err *err)
{
	struct watcher w = {.site = site, .params = params};
	struct refresh_status status;
	int rc = watch_ledger_init(&w.ledger, site, params);

	if (rc == 0 && params->learned) {
		site_rates_init(&w.rates, UNKNOWN);
		w.memories = calloc(site->n + 1, sizeof *w.memories);
		rc = w.memories ? learn_past(&w) : ERR_NOMEM;
	}
	if (rc == 0 && params->policy) {
		rc = begin(&w, err);
		if (rc == 0)
			rc = drive(&w);
	} else if (rc == 0) {
		rc = drive_captures(&w);
	}
	if (rc == 0) {
		*ret = watch_ledger_close(&w.ledger);
		if (params->policy) {
			status = refresh_status(w.run);
			ret->claimed = status.fresh_measured;
			ret->claimed_error = status.fresh_error;
		}
	}
	refresh_run_free(w.run);
	free(w.memories);
	watch_ledger_release(&w.ledger);
	return err_code(err, rc);
}
