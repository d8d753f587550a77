#include "sim/composites.h"

#include <stdlib.h>

/* A requisite is one of the pool as often as one of the page's own; so eight pages share one. */
enum { POOL_USERS = 8 };

static const double REQUISITE_RATE = 0.25;

/* Edges to new pages, numbered from site->n on; the pool's come first. */
static int draw_requisites(
	struct site *site, unsigned per_page, struct rng *rng, uint32_t *ret_pages)
{
	uint32_t n = (uint32_t)site->n, style = n, pool = 1 + n * per_page / (2 * POOL_USERS);
	uint32_t next = style + 1 + pool, used = 0;
	int rc = 0;

	for (uint32_t page = 0; page < n; page++) {
		if (rc == 0)
			rc = group_edges_push(&site->requisites, (struct group_edge){page, style});
		for (unsigned k = 0; rc == 0 && k < per_page; k++) {
			bool shared = rng_below(rng, 2);
			uint32_t part = !shared       ? next++
					: used < pool ? style + 1 + used++ /* each at least once */
						      : style + 1 + (uint32_t)rng_below(rng, pool);

			rc = group_edges_push(&site->requisites, (struct group_edge){page, part});
		}
	}
	*ret_pages = next;
	return rc;
}

/* The requisites stand behind the links of their page. Edges are in the order of their pages. */
static int lay_links(struct site *site, size_t pages)
{
	const struct group_edges *e = &site->requisites;
	size_t count = site->link_from[site->n], to = 0, edge = 0;
	size_t *from = calloc(pages + 2, sizeof *from);
	uint32_t *links = malloc((count + e->len + 1) * sizeof *links);

	if (!from || !links) {
		free(from);
		free(links);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < pages; i++) {
		from[i] = to;
		for (size_t k = i < site->n ? site->link_from[i] : count;
			i < site->n && k < site->link_from[i + 1]; k++)
			links[to++] = site->links[k];
		for (; edge < e->len && e->ptr[edge].page == i; edge++)
			links[to++] = e->ptr[edge].requisite;
	}
	from[pages] = to;
	free(site->link_from);
	free(site->links);
	site->link_from = from;
	site->links = links;
	return 0;
}

static int draw_rates(struct site *site, size_t pages, struct rng *rng)
{
	struct survival *survival = realloc(site->survival, pages * sizeof *survival);
	double scale = (double)site->n / (double)pages;

	if (!survival)
		return ERR_NOMEM;
	site->survival = survival;
	for (size_t i = site->n; i < pages; i++)
		survival[i] =
			survival_poisson(REQUISITE_RATE * survival[rng_below(rng, site->n)].rate);
	for (size_t i = 0; i < pages; i++)
		survival[i].rate *= scale;
	return 0;
}

int composites_add(struct site *site, unsigned per_page, struct rng *rng)
{
	uint32_t pages = 0;
	int rc = draw_requisites(site, per_page, rng, &pages);

	if (rc == 0)
		rc = lay_links(site, pages);
	if (rc == 0)
		rc = draw_rates(site, pages, rng);
	if (rc == 0)
		site->n = pages;
	return rc;
}
