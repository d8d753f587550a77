#include "crawl/views.h"

#include <stdio.h>
#include <string.h>

#include "crawl/capture.h"
#include "formats/view_links.h"

enum {
	EARNED = 2,          /* views that a fruitful one lets in */
	LISTS_MAX = 8 << 20, /* bytes; further lists wait like other views */
	SWEEPS_MAX = 64,     /* of a capture: each reads all URLs that wait for their visit */
	LIST_SIZE = VIEW_URL_MAX + 512,
};

void views_init(struct views *v)
{
	arena_init(&v->arena, LISTS_MAX);
	strmap_init(&v->lists, hash_key_random(), &v->arena);
}

void views_release(struct views *v)
{
	for (size_t i = 0; i < v->kinds.len; i++)
		u32_vec_release(&v->kinds.ptr[i].waiting);
	view_kind_vec_release(&v->kinds);
	view_flags_release(&v->of_page);
	strmap_release(&v->lists);
	arena_release(&v->arena);
}

/* ---- which URLs are views ---- */

static bool is_known(void *context, slice url)
{
	struct capture *c = context;
	uint32_t page;

	return pages_find(&c->pages, url, &page) && c->pages.list.ptr[page].taken;
}

/* The URL without one field of its query is a known page. */
static int is_known_without(
	struct capture *c, const struct url *url, slice field, struct buf *text, bool *ret)
{
	slice page = url_page(url), query = url_part(url, url->query);
	size_t from = (size_t)(field.ptr - page.ptr), to = from + field.len;

	/* With the "&" behind it, or what is before it. */
	if (field.len < query.len && to < page.len)
		to++;
	else
		from--;
	buf_reset(text);
	TRY(buf_add(text, slice_sub(page, 0, from)));
	TRY(buf_add(text, slice_sub(page, to, page.len)));
	*ret = is_known(c, buf_slice(text));
	return 0;
}

/* Pages with and without that field of a query agreed, and none with another value disagreed. */
static int changes_nothing(
	struct capture *c, const struct url *url, slice name, slice field, bool *ret)
{
	struct dust *d = &c->dust.dust;
	const struct dust_rule *r;
	uint32_t site, rule;
	int rc = dust_site(d, url, &site);

	*ret = false;
	if (rc || !dust_knows(d, site, DUST_PARAMETER, name))
		return rc == ERR_LIMIT ? 0 : rc;
	rc = dust_rule_of(d, site, DUST_PARAMETER, name, &rule);
	if (rc || rule == DUST_NONE)
		return rc;
	r = &d->rules.ptr[rule];
	*ret = r->disagreed == 0 && r->agreed >= VIEWS_LEARNED_PAIRS &&
	       dust_value_is_confirmed(&d->tallies.ptr[r->tally], dust_hash(d, field));
	return 0;
}

static int is_learned(struct capture *c, const struct url *url, slice *ret_name, bool *ret)
{
	slice query = url_part(url, url->query);

	*ret = false;
	if (c->dust.mode != CRAWL_DUST_LEARN)
		return 0;
	while (query.len && !*ret) {
		size_t end = 0, equals = 0;
		slice field;

		while (end < query.len && query.ptr[end] != '&')
			end++;
		while (equals < end && query.ptr[equals] != '=')
			equals++;
		field = slice_sub(query, 0, end);
		*ret_name = slice_sub(query, 0, equals);
		query = slice_sub(query, end + 1, query.len);
		if (field.len == 0)
			continue;
		TRY(changes_nothing(c, url, *ret_name, field, ret));
		if (*ret)
			TRY(is_known_without(c, url, field, &c->lane->dust.other_key, ret));
	}
	return 0;
}

/* Somebody wants it, or it is part of a page. */
static bool is_exempt(const struct capture *c, const struct found *f)
{
	return c->settings->all_views || c->views.is_open || page_kind_is_requisite(f->kind) ||
	       f->is_seed || f->is_redirect || f->via == CATALOG_NO_PAGE || f->kind == LINK_FORM ||
	       f->kind == LINK_CANONICAL || scope_names(&c->scope, f->url);
}

/* The name of the list that a view shows, with its host; {0}: it shows none. */
static slice list_of(size_t kind, const struct url *url, char out[LIST_SIZE])
{
	slice part, host = url_part(url, url->host);
	int n;

	if (!view_is_listing(kind, url, &part))
		return (slice){0};
	n = snprintf(out, LIST_SIZE, "%s %.*s:%d %.*s", view_name(kind), (int)host.len, host.ptr,
		(int)url_effective_port(url), (int)part.len, part.ptr);
	if (n < 0 || n >= LIST_SIZE)
		return (slice){0};
	return (slice){out, (size_t)n};
}

/* A list that was not taken yet. */
static bool is_new_list(const struct capture *c, size_t kind, const struct url *url)
{
	char text[LIST_SIZE];
	slice list = list_of(kind, url, text);

	return list.ptr && !strmap_get(&c->views.lists, list, NULL);
}

int views_decide(struct capture *c, const struct found *f, struct view_decision *ret)
{
	bool learned;

	*ret = (struct view_decision){.kind = VIEW_NONE};
	if (is_exempt(c, f))
		return 0;
	ret->kind = view_of_link(f->url, c->views.on_view, is_known, c);
	ret->waits = ret->kind != VIEW_NONE && !is_new_list(c, ret->kind, f->url);
	if (ret->kind != VIEW_NONE)
		return 0;
	TRY(is_learned(c, f->url, &ret->field, &learned));
	if (learned) {
		ret->kind = view_count();
		ret->waits = true;
	}
	return 0;
}

int views_explain(struct buf *out, const struct view_decision *d)
{
	if (d->kind < view_count())
		return buf_printf(out, "out: view, %s", view_name(d->kind));
	return buf_printf(out, "out: view, the field %.*s changes nothing",
		(int)(d->field.len < 60 ? d->field.len : 60), d->field.ptr);
}

/* ---- those that wait ---- */

static void make_kinds(struct views *v)
{
	while (v->kinds.len <= view_count())
		view_kind_vec_push(&v->kinds, (struct view_kind){0});
}

static void wait_for_room(struct capture *c, size_t kind, uint32_t page)
{
	make_kinds(&c->views);
	u32_vec_push(&c->views.kinds.ptr[kind].waiting, page);
}

static size_t kind_of(struct capture *c, const struct url *url)
{
	size_t kind = view_of_link(url, true, is_known, c);

	return kind == VIEW_NONE ? view_count() : kind;
}

static int mark(struct views *v, uint32_t page, size_t kind)
{
	make_kinds(v);
	while (v->of_page.len <= page)
		view_flags_push(&v->of_page, 0);
	v->of_page.ptr[page] = (uint8_t)(kind + 1);
	return 0;
}

/* A view was taken. */
static int count_taken(struct capture *c, size_t kind, const struct url *url, uint32_t page)
{
	char text[LIST_SIZE];
	slice list = list_of(kind, url, text);
	int rc = mark(&c->views, page, kind);

	if (rc)
		return rc;
	c->views.taken++;
	c->views.kinds.ptr[kind].taken++;
	rc = list.ptr ? strmap_put(&c->views.lists, list, 0) : 0;
	return rc == ERR_LIMIT ? 0 : rc;
}

int views_note(
	struct capture *c, const struct url *url, uint32_t page, const struct view_decision *d)
{
	if (d->kind == VIEW_NONE)
		return 0;
	if (d->waits) {
		wait_for_room(c, d->kind, page);
		return 0;
	}
	return c->pages.list.ptr[page].taken ? count_taken(c, d->kind, url, page) : 0;
}

int views_restore(struct capture *c, const struct url *url, uint32_t page)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	size_t kind;

	if (p->left_out == LEFT_OUT_VIEW) {
		wait_for_room(c, kind_of(c, url), page);
		return 0;
	}
	if (!p->taken || c->settings->all_views || p->is_seed || p->via == CATALOG_NO_PAGE ||
		page_kind_is_requisite(p->kind))
		return 0;
	kind = view_of_link(url, false, is_known, c);
	return kind == VIEW_NONE ? 0 : count_taken(c, kind, url, page);
}

/* ---- whose turn it is ---- */

static bool has_room(const struct capture *c)
{
	size_t documents = c->pages.taken - c->pages.requisites - c->views.taken;

	return documents / (VIEWS_SHARE - 1) > c->views.taken;
}

/* The kind whose turn it is; NULL: none has anything that may be taken. */
static struct view_kind *choose(struct capture *c, size_t *ret)
{
	struct views *v = &c->views;
	bool room = has_room(c);
	struct view_kind *best = NULL;

	for (size_t i = 0; i < v->kinds.len; i++) {
		struct view_kind *k = &v->kinds.ptr[i];

		if (k->next == k->waiting.len || (!room && k->beyond >= EARNED * k->fruitful))
			continue;
		if (!best || k->taken < best->taken) {
			best = k;
			*ret = i;
		}
	}
	return best;
}

static int let_in(struct capture *c, size_t number, struct view_kind *k, struct err *err)
{
	uint32_t page = k->waiting.ptr[k->next++];
	bool room = has_room(c);

	if (c->pages.list.ptr[page].left_out != LEFT_OUT_VIEW)
		return 0;
	c->views.is_open = true;
	TRY(number == view_count()
			? dust_readmit(c, page, "in: a view, for which there is room", err)
			: discover_again(c, page, err));
	c->views.is_open = false;
	if (!c->pages.list.ptr[page].taken)
		return 0;
	k->taken++;
	k->beyond += !room;
	c->views.taken++;
	return err_code(err, mark(&c->views, page, number));
}

/* ---- what is learned ---- */

/* A page that waits for its visit is a view, as was learned since it was found. */
static int leave_out(struct capture *c, uint32_t page, slice field, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	struct view_decision d = {.kind = view_count(), .field = field, .waits = true};
	struct buf *rule = &c->lane->dust.rule;

	buf_reset(rule);
	TRY(err_code(err, views_explain(rule, &d)));
	wait_for_room(c, d.kind, page);
	p->taken = false;
	p->left_out = LEFT_OUT_VIEW;
	pages_count(&c->pages, p->kind, -1);
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				 .page = &(struct catalog_page){.number = page,
					 .left_out = LEFT_OUT_VIEW,
					 .rule = buf_slice(rule)}});
	return 0;
}

/* The URL of a page, and whether it is a view by what was learned. */
static int ask_learned(struct capture *c, uint32_t page, struct url *url, slice *ret_field,
	bool *ret_learned, struct err *err)
{
	struct buf *text = &c->lane->dust.text;

	TRY(pages_url(&c->pages, page, text, err));
	*ret_learned = false;
	if (!memchr(text->ptr, '?', text->len))
		return 0;
	TRY(url_parse(url, buf_slice(text), NULL, err));
	return err_code(err, is_learned(c, url, ret_field, ret_learned));
}

int views_sweep(struct capture *c, struct err *err)
{
	URL_SCOPED(url);

	if (!c->views.has_learned || c->settings->all_views || c->stage.visits_ended ||
		c->views.sweeps++ >= SWEEPS_MAX)
		return 0;
	c->views.has_learned = false;
	for (uint32_t i = 0; i < c->pages.list.len; i++)
		if (c->pages.list.ptr[i].taken && !c->pages.list.ptr[i].visited) {
			TRY(lane_check_stop(c->lane, err));
			const struct crawl_page *p = &c->pages.list.ptr[i];
			struct found found = {
				.url = &url,
				.via = p->via,
				.kind = p->kind,
				.is_redirect = p->redirects > 0,
				.is_seed = p->is_seed,
			};
			bool learned;
			slice field;

			TRY(ask_learned(c, i, &url, &field, &learned, err));
			TRY(learned && !is_exempt(c, &found) ? leave_out(c, i, field, err) : 0);
		}
	return 0;
}

/* Pages spoke against a rule: what it made views of is taken. */
static int review_learned(struct capture *c, struct err *err)
{
	struct views *v = &c->views;
	struct view_kind *k = &v->kinds.ptr[view_count()];
	URL_SCOPED(url);

	if (c->dust.disagreed == v->disagreed)
		return 0;
	v->disagreed = c->dust.disagreed;
	for (size_t i = k->next; i < k->waiting.len; i++) {
		uint32_t page = k->waiting.ptr[i];
		bool learned;
		slice field;

		if (c->pages.list.ptr[page].left_out != LEFT_OUT_VIEW)
			continue;
		TRY(ask_learned(c, page, &url, &field, &learned, err));
		if (!learned)
			TRY(dust_readmit(c, page, "in: what made it a view does not hold", err));
	}
	return 0;
}

/* ---- letting them in ---- */

int views_feed(struct capture *c, struct err *err)
{
	struct view_kind *k;
	size_t number = 0;

	if (c->views.kinds.len == 0 || c->stage.cancelled || c->stage.visits_ended)
		return 0;
	TRY(review_learned(c, err));
	while ((k = choose(c, &number))) {
		TRY(lane_check_stop(c->lane, err));
		TRY(let_in(c, number, k, err));
	}
	return 0;
}

/* ---- what is found on them ---- */

void views_source(struct capture *c, uint32_t page, const struct url *document)
{
	struct views *v = &c->views;
	slice part;

	v->kind = page < v->of_page.len ? v->of_page.ptr[page] : 0;
	v->on_view = v->kind > 0 || view_of_link(document, true, is_known, c) != VIEW_NONE;
	/* Of lists there is nothing more to let in. */
	v->is_fruitful = v->kind && view_is_listing(v->kind - 1U, document, &part);
}

void views_found(struct capture *c, const struct found *f)
{
	struct views *v = &c->views;

	if (v->kind == 0 || v->is_fruitful || f->kind != LINK_PAGE || f->via >= v->of_page.len ||
		v->of_page.ptr[f->via] != v->kind)
		return;
	v->is_fruitful = true;
	v->kinds.ptr[v->kind - 1].fruitful++;
}
