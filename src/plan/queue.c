/*
 * The plain visit orders (SHARC section 5.1 and 9.1): breadth first keeps found pages in a queue,
 * depth first puts the links of a page, in their order, before all others; hottest-first and
 * hottest-last take the hottest or the coldest page found so far.
 */
#include "base/heap.h"
#include "base/lists.h"
#include "plan/order.h"

struct queue {
	struct u32_vec pages;
	size_t head;
};

static void queue_close(void *state)
{
	struct queue *q = state;

	u32_vec_release(&q->pages);
}

static int bfs_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct queue *q = state;

	(void)site;
	return u32_vec_add(&q->pages, pages, n);
}

static int bfs_take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct queue *q = state;

	(void)site;
	if (q->head == q->pages.len)
		return ERR_END;
	ret_choice->page = q->pages.ptr[q->head++];
	return 0;
}

const struct visit_order visit_bfs = {
	.state_size = sizeof(struct queue), .add = bfs_add, .take = bfs_take, .close = queue_close};

static int dfs_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct queue *q = state;
	int rc = u32_vec_try_reserve(&q->pages, n);

	(void)site;
	while (!rc && n > 0)
		rc = u32_vec_try_push(&q->pages, pages[--n]);
	return rc;
}

static int dfs_take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct queue *q = state;

	(void)site;
	if (q->pages.len == 0)
		return ERR_END;
	ret_choice->page = q->pages.ptr[--q->pages.len];
	return 0;
}

const struct visit_order visit_dfs = {
	.state_size = sizeof(struct queue), .add = dfs_add, .take = dfs_take, .close = queue_close};

struct by_heat {
	struct heap heap;
	uint64_t found; /* equal rates come in the order in which they were found */
};

static int heat_add(struct by_heat *h, const struct plan_site *site, const uint32_t *pages,
	size_t n, double sign)
{
	uint32_t largest = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		largest = pages[i] > largest ? pages[i] : largest;
	rc = heap_reserve(&h->heap, (size_t)largest + 1);
	for (size_t i = 0; !rc && i < n; i++) {
		struct heap_key key = {sign * site->survival[pages[i]].rate, h->found++};

		rc = heap_push(&h->heap, pages[i], key);
	}
	return rc;
}

static int hottest_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	return heat_add(state, site, pages, n, -1);
}

static int coldest_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	return heat_add(state, site, pages, n, 1);
}

static int heat_take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct by_heat *h = state;

	(void)site;
	return heap_pop(&h->heap, &ret_choice->page, NULL) ? 0 : ERR_END;
}

static bool heat_remove(void *state, const struct plan_site *site, uint32_t page)
{
	struct by_heat *h = state;

	(void)site;
	return heap_remove(&h->heap, page);
}

static void heat_close(void *state)
{
	struct by_heat *h = state;

	heap_release(&h->heap);
}

const struct visit_order visit_hottest_first = {.state_size = sizeof(struct by_heat),
	.add = hottest_add,
	.take = heat_take,
	.remove = heat_remove,
	.close = heat_close};

const struct visit_order visit_hottest_last = {.state_size = sizeof(struct by_heat),
	.add = coldest_add,
	.take = heat_take,
	.remove = heat_remove,
	.close = heat_close};
