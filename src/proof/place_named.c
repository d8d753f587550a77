/*
 * Values with a name: of hidden fields, metas, keys of scripts and JSON, query parameters, cookies
 * and data attributes. The name says what may live there, and both values must look like it.
 */
#include "base/word.h"
#include "proof/names.h"
#include "proof/nested.h"

#include "proof/proof_judge.h"

enum { FORMATTED_MAX = 80, BEACON_MAX = 200, LIVEWIRE_MIN = 20, UUID_LEN = 36 };

/* Base64, or two numbers of JSF; Salesforce puts "i:" before it. No words: "expandedSidebar". */
static bool is_state(slice s)
{
	bool is_number = true, is_base64 = true;

	if (slice_starts_with(s, SLICE("i:")))
		s = slice_sub(s, 2, s.len);
	for (size_t i = 0; i < s.len; i++) {
		is_number &= word_is_digit(s.ptr[i]) || s.ptr[i] == '-' || s.ptr[i] == ':';
		is_base64 &= word_is_alnum(s.ptr[i]) || (s.ptr[i] && strchr("+/-_", s.ptr[i]));
	}
	return s.len >= 20 && (is_number || (is_base64 && value_has_digit(s) && value_is_mixed(s)));
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

	return value_time(a, &x) && value_time(b, &y) && x.is_number == y.is_number && !x.is_day &&
	       !y.is_day && !x.is_clock && !y.is_clock;
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

/* 11%3A01%2C+18+November+2026 as text. */
static slice plain(slice s, char out[FORMATTED_MAX])
{
	size_t len = 0;

	if (s.len > FORMATTED_MAX || !s.len || !memchr(s.ptr, '%', s.len))
		return s;
	for (size_t i = 0; i < s.len && len < FORMATTED_MAX; i++) {
		int high = i + 2 < s.len && s.ptr[i] == '%' ? word_hex(s.ptr[i + 1]) : -1;
		int low = high >= 0 ? word_hex(s.ptr[i + 2]) : -1;

		out[len++] = (char)(low >= 0 ? high << 4 | low : s.ptr[i] == '+' ? ' ' : s.ptr[i]);
		i += low >= 0 ? 2 : 0;
	}
	return (slice){out, len};
}

/* MediaWiki's recent changes lead to those since now: from=20261118110111. */
static bool are_moments(const struct judge *j, slice name, slice a, slice b)
{
	char x[FORMATTED_MAX], y[FORMATTED_MAX];

	if (slice_eq(name, SLICE("from")))
		return a.len == 14 && value_is_digits(a) && value_is_digits(b) &&
		       value_times_fit(&j->looks, TIME_NOW, a, b);
	if (!slice_eq(name, SLICE("fromFormatted")))
		return false;
	return value_times_fit(&j->looks, TIME_NOW, plain(a, x), plain(b, y));
}

/* SharePoint's "0x…,17 Nov 2026 20:29:36 -0000": a hash, and when it was made. */
static bool are_digests(const struct judge *j, slice name, slice a, slice b)
{
	slice x = slice_take(&a, ','), y = slice_take(&b, ',');

	if (!value_is_listed(name, "|__REQUESTDIGEST|formDigestValue|FormDigestValue|") ||
		!slice_starts_with(x, SLICE("0x")) || !slice_starts_with(y, SLICE("0x")))
		return false;
	return value_are_draws(slice_sub(x, 2, x.len), slice_sub(y, 2, y.len), 64) &&
	       value_times_fit(&j->looks, TIME_NOW | TIME_RENEWED, a, b);
}

static bool is_beacon_value(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_alnum(s.ptr[i]) && !strchr("+/=.:-", s.ptr[i]))
			return false;
	return s.len > 0 && s.len <= BEACON_MAX;
}

/* What Akamai tells its own scripts of the request; nobody else has keys of this form. */
static bool are_beacon_values(slice name, slice a, slice b)
{
	if (slice_eq(name, SLICE("bazadebezolkohpepadr")))
		return value_is_digits(a) && value_is_digits(b);
	return value_is_listed(name,
		       "|ak.cr|ak.rid|ak.r|ak.a2|ak.cport|ak.gh|ak.t|ak.ak|ak.bpcip|ak.pv|") &&
	       is_beacon_value(a) && is_beacon_value(b);
}

/* Livewire's name of a component, and the hash of its state, which is compared itself. */
static bool are_livewire(slice name, slice a, slice b, const struct place *p)
{
	const struct place *at = p;
	slice id;

	while (at && !slice_starts_with(at->attr, SLICE("wire:")))
		at = at->outer;
	if (!at || at == p || !at->tokens || at->element == NO_TOKEN)
		return false;
	if (slice_eq(name, SLICE("checksum")))
		return value_are_draws(a, b, 2 * LIVEWIRE_MIN);
	id = proof_attr(&at->tokens->elements.ptr[at->element], SLICE("wire:id"));
	return slice_eq(name, SLICE("id")) && slice_eq(id, a) &&
	       value_are_draws(a, b, LIVEWIRE_MIN);
}

/* 16 bytes in Base64, or a UUID: parcels and contracts are numbered otherwise. */
static bool is_visitor_id(slice s)
{
	return (s.len == 24 && slice_ends_with(s, SLICE("=="))) ||
	       (s.len >= UUID_LEN && s.ptr[8] == '-' && s.ptr[13] == '-');
}

/* Jira's 834x250985x7: the minute, a count, how many at once. */
static bool is_jira_id(slice s)
{
	for (int i = 0; i < 3; i++)
		if (!value_is_digits(slice_take(&s, 'x')))
			return false;
	return s.len == 0;
}

/* "mw-web.eqiad.main-5f7c9d8b6c-x2x9k", "mw1349": which machine of MediaWiki answered. */
static bool are_servers(slice name, slice a, slice b)
{
	if (!value_is_listed(name, "|wgHostname|servedby|origin|"))
		return false;
	for (int side = 0; side < 2; side++) {
		slice s = side ? b : a;
		bool has_digit = false;

		for (size_t i = 0; i < s.len; i++) {
			has_digit |= word_is_digit(s.ptr[i]);
			if (!word_is_alnum(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '.')
				return false;
		}
		if (!has_digit || s.len > 64 || !slice_starts_with(s, SLICE("mw")))
			return false;
	}
	return true;
}

static unsigned time_uses(unsigned kinds)
{
	return ((kinds & (NAME_TIME | NAME_ID | NAME_SECRET)) ? TIME_NOW : 0U) |
	       ((kinds & NAME_END) ? TIME_END : 0U) | ((kinds & NAME_DAY) ? TIME_DAY : 0U) |
	       ((kinds & NAME_RENEWAL) ? TIME_RENEWED : 0U);
}

/* The rule that explains two values of that name; RULE_COUNT: none. */
static enum proof_rule_id rule_for(
	const struct judge *j, slice name, slice a, slice b, const struct place *p)
{
	unsigned kinds = name_kinds(name);
	char x[FORMATTED_MAX], y[FORMATTED_MAX];
	/* What is data and nothing else may be about builds and measured times. */
	bool is_page = j->top[0] && j->top[0]->format == FORMAT_HTML;
	bool is_attr = p->attr.len && !p->key.len && !slice_eq(p->attr, SLICE("content")) &&
		       !slice_eq(p->attr, SLICE("value"));

	if (are_web_tokens(a, b)) /* what they claim is compared */
		return RULE_COUNT;
	if ((kinds & NAME_SECRET && value_are_secrets(a, b)) || are_digests(j, name, a, b) ||
		are_known_draws(name, a, b, p))
		return RULE_TOKEN;
	if (is_page && are_beacon_values(name, a, b))
		return RULE_CDN_BEACON;
	if (is_page && are_livewire(name, a, b, p))
		return RULE_REQUEST_ID;
	if (kinds & NAME_STATE && are_states(a, b))
		return RULE_PAGE_STATE;
	if (is_encoded_document(a) && is_encoded_document(b))
		return RULE_COUNT;
	if (value_times_fit(&j->looks, time_uses(kinds), plain(a, x), plain(b, y)) ||
		are_moments(j, name, a, b))
		return RULE_GENERATED_TIME;
	if (kinds & NAME_NEUTRAL && value_are_counts_of_now(&j->looks, a, b))
		return RULE_GENERATED_TIME;
	if (((kinds & NAME_ID || (kinds & NAME_SIGNATURE && p->is_loaded)) &&
		    value_are_draws_at_end(a, b, 12)) ||
		(kinds & NAME_LONG_ID && is_page && is_visitor_id(a) && is_visitor_id(b) &&
			value_are_draws(a, b, 22)))
		return RULE_REQUEST_ID;
	if ((slice_eq(name, SLICE("jira.request.id")) && is_jira_id(a) && is_jira_id(b)) ||
		are_servers(name, a, b))
		return RULE_REQUEST_ID;
	if (slice_eq(name, SLICE("QTime")) && !is_page && !p->key.len && value_is_digits(a) &&
		value_is_digits(b))
		return RULE_TIMING;
	if (kinds & NAME_MEASURE && is_page && !is_attr && !p->is_address && value_is_measure(a) &&
		value_is_measure(b))
		return RULE_TIMING;
	if (kinds & NAME_BUILD && is_page && (value_are_draws(a, b, 6) || are_times(a, b)))
		return RULE_BUILD_ID;
	if (kinds & NAME_RELEASE && is_page && are_releases(a, b))
		return RULE_BUILD_ID;
	return RULE_COUNT;
}

bool explain_named(struct judge *j, slice name, slice a, slice b, const struct place *p)
{
	enum proof_rule_id rule = rule_for(j, name, a, b, p);

	return rule != RULE_COUNT && explain(j, rule, p, a, b);
}

bool compare_named(struct judge *j, slice name, slice a, slice b, const struct place *p)
{
	return slice_eq(a, b) || explain_named(j, name, a, b, p) ||
	       compare_nested(j, name, a, b, p);
}
