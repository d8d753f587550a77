/* Script data and its escaped forms: HTML 13.2.5.15 to .31. */
#include "base/utf8.h"
#include "formats/html_state.h"

enum { SCRIPT_LEN = sizeof "script" - 1 };

/* A byte that is text, and the state it leads to. */
static void take(struct html_tokenizer *t, enum html_state next)
{
	html_emit_text(t, (slice){t->at, 1});
	t->at++;
	t->state = next;
}

static void begin_end_tag(struct html_tokenizer *t, enum html_state back)
{
	t->at++;
	t->temp_len = 0;
	html_temp_add(t, '<');
	html_temp_add(t, '/');
	t->back = back;
	t->state = HTML_STATE_RAW_END_TAG_OPEN;
}

void html_script_less_than_state(struct html_tokenizer *t)
{
	if (*t->at == '/') {
		begin_end_tag(t, HTML_STATE_SCRIPT_DATA);
	} else if (*t->at == '!') {
		t->at++;
		t->state = HTML_STATE_SCRIPT_ESCAPE_START;
		html_emit_text(t, SLICE("<!"));
	} else {
		t->state = HTML_STATE_SCRIPT_DATA;
		html_emit_text(t, SLICE("<"));
	}
}

void html_script_escape_start_state(struct html_tokenizer *t)
{
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_ESCAPE_START_DASH);
	else
		t->state = HTML_STATE_SCRIPT_DATA;
}

void html_script_escape_start_dash_state(struct html_tokenizer *t)
{
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_ESCAPED_DASH_DASH);
	else
		t->state = HTML_STATE_SCRIPT_DATA;
}

/* Gives the text up to the next "<" or "-": true when that was all there is to do now. */
static bool escaped_text(struct html_tokenizer *t)
{
	if (html_skip_lf(t) || html_emit_until(t, html_scan(t->at, t->end, '<', '-')))
		return true;
	if (*t->at == '\r') {
		t->after_cr = true;
		html_emit_text(t, SLICE("\n"));
	} else if (*t->at == '\0') {
		html_emit_text(t, SLICE(UTF8_REPLACEMENT));
	} else {
		return false;
	}
	t->at++;
	return true;
}

static void escaped_less_than(struct html_tokenizer *t)
{
	t->at++;
	t->state = HTML_STATE_SCRIPT_ESCAPED_LESS_THAN;
}

void html_script_escaped_state(struct html_tokenizer *t)
{
	if (escaped_text(t))
		return;
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_ESCAPED_DASH);
	else
		escaped_less_than(t);
}

void html_script_escaped_dash_state(struct html_tokenizer *t)
{
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_ESCAPED_DASH_DASH);
	else if (*t->at == '<')
		escaped_less_than(t);
	else
		t->state = HTML_STATE_SCRIPT_ESCAPED;
}

void html_script_escaped_dash_dash_state(struct html_tokenizer *t)
{
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_ESCAPED_DASH_DASH);
	else if (*t->at == '<')
		escaped_less_than(t);
	else if (*t->at == '>')
		take(t, HTML_STATE_SCRIPT_DATA);
	else
		t->state = HTML_STATE_SCRIPT_ESCAPED;
}

void html_script_escaped_less_than_state(struct html_tokenizer *t)
{
	if (*t->at == '/') {
		begin_end_tag(t, HTML_STATE_SCRIPT_ESCAPED);
		return;
	}
	t->temp_len = 0;
	t->state = word_is_alpha(*t->at) ? HTML_STATE_SCRIPT_DOUBLE_ESCAPE_START
					 : HTML_STATE_SCRIPT_ESCAPED;
	html_emit_text(t, SLICE("<"));
}

/*
 * Reads a word: behind "script" comes the state `then`, behind any other `otherwise`. Of a word
 * that is too long only so much is kept that this can be seen. The byte behind it is text, too.
 */
static void double_escape(struct html_tokenizer *t, enum html_state then, enum html_state otherwise)
{
	const char *p = t->at;
	bool is_script;

	for (; p != t->end && word_is_alpha(*p); p++)
		if (t->temp_len <= SCRIPT_LEN)
			html_temp_add(t, word_lower(*p));
	if (html_emit_until(t, p))
		return;
	is_script = (word_is_space(*p) || *p == '/' || *p == '>') &&
		    slice_eq((slice){t->temp, t->temp_len}, SLICE("script"));
	t->state = is_script ? then : otherwise;
}

void html_script_double_escape_start_state(struct html_tokenizer *t)
{
	double_escape(t, HTML_STATE_SCRIPT_DOUBLE_ESCAPED, HTML_STATE_SCRIPT_ESCAPED);
}

void html_script_double_escape_end_state(struct html_tokenizer *t)
{
	double_escape(t, HTML_STATE_SCRIPT_ESCAPED, HTML_STATE_SCRIPT_DOUBLE_ESCAPED);
}

static void double_escaped_less_than(struct html_tokenizer *t)
{
	take(t, HTML_STATE_SCRIPT_DOUBLE_ESCAPED_LESS_THAN);
}

void html_script_double_escaped_state(struct html_tokenizer *t)
{
	if (escaped_text(t))
		return;
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_DOUBLE_ESCAPED_DASH);
	else
		double_escaped_less_than(t);
}

void html_script_double_escaped_dash_state(struct html_tokenizer *t)
{
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_DOUBLE_ESCAPED_DASH_DASH);
	else if (*t->at == '<')
		double_escaped_less_than(t);
	else
		t->state = HTML_STATE_SCRIPT_DOUBLE_ESCAPED;
}

void html_script_double_escaped_dash_dash_state(struct html_tokenizer *t)
{
	if (*t->at == '-')
		take(t, HTML_STATE_SCRIPT_DOUBLE_ESCAPED_DASH_DASH);
	else if (*t->at == '<')
		double_escaped_less_than(t);
	else if (*t->at == '>')
		take(t, HTML_STATE_SCRIPT_DATA);
	else
		t->state = HTML_STATE_SCRIPT_DOUBLE_ESCAPED;
}

void html_script_double_escaped_less_than_state(struct html_tokenizer *t)
{
	if (*t->at == '/') {
		t->temp_len = 0;
		take(t, HTML_STATE_SCRIPT_DOUBLE_ESCAPE_END);
	} else {
		t->state = HTML_STATE_SCRIPT_DOUBLE_ESCAPED;
	}
}
