#include "quality/requisites.h"

#include <string.h>

struct loading {
	struct requisites *r;
	size_t pages;
	struct err *err;
};

/* They come by page: a page's list begins where the one before it has ended. */
static int begin_pages(struct requisites *r, uint32_t up_to)
{
	int rc = 0;

	while (rc == 0 && r->starts.len <= up_to)
		rc = u32_vec_push(&r->starts, (uint32_t)r->list.len);
	return rc;
}

static int on_requisite(void *context, const struct catalog_requisite *q)
{
	struct loading *l = context;
	int rc;

	if (q->page >= l->pages || (q->requisite >= l->pages && q->requisite != CATALOG_NO_PAGE))
		return err_set(
			l->err, ERR_IO, "the catalog is damaged: a requisite of page %u", q->page);
	if (l->r->list.len == UINT32_MAX)
		return err_set(l->err, ERR_LIMIT, "too many requisites");
	rc = begin_pages(l->r, q->page);
	if (rc == 0)
		rc = u32_vec_push(&l->r->list, q->requisite);
	return err_code(l->err, rc);
}

int requisites_load(struct requisites *r, struct catalog *catalog, uint32_t capture, size_t pages,
	struct err *err)
{
	struct loading l = {r, pages, err};
	int rc = catalog_each_requisite(catalog, capture, on_requisite, &l, err);

	return rc ? rc : err_code(err, begin_pages(r, (uint32_t)pages));
}

void requisites_release(struct requisites *r)
{
	u32_vec_release(&r->starts);
	u32_vec_release(&r->list);
	*r = (struct requisites){0};
}

int requisites_search_init(struct requisites_search *s, const struct requisites *r)
{
	size_t pages = r->starts.len - 1;
	size_t parts = pages < REQUISITES_MAX ? pages : REQUISITES_MAX;
	int rc;

	*s = (struct requisites_search){0};
	rc = u32_vec_reserve(&s->seen, pages);
	if (rc == 0)
		rc = u32_vec_reserve(&s->parts, parts);
	if (rc == 0 && pages > 0)
		memset(s->seen.ptr, 0, pages * sizeof *s->seen.ptr);
	return rc;
}

void requisites_search_release(struct requisites_search *s)
{
	u32_vec_release(&s->parts);
	u32_vec_release(&s->seen);
}

/* Adds those that a page names itself. */
static void add_own(const struct requisites *r, uint32_t page, struct requisites_search *s)
{
	for (uint32_t i = r->starts.ptr[page]; i < r->starts.ptr[page + 1]; i++) {
		uint32_t q = r->list.ptr[i];

		if (q != CATALOG_NO_PAGE && s->seen.ptr[q] == s->number)
			continue;
		if (q == CATALOG_NO_PAGE || s->parts.len == REQUISITES_MAX) {
			s->complete = false;
			continue;
		}
		s->seen.ptr[q] = s->number;
		s->parts.ptr[s->parts.len++] = q;
	}
}

void requisites_find(const struct requisites *r, uint32_t page, struct requisites_search *s)
{
	s->parts.len = 0;
	s->complete = true;
	s->number++;
	s->seen.ptr[page] = s->number;
	add_own(r, page, s);
	for (size_t i = 0; i < s->parts.len; i++)
		add_own(r, s->parts.ptr[i], s);
}
