/*
 * What is settled when a capture ends, before its verdicts (quality/learning.h): which places of
 * its pages vary by themselves, from its probes, and which of the pages that differ show the same
 * nevertheless. All that it stores must be in the catalog and the WARC files by then; other
 * connections read it.
 */
#include "quality/learning.h"

#include "base/clock.h"
#include "crawl/capture.h"
#include "quality/legs.h"
#include "quality/originals.h"

VEC_DECLARE(attempt_vec, struct attempt);

/* The observations are read once for each. */
enum learning_stage {
	WANTING,  /* which bodies are in other records */
	LEARNING, /* the rules, from the probes */
	COMPARING /* the pages that differ */
};

struct concluding {
	struct capture *c;
	struct catalog *catalog; /* connections of its own: for the observations, … */
	struct catalog *other;   /* … and for what is asked meanwhile */
	struct originals originals;
	struct look_source from;
	struct learner learner;
	struct learned rules;
	struct buf url, line;
	bool is_known; /* an earlier process has done it */
	bool any;      /* a page differs that may be the same */
	enum learning_stage stage;
	uint32_t page;            /* whose attempts these are */
	struct attempt_vec looks; /* that can be read; strings in the arena */
	struct legs legs;
	struct arena arena;
	struct attempt found[2]; /* of find_resource; strings in … */
	struct arena strings[2];
	unsigned turn;
	struct err *err;
};

static const struct attempt *find(const struct concluding *k, enum attempt_leg leg, unsigned number)
{
	for (size_t i = 0; i < k->looks.len; i++)
		if (k->looks.ptr[i].leg == leg && k->looks.ptr[i].number == number)
			return &k->looks.ptr[i];
	return NULL;
}

static bool is_probe(const struct attempt *a, slice purpose)
{
	return a->leg == ATTEMPT_PROBE && slice_eq(a->purpose, purpose);
}

/* Behind the visit that counts. */
static bool is_canary(const struct concluding *k, const struct attempt *a)
{
	return is_probe(a, SLICE("canary")) && a->wall.sent >= k->legs.visit.end;
}

/* The looks that count, if they differ and may be the same; NULL in both when not. */
static void find_pair(
	const struct concluding *k, const struct attempt **a, const struct attempt **b)
{
	*a = find(k, ATTEMPT_VISIT, k->legs.visit_number);
	*b = find(k, ATTEMPT_REVISIT, k->legs.revisit_number);
	if (*a && *b && !k->legs.late && !observation_same(&k->legs.visit, &k->legs.revisit))
		return;
	*a = *b = NULL;
}

/* Its body may be in the record of another look, of another page even. */
static int want(struct concluding *k, const struct attempt *a)
{
	int rc;

	if (!a || !a->is_revisit)
		return 0;
	rc = look_refers_to(&k->from, a, &k->line, k->err);
	if (rc && rc != ERR_NOMEM) { /* what cannot be read teaches nothing */
		*k->err = (struct err){0};
		return 0;
	}
	if (rc == 0 && k->line.len)
		rc = err_code(k->err, originals_want(&k->originals, buf_slice(&k->line)));
	return rc;
}

static int want_all(struct concluding *k)
{
	const struct attempt *a, *b;
	int rc;

	find_pair(k, &a, &b);
	if (!a)
		return 0;
	k->any = true;
	rc = want(k, a);
	if (rc == 0)
		rc = want(k, b);
	for (size_t i = 0; rc == 0 && i < k->looks.len; i++)
		if (k->looks.ptr[i].leg == ATTEMPT_PROBE)
			rc = want(k, &k->looks.ptr[i]);
	return rc;
}

/* ---- learning ---- */

static int learn_page(struct concluding *k)
{
	struct learning_looks looks = {.book = &k->c->book};
	const struct attempt *a, *b;
	int rc;

	find_pair(k, &a, &b);
	if (!b)
		return 0;
	rc = pages_url(&k->c->pages, k->page, &k->url, k->err);
	looks.url = buf_slice(&k->url);
	looks.list[looks.len++] = *b;
	for (size_t i = 0; i < k->looks.len; i++)
		if (is_probe(&k->looks.ptr[i], SLICE("noise")))
			learning_add_probe(&looks, &k->looks.ptr[i]);
	return rc ? rc : err_code(k->err, learner_add(&k->learner, &k->from, &looks));
}

/* ---- comparing ---- */

struct resource {
	struct attempt *ret;
	struct arena *arena;
	bool found;
};

static int on_resource(void *context, const struct attempt *a)
{
	struct resource *r = context;

	if (r->found || (a->leg != ATTEMPT_VISIT && a->leg != ATTEMPT_LATE) ||
		!learning_can_read(a))
		return 0;
	r->found = true;
	*r->ret = *a;
	return attempt_keep(r->ret, r->arena);
}

/* As learning_find. */
static int find_resource(
	void *context, slice url, struct attempt *ret, bool *ret_found, struct err *err)
{
	struct concluding *k = context;
	struct resource r = {.ret = &k->found[k->turn], .arena = &k->strings[k->turn]};
	uint32_t page;
	int rc = 0;

	arena_reset(r.arena);
	k->turn = !k->turn;
	if (pages_find(&k->c->pages, url, &page) && k->c->pages.list.ptr[page].taken)
		rc = catalog_page_observations(k->other, k->c->row.id, page, on_resource, &r, err);
	*ret_found = rc == 0 && r.found;
	if (*ret_found)
		*ret = *r.ret;
	return rc;
}

static struct learning_terms terms_of(struct concluding *k)
{
	return (struct learning_terms){.from = &k->from,
		.book = &k->c->book,
		.rules = &k->rules,
		.find = find_resource,
		.context = k};
}

/* What canaries showed in between must be the same as well. */
static int compare_canaries(
	struct concluding *k, const struct learning_pair *pair, struct learning_same *same)
{
	struct learning_terms terms = terms_of(k);
	int rc = 0;

	for (size_t i = 0; rc == 0 && same->same && i < k->looks.len; i++) {
		const struct attempt *canary = &k->looks.ptr[i];
		struct learning_same between;

		if (!is_canary(k, canary) || digest_eq(&canary->state, &pair->a->state))
			continue;
		rc = learning_compare(&terms, &(struct learning_pair){pair->url, pair->a, canary},
			&between, k->err);
		same->same = between.same;
	}
	return rc;
}

static int compare_page(struct concluding *k)
{
	struct learning_terms terms = terms_of(k);
	struct learning_pair pair;
	struct learning_same same;
	int rc;

	find_pair(k, &pair.a, &pair.b);
	if (!pair.a || (k->rules.rules.len == 0 && pair_changed_in(pair.b->rules).ptr))
		return 0;
	rc = pages_url(&k->c->pages, k->page, &k->url, k->err);
	pair.url = buf_slice(&k->url);
	if (rc == 0)
		rc = learning_compare(&terms, &pair, &same, k->err);
	if (rc == 0)
		rc = compare_canaries(k, &pair, &same);
	if (rc || !same.same)
		return rc;
	buf_reset(&k->line);
	rc = learning_same_line(&pair, same_class(&k->legs.visit.key), &same, &k->line);
	if (rc)
		return rc == ERR_LIMIT ? 0 : err_code(k->err, rc);
	return store_learned(&k->c->lane->store, &k->c->row, buf_slice(&k->line), k->err);
}

/* All attempts of a page are there. */
static int end_page(struct concluding *k)
{
	int rc = k->looks.len == 0      ? 0
		 : k->stage == WANTING  ? want_all(k)
		 : k->stage == LEARNING ? learn_page(k)
					: compare_page(k);

	k->looks.len = 0;
	k->legs = (struct legs){0};
	arena_reset(&k->arena);
	return rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	struct concluding *k = context;
	struct observation shown;
	struct attempt copy = *a;
	int rc = 0;

	if (a->page >= k->c->pages.list.len)
		return 0;
	if (a->page != k->page)
		rc = end_page(k);
	if (rc == 0)
		rc = lane_check_stop(k->c->lane, k->err);
	if (rc)
		return rc;
	k->page = a->page;
	rc = attempt_keep(&copy, &k->arena);
	if (rc)
		return err_code(k->err, rc);
	shown = legs_observe(&copy);
	legs_add(&k->legs, &copy, &shown);
	return learning_can_read(a) ? err_code(k->err, attempt_vec_push(&k->looks, copy)) : 0;
}

static int each_page(struct concluding *k, enum learning_stage stage)
{
	int rc;

	k->stage = stage;
	rc = catalog_each_observation(k->catalog, k->c->row.id, on_observation, k, k->err);
	return rc ? rc : end_page(k);
}

/* ---- rules ---- */

static int on_learned(void *context, const struct catalog_learned *l)
{
	struct concluding *k = context;

	(void)l;
	k->is_known = true;
	return 0;
}

static int store_rules(struct concluding *k)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < k->rules.rules.len; i++) {
		buf_reset(&k->line);
		rc = err_code(k->err, learning_rule_line(&k->rules.rules.ptr[i], &k->line));
		if (rc == 0)
			rc = store_learned(
				&k->c->lane->store, &k->c->row, buf_slice(&k->line), k->err);
	}
	return rc;
}

static int conclude(struct concluding *k)
{
	int rc = catalog_each_learned(k->catalog, k->c->row.id, on_learned, k, k->err);

	if (rc || k->is_known)
		return rc;
	rc = each_page(k, WANTING);
	if (rc || !k->any)
		return rc;
	if (k->c->probing.counts[PROBING_NOISE])
		rc = each_page(k, LEARNING);
	if (rc == 0)
		rc = err_code(k->err, learner_finish(&k->learner, &k->rules));
	if (rc == 0)
		rc = store_rules(k);
	if (rc == 0)
		rc = each_page(k, COMPARING);
	return rc ? rc : store_end_learned(&k->c->lane->store, &k->c->row, k->err);
}

static int open_catalogs(struct concluding *k)
{
	const char *path = k->c->lane->directory->catalog;
	int rc = store_settle(&k->c->lane->store, k->err);

	if (rc == 0)
		rc = catalog_open(path, CATALOG_READ, &k->catalog, k->err);
	if (rc == 0)
		rc = catalog_open(path, CATALOG_READ, &k->other, k->err);
	return rc;
}

static void release(struct concluding *k)
{
	arena_release(&k->arena);
	arena_release(&k->strings[0]);
	arena_release(&k->strings[1]);
	originals_release(&k->originals);
	attempt_vec_release(&k->looks);
	buf_release(&k->url);
	buf_release(&k->line);
	learned_release(&k->rules);
	learner_release(&k->learner);
	catalog_close(k->catalog);
	catalog_close(k->other);
}

int learning_conclude(struct capture *c, struct err *err)
{
	struct concluding k = {.c = c, .page = CATALOG_NO_PAGE, .err = err};
	int rc;

	if (c->settings->bytes_only || !c->has_differing)
		return 0;
	buf_init(&k.url, URL_MAX);
	buf_init(&k.line, LEARNING_LINE_MAX);
	arena_init(&k.arena, 16 << 20);
	arena_init(&k.strings[0], 1 << 20);
	arena_init(&k.strings[1], 1 << 20);
	learner_init(&k.learner);
	learned_init(&k.rules);
	rc = open_catalogs(&k);
	originals_init(&k.originals, k.other);
	k.from = (struct look_source){.warc_dir = c->lane->directory->warc,
		.find = originals_find,
		.context = &k.originals,
		.catalog = k.other};
	if (rc == 0)
		rc = conclude(&k);
	release(&k);
	return rc;
}
