#include "proof/requisites.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct loading {
	struct requisites *r;
	size_t pages;
	struct err *err;
};

/* They come by page: a page's list begins where the one before it has ended. */
static void begin_pages(struct requisites *r, uint32_t up_to)
{
	while (r->starts.len <= up_to)
		u32_vec_push(&r->starts, (uint32_t)r->list.len);
}

static int check(const struct loading *l, const struct catalog_requisite *q)
{
	if (q->page < l->pages && (q->requisite < l->pages || q->requisite == CATALOG_NO_PAGE))
		return 0;
	return err_set(l->err, ERR_IO, "the catalog is damaged: a requisite of page %u", q->page);
}

static int on_requisite(void *context, const struct catalog_requisite *q)
{
	struct loading *l = context;

	TRY(check(l, q));
	if (l->r->list.len == UINT32_MAX)
		return err_set(l->err, ERR_LIMIT, "too many requisites");
	begin_pages(l->r, q->page);
	return u32_vec_push(&l->r->list, q->requisite);
}

int requisites_load(struct requisites *r, struct catalog *catalog, uint32_t capture, size_t pages,
	struct err *err)
{
	struct loading l = {r, pages, err};

	TRY(catalog_each_requisite(catalog, capture, on_requisite, &l, err));
	begin_pages(r, (uint32_t)pages);
	return 0;
}

/* Requisites by page, in the order in which they were met. */
VEC_DECLARE(edges, struct catalog_requisite);

struct walking {
	struct loading loading;
	struct edges edges;
	struct u32_vec pages; /* that were met */
	unsigned char *seen;  /* a bit for each page */
};

static void meet(struct walking *w, uint32_t page)
{
	unsigned char bit = (unsigned char)(1U << page % 8);

	if (w->seen[page / 8] & bit)
		return;
	w->seen[page / 8] |= bit;
	u32_vec_push(&w->pages, page);
}

static int on_part(void *context, const struct catalog_requisite *q)
{
	struct walking *w = context;

	TRY(check(&w->loading, q));
	edges_push(&w->edges, *q);
	if (q->requisite != CATALOG_NO_PAGE)
		meet(w, q->requisite);
	return 0;
}

static int by_page(const void *a, const void *b)
{
	const struct catalog_requisite *x = a, *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return x->requisite < y->requisite ? -1 : x->requisite > y->requisite;
}

int requisites_load_page(struct requisites *r, struct catalog *catalog, uint32_t capture,
	size_t pages, uint32_t page, struct err *err)
{
	struct walking w = {.loading = {r, pages, err}, .seen = mem_new(pages / 8 + 1, 1)};
	int rc = 0;

	meet(&w, page);
	/* As far as a search goes, and one more. */
	for (size_t i = 0; rc == 0 && i < w.pages.len && i <= REQUISITES_MAX; i++)
		rc = catalog_page_requisites(catalog, capture, w.pages.ptr[i], on_part, &w, err);
	if (rc == 0 && w.edges.len > 1)
		qsort(w.edges.ptr, w.edges.len, sizeof *w.edges.ptr, by_page);
	for (size_t i = 0; rc == 0 && i < w.edges.len; i++)
		rc = on_requisite(&w.loading, &w.edges.ptr[i]);
	begin_pages(r, (uint32_t)pages);
	edges_release(&w.edges);
	u32_vec_release(&w.pages);
	free(w.seen);
	return rc;
}

void requisites_release(struct requisites *r)
{
	u32_vec_release(&r->starts);
	u32_vec_release(&r->list);
	*r = (struct requisites){0};
}

void requisites_search_init(struct requisites_search *s, const struct requisites *r)
{
	size_t pages = r->starts.len - 1;

	*s = (struct requisites_search){0};
	u32_vec_reserve(&s->seen, pages);
	u32_vec_reserve(&s->parts, pages < REQUISITES_MAX ? pages : REQUISITES_MAX);
	if (pages > 0)
		memset(s->seen.ptr, 0, pages * sizeof *s->seen.ptr);
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
