#include "proof/judge.h"

#include <stdlib.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/spill.h"
#include "base/vec.h"
#include "base/word.h"
#include "catalog/catalog.h"
#include "formats/link_kind.h"
#include "formats/stand_in.h"
#include "proof/judge_looks.h"
#include "proof/noise_rules.h"
#include "proof/pair.h"
#include "proof/rulebook.h"
#include "proof/stillpoint.h"

/*
 * Which two looks at a page are its visit and its revisit, and the still point that is chosen
 * afterwards: the instant that most proven intervals contain (proof/stillpoint.h).
 *
 * From two archives: the last usable look of the first, the first usable look of the second. If
 * all of the first ended before the second began, the still point lies between them, as in a
 * capture; else it is the best instant.
 *
 * From one archive: every two usable looks in a row that show the same prove an interval. The still
 * point is the best instant; of each page the usable looks on either side of it count, or, where
 * both are on one side, the two that are nearest to it.
 */

#define JUDGE_NO_LOOK UINT32_MAX

/* Looks by their number. */
struct judge_pair {
	uint32_t page;
	uint32_t visit;   /* JUDGE_NO_LOOK: only the second archive has it */
	uint32_t revisit; /* JUDGE_NO_LOOK: there is none */
};

VEC_DECLARE(judge_pair_vec, struct judge_pair);

struct judge_pairs {
	struct judge_pair_vec list; /* by page; pages without a look are left out */
	int64_t from, to;           /* the still point; both 0 when nothing is proven */
};

struct judge_terms {
	bool two_archives;
};

struct finding {
	struct judge_pairs *pairs;
	const struct judge_looks *looks;
	struct u32_vec order; /* looks that count, by page and time */
	struct page_interval_vec intervals;
	int64_t last_visit, first_revisit; /* of two archives; 0 for none */
};

/* ---- looks at one page ---- */

/* Numbers of looks, in the order of time. */
struct row {
	const uint32_t *looks;
	size_t len;
};

static const struct judge_look *look_at(const struct finding *f, uint32_t number)
{
	return &f->looks->list.ptr[number];
}

static struct observation observe(const struct finding *f, uint32_t number)
{
	return judge_look_observe(f->looks, look_at(f, number));
}

static bool is_usable(const struct finding *f, uint32_t number)
{
	struct observation o = observe(f, number);

	return observation_is_usable(&o);
}

static bool shows_same(const struct finding *f, uint32_t a, uint32_t b)
{
	struct observation x = observe(f, a), y = observe(f, b);
	struct judgement j = judge(&x, &y, JUDGED_PAIR);

	return j.verdict == VERDICT_SHARP || j.verdict == VERDICT_ABSENT;
}

/* If they show the same, and the first ended before the second began. */
static void add_interval(struct finding *f, uint32_t a, uint32_t b)
{
	const struct judge_look *x = look_at(f, a), *y = look_at(f, b);

	if (x->end <= y->begin && shows_same(f, a, b))
		page_interval_vec_push(&f->intervals,
			(struct page_interval){.page = x->page, .from = x->end, .to = y->begin});
}

/* Calls for the looks of each page. */
static void each_page(struct finding *f, void (*call)(struct finding *, struct row))
{
	const struct u32_vec *o = &f->order;

	for (size_t from = 0, to; from < o->len; from = to) {
		uint32_t page = look_at(f, o->ptr[from])->page;

		for (to = from + 1; to < o->len && look_at(f, o->ptr[to])->page == page; to++)
			;
		call(f, (struct row){o->ptr + from, to - from});
	}
}

/* ---- two archives ---- */

/* The last usable one of the first archive, the first usable one of the second; else the last. */
static struct judge_pair pair_sides(const struct finding *f, struct row row)
{
	struct judge_pair p = {look_at(f, row.looks[0])->page, JUDGE_NO_LOOK, JUDGE_NO_LOOK};
	bool usable_visit = false, usable_revisit = false;

	for (size_t i = 0; i < row.len; i++) {
		uint32_t look = row.looks[i];
		bool usable = is_usable(f, look);

		if (look_at(f, look)->side == JUDGE_FIRST) {
			if (usable || !usable_visit)
				p.visit = look;
			usable_visit = usable_visit || usable;
		} else if (!usable_revisit) {
			p.revisit = look;
			usable_revisit = usable;
		}
	}
	return p;
}

static void pair_two(struct finding *f, struct row row)
{
	struct judge_pair p = pair_sides(f, row);

	judge_pair_vec_push(&f->pairs->list, p);
	if (p.visit != JUDGE_NO_LOOK && look_at(f, p.visit)->end > f->last_visit)
		f->last_visit = look_at(f, p.visit)->end;
	if (p.revisit != JUDGE_NO_LOOK &&
		(!f->first_revisit || look_at(f, p.revisit)->begin < f->first_revisit))
		f->first_revisit = look_at(f, p.revisit)->begin;
	if (p.visit != JUDGE_NO_LOOK && p.revisit != JUDGE_NO_LOOK)
		add_interval(f, p.visit, p.revisit);
}

/* ---- one archive ---- */

static void add_intervals(struct finding *f, struct row row)
{
	uint32_t before = JUDGE_NO_LOOK;

	for (size_t i = 0; i < row.len; i++) {
		if (!is_usable(f, row.looks[i]))
			continue;
		if (before != JUDGE_NO_LOOK)
			add_interval(f, before, row.looks[i]);
		before = row.looks[i];
	}
}

/* The usable looks around the still point; those of a page without two of them as they come. */
static struct judge_pair pair_around(const struct finding *f, struct row row)
{
	struct judge_pair p = {look_at(f, row.looks[0])->page, JUDGE_NO_LOOK, JUDGE_NO_LOOK};

	for (size_t i = 0; i < row.len; i++) {
		uint32_t look = row.looks[i];

		if (!is_usable(f, look))
			continue;
		if (p.visit == JUDGE_NO_LOOK) {
			p.visit = look;
		} else if (p.revisit == JUDGE_NO_LOOK) {
			p.revisit = look;
		} else if (look_at(f, p.revisit)->begin < f->pairs->to) {
			p.visit = p.revisit;
			p.revisit = look;
		}
	}
	if (p.visit == JUDGE_NO_LOOK)
		p.visit = row.looks[0];
	if (p.revisit == JUDGE_NO_LOOK && row.len > 1 && p.visit != row.looks[row.len - 1])
		p.revisit = row.looks[row.len - 1];
	return p;
}

static void pair_one(struct finding *f, struct row row)
{
	judge_pair_vec_push(&f->pairs->list, pair_around(f, row));
}

/* ---- the still point ---- */

static void choose_instant(struct finding *f)
{
	bool apart = f->last_visit && f->first_revisit && f->last_visit <= f->first_revisit;
	const struct planned_instant planned = {1, 0}; /* there was no plan */
	struct best_instant best = {.from = f->last_visit, .to = f->first_revisit};

	if (apart || best_instant_find(&f->intervals, &planned, &best)) {
		f->pairs->from = best.from;
		f->pairs->to = best.to;
	}
}

static void judge_pairs_find(
	struct judge_pairs *p, const struct judge_looks *looks, const struct judge_terms *terms)
{
	struct finding f = {.pairs = p, .looks = looks};

	*p = (struct judge_pairs){0};
	judge_looks_sort(looks, false, &f.order);
	each_page(&f, terms->two_archives ? pair_two : add_intervals);
	choose_instant(&f);
	if (!terms->two_archives)
		each_page(&f, pair_one);
	u32_vec_release(&f.order);
	page_interval_vec_release(&f.intervals);
}

static void judge_pairs_release(struct judge_pairs *p)
{
	judge_pair_vec_release(&p->list);
}

/* Writes looks that were paired into a catalog, as a capture. */

struct judge_result {
	const struct judge_looks *looks;
	const struct judge_pairs *pairs;
	const struct judge_terms *terms;
	const char *name; /* of the first archive */
	slice settings;   /* the rules, as lines (proof/rulebook.h) */
};

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

	return catalog_put(w->catalog, CATALOG_ROW_ADD_PAGE, w->capture, &page, w->err);
}

/* ---- looks ---- */

static slice failure_of(const struct judge_look *look)
{
	if (!look->sound)
		return SLICE("damaged record");
	if (!look->resolved)
		return SLICE("the record with its body is not in the archives");
	return !look->shown.whole ? SLICE("truncated") : (slice){0};
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
		.status = look->shown.status,
		.wall = {.sent = look->begin, .last_byte = look->end},
		.clock = {.sent = look->clock_begin, .last_byte = look->clock_end},
		.failure = failure_of(look),
		.truncated = !o.whole,
		.close_delimited = look->shown.close_delimited,
		.sign_set = STAND_IN_VERSION,
		.stand_in = text_or_none(l, look->shown.stand_in),
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
		.warc = slice_base_name(words_text(&l->words, look->file)),
		.offset = look->offset,
		.record_id = look->id.len ? look->id : (slice){0},
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

static void number_pairs(struct writing *w)
{
	const struct judge_pair_vec *list = &w->in->pairs->list;
	size_t pages = w->in->looks->pages.list.len;

	u32_vec_reserve(&w->pairs, pages);
	for (size_t i = 0; i < pages; i++)
		w->pairs.ptr[i] = CATALOG_NO_PAGE;
	for (size_t i = 0; i < list->len; i++)
		w->pairs.ptr[list->ptr[i].page] = (uint32_t)i;
}

/* The look whose body that of a look is; JUDGE_NO_LOOK stays what it is. */
static uint32_t write_body_of(const struct writing *w, uint32_t look)
{
	if (look == JUDGE_NO_LOOK || !look_of(w, look)->is_revisit || !look_of(w, look)->resolved)
		return look;
	return look_of(w, look)->original;
}

static int add_edge(struct writing *w, uint32_t page, uint32_t requisite)
{
	return catalog_put(w->catalog, CATALOG_ROW_REQUISITE, w->capture,
		&(struct catalog_requisite){.page = page, .requisite = requisite}, w->err);
}

/* What the look that counts as the visit named; a requisite that no archive has is missing. */
static int add_requisite(struct writing *w, const struct judge_edge *edge)
{
	uint32_t pair = w->pairs.ptr[look_of(w, edge->look)->page];
	uint32_t requisite = w->pairs.ptr[edge->requisite];

	if (pair == CATALOG_NO_PAGE || pair == requisite ||
		edge->look != write_body_of(w, w->in->pairs->list.ptr[pair].visit))
		return 0;
	return add_edge(w, pair, requisite);
}

/* What a body that was read under another URL names under this one is not known. */
static int add_unknown(struct writing *w, uint32_t pair)
{
	uint32_t visit = w->in->pairs->list.ptr[pair].visit, body = write_body_of(w, visit);

	if (body == visit || !look_of(w, visit)->names_requisites ||
		look_of(w, body)->page == look_of(w, visit)->page)
		return 0;
	return add_edge(w, pair, CATALOG_NO_PAGE);
}

static int add_requisites(struct writing *w)
{
	const struct judge_edge_vec *edges = &w->in->looks->edges;
	int rc = 0;

	number_pairs(w);
	for (size_t i = 0; rc == 0 && i < edges->len; i++)
		rc = add_requisite(w, &edges->ptr[i]);
	for (uint32_t i = 0; rc == 0 && i < w->in->pairs->list.len; i++)
		rc = add_unknown(w, i);
	return rc;
}

/* 0, or as the catalog's functions. */
static SP_MUST_CHECK int judge_write(
	const struct judge_result *result, struct catalog *catalog, struct err *err)
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

/*
 * Looks at a page in a row whose states differ, compared by their bodies (proof/proof.h): those
 * that differ by noise alone become one class. The bodies of such looks are read once more, and
 * kept in a file without a name meanwhile.
 */

/* The look that has the body. */
static struct judge_look *body_of(const struct judge_looks *looks, struct judge_look *look)
{
	return look->is_revisit ? &looks->list.ptr[look->original] : look;
}

/* Whether two looks in a row are to be compared by their bodies. */
static bool may_compare(const struct judge_look *a, const struct judge_look *b)
{
	return a->page == b->page && a->shown.status == b->shown.status && a->head &&
	       a->head == b->head && a->shown.decoded && b->shown.decoded &&
	       !digest_eq(&a->shown.state, &b->shown.state);
}

/* Marks the looks whose bodies are needed; whether there are any. */
static bool judge_comparing_want(struct judge_looks *looks)
{
	struct u32_vec order = {0};
	bool any = false;

	judge_looks_sort(looks, true, &order);
	for (size_t i = 1; i < order.len; i++) {
		struct judge_look *a = &looks->list.ptr[order.ptr[i - 1]];
		struct judge_look *b = &looks->list.ptr[order.ptr[i]];

		if (!may_compare(a, b))
			continue;
		body_of(looks, a)->wants_body = body_of(looks, b)->wants_body = true;
		any = true;
	}
	u32_vec_release(&order);
	return any;
}

static int read_body(
	const struct spill *bodies, const struct judge_look *of, struct buf *out, struct err *err)
{
	int rc;

	buf_reset(out);
	rc = err_code(err, buf_reserve(out, of->body_size));
	if (rc == 0 && of->body_size)
		rc = spill_read(bodies, of->body_at, out->ptr, of->body_size, err);
	if (rc == 0)
		out->len = of->body_size;
	return rc;
}

struct comparing {
	struct judge_looks *looks;
	const struct spill *bodies;
	const struct rulebook *book;
	struct buf a, b;
};

static struct proof_look side(
	const struct comparing *k, const struct judge_look *look, const struct buf *body)
{
	return (struct proof_look){.body = buf_slice(body),
		.media_type = words_text(&k->looks->words, look->content_type),
		.time = look->exact ? look->begin : look->date};
}

static int compare(struct comparing *k, struct judge_look *a, struct judge_look *b, struct err *err)
{
	struct pair p = {.same_heads = true};
	char rules[PAIR_RULES_SIZE];
	struct same_key before;
	int rc = read_body(k->bodies, body_of(k->looks, a), &k->a, err);

	if (rc == 0)
		rc = read_body(k->bodies, body_of(k->looks, b), &k->b, err);
	if (rc)
		return rc;
	rc = proof_compare(&(struct proof_params){.a = side(k, a, &k->a),
				   .b = side(k, b, &k->b),
				   .url = words_text(&k->looks->pages, b->page),
				   .off = k->book->off,
				   .ignore = k->book->has_ignore ? &k->book->ignore : NULL,
				   .all = true},
		&p.proof);
	p.explained = rc == 0 && p.proof.same != PROOF_DIFFERENT;
	if (rc == 0 &&
		!pair_may_be_cut(a->shown.close_delimited || b->shown.close_delimited, &p.proof)) {
		before = judge_look_observe(k->looks, a).key;
		pair_describe(&p, rules, &b->masked);
		b->rule_set = NOISE_RULES_VERSION;
		b->has_class = p.explained && p.proof.duties.len == 0;
		b->class = *same_class(&before);
		b->masked = b->has_class ? b->masked : 0;
		b->rules = words_put(&k->looks->words, slice_str(rules));
	}
	proof_release(&p.proof);
	return err_code(err, rc);
}

/* Compares those whose bodies were found. 0, ERR_NOMEM, ERR_IO. */
static SP_MUST_CHECK int judge_comparing_run(struct judge_looks *looks, const struct spill *bodies,
	const struct rulebook *book, struct err *err)
{
	struct comparing k = {.looks = looks, .bodies = bodies, .book = book};
	struct u32_vec order = {0};
	int rc = 0;

	judge_looks_sort(looks, true, &order);
	buf_init(&k.a, PROOF_BODY_MAX + 1);
	buf_init(&k.b, PROOF_BODY_MAX + 1);
	for (size_t i = 1; rc == 0 && i < order.len; i++) {
		struct judge_look *a = &looks->list.ptr[order.ptr[i - 1]];
		struct judge_look *b = &looks->list.ptr[order.ptr[i]];

		if (may_compare(a, b) && body_of(looks, a)->has_body && body_of(looks, b)->has_body)
			rc = compare(&k, a, b, err);
	}
	buf_release(&k.a);
	buf_release(&k.b);
	u32_vec_release(&order);
	return rc;
}

enum { SETTINGS_MAX = 8 << 20 }; /* bytes */

/* One pass over an archive. */
static int read_archive(const struct judge_params *p, const char *path, enum judge_side side,
	struct judge_reading *reading, struct err *err)
{
	size_t before = reading->looks->list.len;
	int rc;

	reading->side = side;
	rc = warc_set_each(path, p->tmp_dir, judge_read_file, reading, err);
	if (rc || reading->resolving || reading->bodies || reading->looks->list.len > before)
		return rc;
	if (reading->counts->repeated)
		return err_set(err, ERR_NOTFOUND,
			"%s: it has no records that the first archive has not; give one archive "
			"to judge it alone",
			path);
	return err_set(err, ERR_NOTFOUND, "%s: there are no HTTP responses in it", path);
}

static int read_both(const struct judge_params *p, struct judge_reading *reading, struct err *err)
{
	int rc = read_archive(p, p->first, JUDGE_FIRST, reading, err);

	if (rc == 0 && p->second)
		rc = read_archive(p, p->second, JUDGE_SECOND, reading, err);
	return rc;
}

static bool has_unresolved(const struct judge_looks *looks)
{
	for (size_t i = 0; i < looks->list.len; i++)
		if (!looks->list.ptr[i].resolved)
			return true;
	return false;
}

static int read_looks(const struct judge_params *p, struct judge_looks *looks,
	struct judge_counts *counts, struct err *err)
{
	struct judge_reading reading = {.looks = looks,
		.counts = counts,
		.slack = p->slack,
		.book = p->book,
		.progress = p->progress};
	int rc = read_both(p, &reading, err);

	if (rc || !has_unresolved(looks))
		return rc;
	reading.resolving = true;
	return read_both(p, &reading, err);
}

/* Looks that differ are compared by their bodies, which are read once more. */
static int compare_looks(const struct judge_params *p, struct judge_looks *looks,
	struct judge_counts *counts, struct err *err)
{
	struct judge_reading reading = {.looks = looks, .counts = counts, .book = p->book};
	struct spill_pool pool;
	struct spill bodies;
	int rc;

	if (p->bytes_only || !judge_comparing_want(looks))
		return 0;
	spill_pool_init(&pool, p->tmp_dir);
	spill_init(&bodies, &pool);
	reading.bodies = &bodies;
	rc = read_both(p, &reading, err);
	if (rc == 0)
		rc = judge_comparing_run(looks, &bodies, p->book, err);
	spill_release(&bodies);
	spill_pool_release(&pool);
	return rc;
}

int judge_run(const struct judge_params *p, struct catalog *catalog,
	struct judge_counts *ret_counts, struct err *err)
{
	struct judge_terms terms = {.two_archives = p->second};
	struct judge_looks looks;
	struct judge_pairs pairs = {0};
	struct buf settings;
	int rc;

	*ret_counts = (struct judge_counts){0};
	judge_looks_init(&looks, p->tmp_dir);
	buf_init(&settings, SETTINGS_MAX);
	rc = err_code(err, rulebook_write(p->book, &settings));
	if (rc == 0)
		rc = read_looks(p, &looks, ret_counts, err);
	if (rc == 0)
		rc = compare_looks(p, &looks, ret_counts, err);
	if (rc == 0)
		judge_pairs_find(&pairs, &looks, &terms);
	if (rc == 0)
		rc = judge_write(&(struct judge_result){&looks, &pairs, &terms, p->first,
					 slice_str(buf_str(&settings))},
			catalog, err);
	buf_release(&settings);
	judge_pairs_release(&pairs);
	judge_looks_release(&looks);
	return rc;
}
