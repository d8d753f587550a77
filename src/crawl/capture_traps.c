#include "crawl/capture_traps.h"

#include <stdio.h>

#include "crawl/capture.h"

/*
 * Traps: applies the budgets of crawl/traps.h and the probes for soft 404s to the URLs and pages
 * of a capture.
 *
 * Some URLs are not charged to their budgets. Seeds and URLs in sitemaps are not: a person chose
 * them. Neither is a link from a page of another shape that has new content: that is how pages of
 * normal sites are found. An endless part of a site links only to itself, or to pages without new
 * content. Where links have session ids, every page leads to all others under new URLs: one that
 * shows what another one shows recommends nothing, and neither is anything recommended that is
 * known with another id.
 */

enum {
	RULE_SHAPE_MAX = 160, /* bytes of a shape in a rule: what a word of the catalog can have */
	OPAQUE_WEIGHT = 100,  /* of a document without text */
};

void capture_traps_init(struct capture_traps *t, const struct crawl_settings *settings)
{
	*t = (struct capture_traps){.is_on = !settings->no_traps, .source = CATALOG_NO_PAGE};
	traps_init(&t->traps, settings->trap_budget, hash_key_random());
}

void capture_traps_release(struct capture_traps *t)
{
	traps_release(&t->traps);
	for (size_t i = 0; i < t->probes.len; i++)
		gist_release(&t->probes.ptr[i].gist);
	probe_vec_release(&t->probes);
}

void trap_scratch_init(struct trap_scratch *s)
{
	*s = (struct trap_scratch){0};
	buf_init(&s->shape, URL_MAX);
}

void trap_scratch_release(struct trap_scratch *s)
{
	buf_release(&s->shape);
	gist_release(&s->gist);
}

/* ---- URLs ---- */

static int find_levels(struct capture *c, const struct url *url, struct trap_shape *ret_shape,
	struct trap_levels *ret)
{
	TRY(trap_shape(&c->lane->scratch.shape, url, ret_shape));
	return traps_find(&c->traps.traps, ret_shape, ret);
}

/* The page that it was found on has new content, and another shape. */
static bool is_recommended(
	const struct capture *c, const struct found *f, const struct trap_levels *levels)
{
	const struct capture_traps *t = &c->traps;
	uint32_t shape = levels->list[TRAP_LEVEL_SHAPE];

	if (f->is_redirect || f->via != t->source || !t->source_is_worthy)
		return false;
	if (shape != TRAPS_NO_LEVEL && t->traps.levels.ptr[shape].kind == TRAP_SESSION &&
		t->traps.levels.ptr[shape].pages > 0)
		return false;
	return page_kind_is_requisite(f->kind) || shape == TRAPS_NO_LEVEL ||
	       shape != t->source_levels.list[TRAP_LEVEL_SHAPE];
}

static bool is_free(
	const struct capture *c, const struct found *f, const struct trap_levels *levels)
{
	return f->is_seed || f->via == CATALOG_NO_PAGE || f->kind == LINK_FORM ||
	       is_recommended(c, f, levels);
}

bool traps_is_exempt(struct capture *c, const struct found *f)
{
	struct trap_shape shape;
	struct trap_levels levels;

	return c->traps.is_on && find_levels(c, f->url, &shape, &levels) == 0 &&
	       is_free(c, f, &levels);
}

static enum left_out reason_of(enum trap_kind kind, unsigned full)
{
	static const enum left_out REASONS[TRAP_KIND_COUNT] = {
		[TRAP_PLAIN] = LEFT_OUT_REPEATS,
		[TRAP_SEGMENTS] = LEFT_OUT_SEGMENTS,
		[TRAP_CALENDAR] = LEFT_OUT_CALENDAR,
		[TRAP_COUNTER] = LEFT_OUT_COUNTER,
		[TRAP_PARAMETERS] = LEFT_OUT_PARAMETERS,
		[TRAP_SESSION] = LEFT_OUT_SESSION,
	};

	if (full == TRAP_LEVEL_SECTION)
		return LEFT_OUT_REPEATS;
	return full == TRAP_LEVEL_PATH ? LEFT_OUT_PARAMETERS : REASONS[kind];
}

int traps_decide(struct capture *c, const struct found *f, struct trap_decision *ret)
{
	struct capture_traps *t = &c->traps;
	struct trap_shape shape;

	*ret = (struct trap_decision){.reason = LEFT_OUT_NOT};
	if (!t->is_on)
		return 0;
	TRY(find_levels(c, f->url, &shape, &ret->levels));
	ret->is_free = is_free(c, f, &ret->levels);
	if (!ret->is_free && !f->is_told && !traps_has_room(&t->traps, &ret->levels, &ret->full)) {
		ret->reason = reason_of(shape.kind, ret->full);
		ret->shape = ret->full == TRAP_LEVEL_SECTION
				     ? slice_sub(shape.text, 0, shape.section)
			     : ret->full == TRAP_LEVEL_PATH ? slice_sub(shape.text, 0, shape.path)
							    : shape.text;
	}
	return 0;
}

int traps_explain(struct buf *out, const struct trap_decision *d)
{
	slice shape = slice_sub(d->shape, 0, RULE_SHAPE_MAX);

	/* There are as many shapes as pages. */
	if (d->reason == LEFT_OUT_SESSION)
		shape = SLICE("the same without its session id");
	return buf_printf(
		out, "out: %s, %.*s", left_out_word(d->reason), (int)shape.len, shape.ptr);
}

int traps_note_decision(struct capture *c, uint32_t page, const struct trap_decision *d)
{
	struct capture_traps *t = &c->traps;

	if (!t->is_on)
		return 0;
	if (d->reason != LEFT_OUT_NOT)
		return traps_defer(&t->traps, d->levels.list[d->full], page);
	traps_take(&t->traps, &d->levels, d->is_free);
	return 0;
}

int traps_restore_page(
	struct capture *c, const struct url *url, uint32_t page, enum left_out reason)
{
	struct capture_traps *t = &c->traps;
	struct trap_shape shape;
	struct trap_levels levels;
	unsigned full = TRAP_LEVEL_SHAPE;

	if (!t->is_on)
		return 0;
	TRY(find_levels(c, url, &shape, &levels));
	/* The level that had no room then: its reason says which. */
	while (full < TRAP_LEVEL_SECTION &&
		(levels.list[full] == TRAPS_NO_LEVEL || reason_of(shape.kind, full) != reason))
		full++;
	return traps_restore(&t->traps, levels.list[full], page);
}

int traps_redirect_followed(struct capture *c, const struct url *document)
{
	struct capture_traps *t = &c->traps;
	struct trap_shape shape;
	struct trap_levels levels;

	if (!t->is_on)
		return 0;
	TRY(find_levels(c, document, &shape, &levels));
	traps_refund(&t->traps, &levels);
	return 0;
}

/* ---- pages ---- */

static bool is_content(unsigned status)
{
	return (status >= 200 && status < 300) || same_is_missing(status);
}

int traps_page_arrived(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err)
{
	struct capture_traps *t = &c->traps;
	const struct url *url;
	struct trap_shape shape;

	(void)err;
	if (p->order->leg == PLAN_REVISIT)
		return 0;
	t->wants_look = false;
	t->source = CATALOG_NO_PAGE;
	if (!t->is_on || !is_content(p->fetch->status))
		return 0;
	url = reading_url(&c->lane->reading, p->fetch->url);
	if (!url || find_levels(c, url, &shape, &t->source_levels))
		return 0;
	t->source = p->order->page;
	t->wants_look = traps_wants_look(&t->traps, &t->source_levels);
	*ret_text =
		*ret_text || t->wants_look || probe_is_soft(c, c->pages.list.ptr[t->source].host);
	return 0;
}

/* The text of a document; of one without text, the hash of its bytes. */
static int make_gist(struct gist *gist, const struct arrival *p)
{
	const struct page_text *text = &p->reading->text;
	slice url = p->fetch->url;
	uint64_t hash;

	gist_reset(gist);
	TRY(gist_add_text(gist, buf_slice(&text->text), url));
	TRY(gist_add_text(gist, buf_slice(&text->title), url));
	if (gist->weight > 0)
		return 0;
	memcpy(&hash, p->result.payload.bytes, sizeof hash);
	return gist_add_hash(gist, hash, OPAQUE_WEIGHT);
}

int traps_page_read(struct capture *c, const struct arrival *p, bool *ret_follow, struct err *err)
{
	struct gist *gist = &c->lane->scratch.gist;
	struct capture_traps *t = &c->traps;
	bool has_text = p->mode == READING_TEXT;
	bool is_new = true;

	*ret_follow = true;
	if (t->source == CATALOG_NO_PAGE)
		return 0;
	if (has_text)
		TRY(err_code(err, make_gist(gist, p)));
	if (t->wants_look)
		TRY(err_code(err, traps_look(&t->traps, &t->source_levels, gist, &is_new)));
	t->source_is_worthy = traps_is_worthy(&t->traps, &t->source_levels) && !c->dust.is_repeat;
	if (has_text && probe_matches(c, t->source, gist)) {
		*ret_follow = t->source_is_worthy = false;
		probe_mark(c, t->source);
	}
	return probe_visited(c, t->source, p->fetch, err);
}

int traps_take_deferred(struct capture *c, struct err *err)
{
	struct capture_traps *t = &c->traps;
	uint32_t page;

	if (t->source == CATALOG_NO_PAGE || !t->wants_look)
		return 0;
	while (traps_next(&t->traps, &t->source_levels, &page))
		TRY(discover_again(c, page, err));
	return 0;
}
