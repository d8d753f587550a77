#include "crawl/pages.h"

#include "extract/link_kind.h"

/* Twenty million pages of usual length; who has more needs several machines anyway. */
#define MEMORY_MAX ((size_t)16 << 30)

uint8_t page_kind_of_name(slice name)
{
	for (int k = 0; k < LINK_KIND_COUNT; k++)
		if (slice_eq(name, slice_str(link_kind_name((enum link_kind)k))))
			return (uint8_t)k;
	return LINK_PAGE;
}

bool page_kind_is_requisite(uint8_t kind)
{
	switch (kind) {
	case LINK_IMAGE:
	case LINK_STYLE:
	case LINK_SCRIPT:
	case LINK_MEDIA:
	case LINK_FONT:
	case LINK_FRAME:
		return true;
	default:
		return false;
	}
}

void pages_init(struct pages *p)
{
	*p = (struct pages){0};
	arena_init(&p->arena, MEMORY_MAX);
	seen_init(&p->seen, hash_key_random(), hash_key_random());
}

void pages_release(struct pages *p)
{
	crawl_page_vec_release(&p->list);
	arena_release(&p->arena);
	seen_release(&p->seen);
}

int pages_add(struct pages *p, slice url, const struct crawl_page *page, uint32_t *ret_number)
{
	struct crawl_page copy = *page;
	uint32_t number = (uint32_t)p->list.len;
	int rc;

	if (p->list.len >= CATALOG_NO_PAGE)
		return ERR_LIMIT;
	copy.url = arena_strdup(&p->arena, url);
	copy.url_len = (uint32_t)url.len;
	if (!copy.url || crawl_page_vec_reserve(&p->list, 1))
		return ERR_NOMEM;
	rc = seen_add(&p->seen, url, number);
	if (rc)
		return rc;
	p->list.ptr[p->list.len++] = copy;
	p->taken += copy.taken;
	*ret_number = number;
	return 0;
}

bool pages_find(const struct pages *p, slice url, uint32_t *ret_number)
{
	return seen_find(&p->seen, url, ret_number);
}

struct page_visit *pages_visit(struct pages *p, uint32_t number)
{
	struct crawl_page *page = &p->list.ptr[number];

	if (!page->visit)
		page->visit = ARENA_NEW(&p->arena, struct page_visit);
	return page->visit;
}
