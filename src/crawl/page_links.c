#include "crawl/capture.h"
#include "rank/packed.h"

/* A link takes five bytes at most, and a page has fewer links than fit into RESOLVE_BYTES_MAX. */
enum { PACKED_MAX = 64 << 20 };

void page_links_release(struct page_links *l)
{
	u32_vec_release(&l->targets);
	buf_release(&l->packed);
}

void page_links_start(struct capture *c)
{
	c->lane->links.targets.len = 0;
}

int page_links_add(struct capture *c, slice url, struct err *err)
{
	uint32_t number;

	if (!pages_find(&c->pages, url, &number))
		return 0;
	return err_code(err, u32_vec_push(&c->lane->links.targets, number));
}

int page_links_store(struct capture *c, uint32_t page, struct err *err)
{
	struct page_links *l = &c->lane->links;
	struct catalog_links row = {.page = page};
	int rc;

	if (plan_progress(c->plan).leg == PLAN_REVISIT)
		return 0;
	rank_links_tidy(page, &l->targets);
	rc = importance_read(c, page, l->targets.ptr, l->targets.len, err);
	if (rc || l->targets.len == 0)
		return rc;
	if (!l->packed.max)
		buf_init(&l->packed, PACKED_MAX);
	buf_reset(&l->packed);
	rc = err_code(err, rank_pack(page, &l->targets, &l->packed));
	row.targets = buf_slice(&l->packed);
	return rc ? rc
		  : capture_store(c, &(struct catalog_row){CATALOG_ROW_LINKS, .links = &row}, err);
}

int page_links_store_one(struct capture *c, uint32_t page, slice url, struct err *err)
{
	int rc;

	page_links_start(c);
	rc = page_links_add(c, url, err);
	return rc ? rc : page_links_store(c, page, err);
}
