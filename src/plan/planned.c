#include "plan/planned.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/heat.h"

int pyramid_lay(struct visit_choice *by_heat, size_t n)
{
	struct visit_choice *laid = malloc((n ? n : 1) * sizeof *laid);
	size_t outer = 0, inner = n;

	if (!laid)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		laid[by_heat[i].hopeless ? outer++ : --inner] = by_heat[i];
	memcpy(by_heat, laid, n * sizeof *laid);
	free(laid);
	return 0;
}

int planned_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct planned *p = state;

	(void)site;
	return u32_vec_add(&p->found, pages, n);
}

/* Plans a copy, so that a plan that fails half-way leaves the order of discovery as it was. */
static int make_plan(struct planned *p, const struct plan_site *site, planned_fn *plan)
{
	size_t n = p->found.len;
	struct visit_choice *choices = malloc((n ? n : 1) * sizeof *choices);
	int rc = choices ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < n; i++)
		choices[i] = (struct visit_choice){.page = p->found.ptr[i]};
	if (!rc && n > 0)
		rc = plan(site, choices, n);
	if (rc) {
		free(choices);
		return rc;
	}
	u32_vec_release(&p->found);
	p->choices = choices;
	p->len = n;
	return 0;
}

int planned_take(struct planned *p, const struct plan_site *site, planned_fn *plan,
	struct visit_choice *ret_choice)
{
	if (!p->made) {
		int rc = make_plan(p, site, plan);

		p->made = true;
		if (rc)
			return rc;
	}
	if (p->next < p->len)
		*ret_choice = p->choices[p->next++];
	else if (p->next_found < p->found.len)
		*ret_choice = (struct visit_choice){.page = p->found.ptr[p->next_found++]};
	else
		return ERR_END;
	return 0;
}

void planned_close(void *state)
{
	struct planned *p = state;

	free(p->choices);
	u32_vec_release(&p->found);
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
