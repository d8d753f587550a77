#include "rank/frontier.h"

#include <math.h>
#include <stdlib.h>

/* A host without new pages gets this many for each request all the same: none starves. */
static const double YIELD_MIN = 0.05;

void rank_frontier_release(struct rank_frontier *f)
{
	for (size_t i = 0; i < f->hosts.len; i++)
		u32_vec_release(&f->hosts.ptr[i].waiting);
	rank_hosts_release(&f->hosts);
	rank_keys_release(&f->key);
	u32_vec_release(&f->place);
	u32_vec_release(&f->host);
	heap_release(&f->order);
	heap_release(&f->turns);
	*f = (struct rank_frontier){0};
}

/* ---- the heap of a host ---- */

static bool is_better(const struct rank_frontier *f, uint32_t a, uint32_t b)
{
	double x = f->key.ptr[a], y = f->key.ptr[b];

	return x > y || (x == y && a < b);
}

static void put(struct rank_frontier *f, const struct rank_host *h, size_t at, uint32_t page)
{
	h->waiting.ptr[at] = page;
	f->place.ptr[page] = (uint32_t)at + 1;
}

static void sift_up(struct rank_frontier *f, const struct rank_host *h, size_t at)
{
	uint32_t page = h->waiting.ptr[at];

	while (at > 0 && is_better(f, page, h->waiting.ptr[(at - 1) / 2])) {
		put(f, h, at, h->waiting.ptr[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(f, h, at, page);
}

static void sift_down(struct rank_frontier *f, const struct rank_host *h, size_t at)
{
	uint32_t page = h->waiting.ptr[at];
	size_t n = h->waiting.len;

	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n && is_better(f, h->waiting.ptr[child + 1], h->waiting.ptr[child]))
			child++;
		if (!is_better(f, h->waiting.ptr[child], page))
			break;
		put(f, h, at, h->waiting.ptr[child]);
		at = child;
	}
	put(f, h, at, page);
}

static void drop(struct rank_frontier *f, struct rank_host *h, size_t at)
{
	uint32_t page = h->waiting.ptr[at], last = h->waiting.ptr[--h->waiting.len];

	f->len--;
	f->place.ptr[page] = 0;
	if (page == last)
		return;
	put(f, h, at, last);
	sift_up(f, h, at);
	sift_down(f, h, f->place.ptr[last] - 1);
}

/* ---- the heap of hosts ---- */

/* What a host's share grows with: new pages for each request, one before it is known. */
static double yield_of(const struct rank_host *h)
{
	return fmax(YIELD_MIN, (h->new_pages + 1) / (h->taken + 1.0));
}

static struct heap_key host_key(const struct rank_frontier *f, const struct rank_host *h)
{
	uint32_t best = h->waiting.ptr[0];

	switch (f->by) {
	case RANK_HOSTS_BACKLOG:
		return (struct heap_key){-(double)h->waiting.len, best};
	case RANK_HOSTS_SHARE:
		return (struct heap_key){h->turn, best};
	case RANK_HOSTS_BEST:
		break;
	}
	return (struct heap_key){-f->key.ptr[best], best};
}

/* Room was made when the host came, so that nothing fails here. */
static void place_host(struct rank_frontier *f, uint32_t host)
{
	const struct rank_host *h = &f->hosts.ptr[host];
	struct heap_key turn = {h->turn, host};

	if (h->waiting.len == 0 || f->key.ptr[h->waiting.ptr[0]] < f->least)
		(void)heap_remove(&f->turns, host);
	else if (f->lag > 0 && !heap_update(&f->turns, host, turn))
		(void)!heap_push(&f->turns, host, turn);
	if (h->held || h->waiting.len == 0 || f->key.ptr[h->waiting.ptr[0]] < f->least)
		(void)heap_remove(&f->order, host);
	else if (!heap_update(&f->order, host, host_key(f, h)))
		(void)!heap_push(&f->order, host, host_key(f, h));
}

static int grow_hosts(struct rank_frontier *f, uint32_t host)
{
	int rc = heap_reserve(&f->order, (size_t)host + 1);

	if (rc == 0 && f->lag > 0)
		rc = heap_reserve(&f->turns, (size_t)host + 1);
	/* A host that comes later is not owed what the others got before. */
	while (rc == 0 && f->hosts.len <= host)
		rc = rank_hosts_push(&f->hosts, (struct rank_host){.turn = f->turn});
	return rc;
}

static int grow_pages(struct rank_frontier *f, uint32_t page)
{
	int rc = 0;

	while (rc == 0 && f->place.len <= page) {
		rc = rank_keys_reserve(&f->key, 1);
		if (rc == 0)
			rc = u32_vec_reserve(&f->host, 1);
		if (rc == 0)
			rc = u32_vec_push(&f->place, 0);
		if (rc)
			return rc;
		f->key.ptr[f->key.len++] = 0;
		f->host.ptr[f->host.len++] = 0;
	}
	return rc;
}

int rank_frontier_add(struct rank_frontier *f, uint32_t page, uint32_t host, double key)
{
	struct rank_host *h;
	int rc = grow_pages(f, page);

	if (rc == 0)
		rc = grow_hosts(f, host);
	if (rc || f->place.ptr[page])
		return rc;
	h = &f->hosts.ptr[host];
	rc = u32_vec_push(&h->waiting, page);
	if (rc)
		return rc;
	if (h->waiting.len == 1)
		h->turn = fmax(h->turn, f->turn);
	f->key.ptr[page] = key;
	f->host.ptr[page] = host;
	f->len++;
	sift_up(f, h, h->waiting.len - 1);
	place_host(f, host);
	return 0;
}

bool rank_frontier_has(const struct rank_frontier *f, uint32_t page)
{
	return page < f->place.len && f->place.ptr[page] > 0;
}

void rank_frontier_update(struct rank_frontier *f, uint32_t page, double key)
{
	const struct rank_host *h;

	if (!rank_frontier_has(f, page) || f->key.ptr[page] == key)
		return;
	h = &f->hosts.ptr[f->host.ptr[page]];
	f->key.ptr[page] = key;
	sift_up(f, h, f->place.ptr[page] - 1);
	sift_down(f, h, f->place.ptr[page] - 1);
	place_host(f, f->host.ptr[page]);
}

void rank_frontier_remove(struct rank_frontier *f, uint32_t page)
{
	if (!rank_frontier_has(f, page))
		return;
	drop(f, &f->hosts.ptr[f->host.ptr[page]], f->place.ptr[page] - 1);
	place_host(f, f->host.ptr[page]);
}

/* The host that the next page would be of; false as above. */
static bool rank_frontier_peek(const struct rank_frontier *f, uint32_t *ret_host)
{
	struct heap_key due;
	uint32_t first;

	if (!heap_peek(&f->order, ret_host, NULL))
		return false;
	return !(f->lag > 0) || !heap_peek(&f->turns, &first, &due) ||
	       f->hosts.ptr[*ret_host].turn <= due.key + f->lag;
}

bool rank_frontier_take(struct rank_frontier *f, uint32_t *ret_page)
{
	struct rank_host *h;
	uint32_t host;

	if (!rank_frontier_peek(f, &host))
		return false;
	h = &f->hosts.ptr[host];
	*ret_page = h->waiting.ptr[0];
	f->turn = fmax(f->turn, h->turn);
	h->turn += 1 / yield_of(h);
	h->taken++;
	drop(f, h, 0);
	place_host(f, host);
	return true;
}

int rank_frontier_hold(struct rank_frontier *f, uint32_t host, bool held)
{
	int rc = grow_hosts(f, host);

	if (rc)
		return rc;
	f->hosts.ptr[host].held = held;
	place_host(f, host);
	return 0;
}

void rank_frontier_gave(struct rank_frontier *f, uint32_t host, size_t new_pages)
{
	if (host < f->hosts.len)
		f->hosts.ptr[host].new_pages += (double)new_pages;
}

void rank_frontier_rekey(struct rank_frontier *f, rank_key_of *key_of, void *context)
{
	for (uint32_t i = 0; i < f->hosts.len; i++) {
		const struct rank_host *h = &f->hosts.ptr[i];

		for (size_t k = 0; k < h->waiting.len; k++)
			f->key.ptr[h->waiting.ptr[k]] = key_of(context, h->waiting.ptr[k]);
		for (size_t k = h->waiting.len / 2; k > 0; k--)
			sift_down(f, h, k - 1);
		place_host(f, i);
	}
}

struct listed {
	double key;
	uint32_t page;
};

static int by_key(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

int rank_frontier_list(const struct rank_frontier *f, struct u32_vec *ret)
{
	struct listed *all = calloc(f->len + 1, sizeof *all);
	size_t n = 0;
	int rc = all ? u32_vec_reserve(ret, f->len) : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < f->place.len; i++)
		if (f->place.ptr[i])
			all[n++] = (struct listed){f->key.ptr[i], i};
	if (n > 1)
		qsort(all, n, sizeof *all, by_key);
	for (size_t i = 0; i < n; i++)
		ret->ptr[ret->len++] = all[i].page;
	free(all);
	return rc;
}
