/*
 * What a capture learns when it ends, before its verdicts: which places of its pages vary by
 * themselves, from its probes, and which of the pages that differ show the same without them. All
 * that it stores must be in the catalog and the WARC files by then; another connection reads it.
 */
#include "quality/learning.h"

#include "crawl/capture.h"
#include "quality/legs.h"
#include "quality/originals.h"

VEC_DECLARE(attempt_vec, struct attempt);

/* The observations are read once for each. */
enum learning_stage {
	WANTING,  /* which bodies are in other records */
	LEARNING, /* the rules, from the probes */
	COMPARING /* the pages that differ, under the rules */
};

struct concluding {
	struct capture *c;
	struct catalog *catalog; /* a connection of its own */
	struct originals originals;
	struct look_source from;
	struct learner learner;
	struct learned rules;
	struct buf url, line;
	bool is_known; /* an earlier process has done it */
	enum learning_stage stage;
	uint32_t page;            /* whose attempts these are */
	struct attempt_vec looks; /* that can be read; strings in the arena */
	struct legs legs;
	struct arena arena;
	struct err *err;
};

static const struct attempt *find(
	const struct concluding *k, enum attempt_leg leg, unsigned number, slice purpose)
{
	for (size_t i = 0; i < k->looks.len; i++) {
		const struct attempt *a = &k->looks.ptr[i];

		if (a->leg == leg && (number == 0 || a->number == number) &&
			(purpose.len == 0 || slice_eq(a->purpose, purpose)))
			return a;
	}
	return NULL;
}

/* Behind the visit that counts. */
static bool is_canary(const struct concluding *k, const struct attempt *a)
{
	return a->leg == ATTEMPT_PROBE && slice_eq(a->purpose, SLICE("canary")) &&
	       a->wall.sent >= k->legs.visit.end;
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
	const struct attempt *visit = find(k, ATTEMPT_VISIT, k->legs.visit_number, (slice){0});
	const struct attempt *revisit =
		find(k, ATTEMPT_REVISIT, k->legs.revisit_number, (slice){0});
	const struct attempt *probe = find(k, ATTEMPT_PROBE, 0, SLICE("noise"));
	int rc;

	if (!revisit || (!probe && observation_same(&k->legs.visit, &k->legs.revisit)))
		return 0;
	rc = want(k, visit);
	if (rc == 0)
		rc = want(k, revisit);
	if (rc == 0)
		rc = want(k, probe);
	for (size_t i = 0; rc == 0 && i < k->looks.len; i++)
		if (is_canary(k, &k->looks.ptr[i]))
			rc = want(k, &k->looks.ptr[i]);
	return rc;
}

/* What canaries showed in between must be the same as well. */
static int compare_canaries(
	struct concluding *k, const struct learning_pair *pair, struct learning_same *same)
{
	struct learning_same between;
	int rc = 0;

	for (size_t i = 0; rc == 0 && same->same && i < k->looks.len; i++) {
		if (!is_canary(k, &k->looks.ptr[i]))
			continue;
		rc = learning_compare(&k->rules, &k->from,
			&(struct learning_pair){pair->url, pair->a, &k->looks.ptr[i], pair->book},
			&between);
		same->same = between.same;
	}
	return rc;
}

static int compare(struct concluding *k, const struct learning_pair *pair)
{
	struct learning_same same;
	int rc;

	if (observation_same(&k->legs.visit, &k->legs.revisit) ||
		!learning_applies(&k->rules, pair->url))
		return 0;
	rc = learning_compare(&k->rules, &k->from, pair, &same);
	if (rc == 0)
		rc = compare_canaries(k, pair, &same);
	if (rc || !same.same)
		return err_code(k->err, rc);
	buf_reset(&k->line);
	rc = learning_same_line(pair, &same, &k->line);
	if (rc)
		return rc == ERR_LIMIT ? 0 : err_code(k->err, rc);
	return store_learned(&k->c->lane->store, &k->c->row, buf_slice(&k->line), k->err);
}

/* Two looks of the page, for the stage. */
static int look_at_pair(struct concluding *k)
{
	struct learning_pair pair = {
		.b = find(k, ATTEMPT_REVISIT, k->legs.revisit_number, (slice){0}),
		.book = &k->c->book};
	int rc;

	pair.a = k->stage == COMPARING ? find(k, ATTEMPT_VISIT, k->legs.visit_number, (slice){0})
				       : find(k, ATTEMPT_PROBE, 0, SLICE("noise"));
	if (!pair.a || !pair.b)
		return 0;
	rc = pages_url(&k->c->pages, k->page, &k->url, k->err);
	pair.url = buf_slice(&k->url);
	if (rc)
		return rc;
	if (k->stage == COMPARING)
		return compare(k, &pair);
	return err_code(k->err, learning_add(&k->learner, &k->from, &pair));
}

/* All attempts of a page are there. */
static int end_page(struct concluding *k)
{
	int rc = k->stage == WANTING ? want_all(k) : look_at_pair(k);

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
	if (rc == 0)
		rc = each_page(k, LEARNING);
	if (rc == 0)
		rc = err_code(k->err, learner_finish(&k->learner, &k->rules));
	if (rc || k->rules.rules.len == 0)
		return rc;
	rc = store_rules(k);
	if (rc == 0)
		rc = each_page(k, COMPARING);
	return rc ? rc : store_end_learned(&k->c->lane->store, &k->c->row, k->err);
}

int learning_conclude(struct capture *c, struct err *err)
{
	struct concluding k = {.c = c, .page = CATALOG_NO_PAGE, .err = err};
	int rc;

	if (c->probing.counts[PROBING_NOISE] == 0)
		return 0;
	rc = store_settle(&c->lane->store, err);
	if (rc == 0)
		rc = catalog_open(c->lane->directory->catalog, CATALOG_READ, &k.catalog, err);
	if (rc)
		return rc;
	originals_init(&k.originals, k.catalog);
	k.from = (struct look_source){.warc_dir = c->lane->directory->warc,
		.find = originals_find,
		.context = &k.originals};
	learner_init(&k.learner, c->settings->mask_visible);
	learned_init(&k.rules);
	buf_init(&k.url, URL_MAX);
	buf_init(&k.line, LEARNING_LINE_MAX);
	arena_init(&k.arena, 16 << 20);
	rc = conclude(&k);
	arena_release(&k.arena);
	originals_release(&k.originals);
	attempt_vec_release(&k.looks);
	buf_release(&k.url);
	buf_release(&k.line);
	learned_release(&k.rules);
	learner_release(&k.learner);
	catalog_close(k.catalog);
	return rc;
}
