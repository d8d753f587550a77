#include "crawl/earlier.h"

#include "base/log.h"
#include "crawl/capture.h"
#include "quality/legs.h"

/* ---- what became of its pages ---- */

enum look { LOOK_NONE, LOOK_THERE, LOOK_MISSING };

VEC_DECLARE(looks, unsigned char);

/* An earlier capture, and what became of its pages. */
struct survey {
	struct catalog *catalog;
	uint32_t capture;   /* 0: there is none */
	struct looks looks; /* by page: enum look, of the last that could be used */
	size_t there;
	size_t pages; /* that were wanted, but for those that are missing */
	struct err *err;
};

static int on_observation(void *context, const struct attempt *a)
{
	struct survey *s = context;
	struct observation shown = legs_observe(a);
	int rc = 0;

	if (!legs_has(a->leg) || a->page == CATALOG_NO_PAGE || !observation_is_usable(&shown))
		return 0;
	while (rc == 0 && s->looks.len <= a->page)
		rc = looks_push(&s->looks, LOOK_NONE);
	if (rc)
		return err_code(s->err, rc);
	s->there -= s->looks.ptr[a->page] == LOOK_THERE;
	s->looks.ptr[a->page] = a->status < 400 ? LOOK_THERE : LOOK_MISSING;
	s->there += s->looks.ptr[a->page] == LOOK_THERE;
	return 0;
}

static enum look look_at(const struct survey *s, uint32_t page)
{
	return page < s->looks.len ? (enum look)s->looks.ptr[page] : LOOK_NONE;
}

static int on_page(void *context, const struct catalog_page *row)
{
	struct survey *s = context;

	s->pages += row->taken && look_at(s, row->number) != LOOK_MISSING;
	return 0;
}

/* ---- the one that tells ---- */

/* The last capture before that one that was cut or was not, and to which pages answered. */
static int find(struct survey *s, const struct earlier_index *x, uint32_t last, uint32_t before,
	bool is_cut)
{
	const struct earlier_capture *e;
	int rc = 0;

	for (; rc == 0 && s->there == 0 && last > 0; last = e->before) {
		e = &x->list.ptr[last - 1];
		if (e->id >= before || e->is_cut != is_cut)
			continue;
		s->looks.len = 0;
		s->capture = e->id;
		rc = catalog_each_observation(s->catalog, e->id, on_observation, s, s->err);
	}
	if (s->there == 0)
		s->capture = 0;
	return rc;
}

static int choose(struct survey *s, const struct capture *c, const struct earlier_index *x)
{
	struct buf site;
	uint32_t place;
	int rc;

	buf_init(&site, EARLIER_NAMES_MAX);
	rc = err_code(s->err, earlier_name_site(c->row.settings, &site));
	if (rc == 0 && strmap_get(&x->sites, buf_slice(&site), &place)) {
		rc = find(s, x, x->last.ptr[place], c->row.id, false);
		if (rc == 0 && s->capture == 0)
			rc = find(s, x, x->last.ptr[place], c->row.id, true);
	}
	buf_release(&site);
	return rc;
}

/* As far as the capture may have so many. */
static uint32_t size_of(const struct capture *c, const struct survey *s)
{
	size_t max = c->settings->max_pages ? c->settings->max_pages : UINT32_MAX - 1;

	return (uint32_t)(s->pages < max ? s->pages : max);
}

int earlier_tell_size(
	struct capture *c, const struct earlier_index *x, struct catalog *catalog, struct err *err)
{
	struct survey s = {.catalog = catalog, .err = err};
	int rc;

	if (c->settings->earlier == CRAWL_EARLIER_OFF || c->settings->size || c->looking)
		return 0;
	rc = choose(&s, c, x);
	if (rc == 0 && s.capture)
		rc = catalog_each_page(catalog, s.capture, on_page, &s, err);
	if (rc == 0 && s.capture) {
		plan_set_size(c->plan, size_of(c, &s));
		log_info("crawl", "%.*s: the plan expects %u pages, as many as in capture %u",
			(int)c->row.site.len, c->row.site.ptr, size_of(c, &s), s.capture);
	}
	looks_release(&s.looks);
	return rc;
}
