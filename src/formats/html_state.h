/*
 * What the files of the tokenizer share, and nobody else. State names are those of the standard
 * (HTML, 13.2.5.1 to .80). Left out, because they tell nothing but parse errors:
 *
 *   - the four "comment less-than sign" states: what they consume, "comment" and "comment end dash"
 *     would consume alike;
 *   - the states within a doctype: in every one of them it ends at the first ">";
 *   - the "ambiguous ampersand" state: it appends letters and digits, as its return state does.
 *
 * RCDATA, RAWTEXT and the two script states share those that look for an end tag: `back` says to
 * whom to return.
 */
#ifndef FORMATS_HTML_STATE_H
#define FORMATS_HTML_STATE_H

#include <emmintrin.h>

#include "base/slice.h"
#include "base/word.h"
#include "formats/html_token.h"

/* clang-format off */
#define HTML_STATES(X) \
	X(DATA, html_data_state) \
	X(RCDATA, html_rcdata_state) \
	X(RAWTEXT, html_rawtext_state) \
	X(SCRIPT_DATA, html_script_data_state) \
	X(PLAINTEXT, html_plaintext_state) \
	X(TAG_OPEN, html_tag_open_state) \
	X(END_TAG_OPEN, html_end_tag_open_state) \
	X(TAG_NAME, html_tag_name_state) \
	X(RAW_LESS_THAN, html_raw_less_than_state) \
	X(RAW_END_TAG_OPEN, html_raw_end_tag_open_state) \
	X(RAW_END_TAG_NAME, html_raw_end_tag_name_state) \
	X(SCRIPT_LESS_THAN, html_script_less_than_state) \
	X(SCRIPT_ESCAPE_START, html_script_escape_start_state) \
	X(SCRIPT_ESCAPE_START_DASH, html_script_escape_start_dash_state) \
	X(SCRIPT_ESCAPED, html_script_escaped_state) \
	X(SCRIPT_ESCAPED_DASH, html_script_escaped_dash_state) \
	X(SCRIPT_ESCAPED_DASH_DASH, html_script_escaped_dash_dash_state) \
	X(SCRIPT_ESCAPED_LESS_THAN, html_script_escaped_less_than_state) \
	X(SCRIPT_DOUBLE_ESCAPE_START, html_script_double_escape_start_state) \
	X(SCRIPT_DOUBLE_ESCAPED, html_script_double_escaped_state) \
	X(SCRIPT_DOUBLE_ESCAPED_DASH, html_script_double_escaped_dash_state) \
	X(SCRIPT_DOUBLE_ESCAPED_DASH_DASH, html_script_double_escaped_dash_dash_state) \
	X(SCRIPT_DOUBLE_ESCAPED_LESS_THAN, html_script_double_escaped_less_than_state) \
	X(SCRIPT_DOUBLE_ESCAPE_END, html_script_double_escape_end_state) \
	X(BEFORE_ATTR_NAME, html_before_attr_name_state) \
	X(ATTR_NAME, html_attr_name_state) \
	X(AFTER_ATTR_NAME, html_after_attr_name_state) \
	X(BEFORE_ATTR_VALUE, html_before_attr_value_state) \
	X(ATTR_VALUE_DOUBLE_QUOTED, html_attr_value_double_quoted_state) \
	X(ATTR_VALUE_SINGLE_QUOTED, html_attr_value_single_quoted_state) \
	X(ATTR_VALUE_UNQUOTED, html_attr_value_unquoted_state) \
	X(AFTER_ATTR_VALUE_QUOTED, html_after_attr_value_quoted_state) \
	X(SELF_CLOSING_START_TAG, html_self_closing_start_tag_state) \
	X(BOGUS_COMMENT, html_bogus_comment_state) \
	X(MARKUP_DECLARATION_OPEN, html_markup_declaration_open_state) \
	X(COMMENT_START, html_comment_start_state) \
	X(COMMENT_START_DASH, html_comment_start_dash_state) \
	X(COMMENT, html_comment_state) \
	X(COMMENT_END_DASH, html_comment_end_dash_state) \
	X(COMMENT_END, html_comment_end_state) \
	X(COMMENT_END_BANG, html_comment_end_bang_state) \
	X(DOCTYPE, html_doctype_state) \
	X(CDATA_SECTION, html_cdata_section_state) \
	X(CDATA_SECTION_BRACKET, html_cdata_section_bracket_state) \
	X(CDATA_SECTION_END, html_cdata_section_end_state) \
	X(CHARACTER_REFERENCE, html_character_reference_state) \
	X(NAMED_CHARACTER_REFERENCE, html_named_character_reference_state) \
	X(NUMERIC_CHARACTER_REFERENCE, html_numeric_character_reference_state) \
	X(HEXADECIMAL_START, html_hexadecimal_start_state) \
	X(DECIMAL_START, html_decimal_start_state) \
	X(HEXADECIMAL, html_hexadecimal_state) \
	X(DECIMAL, html_decimal_state)
/* clang-format on */

enum html_state {
#define X(id, function) HTML_STATE_##id,
	HTML_STATES(X)
#undef X
		HTML_STATE_COUNT,
};

/* A state's function is called with at < end; it consumes at least a byte or changes the state. */
#define X(id, function) void function(struct html_tokenizer *t);
HTML_STATES(X)
#undef X

/* The end of the input as each state takes it; the tokenizer is in DATA then, or gave a token. */
void html_markup_end_of_file(struct html_tokenizer *t);
void html_reference_end_of_file(struct html_tokenizer *t);

/* Gives text: bytes of the chunk, of temp, or ones that live for ever. */
static inline void html_emit_text(struct html_tokenizer *t, slice text)
{
	t->token.kind = HTML_TEXT;
	t->token.text = text;
	t->token.cut = false;
	t->ready = true;
}

/* Gives the text before p, if there is any, and stops there. */
static inline bool html_emit_until(struct html_tokenizer *t, const char *p)
{
	if (p == t->at)
		return false;
	html_emit_text(t, (slice){t->at, (size_t)(p - t->at)});
	t->at = p;
	return true;
}

/* Drops the line feed of a CR LF whose CR was read as one: true when that used up the chunk. */
static inline bool html_skip_lf(struct html_tokenizer *t)
{
	if (!t->after_cr)
		return false;
	t->after_cr = false;
	t->at += *t->at == '\n';
	return t->at == t->end;
}

/* Collects bytes of the look ahead. There is room: callers stop in time. */
static inline void html_temp_add(struct html_tokenizer *t, char c)
{
	t->temp[t->temp_len++] = c;
}

/* Forgets the scratch and starts a piece of up to max bytes. */
void html_scratch_start(struct html_tokenizer *t, size_t max);

/* Adds to the piece being read what there is room for. */
void html_put(struct html_tokenizer *t, const char *p, size_t n);

/* Starts a tag whose name follows. */
void html_begin_tag(struct html_tokenizer *t, enum html_token_kind kind);

/* Starts to read a character reference behind its ampersand, for the state we are in. */
void html_begin_reference(struct html_tokenizer *t);

/*
 * Looking for the next byte that means something, sixteen at a time where the processor can: this
 * is where a tokenizer spends its time.
 */

#ifdef __SSE2__
#endif

/* First of a, b, CR and NUL in [p, end), or end. */
static inline const char *html_scan(const char *p, const char *end, char a, char b)
{
#ifdef __SSE2__
	const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), cr = _mm_set1_epi8('\r');

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i hit =
			_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, va), _mm_cmpeq_epi8(v, vb)),
				_mm_or_si128(_mm_cmpeq_epi8(v, cr),
					_mm_cmpeq_epi8(v, _mm_setzero_si128())));
		int mask = _mm_movemask_epi8(hit);

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
#endif
	while (p < end && *p != a && *p != b && *p != '\r' && *p != '\0')
		p++;
	return p;
}

/*
 * Whether a tag belongs to SVG or MathML, after HTML 13.2.6 ("adjusted current node") and 13.2.6.5
 * (foreign content), without a tree: a stack of the svg and math elements that are open and of
 * the elements inside them in which HTML starts anew (integration points). What differs from a real
 * tree: an end tag that closes an element around an unclosed <svg> is known by its name alone, and
 * beyond HTML_FOREIGN_MAX nothing more is pushed.
 */

/* Sets `foreign` of the tag just read, and follows it in or out. */
void html_foreign_tag(struct html_tokenizer *t);

/* Whether what comes next is foreign content, where CDATA sections are. */
bool html_in_foreign(const struct html_tokenizer *t);

/*
 * Named character references (HTML, section 13.5): the whole list, by longest match.
 */

/* Bytes of the longest name, semicolon included: CounterClockwiseContourIntegral; */
enum { HTML_ENTITY_NAME_MAX = 32, HTML_ENTITY_VALUE_MAX = 6 };

/*
 * Length of the longest name that text (what follows the ampersand) begins with, 0 for none;
 * *ret_value is then its UTF-8, which lives for ever.
 */
size_t html_entity_match(slice text, slice *ret_value);

#endif
