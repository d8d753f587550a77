#include "crawl/sitemap_list.h"

#include <stdlib.h>
#include <string.h>

void sitemap_list_init(struct sitemap_list *l)
{
	*l = (struct sitemap_list){0};
	seen_init(&l->seen, hash_key_random(), hash_key_random());
}

void sitemap_list_release(struct sitemap_list *l)
{
	for (size_t i = 0; i < l->waiting.len; i++)
		free(l->waiting.ptr[i].url);
	waiting_sitemaps_release(&l->waiting);
	seen_release(&l->seen);
}

bool sitemap_list_is_full(const struct sitemap_list *l)
{
	return seen_count(&l->seen) >= SITEMAPS_MAX;
}

int sitemap_list_add(struct sitemap_list *l, slice url)
{
	return seen_add(&l->seen, url, 0);
}

bool sitemap_list_add_feed(struct sitemap_list *l)
{
	return l->feeds < SITEMAP_FEEDS_MAX && ++l->feeds;
}

bool sitemap_list_add_host(struct sitemap_list *l)
{
	if (l->foreign_hosts >= SITEMAP_FOREIGN_HOSTS_MAX)
		return false;
	l->foreign_hosts++;
	return true;
}

int sitemap_list_wait(struct sitemap_list *l, slice url, const struct waiting_sitemap *sitemap)
{
	struct waiting_sitemap w = *sitemap;
	int rc;

	w.url = strndup(url.ptr, url.len);
	rc = w.url ? waiting_sitemaps_push(&l->waiting, w) : ERR_NOMEM;
	if (rc)
		free(w.url);
	return rc;
}

bool sitemap_list_take(struct sitemap_list *l, uint32_t host, struct waiting_sitemap *ret)
{
	struct waiting_sitemaps *v = &l->waiting;

	for (size_t i = 0; i < v->len; i++)
		if (v->ptr[i].host == host) {
			*ret = v->ptr[i];
			memmove(&v->ptr[i], &v->ptr[i + 1], (--v->len - i) * sizeof v->ptr[0]);
			return true;
		}
	return false;
}
