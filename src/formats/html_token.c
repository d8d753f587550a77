/* The driver, and the states of plain text: HTML 13.2.5.1 to .5, .9 to .14. */
#include "formats/html_token.h"

#include "base/err.h"
#include "base/utf8.h"
#include "formats/html_state.h"

typedef void state_function(struct html_tokenizer *t);

static state_function *const STATES[HTML_STATE_COUNT] = {
#define X(id, function) [HTML_STATE_##id] = (function),
	HTML_STATES(X)
#undef X
};

void html_init(struct html_tokenizer *t, unsigned flags)
{
	buf_init(&t->scratch, HTML_TAG_MAX);
	t->at = t->end = t->chunk = NULL;
	t->chunk_at = t->from = 0;
	t->flags = flags;
	t->state = HTML_STATE_DATA;
	t->raw = HTML_TAG_OTHER;
	t->eof = t->ready = t->after_cr = t->dropped = t->cut = t->is_odd = false;
	t->temp_len = 0;
	t->foreign_len = 0;
	t->span_count = 0;
	t->token = (struct html_token){0};
}

void html_release(struct html_tokenizer *t)
{
	buf_release(&t->scratch);
}

void html_feed(struct html_tokenizer *t, slice chunk)
{
	t->chunk_at = html_position(t);
	t->at = t->chunk = chunk.ptr;
	t->end = chunk.len ? chunk.ptr + chunk.len : chunk.ptr;
}

void html_finish(struct html_tokenizer *t)
{
	t->eof = true;
}

static void end_of_file(struct html_tokenizer *t)
{
	enum html_state state = t->state;

	if (state >= HTML_STATE_CHARACTER_REFERENCE) {
		html_reference_end_of_file(t);
		return;
	}
	t->state = HTML_STATE_DATA;
	switch (state) {
	case HTML_STATE_TAG_OPEN:
	case HTML_STATE_RAW_LESS_THAN:
	case HTML_STATE_SCRIPT_LESS_THAN:
	case HTML_STATE_SCRIPT_ESCAPED_LESS_THAN:
		html_emit_text(t, SLICE("<"));
		break;
	case HTML_STATE_END_TAG_OPEN:
		html_emit_text(t, SLICE("</"));
		break;
	case HTML_STATE_RAW_END_TAG_OPEN:
	case HTML_STATE_RAW_END_TAG_NAME:
		html_emit_text(t, (slice){t->temp, t->temp_len});
		break;
	default:
		if (state >= HTML_STATE_BOGUS_COMMENT) {
			t->state = state;
			html_markup_end_of_file(t);
		}
	}
}

int html_next(struct html_tokenizer *t, const struct html_token **ret_token)
{
	if (t->ready)
		t->from = html_position(t);
	t->ready = false;
	while (!t->ready) {
		if (t->at != t->end)
			STATES[t->state](t);
		else if (t->eof && t->state != HTML_STATE_DATA)
			end_of_file(t);
		else
			return ERR_END;
	}
	t->token.from = t->from;
	t->token.to = html_position(t);
	*ret_token = &t->token;
	return 0;
}

void html_scratch_start(struct html_tokenizer *t, size_t max)
{
	buf_truncate(&t->scratch, 0);
	t->room = max;
	t->cut = t->dropped = false;
	t->token.cut = false;
}

static void put_slowly(struct html_tokenizer *t, const char *p, size_t n)
{
	if (t->dropped)
		return;
	if (n > t->room) {
		n = t->room;
		t->cut = t->token.cut = true;
	}
	if (buf_add(&t->scratch, (slice){p, n})) {
		t->room = 0;
		t->cut = t->token.cut = true;
	} else {
		t->room -= n;
	}
}

void html_put(struct html_tokenizer *t, const char *p, size_t n)
{
	struct buf *b = &t->scratch;

	if (n > t->room || n >= b->cap - b->len) {
		put_slowly(t, p, n);
		return;
	}
	memcpy(b->ptr + b->len, p, n);
	b->len += n;
	t->room -= n;
}

/* The byte that ended a run of text, when it is neither "<" nor "&". */
static void odd_byte(struct html_tokenizer *t, char c)
{
	if (c == '\r') {
		t->after_cr = true;
		html_emit_text(t, SLICE("\n"));
	} else if (t->state != HTML_STATE_DATA) {
		html_emit_text(t, SLICE(UTF8_REPLACEMENT));
	} /* else a NUL, which the tree builder would drop in HTML */
}

/* All states of text but the escaped ones; amp is "&", or "<" where there are no references. */
static void text_state(struct html_tokenizer *t, char amp, enum html_state less_than)
{
	char c;

	if (html_skip_lf(t))
		return;
	/* Most often a tag follows the text that was given before. */
	if (*t->at != '<' && html_emit_until(t, html_scan(t->at, t->end, '<', amp)))
		return;
	c = *t->at++;
	if (c == '<') {
		t->back = t->state;
		t->state = less_than;
		if (less_than == HTML_STATE_TAG_OPEN && t->at != t->end)
			html_tag_open_state(t);
	} else if (c == '&') {
		html_begin_reference(t);
	} else {
		odd_byte(t, c);
	}
}

void html_data_state(struct html_tokenizer *t)
{
	text_state(t, '&', HTML_STATE_TAG_OPEN);
}

void html_rcdata_state(struct html_tokenizer *t)
{
	text_state(t, '&', HTML_STATE_RAW_LESS_THAN);
}

void html_rawtext_state(struct html_tokenizer *t)
{
	text_state(t, '<', HTML_STATE_RAW_LESS_THAN);
}

void html_script_data_state(struct html_tokenizer *t)
{
	text_state(t, '<', HTML_STATE_SCRIPT_LESS_THAN);
}

void html_plaintext_state(struct html_tokenizer *t)
{
	if (html_skip_lf(t))
		return;
	if (!html_emit_until(t, html_scan(t->at, t->end, '\r', '\r')))
		odd_byte(t, *t->at++);
}

void html_raw_less_than_state(struct html_tokenizer *t)
{
	if (*t->at != '/') {
		t->state = t->back;
		html_emit_text(t, SLICE("<"));
		return;
	}
	t->at++;
	t->temp_len = 0;
	html_temp_add(t, '<');
	html_temp_add(t, '/');
	t->state = HTML_STATE_RAW_END_TAG_OPEN;
}

static void not_an_end_tag(struct html_tokenizer *t)
{
	t->state = t->back;
	html_emit_text(t, (slice){t->temp, t->temp_len});
}

void html_raw_end_tag_open_state(struct html_tokenizer *t)
{
	if (word_is_alpha(*t->at))
		t->state = HTML_STATE_RAW_END_TAG_NAME;
	else
		not_an_end_tag(t);
}

/* Collects no more than what still is the appropriate end tag's name. */
void html_raw_end_tag_name_state(struct html_tokenizer *t)
{
	slice name = html_tag_name(t->raw);

	for (; t->at != t->end; t->at++) {
		size_t n = t->temp_len - 2U;
		char c = *t->at;

		if (n == name.len) {
			if (!word_is_space(c) && c != '/' && c != '>')
				break;
			html_begin_tag(t, HTML_END_TAG);
			html_put(t, name.ptr, name.len);
			return;
		}
		if (word_lower(c) != name.ptr[n])
			break;
		html_temp_add(t, c);
	}
	if (t->at != t->end)
		not_an_end_tag(t);
}
