#include "plan/order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/heap.h"
#include "base/lists.h"
#include "plan/heat.h"
#include "plan/plan.h"

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

/*
 * Revisit orders. First in first out and last in first out are those of SHARC section 9.1; hottest
 * first goes with Hottest-middle online (SOLAR section 6); SOLAR's own order follows its revisit
 * slots (offline) or confidence lengths (online), the hopeless last.
 */

static int fifo(const struct plan_site *site, uint32_t *pages, size_t n)
{
	(void)site;
	(void)pages;
	(void)n;
	return 0;
}

const struct revisit_order revisit_fifo = {.arrange = fifo};

static int lifo(const struct plan_site *site, uint32_t *pages, size_t n)
{
	(void)site;
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t page = pages[i];

		pages[i] = pages[n - 1 - i];
		pages[n - 1 - i] = page;
	}
	return 0;
}

const struct revisit_order revisit_lifo = {.arrange = lifo};

static int hottest_first(const struct plan_site *site, uint32_t *pages, size_t n)
{
	return heat_sort(site->survival, pages, n);
}

const struct revisit_order revisit_hottest_first = {.arrange = hottest_first};

/* Sorts indices by the rate of their pages, from hot to cold. */
static int sort_by_rate(
	const struct plan_site *site, const uint32_t *pages, uint32_t *index, double *key, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		index[i] = (uint32_t)i;
		key[i] = site->survival[pages[i]].rate;
	}
	return heat_sort_by(key, index, n);
}

/*
 * The hopeful by their key, of equal keys the hotter first: two stable sorts. The hopeless come
 * last, and the later visited of them first.
 */
static int solar(const struct plan_site *site, uint32_t *pages, size_t n)
{
	double *key = calloc(n ? n : 1, sizeof *key);
	uint32_t *index = malloc((n ? n : 1) * sizeof *index);
	int rc = key && index ? sort_by_rate(site, pages, index, key, n) : ERR_NOMEM;
	size_t hopeful = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const struct plan_page *p = &site->page[pages[i]];

		/* Also the key of a page that never changes comes before the hopeless. */
		key[i] = p->hopeless ? -INFINITY : fmax(-(double)p->key, -DBL_MAX);
		hopeful += !p->hopeless;
	}
	if (!rc)
		rc = heat_sort_by(key, index, n);
	for (size_t i = 0; !rc && i < hopeful; i++)
		index[i] = pages[index[i]];
	for (size_t i = n, to = hopeful; !rc && i-- > 0;)
		if (site->page[pages[i]].hopeless)
			index[to++] = pages[i];
	for (size_t i = 0; !rc && i < n; i++)
		pages[i] = index[i];
	free(key);
	free(index);
	return rc;
}

const struct revisit_order revisit_solar = {.arrange = solar};

/*
 * The plain visit orders (SHARC section 5.1 and 9.1): breadth first keeps found pages in a queue,
 * depth first puts the links of a page, in their order, before all others; hottest-first and
 * hottest-last take the hottest or the coldest page found so far.
 */

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

/* The table of strategies: a visit order, a revisit order, and how the papers number its slots. */

static const struct plan_strategy strategies[] = {
	/* single visit: SHARC sections 4, 5 and 9.1 */
	{"bfs", "breadth first", &visit_bfs, NULL, false, false},
	{"dfs", "depth first", &visit_dfs, NULL, false, false},
	{"hottest-first", "the hottest page found so far", &visit_hottest_first, NULL, false,
		false},
	{"hottest-last", "the coldest page found so far", &visit_hottest_last, NULL, false, false},
	{"sharc-offline", "organ pipe: least blur for known pages", &visit_sharc_offline, NULL,
		true, false},
	{"sharc-online", "organ pipe built while discovering", &visit_sharc_online, NULL, false,
		false},

	/* visit and revisit: SHARC sections 7 and 9.1 */
	{"bfs-fifo", "breadth first twice", &visit_bfs, &revisit_fifo, false, false},
	{"bfs-lifo", "breadth first, then back", &visit_bfs, &revisit_lifo, false, true},
	{"dfs-fifo", "depth first twice", &visit_dfs, &revisit_fifo, false, false},
	{"dfs-lifo", "depth first, then back", &visit_dfs, &revisit_lifo, false, true},
	{"hottest-first-fifo", "hot to cold twice", &visit_hottest_first, &revisit_fifo, false,
		false},
	{"hottest-first-lifo", "hot to cold, then back", &visit_hottest_first, &revisit_lifo, false,
		true},
	{"hottest-last-fifo", "cold to hot twice", &visit_hottest_last, &revisit_fifo, false,
		false},
	{"hottest-last-lifo", "cold to hot, then back", &visit_hottest_last, &revisit_lifo, false,
		true},
	{"sharc-revisits", "organ pipe twice: little blur, changes seen", &visit_sharc_offline,
		&revisit_fifo, true, false},
	{"sharc-selective-offline", "pyramid that gives hopeless pages up",
		&visit_selective_offline, &revisit_lifo, true, true},
	{"sharc-selective-online", "the same while discovering", &visit_selective_online,
		&revisit_lifo, false, true},

	/* visit and revisit: SOLAR sections 4 to 6 */
	{"sharc-threshold", "pyramid that gives up what exceeds its confidence length",
		&visit_threshold, &revisit_lifo, true, true},
	{"hottest-middle-offline", "pyramid, hottest page innermost", &visit_hottest_last,
		&revisit_lifo, true, true},
	{"hottest-middle-online", "coldest found first, revisits from hot to cold",
		&visit_hottest_last, &revisit_hottest_first, false, true},
	{"solar-offline", "confidence intervals fitted around the still point",
		&visit_solar_offline, &revisit_solar, true, true},
	{"solar-online", "the same while discovering", &visit_solar_online, &revisit_solar, false,
		true},

	/* visit and revisit: ours, docs/planning.md */
	{"stillpoint-offline", "most pages expected sharp, with proof", &visit_stillpoint_offline,
		&revisit_stillpoint, true, true},
	{"stillpoint-online", "the same while discovering", &visit_stillpoint_online,
		&revisit_stillpoint, false, true},
};

const struct plan_strategy *plan_strategy_at(size_t i)
{
	return i < sizeof strategies / sizeof strategies[0] ? &strategies[i] : NULL;
}

/* Whether name is base followed by suffix. */
static bool is_joined(const char *name, const char *base, const char *suffix)
{
	size_t len = strlen(base);

	return strncmp(name, base, len) == 0 && strcmp(name + len, suffix) == 0;
}

const struct plan_strategy *plan_strategy_find(const char *name, bool all_known)
{
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++)
		if (strcmp(s->name, name) == 0)
			return s;
	for (size_t i = 0; (s = plan_strategy_at(i)); i++)
		if (is_joined(s->name, name, all_known ? "-offline" : "-online"))
			return s;
	return NULL;
}
