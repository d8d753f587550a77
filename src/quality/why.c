#include "quality/why.h"

#include <stdlib.h>

#include "base/lists.h"

enum { ARENA_MAX = 1 << 30 };

struct asking {
	struct why *why;
	struct u32_vec via; /* by page: where it was found */
	uint32_t *place;    /* by page: how far up the way it is, from 1; 0: not on it */
	struct err *err;
};

static int on_via(void *context, const struct catalog_page *p)
{
	struct asking *a = context;

	return err_code(a->err, u32_vec_push(&a->via, p->via));
}

/*
 * A page may have been found on one with a higher number: it was known, but taken only when a
 * better link led to it. A way that runs in a circle, which only damage can make, ends there.
 */
static int find_way(struct asking *a)
{
	struct why_pages *way = &a->why->way;
	uint32_t at = a->why->page, length = 0;
	int rc;

	a->place = calloc(a->via.len, sizeof *a->place);
	if (!a->place)
		return err_code(a->err, ERR_NOMEM);
	for (; at < a->via.len && !a->place[at]; at = a->via.ptr[at])
		a->place[at] = ++length;
	rc = why_pages_reserve(way, length);
	if (rc == 0) {
		memset(way->ptr, 0, length * sizeof way->ptr[0]);
		way->len = length;
	}
	return err_code(a->err, rc);
}

static int keep(struct asking *a, slice *text)
{
	if (!text->ptr)
		return 0;
	text->ptr = arena_strdup(&a->why->arena, *text);
	return text->ptr ? 0 : ERR_NOMEM;
}

static int on_page(void *context, const struct catalog_page *p)
{
	struct asking *a = context;
	struct catalog_page copy = *p;
	int rc;

	if (p->number >= a->via.len || !a->place[p->number])
		return 0;
	rc = keep(a, &copy.url);
	if (rc == 0)
		rc = keep(a, &copy.kind);
	if (rc == 0)
		rc = keep(a, &copy.found);
	if (rc == 0)
		rc = keep(a, &copy.rule);
	if (rc == 0)
		a->why->way.ptr[a->why->way.len - a->place[p->number]] = copy;
	return err_code(a->err, rc);
}

static int on_observation(void *context, const struct attempt *o)
{
	struct asking *a = context;
	struct attempt copy = *o;
	int rc;

	if (o->page != a->why->page)
		return 0;
	rc = attempt_keep(&copy, &a->why->arena);
	if (rc == 0)
		rc = why_attempts_push(&a->why->attempts, copy);
	return err_code(a->err, rc);
}

int why_load(struct why *w, struct catalog *catalog, uint32_t capture, slice url, struct err *err)
{
	struct asking a = {.why = w, .err = err};
	int rc;

	*w = (struct why){0};
	arena_init(&w->arena, ARENA_MAX);
	rc = catalog_find_page(catalog, capture, url, &w->page, err);
	if (rc == 0)
		rc = catalog_each_page(catalog, capture, on_via, &a, err);
	if (rc == 0)
		rc = find_way(&a);
	if (rc == 0)
		rc = catalog_each_page(catalog, capture, on_page, &a, err);
	if (rc == 0)
		rc = catalog_each_observation(catalog, capture, on_observation, &a, err);
	u32_vec_release(&a.via);
	free(a.place);
	return rc;
}

void why_release(struct why *w)
{
	why_pages_release(&w->way);
	why_attempts_release(&w->attempts);
	arena_release(&w->arena);
	*w = (struct why){0};
}
