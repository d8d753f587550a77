#include "histories/draw.h"

#include <math.h>
#include <stdlib.h>

#include "histories/history_links.h"
#include "plan/c45.h"
#include "plan/gamma_poisson.h"
#include "plan/rate_estimate.h"

/*
 * Rates by the predictor (SHARC section 9.1): the past of a random tenth of the pages is known, a
 * C4.5 tree learns from their paths, and every page has the rate of the class that its path is put
 * into.
 */

enum { KNOWN_ONE_IN = 10 };

struct learner {
	struct draw *draw;
	size_t known;    /* pages whose past is known */
	uint32_t *order; /* all pages; the known ones come first */
	struct feature_words words;
	struct features *rows; /* of the known pages, as all that follows */
	struct rate_count *counts;
	double *rates;
	uint8_t *labels;
	struct rate_bins bins;
};

static int allocate(struct learner *l)
{
	size_t n = l->draw->site.n;

	l->known = (n + KNOWN_ONE_IN - 1) / KNOWN_ONE_IN;
	l->order = calloc(n, sizeof *l->order);
	l->rows = calloc(l->known, sizeof *l->rows);
	l->counts = calloc(l->known, sizeof *l->counts);
	l->rates = calloc(l->known, sizeof *l->rates);
	l->labels = calloc(l->known, sizeof *l->labels);
	return l->order && l->rows && l->counts && l->rates && l->labels ? 0 : ERR_NOMEM;
}

static void learner_release(struct learner *l)
{
	feature_words_release(&l->words);
	free(l->order);
	free(l->rows);
	free(l->counts);
	free(l->rates);
	free(l->labels);
}

static void choose(struct learner *l)
{
	struct rng parent = l->draw->params.randoms, own;

	rng_split(&parent, &own);
	for (uint32_t i = 0; i < l->draw->site.n; i++)
		l->order[i] = i;
	rng_shuffle(&own, l->order, l->draw->site.n, sizeof *l->order);
}

static struct rate_count draw_past(const struct draw *d, uint32_t page);

/* What is known of the chosen pages: posterior means, with a prior fitted to them alone. */
static int describe(struct learner *l)
{
	struct rate_gamma prior, g;
	int rc = 0;

	for (size_t i = 0; i < l->known; i++)
		l->counts[i] = draw_past(l->draw, l->order[i]);
	prior = rate_gamma_fit(l->counts, l->known);
	for (size_t i = 0; rc == 0 && i < l->known; i++) {
		g = rate_gamma_posterior(prior, l->counts[i]);
		l->rates[i] = g.shape / g.time;
		rc = features_of_url(&l->words, draw_path(l->draw, l->order[i]), true, &l->rows[i]);
	}
	if (rc == 0)
		rc = rate_bins_make(l->rates, l->known, &l->bins);
	for (size_t i = 0; rc == 0 && i < l->known; i++)
		l->labels[i] = (uint8_t)rate_bins_find(&l->bins, l->rates[i]);
	return rc;
}

static int predict(struct learner *l)
{
	struct sample s = {
		l->known, l->rows, l->labels, l->bins.count, FEATURES_ONLINE, l->words.counts};
	struct features f;
	struct c45 tree;
	int rc = c45_train(&tree, &s);

	for (uint32_t i = 0; rc == 0 && i < l->draw->site.n; i++) {
		rc = features_of_url(&l->words, draw_path(l->draw, i), false, &f);
		if (rc == 0)
			l->draw->site.survival[i] =
				survival_poisson(l->bins.mean[c45_predict(&tree, &f)]);
	}
	c45_release(&tree);
	return rc;
}

/* Sets predicted rates; for draw_make. 0 or ERR_NOMEM. */
static int draw_predict(struct draw *d)
{
	struct learner l = {.draw = d};
	int rc;

	feature_words_init(&l.words);
	rc = allocate(&l);
	if (rc == 0) {
		choose(&l);
		rc = describe(&l);
	}
	if (rc == 0)
		rc = predict(&l);
	learner_release(&l);
	return rc;
}

/* Changes and time of a page before the start, as far back as memory goes. */
static struct rate_count draw_past(const struct draw *d, uint32_t page)
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
