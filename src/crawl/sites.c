#include "crawl/sites.h"

#include "url/domain.h"

void sites_init(struct sites *s, const struct crawl_settings *common, struct arena *arena)
{
	*s = (struct sites){.common = common, .arena = arena};
	strmap_init(&s->numbers, hash_key_random(), arena);
	buf_init(&s->key, URL_MAX);
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->list.len; i++)
		text_list_release(&s->list.ptr[i].seeds);
	site_vec_release(&s->list);
	strmap_release(&s->numbers);
	buf_release(&s->key);
}

void sites_begin(struct sites *s, const struct crawl_settings *common)
{
	s->common = common;
	strmap_reset(&s->numbers);
}

/* The key of a site, the same for all its seeds. A host without a registrable domain is a site. */
static int write_key(struct sites *s, const struct url *seed)
{
	slice host = url_part(seed, seed->host);
	slice domain = {0};

	if (s->common->scope == SCOPE_DOMAIN && seed->host_kind == URL_HOST_DOMAIN)
		domain = url_registrable_domain(host);
	buf_reset(&s->key);
	if (domain.len > 0)
		return buf_add(&s->key, domain);
	if (url_effective_port(seed) == url_default_port(seed->scheme_id))
		return buf_add(&s->key, host);
	return buf_printf(
		&s->key, "%.*s:%d", (int)host.len, host.ptr, (int)url_effective_port(seed));
}

static int find_site(struct sites *s, const struct url *seed, uint32_t *ret)
{
	struct crawl_settings site = *s->common;
	int rc = write_key(s, seed);

	if (rc)
		return rc;
	if (strmap_get(&s->numbers, buf_slice(&s->key), ret))
		return 0;
	site.seeds = (struct text_list){0};
	rc = site_vec_reserve(&s->list, 1);
	if (rc == 0)
		rc = strmap_put(&s->numbers, buf_slice(&s->key), (uint32_t)s->list.len);
	if (rc)
		return rc;
	*ret = (uint32_t)s->list.len;
	s->list.ptr[s->list.len++] = site;
	return 0;
}

int sites_add(struct sites *s, const struct url *seed)
{
	const char *copy = arena_strdup(s->arena, url_page(seed));
	uint32_t number;
	int rc = copy ? find_site(s, seed, &number) : ERR_NOMEM;

	return rc ? ERR_NOMEM : text_list_push(&s->list.ptr[number].seeds, copy);
}
