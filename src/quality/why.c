#include "quality/why.h"

#include <stdlib.h>

#include "base/lists.h"
#include "quality/report.h"
#include "url/repair.h"
#include "url/url.h"

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

	if (p->number >= a->via.len || !a->place[p->number])
		return 0;
	if (keep(a, &copy.url) || keep(a, &copy.kind) || keep(a, &copy.found) ||
		keep(a, &copy.rule))
		return err_code(a->err, ERR_NOMEM);
	a->why->way.ptr[a->why->way.len - a->place[p->number]] = copy;
	return 0;
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

/* As the user spells it, or else as it is spelled in canonical form. */
static int load_spelled(
	struct why *w, struct catalog *catalog, uint32_t capture, const char *text, struct err *err)
{
	struct url url;
	int rc = why_load(w, catalog, capture, slice_str(text), err);

	if (rc != ERR_NOTFOUND)
		return rc;
	url_init(&url);
	if (url_parse(&url, slice_str(text), NULL, NULL) == 0) {
		why_release(w);
		rc = why_load(w, catalog, capture, url_page(&url), err);
	}
	url_release(&url);
	return rc;
}

/* ERR_NOTFOUND, with what was perhaps meant by a text that is not a URL. */
static int propose(struct catalog *catalog, const struct catalog_capture *capture, const char *text,
	struct err *err)
{
	struct why w = {0};
	struct url url;
	slice meant;

	(void)err_set(err, ERR_NOTFOUND,
		"%s: capture %u does not know this URL: it found no link to it", text, capture->id);
	url_init(&url);
	if (url_repair_on_site(text, capture->site, &url)) {
		meant = url_page(&url);
		if (why_load(&w, catalog, capture->id, meant, NULL) == 0)
			(void)err_set(err, ERR_NOTFOUND,
				"'%.300s' is not a URL; did you mean %.*s ?", text, (int)meant.len,
				meant.ptr);
		else
			(void)err_set(err, ERR_NOTFOUND,
				"'%.300s' is not a URL, and capture %u does not know %.*s", text,
				capture->id, (int)meant.len, meant.ptr);
		why_release(&w);
	}
	url_release(&url);
	return ERR_NOTFOUND;
}

int why_find(struct why *w, struct catalog *catalog, const struct catalog_capture *capture,
	const char *text, struct err *err)
{
	int rc = load_spelled(w, catalog, capture->id, text, err);

	return rc == ERR_NOTFOUND ? propose(catalog, capture, text, err) : rc;
}

uint32_t why_newest_capture(struct catalog *catalog, const char *text)
{
	struct u32_vec ids = {0};
	uint32_t found = 0;
	bool taken = false;

	if (report_captures(catalog, &ids, NULL) == 0)
		for (size_t i = ids.len; i > 0 && !taken; i--) {
			struct why w;

			if (load_spelled(&w, catalog, ids.ptr[i - 1], text, NULL) == 0) {
				taken = w.way.ptr[w.way.len - 1].taken;
				found = taken || !found ? ids.ptr[i - 1] : found;
			}
			why_release(&w);
		}
	u32_vec_release(&ids);
	return found;
}

void why_release(struct why *w)
{
	why_pages_release(&w->way);
	why_attempts_release(&w->attempts);
	arena_release(&w->arena);
	*w = (struct why){0};
}
