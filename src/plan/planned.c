#include "plan/planned.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "plan/heat.h"

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
		rc = p->len ? plan(site, p->choices, p->len) : 0;
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

int planned_sort_by_heat(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	uint32_t *pages = malloc((n ? n : 1) * sizeof *pages);
	int rc = pages ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < n; i++)
		pages[i] = choices[i].page;
	if (!rc)
		rc = heat_sort(site->survival, pages, n);
	for (size_t i = 0; !rc && i < n; i++)
		choices[i] = (struct visit_choice){.page = pages[i]};
	free(pages);
	return rc;
}
