#include "histories/rate_model.h"

/* The lowest rate stands for "never". */
static const double RATE_LOW = 1e-6, RATE_HIGH = 20;

/* Pages that a parent directory's prior counts for. */
static const double STRENGTH = 10;

int rate_model_init(struct rate_model *m, const struct visits *visits)
{
	int rc = directories_init(&m->directories);

	for (size_t i = 0; rc == 0 && i < visits->pages; i++)
		rc = directories_add(&m->directories, visits->history->paths[visits->numbers[i]]);
	rate_grid_init(&m->grid, RATE_LOW, RATE_HIGH);
	return rc;
}

void rate_model_release(struct rate_model *m)
{
	directories_release(&m->directories);
}

int rate_model_fit(const struct rate_model *m, const struct rate_tree *pages,
	struct rate_row *ret_priors, struct rate_gamma *ret_gammas)
{
	struct rate_tree tree = *pages;
	struct rate_row base;
	int rc;

	tree.classes = m->directories.parents.len;
	tree.parents = m->directories.parents.ptr;
	rc = rate_gamma_fit_tree(&m->grid, &tree, STRENGTH, ret_gammas);
	if (rc)
		return rc;
	rate_gamma_cells(&m->grid, ret_gammas[0], &base);
	return rate_grid_fit(&tree, &base, STRENGTH, ret_priors);
}
