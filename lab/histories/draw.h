/*
 * A draw: one moment of a recorded history at which a crawl begins, with what a crawler could know
 * then. Its site holds the pages that are there at the start, in the order in which the history has
 * them, and how often each may be expected to change; nothing that happened later goes into it,
 * unless the oracle is asked.
 */
#ifndef HISTORIES_DRAW_H
#define HISTORIES_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/rng.h"
#include "histories/history.h"
#include "plan/expect.h"
#include "plan/gamma_poisson.h"

struct history_links;

enum draw_rates {
	/*
	 * Gamma-Poisson: changes since the page's birth over the time since then, with a prior
	 * fitted to the same counts of all pages of the draw (plan/gamma_poisson.h).
	 */
	DRAW_PAST,
	/*
	 * The true number of changes during the crawl over its length, as a Poisson rate: it knows
	 * how often, but not when.
	 */
	DRAW_ORACLE,
	/* Predicted from the paths, given the past of a tenth of the pages. */
	DRAW_PREDICTED,
};

struct draw_params {
	double start; /* days of the history */
	double days;  /* length of the crawl */
	enum draw_rates rates;
	double memory;                     /* only so many days of the past count; 0: all of it */
	const struct history_links *links; /* borrowed; NULL: all pages are known at the start */
	struct rng randoms;                /* the draw's own, for what has to choose */
};

struct draw {
	const struct history *history; /* borrowed */
	struct draw_params params;
	uint32_t *pages; /* by page of the site: its number in the history */
	struct site
		site; /* without names, and without links unless there are some; rates per day */
	struct u32_vec seeds; /* with links: what a crawl knows at its start */
};

/*
 * Fails with ERR_NOTFOUND when no page is there, or with ERR_NOMEM. Free with draw_release.
 */
int draw_make(const struct history *history, const struct draw_params *params,
	struct draw *ret_draw) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void draw_release(struct draw *d);

/* Time between two downloads such that n visits and n revisits take the draw's days. */
static inline double draw_delay(const struct draw *d)
{
	return d->params.days / (2 * (double)d->site.n);
}

/* Whether the page changed from one time to the other. */
static inline bool draw_changed(const struct draw *d, uint32_t page, double from, double to)
{
	return history_changed(d->history, d->pages[page], from, to, UINT32_MAX);
}

static inline slice draw_path(const struct draw *d, uint32_t page)
{
	return d->history->paths[d->pages[page]];
}

#endif
