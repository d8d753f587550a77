/*
 * Values with a name: of hidden fields, metas, keys of scripts and JSON, query parameters, cookies
 * and data attributes. The name says what may live there, and both values must look like it.
 */
#include "base/word.h"
#include "proof/judge.h"
#include "proof/names.h"
#include "proof/nested.h"

static bool is_state(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_alnum(s.ptr[i]) && !strchr("+/=", s.ptr[i]))
			return false;
	return s.len >= 8;
}

/* The state ends in a hash of it: another state has another end. */
static bool are_states(slice a, slice b)
{
	while (a.len && a.ptr[a.len - 1] == '=')
		a.len--;
	while (b.len && b.ptr[b.len - 1] == '=')
		b.len--;
	return is_state(a) && is_state(b) &&
	       value_is_fresh(slice_sub(a, a.len > 20 ? a.len - 20 : 0, a.len),
		       slice_sub(b, b.len > 20 ? b.len - 20 : 0, b.len));
}

static bool are_times(slice a, slice b)
{
	struct value_time x, y;

	return value_time(a, &x) && value_time(b, &y) && x.is_number == y.is_number &&
	       x.is_day == y.is_day && !x.is_clock && !y.is_clock;
}

/* "shop-web@v1.449.0": the same program, other versions. */
static bool are_releases(slice a, slice b)
{
	slice x = slice_take(&a, '@'), y = slice_take(&b, '@');

	if (!x.len || !slice_eq(x, y) || !a.len || !b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (!word_is_digit(a.ptr[i]) && !(i == 0 && a.ptr[i] == 'v') && a.ptr[i] != '.')
			return false;
	for (size_t i = 0; i < b.len; i++)
		if (!word_is_digit(b.ptr[i]) && !(i == 0 && b.ptr[i] == 'v') && b.ptr[i] != '.')
			return false;
	return true;
}

/* The rule that explains two values of that name; RULE_COUNT: none. */
static enum proof_rule_id rule_for(const struct judge *j, slice name, slice a, slice b)
{
	unsigned kinds = name_kinds(name);

	if (kinds & NAME_SECRET && value_are_secrets(a, b))
		return RULE_TOKEN;
	if (kinds & NAME_STATE && are_states(a, b))
		return RULE_PAGE_STATE;
	if (is_encoded_document(a) && is_encoded_document(b))
		return RULE_COUNT;
	if (kinds & (NAME_TIME | NAME_ID | NAME_SECRET) && value_times_fit(&j->looks, a, b))
		return RULE_GENERATED_TIME;
	if ((kinds & NAME_ID && value_are_draws_at_end(a, b, 12)) ||
		(kinds & NAME_LONG_ID && value_are_draws(a, b, 22)))
		return RULE_REQUEST_ID;
	if (kinds & NAME_MEASURE && value_is_measure(a) && value_is_measure(b))
		return RULE_TIMING;
	if (kinds & NAME_BUILD && (value_are_draws(a, b, 6) || are_times(a, b)))
		return RULE_BUILD_ID;
	if (kinds & NAME_RELEASE && are_releases(a, b))
		return RULE_BUILD_ID;
	return RULE_COUNT;
}

bool explain_named(struct judge *j, slice name, slice a, slice b, const struct place *p)
{
	enum proof_rule_id rule = rule_for(j, name, a, b);

	return rule != RULE_COUNT && explain(j, rule, p, a, b);
}

bool compare_named(struct judge *j, slice name, slice a, slice b, const struct place *p)
{
	return slice_eq(a, b) || explain_named(j, name, a, b, p) ||
	       compare_nested(j, name, a, b, p);
}
