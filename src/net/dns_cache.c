#include "net/dns_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int dns_cache_init(struct dns_cache *c, size_t max)
{
	*c = (struct dns_cache){.key = hash_key_random(), .max = max};
	c->buckets = calloc(DNS_CACHE_BUCKETS, sizeof(struct dns_name *));
	return c->buckets ? 0 : ERR_NOMEM;
}

void dns_answer_release(struct dns_answer *a)
{
	free(a->list);
	free(a->records);
	*a = (struct dns_answer){0};
}

static void free_name(struct dns_name *n)
{
	assert(!n->waiters.first);
	dns_answer_release(&n->answer);
	free(n);
}

void dns_cache_release(struct dns_cache *c)
{
	for (size_t i = 0; c->buckets && i < DNS_CACHE_BUCKETS; i++) {
		struct dns_name *n = c->buckets[i], *next;

		for (; n; n = next) {
			next = n->chain;
			free_name(n);
		}
	}
	free((void *)c->buckets);
	*c = (struct dns_cache){0};
}

static size_t bucket_of(const struct dns_cache *c, slice name)
{
	return hash_bytes(c->key, name) % DNS_CACHE_BUCKETS;
}

struct dns_name *dns_cache_find(const struct dns_cache *c, slice name)
{
	struct dns_name *n = c->buckets[bucket_of(c, name)];

	while (n && !slice_eq(slice_str(n->text), name))
		n = n->chain;
	return n;
}

struct dns_name *dns_cache_add(struct dns_cache *c, slice name)
{
	struct dns_name *n = calloc(1, sizeof *n + name.len + 1);

	if (!n)
		return NULL;
	memcpy(n->text, name.ptr, name.len);
	n->bucket = bucket_of(c, name);
	n->chain = c->buckets[n->bucket];
	c->buckets[n->bucket] = n;
	return n;
}

static void forget(struct dns_cache *c, struct dns_name *n)
{
	struct dns_name **at = &c->buckets[n->bucket];

	while (*at != n)
		at = &(*at)->chain;
	*at = n->chain;
	dns_list_remove(n);
	free_name(n);
}

void dns_cache_move(struct dns_cache *c, struct dns_name *n, struct dns_list *to)
{
	dns_list_append(to, n);
	if (c->known.len > c->max)
		forget(c, c->known.first);
}

void dns_answer_prefer(struct dns_answer *a, const struct address *address)
{
	size_t i = 0;

	while (i < a->count && !address_equal(&a->list[i], address))
		i++;
	if (i == a->count)
		return;
	memmove(a->list + 1, a->list, i * sizeof *a->list);
	a->list[0] = *address;
}
