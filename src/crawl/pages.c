#include "crawl/pages.h"

#include <assert.h>
#include <string.h>

#include "crawl/capture.h"
#include "formats/links.h"
#include "plan/rank_graph.h"
#include "warc/warc_request.h"

/* ---- pages ---- */

/* Stored before each URL in the table of records. */
struct record_head {
	struct page_prior prior;
	uint32_t url_len;
};

enum {
	RECORD_USUAL = 256, /* bytes: most records have fewer, and are read at once */
	RECORD_UNIT = 32,   /* records begin at multiples, so that 32 bits are enough for 128 GB */
};

uint8_t page_kind_of_name(slice name)
{
	for (int k = 0; k < LINK_KIND_COUNT; k++)
		if (slice_eq(name, slice_str(link_kind_name((enum link_kind)k))))
			return (uint8_t)k;
	return LINK_PAGE;
}

bool page_kind_is_requisite(uint8_t kind)
{
	return kind < LINK_KIND_COUNT && link_kind_is_requisite((enum link_kind)kind);
}

void pages_init(struct pages *p, struct spill_pool *pool, struct seen_budget *budget)
{
	*p = (struct pages){0};
	spill_init(&p->records, pool);
	spill_init(&p->visits, pool);
	seen_init(&p->seen, hash_key_random());
	seen_limit(&p->seen, budget, pool->dir);
}

void pages_release(struct pages *p)
{
	crawl_page_vec_release(&p->list);
	spill_release(&p->records);
	spill_release(&p->visits);
	seen_release(&p->seen);
}

/* Where the next one begins. */
static uint64_t records_end(const struct pages *p)
{
	return (p->records.size + RECORD_UNIT - 1) / RECORD_UNIT * RECORD_UNIT;
}

static int put_record(
	struct pages *p, slice url, const struct page_prior *prior, uint32_t *ret, struct err *err)
{
	struct record_head head = {.prior = *prior, .url_len = (uint32_t)url.len};
	char usual[RECORD_USUAL] = {0};
	size_t first = url.len < sizeof usual - sizeof head ? url.len : sizeof usual - sizeof head;
	uint64_t at = records_end(p);

	memcpy(usual, &head, sizeof head);
	memcpy(usual + sizeof head, url.ptr, first);
	TRY(spill_write(&p->records, at, usual, sizeof head + first, err));
	TRY(spill_write(
		&p->records, at + sizeof head + first, url.ptr + first, url.len - first, err));
	*ret = (uint32_t)(at / RECORD_UNIT);
	return 0;
}

static uint64_t visit_offset(uint32_t number)
{
	return (uint64_t)number * sizeof(struct page_visit);
}

void pages_count(struct pages *p, uint8_t kind, int by)
{
	p->taken += (size_t)by;
	if (page_kind_is_requisite(kind))
		p->requisites += (size_t)by;
}

bool pages_have_room(const struct pages *p, uint8_t kind, size_t free, uint32_t max)
{
	if (max == 0)
		return true;
	if (page_kind_is_requisite(kind))
		return p->requisites < (uint64_t)max * PAGES_REQUISITES_EACH;
	return p->taken - p->requisites < (uint64_t)max + free;
}

int pages_add(struct pages *p, slice url, const struct page_prior *prior,
	const struct crawl_page *page, uint32_t *ret_number, struct err *err)
{
	struct crawl_page copy = *page;
	uint32_t number = (uint32_t)p->list.len;
	int rc;

	crawl_page_vec_reserve(&p->list, 1);
	if (p->list.len >= CATALOG_NO_PAGE || records_end(p) / RECORD_UNIT >= UINT32_MAX)
		TRY(err_code(err, ERR_LIMIT));
	TRY(err_code(err, put_record(p, url, prior, &copy.record, err)));
	/* Memory grows with the pages that are known, not with those that are visited. */
	if (copy.taken)
		TRY(err_code(err, spill_reserve(&p->visits, visit_offset(number + 1), err)));
	rc = seen_add(&p->seen, url, number);
	if (rc) {
		TRY(pages_check(p, err));
		return err_code(err, rc);
	}
	p->list.ptr[p->list.len++] = copy;
	if (copy.taken)
		pages_count(p, copy.kind, 1);
	*ret_number = number;
	return 0;
}

bool pages_find(struct pages *p, slice url, uint32_t *ret_number)
{
	return seen_look_up(&p->seen, url, ret_number);
}

int pages_check(const struct pages *p, struct err *err)
{
	return seen_error(&p->seen, err);
}

static uint64_t record_offset(const struct pages *p, uint32_t number)
{
	return (uint64_t)p->list.ptr[number].record * RECORD_UNIT;
}

int pages_url(const struct pages *p, uint32_t number, struct buf *text, struct err *err)
{
	uint64_t at = record_offset(p, number);
	uint64_t left = p->records.size - at;
	char usual[RECORD_USUAL];
	size_t have = left < sizeof usual ? (size_t)left : sizeof usual;
	struct record_head head;
	int rc = spill_read(&p->records, at, usual, have, err);

	if (rc)
		return rc;
	memcpy(&head, usual, sizeof head);
	have -= sizeof head;
	buf_reset(text);
	rc = buf_reserve(text, head.url_len);
	if (rc)
		return err_code(err, rc);
	if (head.url_len <= have)
		memcpy(text->ptr, usual + sizeof head, head.url_len);
	else
		rc = spill_read(&p->records, at + sizeof head, text->ptr, head.url_len, err);
	text->len = rc ? 0 : head.url_len;
	text->ptr[text->len] = '\0';
	return rc;
}

bool pages_is_post(
	const struct pages *p, uint32_t number, slice url, slice *ret_target, slice *ret_post)
{
	return p->list.ptr[number].kind == LINK_FORM && post_query_split(url, ret_target, ret_post);
}

int pages_prior(const struct pages *p, uint32_t number, struct page_prior *ret, struct err *err)
{
	struct record_head head;

	TRY(spill_read(&p->records, record_offset(p, number), &head, sizeof head, err));
	*ret = head.prior;
	return 0;
}

int pages_set_visit(
	struct pages *p, uint32_t number, const struct page_visit *visit, struct err *err)
{
	TRY(spill_write(&p->visits, visit_offset(number), visit, sizeof *visit, err));
	p->list.ptr[number].visited = true;
	return 0;
}

int pages_set_earlier(
	struct pages *p, uint32_t number, const struct page_visit *look, struct err *err)
{
	return spill_write(&p->visits, visit_offset(number), look, sizeof *look, err);
}

int pages_earlier(const struct pages *p, uint32_t number, struct page_visit *ret, struct err *err)
{
	return spill_read(&p->visits, visit_offset(number), ret, sizeof *ret, err);
}

int pages_visit(const struct pages *p, uint32_t number, struct page_visit *ret, struct err *err)
{
	assert(p->list.ptr[number].visited);
	return spill_read(&p->visits, visit_offset(number), ret, sizeof *ret, err);
}

/* ---- links of the page that is read ---- */

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

void page_links_add(struct capture *c, uint32_t target)
{
	if (target == CATALOG_NO_PAGE)
		return;
	u32_vec_push(&c->lane->links.targets, target);
}

int page_links_store(struct capture *c, uint32_t page, struct err *err)
{
	struct page_links *l = &c->lane->links;
	struct catalog_links row = {.page = page};

	if (plan_progress(c->plan).leg == PLAN_REVISIT)
		return 0;
	TRY(pages_check(&c->pages, err)); /* of targets that were not found */
	rank_links_tidy(page, &l->targets);
	TRY(importance_read(c, page, l->targets.ptr, l->targets.len, err));
	if (l->targets.len == 0)
		return 0;
	if (!l->packed.max)
		buf_init(&l->packed, PACKED_MAX);
	buf_reset(&l->packed);
	TRY(err_code(err, rank_pack(page, &l->targets, &l->packed)));
	row.targets = buf_slice(&l->packed);
	capture_store(c, &(struct catalog_row){CATALOG_ROW_LINKS, .links = &row});
	return 0;
}

int page_links_store_one(struct capture *c, uint32_t page, slice url, struct err *err)
{
	uint32_t target = CATALOG_NO_PAGE;

	page_links_start(c);
	(void)pages_find(&c->pages, url, &target);
	page_links_add(c, target);
	return page_links_store(c, page, err);
}
