#include "plan/planned.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"

int planned_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct planned *p = state;

	(void)site;
	if (n > p->cap - p->len) {
		struct visit_choice *choices =
			vec_grow(p->choices, &p->cap, p->len + n, sizeof *p->choices);

		if (!choices)
			return ERR_NOMEM;
		p->choices = choices;
	}
	for (size_t i = 0; i < n; i++)
		p->choices[p->len++] = (struct visit_choice){.page = pages[i]};
	return 0;
}

int planned_take(struct planned *p, const struct plan_site *site, planned_fn *plan,
	struct visit_choice *ret_choice)
{
	int rc;

	if (!p->made) {
		p->made = true;
		rc = plan(site, p->choices, p->len);
		if (rc)
			return rc;
	}
	if (p->next == p->len)
		return ERR_END;
	*ret_choice = p->choices[p->next++];
	return 0;
}

void planned_close(void *state)
{
	struct planned *p = state;

	free(p->choices);
}

struct hot_choice {
	double rate;
	size_t rank;
	struct visit_choice choice;
};

static int hotter_first(const void *a, const void *b)
{
	const struct hot_choice *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

int planned_sort_by_heat(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	struct hot_choice *hot = malloc((n ? n : 1) * sizeof *hot);

	if (!hot)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		hot[i] = (struct hot_choice){site->survival[choices[i].page].rate, i, choices[i]};
	qsort(hot, n, sizeof *hot, hotter_first);
	for (size_t i = 0; i < n; i++)
		choices[i] = hot[i].choice;
	free(hot);
	return 0;
}
