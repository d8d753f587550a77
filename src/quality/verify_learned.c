/*
 * What a capture says it has learned, computed again from the WARC files: its rules must follow
 * from its probes, and pages that it calls the same under them must be. This is the one part of a
 * verification that reads records twice, those of such pages.
 */
#include "base/err.h"
#include "quality/verify_run.h"

/* ---- reading ---- */

/* "rule: …" is the line "rule …". */
static int add_line(struct verify *v, struct verify_capture *c, slice field,
	const struct verify_place *place, struct arena *scratch)
{
	slice value = field, name = slice_take(&value, ':');
	char *line = arena_strdup(scratch, field);
	int rc;

	if (!line)
		return ERR_NOMEM;
	if (!slice_starts_with(value, SLICE(" ")))
		return verify_problem(v, (slice){0}, place, "a learned rule cannot be read");
	memcpy(line + name.len, value.ptr, value.len);
	rc = learned_pages_add(&c->learned, (slice){line, field.len - 1});
	if (rc == 0 || rc == ERR_NOMEM)
		return rc;
	return verify_problem(v, (slice){0}, place, "a learned rule cannot be read");
}

int verify_learned_record(struct verify *v, const struct verify_clock_record *r)
{
	slice left = r->block, first = slice_take(&left, '\n');
	struct verify_capture *c;
	int rc;

	if (!slice_starts_with(first, SLICE("learnedRules: ")))
		return 0;
	if (!slice_eq(first, SLICE("learnedRules: 1\r")))
		return verify_note(v, (slice){0}, &r->place,
			"rules that were learned by another version: not recomputed");
	rc = verify_find_capture(v, r->uuid, &c);
	while (rc == 0 && left.len) {
		slice line = slice_take(&left, '\n');

		if (line.len && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (line.len)
			rc = add_line(v, c, line, &r->place, r->scratch);
	}
	return rc;
}

int verify_learned_look(struct verify *v, const struct attempt *a, const struct evidence *e)
{
	struct verify_look look = {
		.number = a->number,
		.leg = (uint8_t)a->leg,
		.is_canary = slice_eq(a->purpose, SLICE("canary")),
		.sent = a->wall.sent,
	};
	struct verify_capture *c;
	int rc;

	if (!e || !e->is_read || e->is_compact || !e->sound || !e->whole ||
		a->rule_set != NOISE_VERSION ||
		(a->leg == ATTEMPT_PROBE && !look.is_canary &&
			!slice_eq(a->purpose, SLICE("noise"))))
		return 0;
	rc = verify_find_capture(v, a->capture, &c);
	if (rc == 0)
		rc = words_number(&c->urls, a->url, &look.page);
	look.evidence = (uint32_t)(e - v->evidence.list.ptr);
	return rc ? rc : verify_looks_push(&c->looks, look);
}

/* ---- computing again ---- */

struct check {
	struct verify *v;
	struct verify_capture *c;
	struct look_source from;
	struct u32_vec first; /* by page: 1 + its first look, or 0 */
	struct u32_vec next;  /* by look: the same of the next one of its page */
	struct learned again;
};

static int index_looks(struct check *k)
{
	struct verify_looks *looks = &k->c->looks;
	int rc = 0;

	while (rc == 0 && k->first.len < k->c->pages.len)
		rc = u32_vec_push(&k->first, 0);
	for (uint32_t i = 0; rc == 0 && i < looks->len; i++) {
		uint32_t *first = &k->first.ptr[looks->ptr[i].page];

		rc = u32_vec_push(&k->next, *first);
		*first = i + 1;
	}
	return rc;
}

static struct attempt place_of(const struct check *k, const struct evidence *e)
{
	return (struct attempt){.warc = words_text(&k->v->words, e->file), .offset = e->offset};
}

/* The look of a page of that leg and number (0: the first) as an attempt to be read. */
static bool find_look(const struct check *k, uint32_t page, enum attempt_leg leg, unsigned number,
	struct attempt *ret)
{
	const struct verify_look *found = NULL;

	for (uint32_t at = k->first.ptr[page]; at; at = k->next.ptr[at - 1]) {
		const struct verify_look *l = &k->c->looks.ptr[at - 1];

		if (l->leg == leg && !l->is_canary && (!number || l->number == number) &&
			(!found || l->number < found->number))
			found = l;
	}
	if (!found)
		return false;
	*ret = place_of(k, &k->v->evidence.list.ptr[found->evidence]);
	ret->leg = leg;
	ret->number = found->number;
	return true;
}

/* As look_find: the record with the body of a revisit record. */
static int find_original(void *context, slice id, struct attempt *ret, struct err *err)
{
	const struct check *k = context;
	const struct evidence *e = evidence_find(&k->v->evidence, id);

	if (!e || e->is_revisit)
		return err_set(err, ERR_NOTFOUND, "the record with its body is not there");
	*ret = place_of(k, e);
	return 0;
}

static int learn_again(struct check *k)
{
	struct learner learner;
	int rc = 0;

	/* Rules about visible text were asked for, where there are any. */
	learner_init(&learner, true);
	for (uint32_t i = 0; rc == 0 && i < k->c->pages.len; i++) {
		unsigned number = k->c->pages.ptr[i].revisit_number;
		struct attempt probe, revisit;

		if (!find_look(k, i, ATTEMPT_PROBE, 0, &probe) ||
			!find_look(k, i, ATTEMPT_REVISIT, number, &revisit))
			continue;
		rc = learning_add(&learner, &k->from,
			&(struct learning_pair){.url = words_text(&k->c->urls, i),
				.a = &probe,
				.b = &revisit,
				.book = k->c->book});
	}
	if (rc == 0)
		rc = learner_finish(&learner, &k->again);
	learner_release(&learner);
	return rc;
}

static int check_rules(struct check *k, bool *ret_sound)
{
	const struct learned *rules = &k->c->learned.rules;
	int rc = 0;

	*ret_sound = true;
	for (size_t i = 0; rc == 0 && i < rules->rules.len; i++) {
		const struct learned_rule *r = &rules->rules.ptr[i];
		uint32_t at;

		if (strmap_get(&k->again.index, r->key, &at) &&
			k->again.rules.ptr[at].pages == r->pages)
			continue;
		*ret_sound = false;
		verify_blame(k->v, k->v->loss);
		rc = verify_problem(k->v, (slice){0}, NULL,
			"a learned rule does not follow from the probes: %.*s",
			slice_shown(r->key, 400), r->key.ptr);
		verify_blame(k->v, 0);
	}
	return rc;
}

/* Rules are listed with blanks by one, and with commas by the other. */
static bool same_rules(slice line, const char *rules)
{
	size_t i = 0;

	for (; i < line.len && rules[i]; i++)
		if (line.ptr[i] != rules[i] && !(line.ptr[i] == ',' && rules[i] == ' '))
			return false;
	return i == line.len && !rules[i];
}

/* The same of canaries behind the visit. */
static int compare_canaries(struct check *k, uint32_t page, slice url, const struct attempt *visit,
	struct learning_same *same)
{
	int rc = 0;

	for (uint32_t at = k->first.ptr[page]; rc == 0 && at && same->same;
		at = k->next.ptr[at - 1]) {
		const struct verify_look *l = &k->c->looks.ptr[at - 1];
		struct learning_same between;
		struct attempt canary;

		if (!l->is_canary || l->sent < k->c->pages.ptr[page].visit.end)
			continue;
		canary = place_of(k, &k->v->evidence.list.ptr[l->evidence]);
		rc = learning_compare(&k->c->learned.rules, &k->from,
			&(struct learning_pair){url, visit, &canary, k->c->book}, &between);
		same->same = between.same;
	}
	return rc;
}

/* Whether the looks that the line speaks of, and canaries between them, show the same. */
static int compare_looks(
	struct check *k, uint32_t page, const struct learning_line *line, struct learning_same *ret)
{
	struct attempt visit, revisit;
	int rc;

	if (!learned_pages_find(&k->c->learned, line->url, &k->c->pages.ptr[page]) ||
		!find_look(k, page, ATTEMPT_VISIT, line->visit, &visit) ||
		!find_look(k, page, ATTEMPT_REVISIT, line->revisit, &revisit))
		return 0;
	rc = learning_compare(&k->c->learned.rules, &k->from,
		&(struct learning_pair){line->url, &visit, &revisit, k->c->book}, ret);
	return rc ? rc : compare_canaries(k, page, line->url, &visit, ret);
}

static int check_page(struct check *k, const struct learning_line *line)
{
	struct learning_same same = {0};
	uint32_t page;
	int rc = 0;

	if (strmap_get(&k->c->urls.map, line->url, &page) && page < k->first.len)
		rc = compare_looks(k, page, line, &same);
	if (rc)
		return rc;
	if (same.same && digest_eq(&same.digest, &line->digest) && same.masked == line->masked &&
		same_rules(line->rules, same.rules)) {
		learned_pages_apply(line, &k->c->pages.ptr[page]);
		return 0;
	}
	verify_blame(k->v, k->v->loss);
	rc = verify_problem(k->v, line->url, NULL,
		"it is said to be the same under learned rules, the WARC does not show that");
	verify_blame(k->v, 0);
	return rc;
}

static int check(struct check *k)
{
	bool sound;
	int rc = index_looks(k);

	if (rc == 0)
		rc = learn_again(k);
	if (rc == 0)
		rc = check_rules(k, &sound);
	for (size_t i = 0; rc == 0 && sound && i < k->c->learned.lines.len; i++)
		rc = check_page(k, &k->c->learned.lines.ptr[i]);
	return rc;
}

int verify_learned_check(struct verify *v, struct verify_capture *c, const char *warc_dir)
{
	struct check k = {.v = v, .c = c};
	int rc;

	if (c->learned.rules.rules.len == 0 && c->learned.lines.len == 0)
		return 0;
	k.from = (struct look_source){.warc_dir = warc_dir, .find = find_original, .context = &k};
	learned_init(&k.again);
	rc = check(&k);
	learned_release(&k.again);
	u32_vec_release(&k.first);
	u32_vec_release(&k.next);
	return rc;
}
