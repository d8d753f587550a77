#include "proof/known.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_MAX ((size_t)4 << 30)

enum { ETAGS_MAX = 64 << 20 };

void known_init(struct known *k)
{
	/* One key for all pages: each from the system would take a tenth of a report's time. */
	*k = (struct known){.key = hash_key_random()};
	arena_init(&k->arena, ARENA_MAX);
	arena_init(&k->etags, ETAGS_MAX);
	words_init(&k->names, &k->arena);
}

void known_release(struct known *k)
{
	interval_vec_release(&k->proven);
	interval_vec_release(&k->asserted);
	interval_vec_release(&k->retired);
	known_pages_release(&k->pages);
	known_hosts_release(&k->hosts);
	known_looks_release(&k->looks);
	words_release(&k->names);
	arena_release(&k->etags);
	arena_release(&k->arena);
	*k = (struct known){0};
}

bool known_look_of(
	const struct attempt *a, const struct observation *shown, struct observation *ret)
{
	if (!attempt_is_look(a))
		return false;
	*ret = *shown;
	ret->failure = ret->rules = (slice){0};
	if (shown->stand_in.ptr) /* whatever it is */
		ret->stand_in = SLICE("stand-in");
	if (a->retired) /* what it was is known still, if not what it showed */
		ret->key = same_key_of(a);
	return true;
}

int known_look(struct known *k, const struct attempt *a, const struct observation *shown)
{
	struct observation look;

	if (!shown->start || !known_look_of(a, shown, &look))
		return 0;
	if (look.etag.ptr)
		look.etag.ptr = arena_strdup(&k->etags, look.etag);
	if (a->etag.ptr && !look.etag.ptr)
		return ERR_NOMEM;
	return known_looks_push(&k->looks, look);
}

void known_forget(struct known *k)
{
	k->looks.len = 0;
}

void known_share(struct known *k, int64_t from, int64_t to, const struct digest *shown)
{
	for (size_t i = 0; i < k->looks.len; i++)
		if (k->looks.ptr[i].start >= from && k->looks.ptr[i].start <= to) {
			k->looks.ptr[i].key.has_class = true;
			k->looks.ptr[i].key.class = *shown;
		}
}

static int by_time(const void *a, const void *b)
{
	const struct observation *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

slice known_origin(slice url)
{
	const char *host = memmem(url.ptr, url.len, "://", 3), *path;
	size_t from = host ? (size_t)(host - url.ptr) + 3 : 0;

	path = memchr(url.ptr + from, '/', url.len - from);
	return slice_sub(url, 0, path ? (size_t)(path - url.ptr) : url.len);
}

static int append(struct interval_vec *to, const struct interval_vec *from, uint32_t *ret_first,
	uint32_t *ret_count)
{
	*ret_first = (uint32_t)to->len;
	*ret_count = (uint32_t)from->len;
	if (to->len + from->len > UINT32_MAX)
		return ERR_LIMIT;
	for (size_t i = 0; i < from->len; i++)
		if (interval_vec_push(to, from->ptr[i]))
			return ERR_NOMEM;
	return 0;
}

static int compute(struct known *k, struct intervals *x, struct known_page *page)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < k->looks.len; i++)
		rc = intervals_add(x, &k->looks.ptr[i]);
	if (rc == 0)
		rc = intervals_finish(x);
	if (rc == 0)
		rc = append(&k->proven, &x->proven, &page->proven, &page->proven_count);
	if (rc == 0)
		rc = append(&k->asserted, &x->asserted, &page->asserted, &page->asserted_count);
	if (rc == 0)
		rc = append(&k->retired, &x->retired, &page->retired, &page->retired_count);
	page->returned = x->returned;
	return rc;
}

static int join_host(struct known *k, const struct known_page *page, const struct intervals *x)
{
	struct known_host *host;

	while (k->hosts.len <= page->host)
		if (known_hosts_push(&k->hosts, (struct known_host){0}))
			return ERR_NOMEM;
	host = &k->hosts.ptr[page->host];
	validator_trust_join(&host->trust, &x->trust);
	host->divergent = host->divergent || x->returned || x->trust.lies & VALIDATOR_MODIFIED_BACK;
	return 0;
}

int known_page(struct known *k, uint32_t page, slice url)
{
	struct intervals_terms terms = {.key = k->key};
	struct known_page known = {0};
	struct intervals x;
	int rc = 0;

	if (k->looks.len > 1)
		qsort(k->looks.ptr, k->looks.len, sizeof k->looks.ptr[0], by_time);
	intervals_init(&x, &terms);
	while (rc == 0 && k->pages.len < page)
		rc = known_pages_push(&k->pages, (struct known_page){0});
	if (rc == 0)
		rc = words_number(&k->names, known_origin(url), &known.host);
	if (rc == 0)
		rc = compute(k, &x, &known);
	if (rc == 0)
		rc = join_host(k, &known, &x);
	if (rc == 0)
		rc = known_pages_push(&k->pages, known);
	intervals_release(&x);
	k->looks.len = 0;
	arena_reset(&k->etags);
	return rc;
}

int known_finish(struct known *k, const struct stillpoint *window)
{
	struct planned_instant planned = {.from = 1, .to = 0};
	struct page_interval_vec list = {0};
	int rc = 0;

	/* The times of looks before and after cannot be held against each other. */
	if (window->clock_set)
		known_pages_release(&k->pages);
	if (stillpoint_is_known(window))
		planned = (struct planned_instant){window->from, window->to};
	for (uint32_t i = 0; rc == 0 && i < k->pages.len; i++) {
		size_t count;
		const struct interval *proven = known_proven(k, i, &count);

		for (size_t n = 0; rc == 0 && n < count; n++)
			rc = page_interval_vec_push(
				&list, (struct page_interval){i, proven[n].from, proven[n].to});
	}
	if (rc == 0 && list.len > 0)
		rc = best_instant_find(&list, &planned, &k->best);
	page_interval_vec_release(&list);
	return rc;
}

const struct interval *known_proven(const struct known *k, uint32_t page, size_t *ret_count)
{
	*ret_count = page < k->pages.len ? k->pages.ptr[page].proven_count : 0;
	return *ret_count ? k->proven.ptr + k->pages.ptr[page].proven : NULL;
}

const struct interval *known_asserted(const struct known *k, uint32_t page, size_t *ret_count)
{
	const struct known_page *p = page < k->pages.len ? &k->pages.ptr[page] : NULL;
	bool holds = p && p->asserted_count && validator_trust_holds(&k->hosts.ptr[p->host].trust);

	*ret_count = holds ? p->asserted_count : 0;
	return holds ? k->asserted.ptr + p->asserted : NULL;
}

const struct interval *known_retired(const struct known *k, uint32_t page, size_t *ret_count)
{
	*ret_count = page < k->pages.len ? k->pages.ptr[page].retired_count : 0;
	return *ret_count ? k->retired.ptr + k->pages.ptr[page].retired : NULL;
}

bool known_is_divergent(const struct known *k, uint32_t page)
{
	const struct known_page *p = page < k->pages.len ? &k->pages.ptr[page] : NULL;

	return p && p->host < k->hosts.len && k->hosts.ptr[p->host].divergent;
}
