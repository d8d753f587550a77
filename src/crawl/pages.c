#include "crawl/pages.h"

#include "archive/post_query.h"

#include <assert.h>
#include <string.h>

#include "extract/link_kind.h"

/* Stored before each URL in the table of records. */
struct record_head {
	struct page_prior prior;
	uint32_t url_len;
};

enum {
	RECORD_USUAL = 256, /* bytes: most records have fewer, and are read at once */
	RECORD_UNIT = 8,    /* records begin at multiples, so that 32 bits are enough for 32 GB */
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

void pages_init(struct pages *p, struct spill_pool *pool)
{
	*p = (struct pages){0};
	spill_init(&p->records, pool);
	spill_init(&p->visits, pool);
	seen_init(&p->seen, hash_key_random(), hash_key_random());
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
	int rc;

	memcpy(usual, &head, sizeof head);
	memcpy(usual + sizeof head, url.ptr, first);
	rc = spill_write(&p->records, at, usual, sizeof head + first, err);
	if (rc == 0)
		rc = spill_write(&p->records, at + sizeof head + first, url.ptr + first,
			url.len - first, err);
	*ret = (uint32_t)(at / RECORD_UNIT);
	return rc;
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
	int rc = crawl_page_vec_reserve(&p->list, 1);

	if (rc == 0 &&
		(p->list.len >= CATALOG_NO_PAGE || records_end(p) / RECORD_UNIT >= UINT32_MAX))
		rc = ERR_LIMIT;
	if (rc == 0)
		rc = put_record(p, url, prior, &copy.record, err);
	/* Memory grows with the pages that are known, not with those that are visited. */
	if (rc == 0 && copy.taken)
		rc = spill_reserve(&p->visits, visit_offset(number + 1), err);
	if (rc == 0)
		rc = seen_add(&p->seen, url, number);
	if (rc)
		return err_code(err, rc);
	p->list.ptr[p->list.len++] = copy;
	if (copy.taken)
		pages_count(p, copy.kind, 1);
	*ret_number = number;
	return 0;
}

bool pages_find(const struct pages *p, slice url, uint32_t *ret_number)
{
	return seen_find(&p->seen, url, ret_number);
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
	int rc = spill_read(&p->records, record_offset(p, number), &head, sizeof head, err);

	if (rc == 0)
		*ret = head.prior;
	return rc;
}

int pages_set_visit(
	struct pages *p, uint32_t number, const struct page_visit *visit, struct err *err)
{
	int rc = spill_write(&p->visits, visit_offset(number), visit, sizeof *visit, err);

	if (rc == 0)
		p->list.ptr[number].visited = true;
	return rc;
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
