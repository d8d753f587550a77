/*
 * What of the scripts and style sheets in a page carries content: the literals of JSON, the
 * literals of code that read like text or are named like content, and the images of sheets.
 */
#include "base/err.h"
#include "base/word.h"
#include "extract/css.h"
#include "extract/noise_word.h"
#include "extract/script_literal.h"
#include "extract/view_build.h"

enum { TEXT_WORDS = 3 }; /* words from which a literal of code reads like text */

static bool starts_like_url(slice value)
{
	return slice_starts_with(value, SLICE("http://")) ||
	       slice_starts_with(value, SLICE("https://")) ||
	       slice_starts_with(value, SLICE("//")) || slice_starts_with(value, SLICE("/"));
}

/* Words with letters, blanks between them, and none of the marks of code or markup. */
static bool reads_like_text(slice value)
{
	size_t words = 0, letters = 0;
	bool in_word = false;

	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (c == '{' || c == '}' || c == '<' || c == '=' || c == '[' || c == '\\')
			return false;
		letters += word_is_alpha(c) || (c & 0x80);
		words += !in_word && c != ' ';
		in_word = c != ' ';
	}
	return words >= TEXT_WORDS && letters * 2 > value.len;
}

/* The rule under which a literal is noise; false when it is none. */
static bool noise_of(const struct script_literal *l, enum noise_rule *ret_rule)
{
	bool number = !l->string;

	if (noise_names_content(l->name) && !noise_names_token(l->name))
		return false;
	if (noise_names_build(l->name))
		*ret_rule = NOISE_BUILD_IDS;
	else if (number && noise_names_performance(l->name))
		*ret_rule = NOISE_PERFORMANCE;
	else if (noise_names_token(l->name) || noise_is_token(l->value))
		*ret_rule = NOISE_SCRIPT_TOKENS;
	else if (noise_is_epoch(l->value))
		*ret_rule = NOISE_SCRIPT_TOKENS;
	else if (noise_names_clock(l->name) && (number || noise_is_instant(l->value)))
		*ret_rule = NOISE_SCRIPT_TOKENS;
	else
		return false;
	return true;
}

static int add_literal(struct view *v, const struct script_literal *l)
{
	enum noise_rule rule;
	int rc;

	if (noise_of(l, &rule) && noise_applies(&v->noise, rule, l->value))
		return view_add_pair(v, VIEW_DATA, NULL, l->name, SLICE("*"));
	if (!l->string || !starts_like_url(l->value))
		return view_add_pair(v, VIEW_DATA, NULL, l->name, l->value);
	buf_reset(&v->scratch);
	rc = noise_url(&v->noise, NOISE_URL_EMBED, l->value, &v->scratch);
	if (rc)
		return view_limited(v, rc);
	return view_add_pair(v, VIEW_DATA, NULL, l->name, buf_slice(&v->scratch));
}

static bool carries_content(const struct script_literal *l)
{
	if (l->string && reads_like_text(l->value))
		return true;
	return l->name.len && noise_names_content(l->name) && l->value.len;
}

int view_script(struct view *v, enum view_script type, slice text)
{
	struct script_literal literal;
	struct script_scanner s;
	int rc = 0;

	if (text.len == 0)
		return 0;
	if (type == VIEW_SCRIPT_CODE && !noise_applies(&v->noise, NOISE_SCRIPT_CODE, text))
		return view_add(v, VIEW_MARKUP, "script", text);
	script_scanner_init(&s, text);
	while (rc == 0 && script_scanner_next(&s, &literal)) {
		if (type == VIEW_SCRIPT_CODE && !carries_content(&literal))
			continue;
		if (type == VIEW_SCRIPT_LINKED_DATA)
			rc = view_add_pair(v, VIEW_DATA, NULL, literal.name, literal.value);
		else
			rc = add_literal(v, &literal);
	}
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
