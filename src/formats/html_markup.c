/* Comments, doctypes and CDATA sections: HTML 13.2.5.41 to .71. */
#include <strings.h>

#include "base/utf8.h"
#include "formats/html_state.h"

static void emit_markup(struct html_tokenizer *t, enum html_token_kind kind)
{
	t->token.kind = kind;
	t->token.text = (slice){t->scratch.len ? t->scratch.ptr : "", t->scratch.len};
	t->state = HTML_STATE_DATA;
	t->ready = true;
}

/* Adds what stands before the byte c; true when c has been reached and stepped over. */
static bool put_until(struct html_tokenizer *t, char c)
{
	const char *p;

	if (html_skip_lf(t))
		return false;
	p = html_scan(t->at, t->end, c, c);
	html_put(t, t->at, (size_t)(p - t->at));
	t->at = p;
	if (p == t->end)
		return false;
	t->at++;
	if (*p == c)
		return true;
	t->after_cr = *p == '\r';
	if (*p == '\r')
		html_put(t, "\n", 1);
	else
		html_put(t, UTF8_REPLACEMENT, 3);
	return false;
}

void html_bogus_comment_state(struct html_tokenizer *t)
{
	if (put_until(t, '>'))
		emit_markup(t, HTML_COMMENT);
}

void html_doctype_state(struct html_tokenizer *t)
{
	if (put_until(t, '>'))
		emit_markup(t, HTML_DOCTYPE);
}

/* Whether the word begins with temp and then c. */
static bool goes_on(const struct html_tokenizer *t, slice word, char c)
{
	return t->temp_len < word.len && c == word.ptr[t->temp_len] &&
	       memcmp(t->temp, word.ptr, t->temp_len) == 0;
}

static bool goes_on_in_any_case(const struct html_tokenizer *t, slice word, char c)
{
	return t->temp_len < word.len && word_lower(c) == word.ptr[t->temp_len] &&
	       strncasecmp(t->temp, word.ptr, t->temp_len) == 0;
}

static void begin_bogus_comment(struct html_tokenizer *t)
{
	html_scratch_start(t, HTML_COMMENT_MAX);
	html_put(t, t->temp, t->temp_len);
	t->state = HTML_STATE_BOGUS_COMMENT;
}

/* Looks ahead for "--", "DOCTYPE" in any case, and "[CDATA[", which has to match exactly. */
void html_markup_declaration_open_state(struct html_tokenizer *t)
{
	char c = *t->at;

	if (!goes_on(t, SLICE("--"), c) && !goes_on(t, SLICE("[CDATA["), c) &&
		!goes_on_in_any_case(t, SLICE("doctype"), c)) {
		begin_bogus_comment(t);
		return;
	}
	html_temp_add(t, c);
	t->at++;
	if (t->temp_len == 2 && c == '-') {
		html_scratch_start(t, HTML_COMMENT_MAX);
		t->state = HTML_STATE_COMMENT_START;
	} else if (t->temp_len == 7 && c == '[') {
		if (html_in_foreign(t))
			t->state = HTML_STATE_CDATA_SECTION;
		else
			begin_bogus_comment(t);
	} else if (t->temp_len == 7) {
		html_scratch_start(t, HTML_COMMENT_MAX);
		t->state = HTML_STATE_DOCTYPE;
	}
}

/* The byte behind dashes: it ends the comment, or they were part of it. */
static void after_dashes(struct html_tokenizer *t, const char *dashes)
{
	if (*t->at == '>') {
		t->at++;
		emit_markup(t, HTML_COMMENT);
		return;
	}
	html_put(t, dashes, strlen(dashes));
	t->state = HTML_STATE_COMMENT;
}

/* Steps over the byte c if it comes next. */
static bool step(struct html_tokenizer *t, char c, enum html_state next)
{
	if (*t->at != c)
		return false;
	t->at++;
	t->state = next;
	return true;
}

void html_comment_start_state(struct html_tokenizer *t)
{
	if (!step(t, '-', HTML_STATE_COMMENT_START_DASH))
		after_dashes(t, "");
}

void html_comment_start_dash_state(struct html_tokenizer *t)
{
	if (!step(t, '-', HTML_STATE_COMMENT_END))
		after_dashes(t, "-");
}

void html_comment_state(struct html_tokenizer *t)
{
	if (put_until(t, '-'))
		t->state = HTML_STATE_COMMENT_END_DASH;
}

void html_comment_end_dash_state(struct html_tokenizer *t)
{
	if (step(t, '-', HTML_STATE_COMMENT_END))
		return;
	html_put(t, "-", 1);
	t->state = HTML_STATE_COMMENT;
}

void html_comment_end_state(struct html_tokenizer *t)
{
	if (step(t, '!', HTML_STATE_COMMENT_END_BANG))
		return;
	if (step(t, '-', HTML_STATE_COMMENT_END))
		html_put(t, "-", 1);
	else
		after_dashes(t, "--");
}

void html_comment_end_bang_state(struct html_tokenizer *t)
{
	if (step(t, '-', HTML_STATE_COMMENT_END_DASH))
		html_put(t, "--!", 3);
	else
		after_dashes(t, "--!");
}

void html_cdata_section_state(struct html_tokenizer *t)
{
	if (html_skip_lf(t) || html_emit_until(t, html_scan(t->at, t->end, ']', ']')))
		return;
	if (step(t, ']', HTML_STATE_CDATA_SECTION_BRACKET))
		return;
	t->after_cr = *t->at == '\r';
	t->at++;
	html_emit_text(t, t->after_cr ? SLICE("\n") : SLICE(UTF8_REPLACEMENT));
}

void html_cdata_section_bracket_state(struct html_tokenizer *t)
{
	if (step(t, ']', HTML_STATE_CDATA_SECTION_END))
		return;
	t->state = HTML_STATE_CDATA_SECTION;
	html_emit_text(t, SLICE("]"));
}

void html_cdata_section_end_state(struct html_tokenizer *t)
{
	if (step(t, '>', HTML_STATE_DATA))
		return;
	if (step(t, ']', HTML_STATE_CDATA_SECTION_END)) {
		html_emit_text(t, SLICE("]"));
		return;
	}
	t->state = HTML_STATE_CDATA_SECTION;
	html_emit_text(t, SLICE("]]"));
}

void html_markup_end_of_file(struct html_tokenizer *t)
{
	enum html_state state = t->state;

	t->state = HTML_STATE_DATA;
	switch (state) {
	case HTML_STATE_MARKUP_DECLARATION_OPEN:
		begin_bogus_comment(t);
		emit_markup(t, HTML_COMMENT);
		break;
	case HTML_STATE_CDATA_SECTION:
		break;
	case HTML_STATE_CDATA_SECTION_BRACKET:
		html_emit_text(t, SLICE("]"));
		break;
	case HTML_STATE_CDATA_SECTION_END:
		html_emit_text(t, SLICE("]]"));
		break;
	case HTML_STATE_DOCTYPE:
		emit_markup(t, HTML_DOCTYPE);
		break;
	default:
		emit_markup(t, HTML_COMMENT);
	}
}
