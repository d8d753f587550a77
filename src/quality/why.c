#include "quality/why.h"

enum { ARENA_MAX = 1 << 30 };

VEC_DECLARE(via_vec, uint32_t);

struct asking {
	struct why *why;
	struct via_vec via; /* by page: where it was found */
	struct err *err;
};

static int fail(struct asking *a, int rc)
{
	return rc ? err_set(a->err, rc, "%s", err_name(rc)) : 0;
}

static int on_via(void *context, const struct catalog_page *p)
{
	struct asking *a = context;

	return fail(a, via_vec_push(&a->via, p->via));
}

/* A referrer is always known before what it refers to, so the way up ends. */
static bool is_on_way(const struct asking *a, uint32_t page)
{
	uint32_t at = a->why->page;

	while (at != page && at < a->via.len && a->via.ptr[at] < at)
		at = a->via.ptr[at];
	return at == page;
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

	if (!is_on_way(a, p->number))
		return 0;
	rc = keep(a, &copy.url);
	if (rc == 0)
		rc = keep(a, &copy.kind);
	if (rc == 0)
		rc = keep(a, &copy.found);
	if (rc == 0)
		rc = keep(a, &copy.rule);
	if (rc == 0)
		rc = why_pages_push(&a->why->way, copy);
	return fail(a, rc);
}

static int on_observation(void *context, const struct catalog_observation *o)
{
	struct asking *a = context;
	struct catalog_observation copy = *o;
	int rc;

	if (o->page != a->why->page)
		return 0;
	rc = keep(a, &copy.attempt.failure);
	if (rc == 0)
		rc = keep(a, &copy.media_type);
	if (rc == 0)
		rc = keep(a, &copy.warc);
	if (rc == 0)
		rc = keep(a, &copy.record_id);
	if (rc == 0)
		rc = why_attempts_push(&a->why->attempts, copy);
	return fail(a, rc);
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
		rc = catalog_each_page(catalog, capture, on_page, &a, err);
	if (rc == 0)
		rc = catalog_each_observation(catalog, capture, on_observation, &a, err);
	via_vec_release(&a.via);
	return rc;
}

void why_release(struct why *w)
{
	why_pages_release(&w->way);
	why_attempts_release(&w->attempts);
	arena_release(&w->arena);
	*w = (struct why){0};
}
