#include "extract/ignore.h"

#include "base/hash.h"

void ignore_page_init(struct ignore_page *p, const struct ignore *rules)
{
	*p = (struct ignore_page){.rules = rules, .off = IGNORE_NONE, .gave_up = IGNORE_NONE};
	selector_stack_init(&p->stack, &rules->selectors, 0);
}

void ignore_page_release(struct ignore_page *p)
{
	selector_stack_release(&p->stack);
	u32_vec_release(&p->selects);
	u32_vec_release(&p->texts);
	u32_vec_release(&p->requires);
	ignore_u64_vec_release(&p->work);
}

static int add_rule(struct ignore_page *p, uint32_t number)
{
	int rc;

	switch (p->rules->rules.ptr[number].kind) {
	case IGNORE_SELECT:
		return u32_vec_push(&p->selects, number);
	case IGNORE_REQUIRE:
		return u32_vec_push(&p->requires, number);
	case IGNORE_TEXT:
		rc = u32_vec_push(&p->texts, number);
		return rc ? rc : ignore_u64_vec_push(&p->work, 0);
	}
	return 0;
}

int ignore_page_start(struct ignore_page *p, const struct url *url, unsigned flags)
{
	const struct ignore_rule_vec *rules = &p->rules->rules;
	uint32_t known = IGNORE_NONE; /* section */
	bool applies = false;
	int rc = 0;

	p->selects.len = p->texts.len = p->requires.len = p->work.len = 0;
	p->gave_up = IGNORE_NONE;
	selector_stack_reset(&p->stack, flags);
	for (size_t i = 0; rc == 0 && i < rules->len; i++) {
		if (rules->ptr[i].section != known) {
			known = rules->ptr[i].section;
			applies = ignore_applies(p->rules, known, url);
		}
		if (applies && i != p->off)
			rc = add_rule(p, (uint32_t)i);
	}
	return rc;
}

/* The key is constant: the numbers are stored. */
static uint64_t mix(uint64_t so_far, slice more)
{
	return hash_bytes((struct hash_key){so_far, 0x49474e4f5245}, more);
}

static slice bytes_of(const struct u32_vec *list)
{
	return (slice){(const char *)list->ptr, list->len * sizeof list->ptr[0]};
}

uint64_t ignore_page_number(const struct ignore_page *p)
{
	const struct digest *d = &p->rules->digest;
	uint64_t number = mix(1, (slice){(const char *)d->bytes, sizeof d->bytes});

	number = mix(number, bytes_of(&p->selects));
	number = mix(number, bytes_of(&p->texts));
	return mix(number, bytes_of(&p->requires));
}

int ignore_page_token(struct ignore_page *p, const struct html_token *token)
{
	if (p->selects.len == 0 && p->requires.len == 0)
		return 0;
	return selector_stack_token(&p->stack, token);
}

uint32_t ignore_page_element(const struct ignore_page *p)
{
	if (!selector_stack_is_inside_any(&p->stack))
		return IGNORE_NONE;
	for (size_t i = 0; i < p->selects.len; i++) {
		uint32_t rule = p->selects.ptr[i];

		if (selector_stack_is_inside(&p->stack, p->rules->rules.ptr[rule].selector))
			return rule;
	}
	return IGNORE_NONE;
}

/* Characters that a search may look at when every place of the line is tried: half the square. */
static uint64_t work_of(slice line, size_t from)
{
	uint64_t len = slice_sub(line, from, TEXT_PATTERN_LINE_MAX).len;

	return len * (len + 1) / 2;
}

/* Asks one text rule. Having given up once, it finds nothing on this page any more. */
static bool find_one(
	struct ignore_page *p, size_t index, slice line, size_t from, struct text_span *ret_span)
{
	const struct ignore_rule *rule = &p->rules->rules.ptr[p->texts.ptr[index]];
	uint64_t *work = &p->work.ptr[index];

	if (*work > IGNORE_WORK_MAX)
		return false;
	*work += work_of(line, from);
	if (*work <= IGNORE_WORK_MAX) {
		enum text_pattern_result found =
			text_pattern_find(rule->pattern, line, from, ret_span);

		if (found != TEXT_PATTERN_GAVE_UP)
			return found == TEXT_PATTERN_FOUND;
		*work = UINT64_C(1) + IGNORE_WORK_MAX;
	}
	if (p->gave_up == IGNORE_NONE)
		p->gave_up = p->texts.ptr[index];
	return false;
}

bool ignore_page_find(
	struct ignore_page *p, slice line, size_t from, struct ignore_match *ret_match)
{
	struct ignore_match best = {.rule = IGNORE_NONE};
	struct text_span span;

	for (size_t i = 0; i < p->texts.len; i++) {
		if (!find_one(p, i, line, from, &span))
			continue;
		if (best.rule == IGNORE_NONE || span.from < best.span.from ||
			(span.from == best.span.from && span.to > best.span.to))
			best = (struct ignore_match){p->texts.ptr[i], span};
	}
	if (best.rule == IGNORE_NONE)
		return false;
	*ret_match = best;
	return true;
}

uint32_t ignore_page_missing(const struct ignore_page *p)
{
	for (size_t i = 0; i < p->requires.len; i++) {
		uint32_t rule = p->requires.ptr[i];

		if (!selector_stack_has_seen(&p->stack, p->rules->rules.ptr[rule].selector))
			return rule;
	}
	return IGNORE_NONE;
}
