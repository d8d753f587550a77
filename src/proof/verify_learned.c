/*
 * What a capture settled when it ended (learning.h), computed again from the WARC files: its rules
 * must follow from its probes, and pages that it calls the same must be.
 */
#include "base/err.h"
#include "proof/learning.h"
#include "proof/verify_run.h"

/* ---- reading ---- */

/* "rule: …" is the line "rule …". */
static void add_line(
	struct verify *v, struct verify_capture *c, slice field, const struct verify_place *place)
{
	slice value = field, name = slice_take(&value, ':');
	struct buf line;
	int rc = slice_starts_with(value, SLICE(" ")) ? 0 : ERR_SYNTAX;

	buf_init(&line, field.len);
	(void)buf_add(&line, name);
	(void)buf_add(&line, value);
	if (rc == 0)
		rc = learned_pages_add(&c->learned, buf_slice(&line));
	if (rc && (!c->old_learned || !value.len || value.ptr[0] != ' '))
		verify_problem(v, (slice){0}, place, "a learned rule cannot be read");
	buf_release(&line);
}

void verify_learned_record(struct verify *v, const struct verify_note_record *r)
{
	slice left = r->block, first = slice_take(&left, '\n');
	struct verify_capture *c;

	if (!slice_eq(first, SLICE("learnedRules: 1\r")) &&
		!slice_eq(first, SLICE("learnedRules: 2\r"))) {
		verify_note(v, (slice){0}, &r->place,
			"rules that were learned by another version: not recomputed");
		return;
	}
	c = verify_find_capture(v, r->uuid);
	c->old_learned = slice_eq(first, SLICE("learnedRules: 1\r"));
	while (left.len) {
		slice line = slice_take(&left, '\n');

		if (line.len && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (line.len)
			add_line(v, c, line, &r->place);
	}
}

void verify_learned_look(
	struct verify *v, const struct attempt *a, uint32_t number, struct evidence *e)
{
	struct verify_capture *c;

	e->is_canary = attempt_purpose(a) == PURPOSE_CANARY;
	e->is_look = !e->is_compact && e->sound && e->shown.whole && a->status >= 200 &&
		     a->status < 400 && !a->truncated &&
		     (a->leg == ATTEMPT_SIDE || attempt_is_look(a));
	if (!e->is_look)
		return;
	c = verify_find_capture(v, a->capture);
	e->capture = (uint32_t)(c - v->captures.ptr);
	e->page = verify_page(v, c, a->url);
	e->attempt = a->number;
	e->leg = (uint8_t)a->leg;
	e->first_byte = a->wall.first_byte;
	evidence_put(&v->evidence, number, e);
}

/* ---- computing again ---- */

struct check {
	struct verify *v;
	struct verify_capture *c;
	struct look_source from;
	struct u32_vec first; /* by page: 1 + its first look, or 0 */
	struct u32_vec next;  /* by evidence: the same of the one before of its page */
	struct learned again;
};

static void index_looks(struct check *k)
{
	uint32_t capture = (uint32_t)(k->c - k->v->captures.ptr);
	struct evidence e;

	while (k->first.len < k->c->pages.len)
		u32_vec_push(&k->first, 0);
	for (uint32_t i = 0; i < evidence_count(&k->v->evidence); i++) {
		bool is_its =
			evidence_get(&k->v->evidence, i, &e) && e.is_look && e.capture == capture;

		u32_vec_push(&k->next, is_its ? k->first.ptr[e.page] : 0);
		if (is_its)
			k->first.ptr[e.page] = i + 1;
	}
}

/* The looks of a page, the last one first: at is 0 before it, and behind the first one. */
static bool next_look(const struct check *k, uint32_t page, uint32_t *at, struct evidence *ret)
{
	*at = *at ? k->next.ptr[*at - 1] : k->first.ptr[page];
	return *at && evidence_get(&k->v->evidence, *at - 1, ret);
}

static struct attempt attempt_of(const struct check *k, const struct evidence *e)
{
	return (struct attempt){.warc = words_text(&k->v->words, e->file),
		.offset = e->offset,
		.wall = {.sent = e->sent, .first_byte = e->first_byte},
		.leg = (enum attempt_leg)e->leg,
		.number = e->attempt,
		.status = e->shown.status,
		.has_state = e->shown.has_state,
		.state = e->shown.state};
}

/* The look of a page of that leg and number (0: the first) as an attempt to be read. */
static bool find_look(const struct check *k, uint32_t page, enum attempt_leg leg, unsigned number,
	struct attempt *ret)
{
	struct evidence e;
	bool is_found = false;

	for (uint32_t at = 0; next_look(k, page, &at, &e);) {
		if (e.leg != leg || e.is_canary || (number && e.attempt != number) ||
			(is_found && e.attempt >= ret->number))
			continue;
		*ret = attempt_of(k, &e);
		is_found = true;
	}
	return is_found;
}

/* Probes in the order in which they were made. */
static void add_probes(const struct check *k, uint32_t page, struct learning_looks *looks)
{
	struct attempt next = {0};
	bool is_found;

	do {
		struct evidence e;
		unsigned last = next.number;

		is_found = false;
		for (uint32_t at = 0; next_look(k, page, &at, &e);) {
			if (e.leg != ATTEMPT_PROBE || e.is_canary || e.attempt <= last ||
				(is_found && e.attempt >= next.number))
				continue;
			next = attempt_of(k, &e);
			is_found = true;
		}
		if (is_found)
			learning_add_probe(looks, &next);
	} while (is_found);
}

/* As learning_find: the first visit of a page that can be read, or late look. */
static int find_resource(
	void *context, slice url, struct attempt *ret, bool *ret_found, struct err *err)
{
	const struct check *k = context;
	uint32_t page;

	(void)err;
	*ret_found = seen_find(&k->c->urls, url, &page) && page < k->first.len &&
		     (find_look(k, page, ATTEMPT_VISIT, 0, ret) ||
			     find_look(k, page, ATTEMPT_LATE, 0, ret));
	return 0;
}

static void learn_again(struct check *k)
{
	struct learner learner;
	int rc = 0;

	learner_init(&learner);
	for (uint32_t i = 0; rc == 0 && i < k->c->pages.len; i++) {
		struct legs legs = verify_legs(k->v, k->c, i);
		struct learning_looks looks = {.book = k->c->book};

		if (legs.late || observation_same(&legs.visit, &legs.revisit) ||
			!find_look(k, i, ATTEMPT_REVISIT, legs.revisit_number, &looks.list[0]))
			continue;
		looks.url = verify_url(k->v, k->c, i);
		looks.len = 1;
		add_probes(k, i, &looks);
		rc = learner_add(&learner, &k->from, &looks);
	}
	if (rc == 0)
		rc = learner_finish(&learner, &k->again);
	learner_release(&learner);
	verify_fail(k->v, rc);
}

/* Looks that were retired prove nothing any longer, and teach nothing: no fault of the archive. */
static bool is_retired(const struct legs *legs)
{
	return legs->visit.retired || legs->revisit.retired;
}

static bool any_retired(struct verify *v, const struct verify_capture *c)
{
	for (uint32_t i = 0; i < c->pages.len; i++) {
		struct legs legs = verify_legs(v, c, i);

		if (is_retired(&legs))
			return true;
	}
	return false;
}

/* Whether all follow from the probes. */
static bool check_rules(struct check *k)
{
	const struct learned *rules = &k->c->learned.rules;
	bool is_sound = true;

	for (size_t i = 0; i < rules->rules.len; i++) {
		const struct learned_rule *r = &rules->rules.ptr[i];
		const struct learned_rule *again = learned_find(&k->again, r->kind, r->where);

		if (again && again->pages == r->pages)
			continue;
		if ((!again || again->pages < r->pages) && any_retired(k->v, k->c))
			continue;
		is_sound = false;
		verify_lost(k->v, k->v->loss, (slice){0}, NULL,
			"a learned rule does not follow from the probes: %.*s at %.*s",
			slice_shown(r->kind, 200), r->kind.ptr, slice_shown(r->where, 200),
			r->where.ptr);
	}
	return is_sound;
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

/* The same of canaries behind the visit, which ended then. */
static void compare_canaries(struct check *k, uint32_t page, const struct learning_pair *pair,
	int64_t end, struct learning_same *same)
{
	struct learning_terms terms = terms_of(k);
	struct evidence e;

	for (uint32_t at = 0; same->same && next_look(k, page, &at, &e);) {
		struct attempt canary = attempt_of(k, &e);
		struct learning_same between = {0};

		if (!e.is_canary || e.sent < end || digest_eq(&canary.state, &pair->a->state))
			continue;
		verify_fail(k->v, learning_compare(&terms,
					  &(struct learning_pair){pair->url, pair->a, &canary},
					  &between, NULL));
		same->same = between.same;
	}
}

/* Whether the looks that the line speaks of, and canaries between them, show the same. */
static void compare_looks(struct check *k, uint32_t page, const struct legs *legs,
	const struct learning_line *line, struct learning_same *ret)
{
	struct learning_terms terms = terms_of(k);
	struct attempt visit, revisit;
	struct learning_pair pair = {line->url, &visit, &revisit};

	if (!learned_pages_find(&k->c->learned, line->url, legs) ||
		!find_look(k, page, ATTEMPT_VISIT, line->visit, &visit) ||
		!find_look(k, page, ATTEMPT_REVISIT, line->revisit, &revisit))
		return;
	verify_fail(k->v, learning_compare(&terms, &pair, ret, NULL));
	compare_canaries(k, page, &pair, legs->visit.end, ret);
}

/* Of a line of version 1 its digest cannot be computed again: its looks are compared, and counted.
 */
static void count_old(struct verify *v, const struct learning_same *same)
{
	v->rule_set_1.claims++;
	if (same->same)
		v->rule_set_1.hold++;
	else if (same->rules[0])
		v->rule_set_1.do_not_hold++;
	else
		v->rule_set_1.not_recomputed++;
}

static void check_page(struct check *k, const struct learning_line *line)
{
	struct learning_same same = {0};
	struct legs legs = {0};
	uint32_t page = 0;
	bool is_known = seen_find(&k->c->urls, line->url, &page) && page < k->first.len;

	if (is_known)
		legs = verify_legs(k->v, k->c, page);
	if (is_known && is_retired(&legs) && !k->c->old_learned)
		return;
	if (is_known)
		compare_looks(k, page, &legs, line, &same);
	if (is_known && k->c->old_learned)
		count_old(k->v, &same);
	else if (!same.same || !digest_eq(same_class(&legs.visit.key), &line->class) ||
		 same.masked != line->masked || !same_rules(line->rules, same.rules)) {
		verify_lost(k->v, k->v->loss, line->url, NULL,
			"it is said to be the same but for noise, the WARC does not show that");
		return;
	}
	learned_pages_apply(line, &legs);
	verify_put_legs(k->v, k->c, page, &legs);
}

void verify_learned_check(struct verify *v, struct verify_capture *c)
{
	struct check k = {.v = v, .c = c};

	if (c->learned.rules.rules.len == 0 && c->learned.lines.len == 0)
		return;
	k.from = (struct look_source){
		.warc_dir = v->warc_dir, .find = verify_find_original, .context = v};
	learned_init(&k.again);
	index_looks(&k);
	if (c->learned.rules.rules.len)
		learn_again(&k);
	if (check_rules(&k))
		for (size_t i = 0; i < c->learned.lines.len; i++)
			check_page(&k, &c->learned.lines.ptr[i]);
	learned_release(&k.again);
	u32_vec_release(&k.first);
	u32_vec_release(&k.next);
}
