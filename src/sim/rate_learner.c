#include "sim/rate_learner.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

/* Pages that a parent class's prior counts for. */
#define STRENGTH 10

/* Evidence grows so much between two fits. */
#define GROWTH 1.3

/* The grid spans so much on both sides of one change per unit. */
#define SPAN_LOW  1e-4
#define SPAN_HIGH 1e2

int rate_learner_init(struct rate_learner *l, size_t pages, const uint32_t *page_classes,
	const uint32_t *parents, size_t classes, double unit)
{
	*l = (struct rate_learner){.pages = pages,
		.classes = classes,
		.page_classes = page_classes,
		.parents = parents,
		.fit_at = (double)pages,
		.unit = unit};
	rate_grid_init(&l->grid, SPAN_LOW / unit, SPAN_HIGH / unit);
	l->logs = calloc(pages + 1, sizeof *l->logs);
	l->priors = calloc(classes, sizeof *l->priors);
	if (!l->logs || !l->priors)
		return ERR_NOMEM;
	for (size_t i = 0; i < classes; i++) /* a wide guess around one change per unit */
		rate_gamma_cells(&l->grid, (struct rate_gamma){0.5, 0.5 * unit}, &l->priors[i]);
	return 0;
}

void rate_learner_release(struct rate_learner *l)
{
	free(l->logs);
	free(l->priors);
	*l = (struct rate_learner){0};
}

void rate_learner_observe(struct rate_learner *l, size_t page, double length, bool changed)
{
	rate_grid_observe(&l->grid, &l->logs[page], (struct rate_interval){length, changed, false});
	l->intervals++;
}

int rate_learner_fit(struct rate_learner *l)
{
	struct rate_gamma gamma;
	struct rate_row base;
	struct rate_tree tree = {.classes = 1, .pages = l->pages, .logs = l->logs};
	uint32_t root = 0, *zeros;
	int rc;

	if (l->intervals < l->fit_at)
		return 0;
	l->fit_at = GROWTH * l->intervals;
	zeros = calloc(l->pages + 1, sizeof *zeros);
	if (!zeros)
		return ERR_NOMEM;
	tree.parents = &root;
	tree.page_classes = zeros;
	rc = rate_gamma_fit_tree(&l->grid, &tree, STRENGTH, &gamma);
	if (rc == 0) {
		rate_gamma_cells(&l->grid, gamma, &base);
		if (l->page_classes) {
			tree.classes = l->classes;
			tree.parents = l->parents;
			tree.page_classes = l->page_classes;
		}
		rc = rate_grid_fit(&tree, &base, STRENGTH, l->priors);
	}
	free(zeros);
	return rc;
}

double rate_learner_rate(const struct rate_learner *l, size_t page)
{
	double horizon = l->unit / 2;
	struct rate_row posterior;

	rate_grid_posterior(&l->priors[l->page_classes ? l->page_classes[page] : 0], &l->logs[page],
		&posterior);
	return fmin(rate_grid_mean(&l->grid, &posterior),
		-log1p(-rate_grid_within(&l->grid, &posterior, horizon)) / horizon);
}
