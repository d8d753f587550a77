/* Two differing tokens of scripts or JSON: numbers and strings by the key that they belong to. */
#include <stdio.h>

#include "base/word.h"
#include "proof/nested.h"
#include "proof/proof_judge.h"

enum { LIST_REACH = 40, VISIT_REACH = 20, OUTER_REACH = 200 };

static bool is_sign(const struct proof_token *t, char c)
{
	return t->kind == TOKEN_SIGN && t->sign == c;
}

static bool is_literal(const struct proof_token *t)
{
	return t->kind == TOKEN_STRING || t->kind == TOKEN_NUMBER;
}

/* key: value, key = value, x["key"] = value. */
static slice key_before(const struct proof_token *t, size_t at)
{
	if (t[at - 1].kind == TOKEN_STRING || t[at - 1].kind == TOKEN_WORD)
		return t[at - 1].text;
	if (at >= 3 && is_sign(&t[at - 1], ']') && t[at - 2].kind == TOKEN_STRING)
		return t[at - 2].text;
	return SLICE("");
}

/* The key or variable that a value belongs to; empty: none. */
static slice key_of(const struct proof_token *t, size_t i)
{
	size_t j = i;

	if (j && (is_sign(&t[j - 1], '-') || is_sign(&t[j - 1], '+') || is_sign(&t[j - 1], '!') ||
			 (t[j - 1].kind == TOKEN_WORD && slice_eq(t[j - 1].text, SLICE("new")))))
		j--;
	if (j < 2)
		return SLICE("");
	if (is_sign(&t[j - 1], ':') || is_sign(&t[j - 1], '='))
		return key_before(t, j - 1);
	if (j >= 3 && is_sign(&t[j - 1], ',') && t[j - 2].kind == TOKEN_STRING &&
		(is_sign(&t[j - 3], '(') || is_sign(&t[j - 3], '[')))
		return t[j - 2].text;
	if (is_sign(&t[j - 1], '(') && t[j - 2].kind == TOKEN_WORD)
		return t[j - 2].text;
	while (j > 2 && i - j < LIST_REACH && (is_sign(&t[j - 1], ',') || is_literal(&t[j - 1])))
		j--;
	if (j > 2 && is_sign(&t[j - 1], '[') &&
		(is_sign(&t[j - 2], ':') || is_sign(&t[j - 2], '=')))
		return key_before(t, j - 2);
	return SLICE("");
}

/* "nonces":{"ajax":"…"}: the key of the object that a value of that key is in; empty: none. */
static slice outer_key_of(const struct proof_token *t, size_t i)
{
	size_t depth = 0;

	for (size_t n = 0; i > 1 && n < OUTER_REACH; i--, n++) {
		if (is_sign(&t[i - 1], '}')) {
			depth++;
		} else if (is_sign(&t[i - 1], '{') && depth-- == 0) {
			return i > 3 && is_sign(&t[i - 2], ':') ? key_before(t, i - 2) : SLICE("");
		}
	}
	return SLICE("");
}

/* What a.b.id = "…" is of: b; else the key of the object around it. */
static slice owner_of(const struct proof_token *t, size_t i)
{
	return i > 4 && is_sign(&t[i - 1], '=') && is_sign(&t[i - 3], '.') ? t[i - 4].text
									   : outer_key_of(t, i);
}

/*
 * Lists in which Nuxt, SvelteKit and React Router write a graph: [{"csrf":1},"…"], where 1 says
 * which member of the list the value is, and _1 which member is the name. Where a token stands
 * in such a list; 0: in none.
 */
static size_t member_of(struct judge *j, const struct proof_tokens *t, uint32_t at)
{
	size_t depth = 0, member = 0;

	if (t->format != FORMAT_JSON || !is_sign(&t->list.ptr[0], '[') || j->work < at)
		return 0;
	j->work -= at;
	for (uint32_t i = 0; i < at; i++) {
		char c = (char)(t->list.ptr[i].kind == TOKEN_SIGN ? t->list.ptr[i].sign : 0);

		depth += c == '[' || c == '{';
		depth -= depth && (c == ']' || c == '}');
		member += c == ',' && depth == 1;
	}
	return depth == 1 ? member : 0;
}

static bool is_count(const struct proof_token *t, size_t n)
{
	char text[24];

	return t->kind == TOKEN_NUMBER &&
	       slice_eq(t->text, (slice){text, (size_t)snprintf(text, sizeof text, "%zu", n)});
}

/* The one name by which objects of the list know a member of it. */
static slice name_of_member(struct judge *j, const struct proof_tokens *t, size_t member)
{
	slice name = SLICE("");

	for (size_t i = 2; member && i < t->list.len && j->work; i++, j->work--) {
		slice key = t->list.ptr[i - 2].text;

		if (!is_count(&t->list.ptr[i], member) || !is_sign(&t->list.ptr[i - 1], ':'))
			continue;
		if (name.len && !slice_eq(name, key))
			return SLICE("");
		name = key;
	}
	if (slice_starts_with(name, SLICE("_")) && value_is_digits(slice_sub(name, 1, name.len)))
		for (uint32_t i = 1; i + 1 < t->list.len; i++)
			if (t->list.ptr[i].kind == TOKEN_STRING &&
				is_sign(&t->list.ptr[i - 1], ',') &&
				is_count(&(struct proof_token){.kind = TOKEN_NUMBER,
						 .text = slice_sub(name, 1, name.len)},
					member_of(j, t, i)))
				return t->list.ptr[i].text;
	/* Nuxt's own states begin so: $scsrf */
	return slice_starts_with(name, SLICE("$s")) ? slice_sub(name, 2, name.len) : name;
}

/* {"P":null,"b":"…"}: the build, in what Next.js streams. */
static bool is_next_build(const struct proof_token *t, size_t i)
{
	return i > 5 && slice_eq(t[i - 2].text, SLICE("b")) && is_sign(&t[i - 3], ',') &&
	       is_sign(&t[i - 5], ':') && slice_eq(t[i - 6].text, SLICE("P"));
}

/* What PHP Debug Bar measures and draws for each answer. */
static enum proof_rule_id debug_rule(const struct judge *j, slice key, slice a, slice b)
{
	if (!j->is_debug_bar)
		return RULE_COUNT;
	if (value_is_listed(key,
		    "|datetime|utime|start|end|relative_start|relative_end|duration|duration_str|"
		    "peak_usage|peak_usage_str|memory|memory_str|") &&
		value_has_digit(a) && value_has_digit(b))
		return RULE_TIMING;
	return value_is_listed(key, "|id|addDataSet|") || !key.len
		       ? value_are_draws(a, b, 24) ? RULE_REQUEST_ID : RULE_COUNT
		       : RULE_COUNT;
}

/* "views_dom_id:8f3…": a key that a secret is part of. */
static bool compare_keys(struct judge *j, slice a, slice b, const struct place *p)
{
	slice x = a, y = b, name = slice_take(&x, ':'), other = slice_take(&y, ':');

	return (x.len && slice_eq(name, other) && explain_named(j, name, x, y, p)) ||
	       unexplained(j, p, a, b);
}

/* Cloudflare's challenge: {r:'8e3…',t:'MTczM…'}. */
static bool is_challenge_value(const struct judge *j, slice key, slice a, slice b)
{
	return j->is_challenge && ((slice_eq(key, SLICE("r")) && value_are_draws(a, b, 16)) ||
					  (slice_eq(key, SLICE("t")) && a.len >= 12 &&
						  b.len >= 12 && a.len <= 32 && b.len <= 32));
}

/*
 * {"pathname":…,"search":…,"hash":…,"key":"krvewsnr"}: React Router names each visit of a place.
 * Among those three keys, nothing else is called so.
 */
static bool is_visit_key(const struct proof_tokens *t, uint32_t at)
{
	static const slice KEYS[] = {
		SLICE_INIT("pathname"), SLICE_INIT("search"), SLICE_INIT("hash")};
	size_t from = at > VISIT_REACH ? at - VISIT_REACH : 0, found = 0;
	slice value = t->list.ptr[at].text;

	if (value.len < 6 || value.len > 8)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (!word_is_digit(value.ptr[i]) && (value.ptr[i] < 'a' || value.ptr[i] > 'z'))
			return false;
	for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++)
		for (size_t i = from; i + 1 < t->list.len && i < at + VISIT_REACH; i++)
			if (slice_eq(t->list.ptr[i].text, KEYS[k]) &&
				is_sign(&t->list.ptr[i + 1], ':')) {
				found++;
				break;
			}
	return found == sizeof KEYS / sizeof *KEYS;
}

/* "cachereport":{"timestamp":"20261118110111",…}: when MediaWiki last parsed the page. */
static bool is_cache_report(const struct judge *j, const struct proof_tokens *t, uint32_t at)
{
	for (size_t i = at > VISIT_REACH ? at - VISIT_REACH : 0; i < at; i++)
		if (slice_eq(t->list.ptr[i].text, SLICE("cachereport")))
			return j->top[0] && j->top[0]->format == FORMAT_HTML;
	return false;
}

/* "timingprofile":["100.00%  176.340      1 -total",…] of MediaWiki's report on the page. */
static bool is_profile(slice key, slice s)
{
	size_t i = 0;

	while (i < s.len && (word_is_digit(s.ptr[i]) || (s.ptr[i] && strchr(" .%", s.ptr[i]))))
		i++;
	return slice_eq(key, SLICE("timingprofile")) && i >= 10 && memchr(s.ptr, '%', i);
}

/* What search engines say of how long they took: Elasticsearch beside timed_out, Solr. */
static bool is_search_time(const struct proof_tokens *t, uint32_t at, slice key)
{
	if (slice_eq(key, SLICE("QTime")))
		return slice_eq(outer_key_of(t->list.ptr, at), SLICE("responseHeader"));
	if (value_is_listed(key, "|processingTimeMs|processingTimeMS|")) /* Meilisearch, Algolia */
		return true;
	return slice_eq(key, SLICE("took")) && at + 2 < t->list.len &&
	       slice_eq(t->list.ptr[at + 2].text, SLICE("timed_out"));
}

/* var __st={"a":…,"reqid":"…","pageurl":"…","u":"9e576eb8d0e8",…}: Shopify's own key. */
static bool is_of_shopify(const struct proof_tokens *t, uint32_t at)
{
	bool has_id = false, has_url = false;

	for (size_t i = at > VISIT_REACH ? at - VISIT_REACH : 0; i < at; i++) {
		has_id |= slice_eq(t->list.ptr[i].text, SLICE("reqid"));
		has_url |= slice_eq(t->list.ptr[i].text, SLICE("pageurl"));
	}
	return has_id && has_url;
}

/* '#id', '.class' or the bare name: without the mark that both have. */
static slice without_mark(slice s)
{
	return s.len && (s.ptr[0] == '#' || s.ptr[0] == '.') ? slice_sub(s, 1, s.len) : s;
}

/* A generated name of the page: renamed here as there. */
static bool are_renamed(struct judge *j, slice a, slice b)
{
	if (a.len && b.len && without_mark(a).len != a.len && a.ptr[0] == b.ptr[0]) {
		a = without_mark(a);
		b = without_mark(b);
	}
	return is_generated_name(j, a, b, false) && are_page_names(j, a, b);
}

/* Liferay's parts of a page that have no name. */
static bool is_unnamed_component(slice a, slice b)
{
	static const slice HEAD = SLICE_INIT("__UNNAMED_COMPONENT__");

	return slice_starts_with(a, HEAD) && slice_starts_with(b, HEAD) &&
	       value_are_draws(slice_sub(a, HEAD.len, a.len), slice_sub(b, HEAD.len, b.len), 12);
}

static bool compare_strings(struct judge *j, slice key, slice a, slice b, const struct place *p)
{
	slice x = unescape(&j->arena, a), y = unescape(&j->arena, b);

	if (slice_eq(x, y))
		return explain(j, RULE_SPELLING, p, a, b) || unexplained(j, p, a, b);
	if (is_challenge_value(j, key, x, y) && explain(j, RULE_CDN_CHALLENGE, p, x, y))
		return true;
	if (have_page_nonces(j, x, y) && explain(j, RULE_NONCE, p, x, y))
		return true;
	if (is_unnamed_component(x, y) && explain(j, RULE_REQUEST_ID, p, x, y))
		return true;
	if (explain_named(j, key, x, y, p))
		return true;
	if (are_renamed(j, x, y)) {
		size_t mark = x.len - without_mark(x).len;

		return compare_names(j, slice_sub(x, mark, x.len), slice_sub(y, mark, y.len), p);
	}
	if (j->is_challenge &&
		(slice_eq(key, SLICE("innerHTML")) || slice_eq(key, SLICE("text"))) && x.len &&
		memmem(x.ptr, x.len, "__CF$cv$params", 14)) {
		struct place inner = {
			.outer = p, .step = "script", .in = PROOF_IN_CODE, .element = NO_TOKEN};

		return compare_documents(j, FORMAT_SCRIPT, x, y, &inner);
	}
	return compare_nested(j, key, x, y, p);
}

bool compare_script_tokens(struct judge *j, const struct pairing *pair, uint32_t i, uint32_t k)
{
	const struct proof_token *a = &pair->a->list.ptr[i], *b = &pair->b->list.ptr[k];
	slice key = key_of(pair->a->list.ptr, i), other = key_of(pair->b->list.ptr, k);
	struct place p = {.outer = pair->place,
		.element = NO_TOKEN,
		.key = key,
		.script = pair->a,
		.at = i,
		.in = pair->place ? pair->place->in : PROOF_IN_DATA};
	bool is_key = i + 1 < pair->a->list.len && is_sign(a + 1, ':');

	if (pair->a->format == FORMAT_JSON && p.in == PROOF_IN_CODE)
		p.in = PROOF_IN_DATA;
	if (!key.len && !other.len && (is_literal(a) || is_literal(b))) {
		key = name_of_member(j, pair->a, member_of(j, pair->a, i));
		other = name_of_member(j, pair->b, member_of(j, pair->b, k));
		p.key = key;
	}
	if (a->kind != b->kind || a->sign != b->sign || a->is_spaced != b->is_spaced ||
		!slice_eq(key, other))
		return unexplained(j, &p, a->full, b->full);
	if (a->kind == TOKEN_NUMBER && is_search_time(pair->a, i, key) &&
		is_search_time(pair->b, k, key) && explain(j, RULE_TIMING, &p, a->text, b->text))
		return true;
	if (a->kind == TOKEN_STRING && is_profile(key, a->text) && is_profile(key, b->text) &&
		explain(j, RULE_TIMING, &p, a->text, b->text))
		return true;
	if (is_literal(a) && debug_rule(j, key, a->text, b->text) != RULE_COUNT &&
		explain(j, debug_rule(j, key, a->text, b->text), &p, a->text, b->text))
		return true;
	if (a->kind == TOKEN_NUMBER)
		return compare_named(j, key, a->text, b->text, &p);
	if (a->kind == TOKEN_STRING && slice_eq(key, SLICE("key")) && is_visit_key(pair->a, i) &&
		is_visit_key(pair->b, k) && explain(j, RULE_REQUEST_ID, &p, a->text, b->text))
		return true;
	if (a->kind == TOKEN_STRING && slice_eq(key, SLICE("timestamp")) &&
		is_cache_report(j, pair->a, i) && is_cache_report(j, pair->b, k) &&
		value_times_fit(&j->looks, TIME_RENEWED, a->text, b->text) &&
		explain(j, RULE_GENERATED_TIME, &p, a->text, b->text))
		return true;
	if (a->kind == TOKEN_STRING && !is_key &&
		slice_eq(outer_key_of(pair->a->list.ptr, i), SLICE("nonces")) &&
		explain_named(j, SLICE("nonce"), a->text, b->text, &p))
		return true;
	if (a->kind == TOKEN_STRING && is_next_build(pair->a->list.ptr, i) &&
		is_next_build(pair->b->list.ptr, k) &&
		explain_named(j, SLICE("build id"), a->text, b->text, &p))
		return true;
	if (a->kind == TOKEN_STRING &&
		((slice_eq(key, SLICE("id")) &&
			 value_is_listed(owner_of(pair->a->list.ptr, i),
				 "|request|trace|visitor|pageview|operation|")) ||
			(slice_eq(key, SLICE("parentID")) &&
				slice_eq(owner_of(pair->a->list.ptr, i),
					SLICE("telemetryTrace")))) &&
		explain_named(j, SLICE("request id"), a->text, b->text, &p))
		return true;
	if (a->kind == TOKEN_STRING && slice_eq(key, SLICE("u")) && is_of_shopify(pair->a, i) &&
		is_of_shopify(pair->b, k) && value_are_draws(a->text, b->text, 12) &&
		explain(j, RULE_REQUEST_ID, &p, a->text, b->text))
		return true;
	if (a->kind == TOKEN_STRING && !is_key)
		return compare_strings(j, key, a->text, b->text, &p);
	if (a->kind == TOKEN_WORD || (a->kind == TOKEN_STRING && are_renamed(j, a->text, b->text)))
		return compare_names(j, a->text, b->text, &p);
	return a->kind == TOKEN_STRING ? compare_keys(j, a->text, b->text, &p)
				       : unexplained(j, &p, a->full, b->full);
}
