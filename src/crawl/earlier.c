#include "crawl/earlier.h"

#include <stdio.h>

#include "base/log.h"
#include "crawl/capture.h"
#include "crawl/response.h"
#include "crawl/traps.h"
#include "plan/rank_graph.h"
#include "proof/legs.h"

/* ---- which captures are of the same site ---- */

/* Whether a line of settings is part of what makes a site. */
static bool is_site_line(slice line)
{
	static const slice NAMES[] = {SLICE_INIT("seeds "), SLICE_INIT("scope "),
		SLICE_INIT("surts "), SLICE_INIT("includes "), SLICE_INIT("excludes "),
		SLICE_INIT("no_requisites "), SLICE_INIT("max_pages "), SLICE_INIT("max_depth ")};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (slice_starts_with(line, NAMES[i]))
			return true;
	return false;
}

/* Sets out to what makes the site of a capture, by its settings as text. 0, or as buf_add. */
static SP_MUST_CHECK int earlier_name_site(slice settings, struct buf *out)
{
	buf_reset(out);
	while (settings.len > 0) {
		slice line = slice_take(&settings, '\n');

		if (is_site_line(line))
			TRY(buf_printf(out, "%.*s\n", (int)line.len, line.ptr));
	}
	return 0;
}

struct loading {
	struct earlier_index *index;
	struct buf site;
	struct err *err;
};

static int add(struct earlier_index *x, slice site, const struct catalog_capture *row)
{
	uint32_t place;

	if (!strmap_get(&x->sites, site, &place)) {
		place = (uint32_t)x->last.len;
		u32_vec_push(&x->last, 0);
		TRY(strmap_put(&x->sites, site, place));
	}
	earlier_captures_push(&x->list, (struct earlier_capture){.id = row->id,
						.before = x->last.ptr[place],
						.started = row->started,
						.finished = row->finished,
						.is_cut = row->state == CATALOG_CUT});
	x->last.ptr[place] = (uint32_t)x->list.len;
	return 0;
}

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct loading *l = context;
	int rc = 0;

	if (row->state == CATALOG_RUNNING)
		return 0;
	rc = earlier_name_site(row->settings, &l->site);
	return err_code(l->err, rc ? rc : add(l->index, buf_slice(&l->site), row));
}

int earlier_index_load(struct earlier_index *x, struct catalog *catalog, struct err *err)
{
	struct loading l = {.index = x, .err = err};
	int rc;

	arena_init(&x->names, EARLIER_NAMES_MAX);
	strmap_init(&x->sites, hash_key_random(), &x->names);
	buf_init(&l.site, EARLIER_NAMES_MAX);
	rc = catalog_each_capture(catalog, on_capture, &l, err);
	buf_release(&l.site);
	return rc;
}

void earlier_index_release(struct earlier_index *x)
{
	earlier_captures_release(&x->list);
	u32_vec_release(&x->last);
	strmap_release(&x->sites);
	arena_release(&x->names);
	*x = (struct earlier_index){0};
}

/* ---- what they know ---- */

/* ---- what became of its pages ---- */

/* What is known of a page: a set. */
enum {
	LOOK_THERE = 1,   /* the last look that could be used showed it, */
	LOOK_MISSING = 2, /* or that there is none */
	LOOK_LINKED = 4,  /* some page leads to it, or needs it */
};

enum { HOW_SIZE = 64 };

/* An earlier capture, and what became of its pages. */
struct survey {
	struct catalog *catalog;
	const struct earlier_capture *capture; /* NULL: there is none */
	struct earlier_looks looks;
	size_t there;
	size_t pages; /* that were wanted, but for those that are missing */
	size_t told;  /* by a capture before it */
	struct u32_vec targets;
	struct err *err;
};

/* What is known of a page, to be changed. */
static unsigned char *look_of(struct survey *s, uint32_t page)
{
	while (s->looks.len <= page)
		earlier_looks_push(&s->looks, 0);
	return &s->looks.ptr[page];
}

static int on_observation(void *context, const struct attempt *a)
{
	struct survey *s = context;
	struct observation shown = legs_observe(a);
	unsigned char *look;

	if (!legs_has(a->leg) || a->page == CATALOG_NO_PAGE || !observation_is_usable(&shown))
		return 0;
	look = look_of(s, a->page);
	s->there -= *look == LOOK_THERE;
	*look = a->status < 400 ? LOOK_THERE : LOOK_MISSING;
	s->there += *look == LOOK_THERE;
	return 0;
}

static int on_page(void *context, const struct catalog_page *row)
{
	struct survey *s = context;
	s->pages += row->taken && *look_of(s, row->number) != LOOK_MISSING;
	s->told += catalog_is_told(row->found);
	return 0;
}

/* The rows of all pages have been read: others are damage. */
static void note_link(struct survey *s, uint32_t page)
{
	if (page < s->looks.len)
		s->looks.ptr[page] |= LOOK_LINKED;
}

static int on_needed(void *context, const struct catalog_requisite *r)
{
	note_link(context, r->requisite);
	return 0;
}

static int on_links(void *context, const struct catalog_links *l)
{
	struct survey *s = context;

	if (rank_unpack(l->page, l->targets, &s->targets) == 0)
		for (size_t i = 0; i < s->targets.len; i++)
			note_link(s, s->targets.ptr[i]);
	return 0;
}

/* How many pages it had and, of those that it was told, which it still found links to. */
static int take_survey(struct survey *s)
{
	uint32_t id = s->capture->id;

	TRY(catalog_each_page(s->catalog, id, on_page, s, s->err));
	if (s->told == 0)
		return 0;
	TRY(catalog_each_links(s->catalog, id, on_links, s, s->err));
	return catalog_each_requisite(s->catalog, id, on_needed, s, s->err);
}

/* ---- the one that tells ---- */

/*
 * The last capture that was cut or was not, and to which pages answered. Only those that had ended
 * when this one began: so resume finds the same.
 */
static int find(struct survey *s, const struct capture *c, const struct earlier_index *x,
	uint32_t last, bool is_cut)
{
	const struct earlier_capture *e;

	for (; s->there == 0 && last > 0; last = e->before) {
		e = &x->list.ptr[last - 1];
		if (e->finished > c->row.started || e->is_cut != is_cut)
			continue;
		s->looks.len = 0;
		s->capture = e;
		TRY(catalog_each_observation(s->catalog, e->id, on_observation, s, s->err));
	}
	if (s->there == 0)
		s->capture = NULL;
	return 0;
}

static int choose(struct survey *s, const struct capture *c, const struct earlier_index *x)
{
	BUF_SCOPED(site, EARLIER_NAMES_MAX);
	uint32_t place;
	TRY(err_code(s->err, earlier_name_site(c->row.settings, &site)));
	if (strmap_get(&x->sites, buf_slice(&site), &place)) {
		TRY(find(s, c, x, x->last.ptr[place], false));
		if (!s->capture)
			TRY(find(s, c, x, x->last.ptr[place], true));
	}
	return 0;
}

/* As far as the capture may have so many. */
static uint32_t size_of(const struct capture *c, const struct survey *s)
{
	size_t max = c->settings->max_pages ? c->settings->max_pages : UINT32_MAX - 1;

	return (uint32_t)(s->pages < max ? s->pages : max);
}

/*
 * Where a limit may leave pages out, those that links lead to come first: only the size is told. A
 * quarter of the limit is room enough for new ones.
 */
static bool has_room(const struct capture *c, const struct survey *s)
{
	const struct crawl_settings *limits = c->settings;
	double took = clock_seconds(s->capture->finished - s->capture->started);
	bool has_pages = !limits->max_pages || 4 * s->pages <= 3 * (size_t)limits->max_pages;
	bool has_time = limits->time_limit <= 0 ||
			(!s->capture->is_cut && 4 * took <= 3 * limits->time_limit);

	return has_pages && has_time && !limits->max_bytes;
}

int earlier_choose(
	struct capture *c, const struct earlier_index *x, struct catalog *catalog, struct err *err)
{
	struct survey s = {.catalog = catalog, .err = err};
	int rc;

	if (c->settings->earlier == CRAWL_EARLIER_OFF || c->scheduler->endless)
		return 0;
	rc = choose(&s, c, x);
	if (rc == 0 && s.capture)
		rc = take_survey(&s);
	if (rc == 0 && s.capture) {
		c->earlier.capture = s.capture->id;
		c->earlier.tells_pages = c->settings->earlier == CRAWL_EARLIER_PAGES &&
					 !c->importance.on && has_room(c, &s);
		c->earlier.looks = s.looks;
		s.looks = (struct earlier_looks){0};
		if (!c->settings->size) {
			plan_set_size(c->plan, size_of(c, &s));
			log_info("crawl",
				"%.*s: the plan expects %u pages, as many as in capture %u",
				(int)c->row.site.len, c->row.site.ptr, size_of(c, &s),
				s.capture->id);
		}
	}
	earlier_looks_release(&s.looks);
	u32_vec_release(&s.targets);
	return rc;
}

void earlier_release(struct earlier *e)
{
	earlier_looks_release(&e->looks);
	earlier_looks_release(&e->seen);
}

/* ---- its pages ---- */

struct telling {
	struct capture *capture;
	bool adds;              /* pages; else those that are known are only found again */
	uint32_t first;         /* pages from this number on are new */
	struct u32_vec numbers; /* by page of the earlier capture: its number here, or none */
	struct url url;
	struct err *err;
};

/*
 * Pages of seeds and of forms are found in their own way. One that the earlier capture was told
 * itself and found no link to is not told again.
 */
static bool is_wanted(const struct capture *c, const struct catalog_page *row)
{
	unsigned look = row->number < c->earlier.looks.len ? c->earlier.looks.ptr[row->number] : 0;

	return look & LOOK_THERE && (look & LOOK_LINKED || !catalog_is_told(row->found)) &&
	       row->content != CATALOG_CONTENT_SOFT_404 &&
	       page_kind_of_name(row->kind) != LINK_FORM &&
	       !slice_starts_with(row->found, SLICE("seed"));
}

/* A URL that may be another one each time: with a session id, or a query against caches. */
static bool is_passing(struct capture *c, const struct url *url, uint8_t kind)
{
	struct trap_shape shape;

	return (page_kind_is_requisite(kind) && url->has_query) ||
	       trap_shape(&c->lane->scratch.shape, url, &shape) || shape.kind == TRAP_SESSION;
}

/* How the earlier capture found it, or one before that. */
static void say_how(const struct capture *c, slice found, char out[HOW_SIZE])
{
	const char *how = slice_starts_with(found, SLICE("sitemap")) ? "sitemap" : "link";

	if (catalog_is_told(found))
		(void)snprintf(out, HOW_SIZE, "%.*s", (int)found.len, found.ptr);
	else
		(void)snprintf(out, HOW_SIZE, CATALOG_TOLD "%u: %s", c->earlier.capture,
			slice_eq(found, SLICE("redirect")) ? "redirect" : how);
}

/* Pages mostly come behind those that led to them; others are left to their links. */
static bool has_referrer(const struct telling *t, const struct catalog_page *row)
{
	if (row->via == CATALOG_NO_PAGE)
		return !slice_ends_with(row->found, SLICE("redirect"));
	return row->via < t->numbers.len && t->numbers.ptr[row->via] != CATALOG_NO_PAGE;
}

static int on_told(void *context, const struct catalog_page *row)
{
	struct telling *t = context;
	struct capture *c = t->capture;
	uint32_t number = CATALOG_NO_PAGE;

	if (!row->taken) {
		u32_vec_push(&t->numbers, CATALOG_NO_PAGE);
		return 0;
	}
	if (t->adds && !pages_find(&c->pages, row->url, &number) && is_wanted(c, row) &&
		has_referrer(t, row)) {
		char how[HOW_SIZE];
		struct found found = {
			.url = &t->url,
			.how = how,
			.via = row->via == CATALOG_NO_PAGE ? CATALOG_NO_PAGE
							   : t->numbers.ptr[row->via],
			.kind = page_kind_of_name(row->kind),
			.is_redirect = slice_ends_with(row->found, SLICE("redirect")),
			.is_told = true,
		};

		/* The page that led to it is part of this capture, too. */
		say_how(t->capture, row->found, how);
		if (!url_parse(&t->url, row->url, NULL, NULL) &&
			!is_passing(t->capture, &t->url, found.kind)) {
			TRY(discover(t->capture, &found, t->err));
		}
	}
	if (pages_find(&c->pages, row->url, &number) && !c->pages.list.ptr[number].taken)
		number = CATALOG_NO_PAGE;
	u32_vec_push(&t->numbers, number);
	return 0;
}

/* What a page needs is told along with it; of other pages their visits tell it. */
static int on_requisite(void *context, const struct catalog_requisite *r)
{
	struct telling *t = context;
	struct capture *c = t->capture;
	uint32_t page, requisite;

	if (r->page >= t->numbers.len || r->requisite >= t->numbers.len)
		return 0;
	page = t->numbers.ptr[r->page];
	requisite = t->numbers.ptr[r->requisite];
	if (page == CATALOG_NO_PAGE || requisite == CATALOG_NO_PAGE ||
		(page < t->first && requisite < t->first) ||
		!pages_are_told(&c->pages, page, requisite))
		return 0;
	return err_code(t->err, plan_group(c->plan, page, &requisite, 1));
}

/* The first visit of this capture is compared with its last response that has a body. */
static int on_look(void *context, const struct attempt *a)
{
	struct telling *t = context;
	struct pages *pages = &t->capture->pages;
	struct observation shown = legs_observe(a);
	uint32_t page = a->page < t->numbers.len ? t->numbers.ptr[a->page] : CATALOG_NO_PAGE;
	struct page_visit look = comparing_restored(a, 0);

	if (page == CATALOG_NO_PAGE || pages->list.ptr[page].visited || !legs_has(a->leg) ||
		a->is_revisit || a->is_compact || a->retired || !look.own.text[0] ||
		!observation_is_usable(&shown))
		return 0;
	while (t->capture->earlier.seen.len <= page)
		earlier_looks_push(&t->capture->earlier.seen, 0);
	t->capture->earlier.seen.ptr[page] = 1;
	return pages_set_earlier(pages, page, &look, t->err);
}

bool earlier_has_look(const struct capture *c, uint32_t page)
{
	return page < c->earlier.seen.len && c->earlier.seen.ptr[page] &&
	       !c->pages.list.ptr[page].visited;
}

static int pass(struct telling *t, struct catalog *catalog)
{
	uint32_t id = t->capture->earlier.capture;
	int rc;

	if (!t->capture->earlier.tells_pages)
		return 0;
	url_init(&t->url);
	rc = catalog_each_page(catalog, id, on_told, t, t->err);
	if (rc == 0)
		rc = catalog_each_requisite(catalog, id, on_requisite, t, t->err);
	if (rc == 0 && t->adds && !t->capture->settings->bytes_only)
		rc = catalog_each_observation(catalog, id, on_look, t, t->err);
	u32_vec_release(&t->numbers);
	url_release(&t->url);
	return rc;
}

int earlier_discover(struct capture *c, struct catalog *catalog, struct err *err)
{
	struct telling t = {
		.capture = c, .adds = true, .first = (uint32_t)c->pages.list.len, .err = err};

	return pass(&t, catalog);
}

int earlier_restore(struct capture *c, struct catalog *catalog, struct err *err)
{
	struct telling t = {.capture = c, .err = err};

	return pass(&t, catalog);
}

/* Of many seeds not each is worth reading the catalog for: the first, second, fourth, … */
int earlier_seed_moved(struct capture *c, struct err *err)
{
	struct earlier *e = &c->earlier;
	struct catalog *catalog;
	int rc;

	if (!e->tells_pages || ++e->moves < 2 * e->moves_heard)
		return 0;
	e->moves_heard = e->moves;
	rc = catalog_open(c->lane->directory->catalog, CATALOG_READ, &catalog, err);
	if (rc)
		return rc;
	rc = earlier_discover(c, catalog, err);
	catalog_close(catalog);
	return rc;
}
