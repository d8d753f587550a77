#include "plan/rate_tree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/err.h"

int rate_levels_init(struct rate_levels *l, const struct rate_tree *tree)
{
	*l = (struct rate_levels){.depths = calloc(tree->classes + 1, sizeof *l->depths)};
	if (!l->depths)
		return ERR_NOMEM;
	for (uint32_t c = 1; c < tree->classes; c++) {
		assert(tree->parents[c] < c);
		l->depths[c] = l->depths[tree->parents[c]] + 1;
		if (l->depths[c] > l->deepest)
			l->deepest = l->depths[c];
	}
	return 0;
}

void rate_levels_release(struct rate_levels *l)
{
	free(l->depths);
	*l = (struct rate_levels){0};
}

bool rate_levels_find(const struct rate_levels *l, const struct rate_tree *tree, size_t page,
	uint32_t depth, uint32_t *ret_class)
{
	uint32_t c = tree->page_classes[page];

	if (l->depths[c] < depth)
		return false;
	while (l->depths[c] > depth)
		c = tree->parents[c];
	*ret_class = c;
	return true;
}

struct rate_row *rate_tree_likelihoods(const struct rate_tree *tree)
{
	struct rate_row *rows = calloc(tree->pages + 1, sizeof *rows);
	struct rate_row flat;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		flat.at[k] = 1;
	for (size_t i = 0; rows && i < tree->pages; i++)
		rate_grid_posterior(&flat, &tree->logs[i], &rows[i]);
	for (size_t i = 0; rows && i < tree->pages; i++)
		for (size_t k = 0; k < RATE_GRID_SIZE; k++)
			if (rows[i].at[k] < RATE_SMALLEST)
				rows[i].at[k] = 0;
	return rows;
}
