/*
 * What a capture settled when it ended (learning.h), computed again from the WARC files: its rules
 * must follow from its probes, and pages that it calls the same must be.
 */
#include "base/err.h"
#include "quality/learning.h"
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
	if (rc == 0 || rc == ERR_NOMEM || c->old_learned)
		return rc == ERR_NOMEM ? rc : 0;
	return verify_problem(v, (slice){0}, place, "a learned rule cannot be read");
}

int verify_learned_record(struct verify *v, const struct verify_clock_record *r)
{
	slice left = r->block, first = slice_take(&left, '\n');
	struct verify_capture *c;
	int rc;

	if (!slice_starts_with(first, SLICE("learnedRules: ")))
		return 0;
	if (!slice_eq(first, SLICE("learnedRules: 1\r")) &&
		!slice_eq(first, SLICE("learnedRules: 2\r")))
		return verify_note(v, (slice){0}, &r->place,
			"rules that were learned by another version: not recomputed");
	rc = verify_find_capture(v, r->uuid, &c);
	if (rc == 0)
		c->old_learned = slice_eq(first, SLICE("learnedRules: 1\r"));
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

	if (!e || e->is_compact || !e->sound || !e->whole || e->close_delimited ||
		a->status < 200 || a->status >= 400 || a->truncated ||
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

static struct attempt attempt_of(const struct check *k, const struct verify_look *l)
{
	const struct evidence *e = &k->v->evidence.list.ptr[l->evidence];

	return (struct attempt){.warc = words_text(&k->v->words, e->file),
		.offset = e->offset,
		.wall.sent = l->sent,
		.leg = (enum attempt_leg)l->leg,
		.number = l->number,
		.status = e->status,
		.has_state = e->has_state,
		.state = e->state};
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
	if (found)
		*ret = attempt_of(k, found);
	return found;
}

/* Probes in the order in which they were made: the list has the last one first. */
static void add_probes(const struct check *k, uint32_t page, struct learning_looks *looks)
{
	unsigned last = 0;

	for (;;) {
		const struct verify_look *next = NULL;
		struct attempt a;

		for (uint32_t at = k->first.ptr[page]; at; at = k->next.ptr[at - 1]) {
			const struct verify_look *l = &k->c->looks.ptr[at - 1];

			if (l->leg == ATTEMPT_PROBE && !l->is_canary && l->number > last &&
				(!next || l->number < next->number))
				next = l;
		}
		if (!next)
			return;
		last = next->number;
		a = attempt_of(k, next);
		learning_add_probe(looks, &a);
	}
}

/* As learning_find: the first visit of a page that can be read, or late look. */
static int find_resource(
	void *context, slice url, struct attempt *ret, bool *ret_found, struct err *err)
{
	const struct check *k = context;
	uint32_t page;

	(void)err;
	*ret_found = strmap_get(&k->c->urls.map, url, &page) && page < k->first.len &&
		     (find_look(k, page, ATTEMPT_VISIT, 0, ret) ||
			     find_look(k, page, ATTEMPT_LATE, 0, ret));
	return 0;
}

static int learn_again(struct check *k)
{
	struct learner learner;
	int rc = 0;

	learner_init(&learner);
	for (uint32_t i = 0; rc == 0 && i < k->c->pages.len; i++) {
		const struct legs *legs = &k->c->pages.ptr[i];
		struct learning_looks looks = {
			.url = words_text(&k->c->urls, i), .book = k->c->book};

		if (legs->late || observation_same(&legs->visit, &legs->revisit) ||
			!find_look(k, i, ATTEMPT_REVISIT, legs->revisit_number, &looks.list[0]))
			continue;
		looks.len = 1;
		add_probes(k, i, &looks);
		rc = learner_add(&learner, &k->from, &looks);
	}
	if (rc == 0)
		rc = learner_finish(&learner, &k->again);
	learner_release(&learner);
	return rc;
}

/* Looks that were retired prove nothing any longer, and teach nothing: no fault of the archive. */
static bool is_retired(const struct legs *legs)
{
	return legs->visit.retired || legs->revisit.retired;
}

static bool any_retired(const struct verify_capture *c)
{
	for (size_t i = 0; i < c->pages.len; i++)
		if (is_retired(&c->pages.ptr[i]))
			return true;
	return false;
}

static int check_rules(struct check *k, bool *ret_sound)
{
	const struct learned *rules = &k->c->learned.rules;
	int rc = 0;

	*ret_sound = true;
	for (size_t i = 0; rc == 0 && i < rules->rules.len; i++) {
		const struct learned_rule *r = &rules->rules.ptr[i];
		const struct learned_rule *again = learned_find(&k->again, r->kind, r->where);

		if (again && again->pages == r->pages)
			continue;
		if ((!again || again->pages < r->pages) && any_retired(k->c))
			continue;
		*ret_sound = false;
		verify_blame(k->v, k->v->loss);
		rc = verify_problem(k->v, (slice){0}, NULL,
			"a learned rule does not follow from the probes: %.*s at %.*s",
			slice_shown(r->kind, 200), r->kind.ptr, slice_shown(r->where, 200),
			r->where.ptr);
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

static struct learning_terms terms_of(struct check *k)
{
	return (struct learning_terms){.from = &k->from,
		.book = k->c->book,
		.rules = &k->c->learned.rules,
		.find = find_resource,
		.context = k};
}

/* The same of canaries behind the visit. */
static int compare_canaries(struct check *k, uint32_t page, slice url, const struct attempt *visit,
	struct learning_same *same)
{
	struct learning_terms terms = terms_of(k);
	int rc = 0;

	for (uint32_t at = k->first.ptr[page]; rc == 0 && at && same->same;
		at = k->next.ptr[at - 1]) {
		const struct verify_look *l = &k->c->looks.ptr[at - 1];
		struct learning_same between;
		struct attempt canary;

		if (!l->is_canary || l->sent < k->c->pages.ptr[page].visit.end)
			continue;
		canary = attempt_of(k, l);
		if (digest_eq(&canary.state, &visit->state))
			continue;
		rc = learning_compare(
			&terms, &(struct learning_pair){url, visit, &canary}, &between, NULL);
		same->same = between.same;
	}
	return rc;
}

/* Whether the looks that the line speaks of, and canaries between them, show the same. */
static int compare_looks(
	struct check *k, uint32_t page, const struct learning_line *line, struct learning_same *ret)
{
	struct learning_terms terms = terms_of(k);
	struct attempt visit, revisit;
	int rc;

	if (!learned_pages_find(&k->c->learned, line->url, &k->c->pages.ptr[page]) ||
		!find_look(k, page, ATTEMPT_VISIT, line->visit, &visit) ||
		!find_look(k, page, ATTEMPT_REVISIT, line->revisit, &revisit))
		return 0;
	rc = learning_compare(
		&terms, &(struct learning_pair){line->url, &visit, &revisit}, ret, NULL);
	return rc ? rc : compare_canaries(k, page, line->url, &visit, ret);
}

/* A line of version 1: its digest cannot be computed again, its looks are compared. */
static int check_old_page(struct check *k, uint32_t page, const struct learning_line *line)
{
	struct learning_same same = {0};
	int rc = compare_looks(k, page, line, &same);

	if (rc)
		return rc;
	k->v->rule_set_1.claims++;
	if (same.same)
		k->v->rule_set_1.hold++;
	else if (same.rules[0])
		k->v->rule_set_1.do_not_hold++;
	else
		k->v->rule_set_1.not_recomputed++;
	learned_pages_apply(line, &k->c->pages.ptr[page]);
	return 0;
}

static int check_page(struct check *k, const struct learning_line *line)
{
	struct learning_same same = {0};
	uint32_t page;
	int rc = 0;

	bool is_known = strmap_get(&k->c->urls.map, line->url, &page) && page < k->first.len;

	if (is_known && k->c->old_learned)
		return check_old_page(k, page, line);
	if (is_known && is_retired(&k->c->pages.ptr[page]))
		return 0;
	if (is_known)
		rc = compare_looks(k, page, line, &same);
	if (rc)
		return rc;
	if (same.same && digest_eq(same_class(&k->c->pages.ptr[page].visit.key), &line->class) &&
		same.masked == line->masked && same_rules(line->rules, same.rules)) {
		learned_pages_apply(line, &k->c->pages.ptr[page]);
		return 0;
	}
	verify_blame(k->v, k->v->loss);
	rc = verify_problem(k->v, line->url, NULL,
		"it is said to be the same but for noise, the WARC does not show that");
	verify_blame(k->v, 0);
	return rc;
}

static int check(struct check *k)
{
	bool sound;
	int rc = index_looks(k);

	sound = true;
	if (rc == 0 && k->c->learned.rules.rules.len)
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
	k.from = (struct look_source){
		.warc_dir = warc_dir, .find = verify_find_original, .context = v};
	learned_init(&k.again);
	rc = check(&k);
	learned_release(&k.again);
	u32_vec_release(&k.first);
	u32_vec_release(&k.next);
	return rc;
}
