#include "histories/draw.h"

#include <math.h>
#include <stdlib.h>

#include "histories/history_links.h"

struct rate_count draw_past(const struct draw *d, uint32_t page)
{
	struct change_history events = history_events(d->history, d->pages[page]);
	double start = d->params.start, from = events.times[0];

	if (d->params.memory > 0)
		from = fmax(from, start - d->params.memory);
	return (struct rate_count){
		/* After from, so the birth is no change. */
		.changes = change_history_until(events, start) - change_history_until(events, from),
		.time = start - from,
	};
}

static int learn(struct draw *d)
{
	struct rate_count *counts = calloc(d->site.n, sizeof *counts);
	struct rate_gamma prior;

	if (!counts)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < d->site.n; i++)
		counts[i] = draw_past(d, i);
	prior = rate_gamma_fit(counts, d->site.n);
	for (uint32_t i = 0; i < d->site.n; i++) {
		struct rate_gamma g = rate_gamma_posterior(prior, counts[i]);

		d->site.survival[i] = survival_gamma(g.shape, g.time);
	}
	free(counts);
	return 0;
}

static void foresee(struct draw *d)
{
	double start = d->params.start, days = d->params.days;

	for (uint32_t i = 0; i < d->site.n; i++) {
		struct change_history events = history_events(d->history, d->pages[i]);
		size_t changes = change_history_until(events, start + days) -
				 change_history_until(events, start);

		d->site.survival[i] = survival_poisson((double)changes / days);
	}
}

static int gather(struct draw *d)
{
	const struct history *h = d->history;
	size_t n = 0;

	d->pages = calloc(h->n, sizeof *d->pages);
	if (!d->pages)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < h->n; i++)
		if (history_alive(h, i, d->params.start))
			d->pages[n++] = i;
	if (n == 0)
		return ERR_NOTFOUND;
	d->site.n = n;
	d->site.survival = calloc(n, sizeof *d->site.survival);
	d->site.link_from = calloc(n + 1, sizeof *d->site.link_from);
	return d->site.survival && d->site.link_from ? 0 : ERR_NOMEM;
}

static int fill(struct draw *d)
{
	const struct draw_params *p = &d->params;
	int rc = gather(d);

	if (rc == 0 && p->rates == DRAW_PAST)
		rc = learn(d);
	else if (rc == 0 && p->rates == DRAW_PREDICTED)
		rc = draw_predict(d);
	else if (rc == 0)
		foresee(d);
	if (rc == 0 && p->links)
		rc = history_links_connect(p->links, d);
	return rc;
}

int draw_make(
	const struct history *history, const struct draw_params *params, struct draw *ret_draw)
{
	struct draw d = {.history = history, .params = *params};
	int rc = fill(&d);

	if (rc)
		draw_release(&d);
	else
		*ret_draw = d;
	return rc;
}

void draw_release(struct draw *d)
{
	free(d->pages);
	site_release(&d->site);
	u32_vec_release(&d->seeds);
	*d = (struct draw){0};
}
