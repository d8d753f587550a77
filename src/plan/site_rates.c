#include "plan/site_rates.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

/* From once in thirty years to ten times a second. */
#define LOW  1e-9
#define HIGH 1e1

#define FIRST_SHAPE 0.3  /* of the first guess: a few looks outweigh it */
#define UNKNOWN     0.5  /* how likely the first guess tells nothing: any order of magnitude */
#define STRENGTH    10.0 /* pages that the base of the prior counts for */
#define GROWTH      1.3
#define FIRST_FIT   16 /* intervals */

void site_rates_init(struct site_rates *s, struct rate_gamma first)
{
	double rate = fmin(fmax(first.shape / first.time, LOW), HIGH);

	*s = (struct site_rates){.fit_at = FIRST_FIT};
	rate_grid_init(&s->grid, LOW, HIGH);
	rate_gamma_cells(&s->grid, (struct rate_gamma){FIRST_SHAPE, FIRST_SHAPE / rate}, &s->prior);
	for (size_t i = 0; i < RATE_GRID_SIZE; i++)
		s->prior.at[i] = (1 - UNKNOWN) * s->prior.at[i] + UNKNOWN / RATE_GRID_SIZE;
}

void site_rates_observe(struct site_rates *s, struct rate_memory *page, struct rate_interval seen)
{
	const float kept = 1 - 1.0F / RATE_MEMORY;
	double length = rate_length(seen.length);

	if (length == 0)
		return;
	page->steady *= kept;
	page->changed *= kept;
	page->changes *= kept;
	if (seen.changed) {
		page->changed += (float)length;
		page->changes += 1;
	} else {
		page->steady += (float)length;
	}
	s->intervals++;
}

static void likelihood(
	const struct site_rates *s, const struct rate_memory *page, struct rate_row *ret)
{
	double changes = (double)page->changes;
	double length = changes > 0 ? (double)page->changed / changes : 0;

	for (size_t i = 0; i < RATE_GRID_SIZE; i++) {
		double x = s->grid.rates[i];

		ret->at[i] = -x * (double)page->steady;
		if (changes > 0)
			ret->at[i] += changes * log(-expm1(-x * length));
	}
}

bool site_rates_is_fitted(const struct site_rates *s)
{
	return s->fit_at > FIRST_FIT;
}

bool site_rates_is_due(const struct site_rates *s)
{
	return s->intervals >= s->fit_at;
}

/* Pages at equal distances, of those that were seen. */
static size_t fill(const struct site_rates *s, const struct rate_memory *pages, size_t count,
	struct rate_row *logs)
{
	size_t step = count / RATE_SITE_SAMPLE + 1, n = 0;

	for (size_t i = 0; i < count && n < RATE_SITE_SAMPLE; i += step)
		if (pages[i].steady > 0 || pages[i].changes > 0)
			likelihood(s, &pages[i], &logs[n++]);
	return n;
}

int site_rates_fit(struct site_rates *s, const struct rate_memory *pages, size_t count)
{
	struct rate_row *logs = calloc(RATE_SITE_SAMPLE, sizeof *logs), base;
	uint32_t *classes = calloc(RATE_SITE_SAMPLE, sizeof *classes), root = 0;
	struct rate_tree tree = {
		.classes = 1, .parents = &root, .page_classes = classes, .logs = logs};
	struct rate_gamma gamma;
	int rc = logs && classes ? 0 : ERR_NOMEM;

	s->fit_at = GROWTH * s->intervals;
	if (rc == 0)
		tree.pages = fill(s, pages, count, logs);
	if (rc == 0 && tree.pages > 0)
		rc = rate_gamma_fit_tree(&s->grid, &tree, STRENGTH, &gamma);
	if (rc == 0 && tree.pages > 0) {
		rate_gamma_cells(&s->grid, gamma, &base);
		rc = rate_grid_fit(&tree, &base, STRENGTH, &s->prior);
	}
	free(logs);
	free(classes);
	return rc;
}

static void find_posterior(
	const struct site_rates *s, const struct rate_memory *page, struct rate_row *ret)
{
	struct rate_row logs;

	likelihood(s, page, &logs);
	rate_grid_posterior(&s->prior, &logs, ret);
}

double site_rates_survival(
	const struct site_rates *s, const struct rate_memory *page, double length)
{
	struct rate_row posterior;

	find_posterior(s, page, &posterior);
	return 1 - rate_grid_within(&s->grid, &posterior, length);
}

double site_rates_rate(const struct site_rates *s, const struct rate_memory *page, double horizon)
{
	struct rate_row posterior;

	find_posterior(s, page, &posterior);
	return fmin(rate_grid_mean(&s->grid, &posterior),
		-log1p(-rate_grid_within(&s->grid, &posterior, horizon)) / horizon);
}
