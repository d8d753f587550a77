#include "judge/write.h"

#include "base/word.h"
#include "extract/link_kind.h"
#include "extract/stand_in.h"
#include "judge/judge.h"

struct writing {
	const struct judge_result *in;
	struct catalog *catalog;
	uint32_t capture;
	struct u32_vec pairs; /* by page of the looks: the number of its pair */
	struct err *err;
};

/* ---- pages ---- */

/* What a page is, by its media type: other crawlers do not say what linked to it. */
static enum link_kind kind_of(slice type)
{
	static const struct {
		slice start;
		enum link_kind kind;
	} TYPES[] = {
		{SLICE_INIT("image/"), LINK_IMAGE},
		{SLICE_INIT("text/css"), LINK_STYLE},
		{SLICE_INIT("text/javascript"), LINK_SCRIPT},
		{SLICE_INIT("application/javascript"), LINK_SCRIPT},
		{SLICE_INIT("application/x-javascript"), LINK_SCRIPT},
		{SLICE_INIT("application/ecmascript"), LINK_SCRIPT},
		{SLICE_INIT("font/"), LINK_FONT},
		{SLICE_INIT("application/font"), LINK_FONT},
		{SLICE_INIT("application/x-font"), LINK_FONT},
		{SLICE_INIT("audio/"), LINK_MEDIA},
		{SLICE_INIT("video/"), LINK_MEDIA},
	};

	for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
		if (word_starts(type, TYPES[i].start))
			return TYPES[i].kind;
	return LINK_PAGE;
}

static const struct judge_look *look_of(const struct writing *w, uint32_t number)
{
	return &w->in->looks->list.ptr[number];
}

static const struct judge_look *any_look(const struct writing *w, const struct judge_pair *p)
{
	return look_of(w, p->visit != JUDGE_NO_LOOK ? p->visit : p->revisit);
}

static int add_page(struct writing *w, uint32_t number, const struct judge_pair *p)
{
	const struct judge_looks *l = w->in->looks;
	const struct judge_look *look = any_look(w, p);
	slice type = words_text(&l->words, look->media_type);
	struct catalog_page page = {
		.number = number,
		.url = words_text(&l->pages, p->page),
		.kind = slice_str(link_kind_name(kind_of(type))),
		.via = CATALOG_NO_PAGE,
		.found = SLICE("archive"),
		.taken = true,
		.rule = SLICE("it is in the archive"),
		.weight = 1,
	};

	return catalog_add_page(w->catalog, w->capture, &page, w->err);
}

/* ---- looks ---- */

static slice failure_of(const struct judge_look *look)
{
	if (!look->sound)
		return SLICE("damaged record");
	if (!look->resolved)
		return SLICE("the record with its body is not in the archives");
	return !look->whole ? SLICE("truncated") : (slice){0};
}

static slice text_or_none(const struct judge_looks *l, uint32_t word)
{
	slice text = words_text(&l->words, word);

	return text.len ? text : (slice){0};
}

static int add_look(
	struct writing *w, uint32_t page, enum attempt_leg leg, const struct judge_look *look)
{
	const struct judge_looks *l = w->in->looks;
	struct observation o = judge_look_observe(l, look);
	struct attempt a = {
		.page = page,
		.leg = leg,
		.number = 1,
		.status = look->status,
		.wall = {.sent = look->begin, .last_byte = look->end},
		.clock = {.sent = look->clock_begin, .last_byte = look->clock_end},
		.failure = failure_of(look),
		.truncated = !o.whole,
		.close_delimited = look->close_delimited,
		.sign_set = STAND_IN_VERSION,
		.stand_in = text_or_none(l, look->stand_in),
		.rule_set = o.rule_set,
		.masked = o.masked,
		.rules = o.rules,
		.has_class = o.key.has_class,
		.class = o.key.class,
		.is_revisit = look->is_revisit,
		.has_state = o.key.has_state,
		.state = o.key.state,
		.media_type = words_text(&l->words, look->media_type),
		.modified = look->modified,
		.etag = text_or_none(l, look->etag),
		.age = {look->has_age, look->age},
		.caches = text_or_none(l, look->caches),
		.warc = words_text(&l->words, look->file),
		.offset = look->offset,
	};

	return catalog_add_observation(w->catalog, w->capture, &a, w->err);
}

/* Seen once, and not expected to be seen again: a late look has no revisit. */
static bool is_single(const struct writing *w, const struct judge_pair *p)
{
	return p->visit == JUDGE_NO_LOOK ||
	       (p->revisit == JUDGE_NO_LOOK && !w->in->terms->two_archives);
}

static int add_pair(struct writing *w, uint32_t number, const struct judge_pair *p)
{
	int rc = add_page(w, number, p);

	if (rc)
		return rc;
	if (is_single(w, p))
		return add_look(w, number, ATTEMPT_LATE, any_look(w, p));
	rc = add_look(w, number, ATTEMPT_VISIT, look_of(w, p->visit));
	if (rc == 0 && p->revisit != JUDGE_NO_LOOK)
		rc = add_look(w, number, ATTEMPT_REVISIT, look_of(w, p->revisit));
	return rc;
}

/* ---- the capture ---- */

static int add_capture(struct writing *w)
{
	const struct judge_look_vec *list = &w->in->looks->list;
	struct catalog_capture c = {
		.uuid = SLICE("urn:uuid:00000000-0000-0000-0000-000000000000"),
		.site = slice_str(w->in->name),
		.strategy = SLICE(JUDGE_STRATEGY),
		.settings = w->in->settings,
		.state = CATALOG_FINISHED,
		.still_from = w->in->pairs->from,
		.still_to = w->in->pairs->to,
		.caveats = CATALOG_CAVEAT_AFTERWARDS,
		.addresses = CATALOG_NO_ADDRESSES,
	};

	for (size_t i = 0; i < list->len; i++) {
		if (!c.started || list->ptr[i].begin < c.started)
			c.started = list->ptr[i].begin;
		if (list->ptr[i].end > c.finished)
			c.finished = list->ptr[i].end;
	}
	return catalog_add_capture(w->catalog, &c, &w->capture, w->err);
}

/* ---- requisites ---- */

static int number_pairs(struct writing *w)
{
	const struct judge_pair_vec *list = &w->in->pairs->list;
	size_t pages = w->in->looks->pages.list.len;
	int rc = u32_vec_reserve(&w->pairs, pages);

	if (rc)
		return err_code(w->err, rc);
	for (size_t i = 0; i < pages; i++)
		w->pairs.ptr[i] = CATALOG_NO_PAGE;
	for (size_t i = 0; i < list->len; i++)
		w->pairs.ptr[list->ptr[i].page] = (uint32_t)i;
	return 0;
}

/* The look whose body that of a look is; JUDGE_NO_LOOK stays what it is. */
static uint32_t body_of(const struct writing *w, uint32_t look)
{
	if (look == JUDGE_NO_LOOK || !look_of(w, look)->is_revisit || !look_of(w, look)->resolved)
		return look;
	return look_of(w, look)->original;
}

static int add_edge(struct writing *w, uint32_t page, uint32_t requisite)
{
	return catalog_add_requisite(w->catalog, w->capture,
		&(struct catalog_requisite){.page = page, .requisite = requisite}, w->err);
}

/* What the look that counts as the visit named; a requisite that no archive has is missing. */
static int add_requisite(struct writing *w, const struct judge_edge *edge)
{
	uint32_t pair = w->pairs.ptr[look_of(w, edge->look)->page];
	uint32_t requisite = w->pairs.ptr[edge->requisite];

	if (pair == CATALOG_NO_PAGE || pair == requisite ||
		edge->look != body_of(w, w->in->pairs->list.ptr[pair].visit))
		return 0;
	return add_edge(w, pair, requisite);
}

/* What a body that was read under another URL names under this one is not known. */
static int add_unknown(struct writing *w, uint32_t pair)
{
	uint32_t visit = w->in->pairs->list.ptr[pair].visit, body = body_of(w, visit);

	if (body == visit || !look_of(w, visit)->names_requisites ||
		look_of(w, body)->page == look_of(w, visit)->page)
		return 0;
	return add_edge(w, pair, CATALOG_NO_PAGE);
}

static int add_requisites(struct writing *w)
{
	const struct judge_edge_vec *edges = &w->in->looks->edges;
	int rc = number_pairs(w);

	for (size_t i = 0; rc == 0 && i < edges->len; i++)
		rc = add_requisite(w, &edges->ptr[i]);
	for (uint32_t i = 0; rc == 0 && i < w->in->pairs->list.len; i++)
		rc = add_unknown(w, i);
	return rc;
}

int judge_write(const struct judge_result *result, struct catalog *catalog, struct err *err)
{
	struct writing w = {.in = result, .catalog = catalog, .err = err};
	int rc = add_capture(&w);

	for (size_t i = 0; rc == 0 && i < result->pairs->list.len; i++)
		rc = add_pair(&w, (uint32_t)i, &result->pairs->list.ptr[i]);
	if (rc == 0)
		rc = add_requisites(&w);
	u32_vec_release(&w.pairs);
	return rc ? rc : catalog_commit(catalog, err);
}
