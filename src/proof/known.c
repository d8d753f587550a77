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

void known_look(struct known *k, const struct attempt *a, const struct observation *shown)
{
	struct observation look;

	if (!shown->start || !known_look_of(a, shown, &look))
		return;
	if (look.etag.len > INTERVALS_ETAG_SIZE_MAX) /* not looked at */
		look.etag = (slice){0};
	look.etag = arena_keep(&k->etags, look.etag);
	known_looks_push(&k->looks, look);
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

static void append(struct interval_vec *to, const struct interval_vec *from, uint32_t *ret_first,
	uint32_t *ret_count)
{
	*ret_first = (uint32_t)to->len;
	*ret_count = (uint32_t)from->len;
	for (size_t i = 0; i < from->len; i++)
		interval_vec_push(to, from->ptr[i]);
}

void known_page(struct known *k, uint32_t page, slice url)
{
	struct known_page known = {.host = words_put(&k->names, known_origin(url))};
	struct known_host *host;
	struct intervals x;

	if (k->looks.len > 1)
		qsort(k->looks.ptr, k->looks.len, sizeof k->looks.ptr[0], by_time);
	intervals_init(&x, &(struct intervals_terms){.key = k->key});
	for (size_t i = 0; i < k->looks.len; i++)
		intervals_add(&x, &k->looks.ptr[i]);
	intervals_finish(&x);
	append(&k->proven, &x.proven, &known.proven, &known.proven_count);
	append(&k->asserted, &x.asserted, &known.asserted, &known.asserted_count);
	append(&k->retired, &x.retired, &known.retired, &known.retired_count);
	known.returned = x.returned;
	while (k->pages.len < page)
		known_pages_push(&k->pages, (struct known_page){0});
	known_pages_push(&k->pages, known);
	while (k->hosts.len <= known.host)
		known_hosts_push(&k->hosts, (struct known_host){0});
	host = &k->hosts.ptr[known.host];
	validator_trust_join(&host->trust, &x.trust);
	host->divergent = host->divergent || x.returned || x.trust.lies & VALIDATOR_MODIFIED_BACK;
	intervals_release(&x);
	k->looks.len = 0;
	arena_reset(&k->etags);
}

void known_finish(struct known *k, const struct stillpoint *window)
{
	struct planned_instant planned = {.from = 1, .to = 0};
	struct page_interval_vec list = {0};

	/* The times of looks before and after cannot be held against each other. */
	if (window->clock_set)
		known_pages_release(&k->pages);
	if (stillpoint_is_known(window))
		planned = (struct planned_instant){window->from, window->to};
	for (uint32_t i = 0; i < k->pages.len; i++) {
		size_t count;
		const struct interval *proven = known_proven(k, i, &count);

		for (size_t n = 0; n < count; n++)
			page_interval_vec_push(
				&list, (struct page_interval){i, proven[n].from, proven[n].to});
	}
	(void)best_instant_find(&list, &planned, &k->best);
	page_interval_vec_release(&list);
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
