/*
 * What of the scripts and style sheets in a page carries content: the literals of JSON, the
 * literals of code that read like text or are named like content, and the images of sheets.
 */
#include "base/err.h"
#include "base/hash.h"
#include "base/word.h"
#include "extract/css.h"
#include "extract/noise_word.h"
#include "extract/script_literal.h"
#include "extract/view_build.h"

enum {
	TEXT_WORDS = 3,        /* words from which a literal of code reads like text */
	PACKED_MIN = 32,       /* bytes of a literal that may hold others */
	CHALLENGE_SEEN = 4096, /* bytes of a script by which a challenge is known */
	GROUP_NAMES = 8,       /* names that a script is known by */
};

static bool starts_like_url(slice value)
{
	return slice_starts_with(value, SLICE("http://")) ||
	       slice_starts_with(value, SLICE("https://")) ||
	       slice_starts_with(value, SLICE("//")) || slice_starts_with(value, SLICE("/"));
}

/* Words with letters, blanks between them, and none of the marks of code. */
static bool reads_like_text(slice value)
{
	size_t words = 0, letters = 0;
	bool in_word = false;

	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (c == '{' || c == '}' || c == ';' || c == '=' || c == '[')
			return false;
		letters += word_is_alpha(c) || (c & 0x80);
		words += !in_word && c != ' ';
		in_word = c != ' ';
	}
	return words >= TEXT_WORDS && letters * 2 > value.len;
}

/* The rule under which a literal is noise; false when it is none. */
static bool noise_of(
	const struct script_literal *l, struct noise_name name, enum noise_rule *ret_rule)
{
	*ret_rule = NOISE_SCRIPT_TOKENS;
	if (word_is(l->name, SLICE("class")) || word_is(l->name, SLICE("className"))) {
		*ret_rule = NOISE_HASHED_CLASSES;
		return true;
	}
	if (name.build) {
		*ret_rule = NOISE_BUILD_IDS;
		return true;
	}
	if (!l->string && name.performance) {
		*ret_rule = NOISE_PERFORMANCE;
		return true;
	}
	if (name.token)
		return true;
	if (name.clock && (noise_is_epoch(l->value) || noise_is_instant(l->value)))
		return true;
	if (name.thing)
		return false;
	return noise_is_token(l->value) || noise_is_epoch(l->value);
}

static bool carries_content(const struct script_literal *l, struct noise_name name)
{
	if (l->string && reads_like_text(l->value))
		return true;
	if (l->value.len == 0)
		return false;
	return name.content || (l->within.len && noise_name_of(l->within).content);
}

/* The address of a script, a style sheet or a font. */
static bool names_asset(slice value)
{
	static const char *const ENDS[] = {".js", ".mjs", ".css", ".map", ".woff", ".woff2", NULL};
	size_t end = 0;

	while (end < value.len && value.ptr[end] != '?' && value.ptr[end] != '#')
		end++;
	value.len = end;
	if (value.len == 0 || memchr(value.ptr, ' ', value.len))
		return false;
	for (const char *const *e = ENDS; *e; e++)
		if (slice_ends_with(value, slice_str(*e)))
			return true;
	return false;
}

static int add_value(struct view *v, const struct script_literal *l)
{
	int rc;

	if (!l->string || !starts_like_url(l->value))
		return view_add_pair(v, VIEW_DATA, NULL, l->name, l->value);
	buf_reset(&v->scratch);
	rc = noise_url(&v->noise, noise_url_use_of(l->name, l->value), l->value, &v->scratch);
	if (rc)
		return view_limited(v, rc);
	return view_add_pair(v, VIEW_DATA, NULL, l->name, buf_slice(&v->scratch));
}

/* Undoes one level of backslashes before quotes, slashes and themselves. */
static int undo_escapes(slice text, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; i < text.len && rc == 0; i++) {
		if (text.ptr[i] == '\\' && i + 1 < text.len && strchr("\"'\\/", text.ptr[i + 1]))
			i++;
		rc = buf_add_char(out, text.ptr[i]);
	}
	return rc;
}

static bool is_packed(slice value)
{
	return value.len >= PACKED_MIN && memmem(value.ptr, value.len, "\\\"", 2);
}

static int add_code_literal(struct view *v, const struct script_literal *l)
{
	struct noise_name name = noise_name_of(l->name);
	enum noise_rule rule;
	bool is_noise = noise_of(l, name, &rule);

	if (is_noise && noise_applies(&v->noise, rule, l->value))
		return 0;
	return is_noise || carries_content(l, name) ? add_value(v, l) : 0;
}

/* A text in code that is itself data: JSON.parse("{\"price\":…}"). */
static int add_packed(struct view *v, slice text)
{
	struct script_literal literal;
	struct script_scanner s;
	struct buf inner;
	int rc;

	buf_init(&inner, VIEW_RAW_MAX);
	rc = undo_escapes(text, &inner);
	script_scanner_init(&s, buf_slice(&inner));
	while (rc == 0 && script_scanner_next(&s, &literal))
		rc = add_code_literal(v, &literal);
	buf_release(&inner);
	return view_limited(v, rc);
}

static int add_literal(struct view *v, enum view_script type, const struct script_literal *l)
{
	enum noise_rule rule;

	if (type == VIEW_SCRIPT_LINKED_DATA)
		return add_value(v, l);
	if (type == VIEW_SCRIPT_CODE)
		return l->string && is_packed(l->value) ? add_packed(v, l->value)
							: add_code_literal(v, l);
	if (noise_of(l, noise_name_of(l->name), &rule) && noise_applies(&v->noise, rule, l->value))
		return view_add_pair(v, VIEW_DATA, NULL, l->name, SLICE("*"));
	if (l->string && names_asset(l->value) &&
		noise_applies(&v->noise, NOISE_ASSET_HASHES, l->value))
		return 0;
	return add_value(v, l);
}

/* A network's check of the browser, and its decoder of e-mail addresses. */
static bool is_challenge(slice code)
{
	static const char *const MARKS[] = {"__CF$cv$params", "/cdn-cgi/challenge-platform/",
		"_cf_chl_opt", "/_Incapsula_Resource", "bobcmn", NULL};

	code.len = code.len < CHALLENGE_SEEN ? code.len : CHALLENGE_SEEN;
	for (const char *const *m = MARKS; *m; m++)
		if (memmem(code.ptr, code.len, *m, strlen(*m)))
			return true;
	return false;
}

/* Marks the items of one script by the first names in it, so that it is known when it moves. */
static void group(struct view *v, size_t first)
{
	struct hash_key key = {1, 1};
	size_t end = v->items.len < first + GROUP_NAMES ? v->items.len : first + GROUP_NAMES;

	for (size_t i = first; i < end; i++) {
		slice text = view_item_text(v, &v->items.ptr[i]);
		const char *equals = text.len ? memchr(text.ptr, '=', text.len) : NULL;

		text.len = equals ? (size_t)(equals - text.ptr) : 0;
		key.k0 = hash_bytes(key, text);
	}
	for (size_t i = first; i < v->items.len; i++)
		v->items.ptr[i].group = key.k0;
}

int view_script(struct view *v, enum view_script type, slice text)
{
	struct script_literal literal;
	struct script_scanner s;
	size_t first = v->items.len;
	int rc = 0;

	if (text.len == 0)
		return 0;
	if (type == VIEW_SCRIPT_CODE && is_challenge(text))
		return noise_applies(&v->noise, NOISE_CHALLENGES, text)
			       ? 0
			       : view_add(v, VIEW_MARKUP, "script", text);
	if (type == VIEW_SCRIPT_CODE && !noise_applies(&v->noise, NOISE_SCRIPT_CODE, text))
		return view_add(v, VIEW_MARKUP, "script", text);
	if (type == VIEW_SCRIPT_ASSETS && noise_applies(&v->noise, NOISE_ASSET_HASHES, text))
		return 0;
	script_scanner_init(&s, text);
	while (rc == 0 && script_scanner_next(&s, &literal))
		rc = add_literal(v, type, &literal);
	if (type != VIEW_SCRIPT_LINKED_DATA)
		view_mark_learnable(v, first);
	group(v, first);
	return rc;
}

int view_sheet(struct view *v, const char *attr, slice text)
{
	struct css_reader reader;
	struct css_link link;
	int rc = 0;

	if (text.len == 0)
		return 0;
	if (!noise_applies(&v->noise, attr ? NOISE_MARKUP : NOISE_SCRIPT_CODE, text))
		return view_add(v, VIEW_MARKUP, attr ? attr : "sheet", text);
	if (!memmem(text.ptr, text.len, "url(", 4))
		return 0;
	css_init(&reader, text);
	while (rc == 0 && (rc = css_next(&reader, &link)) == 0)
		if (link.kind == LINK_IMAGE)
			rc = view_add_url(v, VIEW_IMAGE, attr, NOISE_URL_EMBED, link.url);
	css_release(&reader);
	return rc == ERR_END ? 0 : rc;
}
