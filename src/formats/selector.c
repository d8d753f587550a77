#include "formats/selector.h"

#include <string.h>
#include <strings.h>

#include "base/word.h"

static const struct hash_key NO_KEY; /* names are compared with those of open elements only */

static size_t words_for(size_t bits)
{
	return (bits + 63) / 64;
}

static bool bit(const uint64_t *bits, size_t at)
{
	return bits[at / 64] >> (at % 64) & 1;
}

static void set_bit(uint64_t *bits, size_t at)
{
	bits[at / 64] |= UINT64_C(1) << (at % 64);
}

void selector_stack_init(struct selector_stack *m, const struct selector_set *set, unsigned flags)
{
	*m = (struct selector_stack){.set = set, .flags = flags};
}

void selector_stack_reset(struct selector_stack *m, unsigned flags)
{
	m->flags = flags;
	m->cut = m->pending_close = m->has_body = false;
	m->beyond = 0;
	m->levels.len = m->bits.len = 0;
	memset(m->open, 0, sizeof m->open);
	if (m->seen.len)
		memset(m->seen.ptr, 0, m->seen.len * sizeof *m->seen.ptr);
}

void selector_stack_release(struct selector_stack *m)
{
	selector_level_vec_release(&m->levels);
	selector_bits_release(&m->bits);
	selector_bits_release(&m->features);
	selector_bits_release(&m->seen);
	*m = (struct selector_stack){0};
}

/* Steps that the element at a depth (from 1) matched itself; behind them those here or above. */
static uint64_t *here_at(const struct selector_stack *m, size_t depth)
{
	return m->bits.ptr + (depth - 1) * 2 * m->words;
}

static uint64_t *above_at(const struct selector_stack *m, size_t depth)
{
	return here_at(m, depth) + m->words;
}

/*
 * Attributes of HTML whose values match in any case unless a flag says otherwise (HTML, 4.16.2
 * "Case-sensitivity of selectors").
 */
static bool is_caseless(slice name)
{
	static const char *const NAMES[] = {"accept", "accept-charset", "align", "alink", "axis",
		"bgcolor", "charset", "checked", "clear", "codetype", "color", "compact", "declare",
		"defer", "dir", "direction", "disabled", "enctype", "face", "frame", "hreflang",
		"http-equiv", "lang", "language", "link", "media", "method", "multiple", "nohref",
		"noresize", "noshade", "nowrap", "readonly", "rel", "rev", "rules", "scope",
		"scrolling", "selected", "shape", "target", "text", "type", "valign", "valuetype",
		"vlink"};
	size_t low = 0, high = sizeof NAMES / sizeof NAMES[0];

	while (low < high) {
		size_t middle = (low + high) / 2;
		size_t len = strlen(NAMES[middle]);
		int order = memcmp(name.ptr, NAMES[middle], name.len < len ? name.len : len);

		if (order == 0 && name.len == len)
			return true;
		if (order > 0 || (order == 0 && name.len > len))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool equal(slice a, slice b, bool caseless)
{
	return caseless ? word_is(a, b) : slice_eq(a, b);
}

static bool has_word(slice value, slice wanted, bool caseless)
{
	slice word;

	while (word_next(&value, ' ', &word))
		if (equal(word, wanted, caseless))
			return true;
	return false;
}

static bool contains(slice value, slice wanted, bool caseless)
{
	if (!caseless)
		return value.len && memmem(value.ptr, value.len, wanted.ptr, wanted.len);
	for (size_t i = 0; i + wanted.len <= value.len; i++)
		if (word_starts(slice_sub(value, i, value.len), wanted))
			return true;
	return false;
}

/* What no value can begin with, end in or contain: nothing. */
static bool test_holds(const struct selector_test *t, const struct html_attr *a, bool foreign)
{
	bool caseless = t->flag == 'i' || (!t->flag && !foreign && is_caseless(a->name));
	slice v = a->value, w = t->value;

	if (t->op == '\0')
		return true;
	if (t->op == '=')
		return !a->cut && equal(v, w, caseless);
	if (t->op == '|')
		return equal(slice_sub(v, 0, w.len), w, caseless) &&
		       (v.len == w.len ? !a->cut : v.len > w.len && v.ptr[w.len] == '-');
	if (w.len == 0)
		return false;
	switch (t->op) {
	case '~':
		return has_word(v, w, caseless);
	case '^':
		return equal(slice_sub(v, 0, w.len), w, caseless);
	case '$':
		return !a->cut && v.len >= w.len &&
		       equal(slice_sub(v, v.len - w.len, v.len), w, caseless);
	default:
		return contains(v, w, caseless);
	}
}

static void add_name(struct selector_stack *m, const struct strmap *map, slice name)
{
	uint32_t feature;

	if (map->len && strmap_get(map, name, &feature))
		set_bit(m->features.ptr, feature);
}

static void add_attribute(struct selector_stack *m, const struct html_attr *a, bool foreign)
{
	const struct selector_set *s = m->set;
	slice rest = a->value, word;
	uint32_t first;

	if (slice_eq(a->name, SLICE("id")) && !a->cut)
		add_name(m, &s->ids, a->value);
	if (s->classes.len && slice_eq(a->name, SLICE("class")))
		while (word_next(&rest, ' ', &word))
			add_name(m, &s->classes, word);
	if (s->attrs.len == 0 || !strmap_get(&s->attrs, a->name, &first))
		return;
	for (uint32_t i = first + 1; i; i = s->tests.ptr[i - 1].next)
		if (test_holds(&s->tests.ptr[i - 1], a, foreign))
			set_bit(m->features.ptr, s->tests.ptr[i - 1].feature);
}

static void find_features(struct selector_stack *m, const struct html_token *start)
{
	memset(m->features.ptr, 0, m->features.len * sizeof *m->features.ptr);
	add_name(m, &m->set->types, start->name);
	for (size_t i = 0; i < start->attr_count; i++)
		add_attribute(m, &start->attrs[i], start->foreign);
}

static bool step_matches(const struct selector_stack *m, size_t number, size_t depth)
{
	const struct selector_step *step = &m->set->steps.ptr[number];

	if (!step->first) {
		if (depth == 1)
			return false;
		if (!bit(step->child ? here_at(m, depth - 1) : above_at(m, depth - 1), number - 1))
			return false;
	}
	for (uint32_t i = 0; i < step->count; i++)
		if (!bit(m->features.ptr, m->set->wanted.ptr[step->from + i]))
			return false;
	return true;
}

/* Fills the bits of the innermost element. */
static void match_steps(struct selector_stack *m)
{
	size_t depth = m->levels.len;
	struct selector_level *level = &m->levels.ptr[depth - 1];
	uint64_t *here = here_at(m, depth), *above = above_at(m, depth);

	memset(here, 0, m->words * sizeof *here);
	if (depth > 1)
		memcpy(above, above_at(m, depth - 1), m->words * sizeof *above);
	else
		memset(above, 0, m->words * sizeof *above);
	level->inside = depth > 1 && m->levels.ptr[depth - 2].inside;
	for (size_t i = 0; i < m->set->steps.len; i++) {
		if (!step_matches(m, i, depth))
			continue;
		set_bit(here, i);
		set_bit(m->seen.ptr, i);
		level->inside = level->inside || m->set->steps.ptr[i].last;
	}
	for (size_t i = 0; i < m->words; i++)
		above[i] |= here[i];
}

static void grow(struct selector_bits *bits, size_t words)
{
	while (bits->len < words)
		selector_bits_push(bits, 0);
}

void selector_stack_open(struct selector_stack *m, const struct html_token *start)
{
	struct selector_level level = {
		.name = hash_bytes(NO_KEY, start->name),
		.tag = start->tag,
		.foreign = start->foreign,
	};

	if (m->beyond || m->levels.len >= SELECTOR_DEPTH_MAX) {
		m->beyond++;
		m->cut = true;
		return;
	}
	if (m->words == 0) {
		m->words = words_for(m->set->steps.len + 1);
		grow(&m->features, words_for(m->set->features + (size_t)1));
	}
	grow(&m->seen, m->words);
	grow(&m->bits, (m->levels.len + 1) * 2 * m->words);
	selector_level_vec_push(&m->levels, level);
	m->open[level.tag]++;
	find_features(m, start);
	match_steps(m);
}

void selector_stack_close(struct selector_stack *m)
{
	if (m->beyond)
		m->beyond--;
	else if (m->levels.len)
		m->open[m->levels.ptr[--m->levels.len].tag]--;
}

/* Whether one of the last steps of selector k is among the bits. */
static bool has_last_step(const struct selector_stack *m, const uint64_t *bits, uint32_t k)
{
	const struct selector_set *s = m->set;
	size_t end = k + (size_t)1 < s->starts.len ? s->starts.ptr[k + 1] : s->steps.len;

	for (size_t i = s->starts.ptr[k]; i < end; i++)
		if (s->steps.ptr[i].last && bit(bits, i))
			return true;
	return false;
}

bool selector_stack_is_inside(const struct selector_stack *m, uint32_t k)
{
	if (!selector_stack_is_inside_any(m) || k >= m->set->starts.len)
		return false;
	return has_last_step(m, above_at(m, m->levels.len), k);
}

bool selector_stack_is_inside_any(const struct selector_stack *m)
{
	return m->levels.len && m->levels.ptr[m->levels.len - 1].inside;
}

bool selector_stack_has_seen(const struct selector_stack *m, uint32_t k)
{
	return m->seen.len && k < m->set->starts.len && has_last_step(m, m->seen.ptr, k);
}
