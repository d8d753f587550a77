/*
 * What a capture learns when it ends, before its verdicts: which places of its pages vary by
 * themselves, from its probes, and which of the pages that differ show the same without them. All
 * that it stores must be in the catalog and the WARC files by then; another connection reads it.
 */
#include "quality/learning.h"

#include "crawl/capture.h"
#include "quality/legs.h"

VEC_DECLARE(attempt_vec, struct attempt);

struct concluding {
	struct capture *c;
	struct catalog *catalog; /* a connection of its own */
	struct look_source from;
	struct learner learner;
	struct learned rules;
	struct buf url, line;
	bool is_known; /* an earlier process has done it */
	bool comparing;
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

static int learn(struct concluding *k, const struct learning_pair *pair)
{
	if (!pair->a || !pair->b)
		return 0;
	return err_code(k->err, learning_add(&k->learner, &k->from, pair));
}

static int compare(struct concluding *k, const struct learning_pair *pair)
{
	struct learning_same same;
	int rc;

	if (!pair->a || !pair->b || observation_same(&k->legs.visit, &k->legs.revisit) ||
		!learning_applies(&k->rules, pair->url))
		return 0;
	rc = learning_compare(&k->rules, &k->from, pair, &same);
	if (rc || !same.same)
		return err_code(k->err, rc);
	buf_reset(&k->line);
	rc = learning_same_line(pair, &same, &k->line);
	if (rc)
		return rc == ERR_LIMIT ? 0 : err_code(k->err, rc);
	return store_learned(&k->c->lane->store, &k->c->row, buf_slice(&k->line), k->err);
}

/* All attempts of a page are there. */
static int end_page(struct concluding *k)
{
	struct learning_pair pair = {
		.b = find(k, ATTEMPT_REVISIT, k->legs.revisit_number, (slice){0})};
	int rc = 0;

	pair.a = k->comparing ? find(k, ATTEMPT_VISIT, k->legs.visit_number, (slice){0})
			      : find(k, ATTEMPT_PROBE, 0, SLICE("noise"));
	if (pair.a && pair.b)
		rc = pages_url(&k->c->pages, k->page, &k->url, k->err);
	pair.url = buf_slice(&k->url);
	if (rc == 0)
		rc = k->comparing ? compare(k, &pair) : learn(k, &pair);
	k->looks.len = 0;
	k->legs = (struct legs){0};
	arena_reset(&k->arena);
	return rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	struct concluding *k = context;
	struct observation shown = legs_observe(a);
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
	shown.failure = shown.rules = (slice){0};
	legs_add(&k->legs, a, &shown);
	if (!learning_can_read(a))
		return 0;
	rc = attempt_keep(&copy, &k->arena);
	if (rc == 0)
		rc = attempt_vec_push(&k->looks, copy);
	return err_code(k->err, rc);
}

static int each_page(struct concluding *k, bool comparing)
{
	int rc;

	k->comparing = comparing;
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
	rc = each_page(k, false);
	if (rc == 0)
		rc = err_code(k->err, learner_finish(&k->learner, &k->rules));
	if (rc || k->rules.rules.len == 0)
		return rc;
	rc = store_rules(k);
	if (rc == 0)
		rc = each_page(k, true);
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
	k.from = (struct look_source){.warc_dir = c->lane->directory->warc, .catalog = k.catalog};
	learner_init(&k.learner, c->settings->mask_visible);
	learned_init(&k.rules);
	buf_init(&k.url, URL_MAX);
	buf_init(&k.line, LEARNING_LINE_MAX);
	arena_init(&k.arena, 16 << 20);
	rc = conclude(&k);
	arena_release(&k.arena);
	attempt_vec_release(&k.looks);
	buf_release(&k.url);
	buf_release(&k.line);
	learned_release(&k.rules);
	learner_release(&k.learner);
	catalog_close(k.catalog);
	return rc;
}
