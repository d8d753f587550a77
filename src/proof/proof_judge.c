#include "proof/proof_judge.h"

#include <stdlib.h>

#include "proof/learned.h"

enum { PATH_MAX_STEPS = 24, PART_MAX = 48, DUTIES_MAX = 4096, CHAIN_MAX = 32 };

void met_limit(struct judge *j, const char *limit)
{
	if (!j->out->limit)
		j->out->limit = limit;
	j->is_done = true;
}

void failed(struct judge *j, int rc)
{
	if (rc && !j->rc)
		j->rc = rc;
	if (rc)
		j->is_done = true;
}

/* --- where: "html>body>form#login>input[name=x]@value>json:key" --- */

/* Names that a program made anew would make another key of the same place. */
static bool is_plain(slice s)
{
	if (s.len == 0 || s.len > PART_MAX)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if ((s.ptr[i] < '0' && s.ptr[i] != '-' && s.ptr[i] != '.') || s.ptr[i] == '>' ||
			(unsigned char)s.ptr[i] >= 0x7f)
			return false;
	for (size_t i = 0, digits = 0; i < s.len; i++) {
		digits = s.ptr[i] >= '0' && s.ptr[i] <= '9' ? digits + 1 : 0;
		if (digits >= 3)
			return false;
	}
	return !value_is_mixed(s) && !(value_is_hex(s) && s.len >= 8);
}

static int add_element(struct buf *out, const struct proof_element *e)
{
	slice id = proof_attr(e, SLICE("id"));
	static const slice NAMES[] = {SLICE_INIT("name"), SLICE_INIT("property"),
		SLICE_INIT("itemprop"), SLICE_INIT("rel")};
	int rc = buf_add(out, e->name);

	if (rc == 0 && is_plain(id))
		return buf_printf(out, "#%.*s", (int)id.len, id.ptr);
	for (size_t i = 0; rc == 0 && i < sizeof NAMES / sizeof *NAMES; i++) {
		slice value = proof_attr(e, NAMES[i]);

		if (is_plain(value))
			return buf_printf(
				out, "[%s=%.*s]", NAMES[i].ptr, (int)value.len, value.ptr);
	}
	return rc;
}

static int add_path(struct buf *out, const struct place *p)
{
	uint32_t path[PATH_MAX_STEPS];
	size_t count = 0;
	int rc = 0;

	for (uint32_t at = p->element; at != NO_TOKEN && count < PATH_MAX_STEPS;
		at = p->tokens->elements.ptr[at].parent)
		path[count++] = at;
	while (count-- > 0 && rc == 0) {
		if (out->len)
			rc = buf_add_char(out, '>');
		if (rc == 0)
			rc = add_element(out, &p->tokens->elements.ptr[path[count]]);
	}
	return rc;
}

static int add_place(struct buf *out, const struct place *p)
{
	const struct place *chain[CHAIN_MAX] = {0};
	size_t count = 0;
	int rc = 0;

	for (; p && count < CHAIN_MAX; p = p->outer)
		chain[count++] = p;
	while (count-- > 0 && rc == 0) {
		const struct place *at = chain[count];

		if (at->step)
			rc = buf_printf(out, "%s%s", out->len ? ">" : "", at->step);
		if (rc == 0 && at->tokens)
			rc = add_path(out, at);
		if (rc == 0 && at->attr.len)
			rc = buf_printf(
				out, "@%.*s", slice_shown(at->attr, PART_MAX), at->attr.ptr);
		if (rc == 0 && at->key.len)
			rc = buf_printf(out, ":%.*s", slice_shown(at->key, PART_MAX), at->key.ptr);
	}
	return rc;
}

slice place_text(struct judge *j, const struct place *p)
{
	struct buf out;
	char *text;

	buf_init(&out, 4096);
	(void)add_place(&out, p); /* cut at the maximum */
	text = arena_strdup(&j->out->arena, buf_slice(&out));
	buf_release(&out);
	if (!text) {
		met_limit(j, "too many differences to list");
		return SLICE("");
	}
	return slice_str(text);
}

/* --- places --- */

/* As much of a value as is kept, around where it begins to differ from the other. */
static slice excerpt(struct judge *j, slice s, slice other)
{
	size_t from = 0;
	char *text;

	if (!s.ptr)
		return s;
	if (s.len > PROOF_SHOWN_MAX && other.ptr) {
		while (from < s.len && from < other.len && s.ptr[from] == other.ptr[from])
			from++;
		from = from > PROOF_SHOWN_MAX / 4 ? from - PROOF_SHOWN_MAX / 4 : 0;
		if (from > s.len - PROOF_SHOWN_MAX)
			from = s.len - PROOF_SHOWN_MAX;
		while (from && from < s.len && ((unsigned char)s.ptr[from] & 0xc0) == 0x80)
			from--;
	}
	s = slice_sub(s, from, from + PROOF_SHOWN_MAX);
	text = arena_strdup(&j->out->arena, s);
	if (!text)
		met_limit(j, "too many differences to list");
	return text ? (slice){text, s.len} : SLICE("");
}

/* Probes may show that it varies by itself: no text, link or resource. */
static bool can_learn(const struct place *p, slice a, slice b)
{
	return !p->is_visible && !p->is_address && !p->is_prose && a.ptr && b.ptr;
}

static void add_found(struct judge *j, const struct place *p, slice where, slice key, slice rule,
	slice a, slice b)
{
	struct proof_place place = {.where = where,
		.key = key,
		.rule = rule,
		.in = p->in,
		.is_visible = p->is_visible,
		.can_learn = can_learn(p, a, b)};
	slice x = excerpt(j, a, b), y = excerpt(j, b, a);

	if (j->out->places.len >= PROOF_PLACES_MAX) {
		met_limit(j, "too many differences");
		return;
	}
	place.a = j->swapped ? y : x;
	place.b = j->swapped ? x : y;
	failed(j, proof_places_push(&j->out->places, place));
}

bool explain_text(struct judge *j, enum proof_rule_id rule, const struct place *p, slice a, slice b,
	size_t masked_a, size_t masked_b)
{
	if (!may(j, rule))
		return false;
	j->counts[rule]++;
	j->masked[0] += masked_a;
	j->masked[1] += masked_b;
	add_found(j, p, place_text(j, p), (slice){0}, slice_str(proof_rule_name(rule)), a, b);
	return true;
}

bool explain(struct judge *j, enum proof_rule_id rule, const struct place *p, slice a, slice b)
{
	return explain_text(j, rule, p, a, b, 0, 0);
}

bool explain_ignored(struct judge *j, uint32_t rule, const struct place *p, slice a, slice b)
{
	j->ignored.ptr[rule]++;
	add_found(
		j, p, place_text(j, p), (slice){0}, j->params->ignore->rules.ptr[rule].name, a, b);
	return true;
}

/*
 * The place as the learner knows it. Places with the same path are told apart by how many of them
 * differed before, so that what was learned of one difference explains no second one.
 */
static slice key_of(struct judge *j, slice where)
{
	uint32_t at = (uint32_t)j->differed.len, before;
	struct buf out;
	char *text;
	int rc = 0;

	if (!strmap_get(&j->differing, where, &at)) {
		rc = strmap_put(&j->differing, where, at);
		if (rc == 0)
			rc = u32_vec_push(&j->differed, 0);
	}
	failed(j, rc);
	before = rc ? 0 : j->differed.ptr[at]++;
	if (!before)
		return where;
	buf_init(&out, where.len + 16);
	(void)buf_printf(&out, "%.*s;%u", (int)where.len, where.ptr, before + 1);
	text = arena_strdup(&j->out->arena, buf_slice(&out));
	buf_release(&out);
	if (!text)
		met_limit(j, "too many differences to list");
	return text ? slice_str(text) : SLICE("");
}

/* Both sides of a learned place must pass a test of values, whatever was learned. */
static bool is_learned(const struct judge *j, const struct place *p, slice key, slice a, slice b)
{
	if (!j->params->learned || !can_learn(p, a, b) ||
		!proof_learned_has(j->params->learned, key))
		return false;
	return (value_is_word(a) && value_is_word(b)) || value_are_draws_at_end(a, b, 6);
}

bool unexplained(struct judge *j, const struct place *p, slice a, slice b)
{
	slice where = place_text(j, p), key = key_of(j, where), rule = {0};

	if (is_learned(j, p, key, a, b)) {
		j->learned++;
		add_found(j, p, where, key, SLICE("learned"), a, b);
		return true;
	}
	j->unexplained++;
	j->out->changed_in |= p->in;
	add_found(j, p, where, key, rule, a, b);
	if (!j->params->all)
		j->is_done = true;
	return false;
}

bool must_tell(struct judge *j, size_t places, bool good, const struct place *p, slice a, slice b)
{
	if (!good || j->is_done || j->out->places.len > places)
		return good;
	return unexplained(j, p, a, b);
}

static slice resolve(struct judge *j, slice ref)
{
	struct url url;
	char *text = NULL;

	url_init(&url);
	if (j->has_base && url_parse(&url, ref, &j->base, NULL) == 0)
		text = arena_strdup(&j->out->arena, url_page(&url));
	else
		text = arena_strdup(&j->out->arena, ref);
	url_release(&url);
	if (!text)
		met_limit(j, "too many differences to list");
	return text ? slice_str(text) : SLICE("");
}

void add_duty(struct judge *j, slice a, slice b)
{
	struct proof_duty duty = {resolve(j, j->swapped ? b : a), resolve(j, j->swapped ? a : b)};

	for (size_t i = 0; i < j->out->duties.len; i++)
		if (slice_eq(j->out->duties.ptr[i].a, duty.a) &&
			slice_eq(j->out->duties.ptr[i].b, duty.b))
			return;
	if (j->out->duties.len >= DUTIES_MAX)
		met_limit(j, "too many resources with other addresses");
	failed(j, proof_duties_push(&j->out->duties, duty));
}
