#include "plan/assign.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign_steps.h"

double assign_total(const struct assign_problem *p, const uint32_t *page_of)
{
	double sum = 0;

	for (size_t j = 0; j < p->n; j++)
		sum += assign_value(p, page_of[j], j);
	return sum;
}

bool assign_uniform(const struct assign_problem *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->survival[i].shape != p->survival[0].shape ||
			(p->weight && p->weight[i] != p->weight[0]))
			return false;
	return true;
}

double assign_scale(const struct assign_problem *p)
{
	double scale = p->weight || p->n == 0 ? 0 : 1;

	for (uint32_t i = 0; p->weight && i < p->n; i++)
		scale = fmax(scale, (double)p->weight[i]);
	return scale;
}

void *assign_scratch(size_t n)
{
	return malloc((n + 1) * ASSIGN_SCRATCH);
}

int assign_start(const struct assign_problem *p, uint32_t *page_of)
{
	void *scratch;
	int rc = 0;

	if (p->n == 0)
		return 0;
	scratch = assign_scratch(p->n);
	if (!scratch)
		return ERR_NOMEM;
	if (assign_uniform(p))
		assign_chains(p, scratch, page_of);
	else
		rc = assign_guided(p, scratch, page_of);
	if (!rc)
		assign_exchange(p, scratch, page_of);
	free(scratch);
	return rc;
}
