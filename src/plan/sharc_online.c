/*
 * SHARC-online (SHARC section 5, Algorithm 2): an organ pipe built while the site is discovered.
 * With n_D pages visited, n_E found and waiting in the order of their rates, and n + 1 pages
 * expected, it visits
 *	the coldest                while n_D + n_E <= (n + 1) / 2     (ascending, eq. 11-12),
 *	the n_D-th coldest         while n_D <= (n + 1) / 2           (middle, eq. 13-14),
 *	the hottest                from then on                       (descending, eq. 15-16).
 */
#include "base/err.h"
#include "plan/order.h"
#include "plan/ranking.h"

static int add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct ranking *coldest_first = state;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = ranking_insert(coldest_first, -site->survival[pages[i]].rate, pages[i]);
	return rc;
}

static size_t position(size_t visited, size_t waiting, size_t size)
{
	if (2 * (visited + waiting) <= size)
		return 0;
	if (2 * visited <= size)
		return visited < waiting ? visited : waiting - 1;
	return waiting - 1;
}

static int take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct ranking *coldest_first = state;
	size_t pos;

	if (coldest_first->len == 0)
		return ERR_END;
	pos = position(site->visited, coldest_first->len, site->size);
	ret_choice->page = ranking_take(coldest_first, pos).page;
	return 0;
}

static bool take_out(void *state, const struct plan_site *site, uint32_t page)
{
	(void)site;
	return ranking_remove(state, page);
}

static void close(void *state)
{
	ranking_release(state);
}

const struct visit_order visit_sharc_online = {.state_size = sizeof(struct ranking),
	.add = add,
	.take = take,
	.remove = take_out,
	.close = close};
