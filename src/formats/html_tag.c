/* Tags and their attributes: HTML 13.2.5.6 to .8 and .32 to .40. */
#include <stdint.h>

#include "base/utf8.h"
#include "formats/html_state.h"
#include "formats/html_tags.inc"
#include "formats/html_token.h"

static const slice TAG_NAMES[HTML_TAG_COUNT] = {[HTML_TAG_OTHER] = SLICE_INIT(""),
#define X(id, name) [HTML_TAG_##id] = SLICE_INIT(name),
	HTML_TAGS(X)
#undef X
};

/* The first eight bytes as a number, in which no two names of ours are equal. */
static uint64_t key_of(slice name)
{
	uint64_t key = 0;

	for (size_t i = 0; i < name.len && i < sizeof key; i++)
		key |= (uint64_t)(unsigned char)name.ptr[i] << (56 - 8 * i);
	return key;
}

enum html_tag html_tag_of(slice name)
{
	enum html_tag tag = SLOTS[key_of(name) * MULTIPLIER >> (64 - SLOT_BITS)];

	return slice_eq(name, TAG_NAMES[tag]) ? tag : HTML_TAG_OTHER;
}

slice html_tag_name(enum html_tag tag)
{
	return TAG_NAMES[tag];
}

enum {
	ENDS_TAG_NAME = 1,
	ENDS_ATTR_NAME = 2,
	ENDS_UNQUOTED = 4,
	ENDS_NAME = ENDS_TAG_NAME | ENDS_ATTR_NAME,
	ENDS_ALL = ENDS_NAME | ENDS_UNQUOTED,
};

/* What a run of bytes is read up to. */
static const unsigned char ENDS[256] = {
	['\0'] = ENDS_ALL,
	['\t'] = ENDS_ALL,
	['\n'] = ENDS_ALL,
	['\f'] = ENDS_ALL,
	['\r'] = ENDS_ALL,
	[' '] = ENDS_ALL,
	['/'] = ENDS_NAME,
	['>'] = ENDS_ALL,
	['='] = ENDS_ATTR_NAME,
	['&'] = ENDS_UNQUOTED,
};

static const char *run_end(const struct html_tokenizer *t, unsigned char ends)
{
	const char *p = t->at;

	while (p != t->end && !(ENDS[(unsigned char)*p] & ends))
		p++;
	return p;
}

/*
 * States that follow each other in every tag call each other as long as there are bytes, without
 * the way round by html_next.
 */

/* Most names are short, and there is room for them: one pass. */
static void read_short_name(struct html_tokenizer *t, unsigned char ends)
{
	struct buf *b = &t->scratch;
	size_t room = t->room < b->cap - b->len ? t->room : b->cap - b->len;
	size_t left = (size_t)(t->end - t->at), most = left < room ? left : room, n = 0;
	char *to = b->ptr + b->len;

	for (; n < most && !(ENDS[(unsigned char)t->at[n]] & ends); n++)
		to[n] = word_lower(t->at[n]);
	if (n == room) /* it may be too long: from the start, then */
		return;
	t->at += n;
	t->room -= n;
	b->len += n;
}

/* Reads a run of a name in lower case; true when the byte that ended it is there. */
static bool read_name(struct html_tokenizer *t, unsigned char ends)
{
	if (t->scratch.cap)
		read_short_name(t, ends);
	if (t->at != t->end && *t->at != '\0' && (ENDS[(unsigned char)*t->at] & ends))
		return true;
	for (;;) {
		const char *p = run_end(t, ends);
		size_t from = t->scratch.len;

		html_put(t, t->at, (size_t)(p - t->at));
		for (size_t i = from; i < t->scratch.len; i++)
			t->scratch.ptr[i] = word_lower(t->scratch.ptr[i]);
		t->at = p;
		if (p == t->end)
			return false;
		if (*p != '\0')
			return true;
		html_put(t, UTF8_REPLACEMENT, 3);
		t->at++;
	}
}

void html_begin_tag(struct html_tokenizer *t, enum html_token_kind kind)
{
	html_scratch_start(t, HTML_NAME_MAX);
	t->span_count = 0;
	t->names_seen = 0;
	t->token.kind = kind;
	t->token.self_closing = t->token.has_doubles = false;
	t->state = HTML_STATE_TAG_NAME;
}

void html_tag_open_state(struct html_tokenizer *t)
{
	char c = *t->at;

	if (word_is_alpha(c)) {
		html_begin_tag(t, HTML_START_TAG);
		html_tag_name_state(t);
		return;
	}
	if (c == '/' || c == '!') {
		t->at++;
		t->temp_len = 0;
		t->state = c == '/' ? HTML_STATE_END_TAG_OPEN : HTML_STATE_MARKUP_DECLARATION_OPEN;
		if (c == '/' && t->at != t->end)
			html_end_tag_open_state(t);
	} else if (c == '?') {
		html_scratch_start(t, HTML_COMMENT_MAX);
		t->state = HTML_STATE_BOGUS_COMMENT;
	} else {
		t->is_odd = true;
		t->state = HTML_STATE_DATA;
		html_emit_text(t, SLICE("<"));
	}
}

void html_end_tag_open_state(struct html_tokenizer *t)
{
	if (word_is_alpha(*t->at)) {
		html_begin_tag(t, HTML_END_TAG);
		html_tag_name_state(t);
	} else if (*t->at == '>') {
		t->at++;
		t->state = HTML_STATE_DATA;
	} else {
		html_scratch_start(t, HTML_COMMENT_MAX);
		t->state = HTML_STATE_BOGUS_COMMENT;
	}
}

/* What follows a start tag of HTML: the states that the tree builder would switch to. */
static enum html_state content_state(enum html_tag tag)
{
	switch (tag) {
	case HTML_TAG_TITLE:
	case HTML_TAG_TEXTAREA:
		return HTML_STATE_RCDATA;
	case HTML_TAG_STYLE:
	case HTML_TAG_XMP:
	case HTML_TAG_IFRAME:
	case HTML_TAG_NOEMBED:
	case HTML_TAG_NOFRAMES:
		return HTML_STATE_RAWTEXT;
	case HTML_TAG_SCRIPT:
		return HTML_STATE_SCRIPT_DATA;
	case HTML_TAG_PLAINTEXT:
		return HTML_STATE_PLAINTEXT;
	default:
		return HTML_STATE_DATA;
	}
}

/* Gives the tag that has been read and goes to the state that its name asks for. */
static void emit_tag(struct html_tokenizer *t)
{
	const char *scratch = t->scratch.ptr;
	struct html_token *token = &t->token;

	token->name.ptr = scratch;
	token->text = (slice){0};
	token->tag = html_tag_of(token->name);
	for (size_t i = 0; i < t->span_count; i++) {
		const struct html_span *span = &t->spans[i];

		t->attrs[i] = (struct html_attr){
			.name = {scratch + span->name, span->name_len},
			.value = {scratch + span->value, span->value_len},
			.cut = span->cut,
			.from = span->from,
			.value_from = span->value_from,
			.value_to = span->value_to,
		};
	}
	token->attrs = t->attrs;
	token->attr_count = t->span_count;
	html_foreign_tag(t);
	t->raw = token->tag;
	t->state = HTML_STATE_DATA;
	if (token->kind == HTML_START_TAG && !token->foreign && !(t->flags & HTML_XML))
		t->state = content_state(token->tag);
	t->ready = true;
}

/* Behind a name or value: what a byte that is part of neither leads to. */
static void after_piece(struct html_tokenizer *t)
{
	char c = *t->at++;

	if (c == '>')
		emit_tag(t);
	else
		t->state =
			c == '/' ? HTML_STATE_SELF_CLOSING_START_TAG : HTML_STATE_BEFORE_ATTR_NAME;
}

void html_tag_name_state(struct html_tokenizer *t)
{
	if (!read_name(t, ENDS_TAG_NAME))
		return;
	t->token.name.len = t->scratch.len;
	after_piece(t);
}

static void begin_attr(struct html_tokenizer *t)
{
	t->dropped = t->span_count == HTML_ATTRS_MAX + HTML_ATTRS_MORE;
	if (t->dropped) {
		t->token.cut = true;
		t->room = 0;
	} else {
		t->room = HTML_NAME_MAX;
		t->spans[t->span_count] = (struct html_span){
			.name = (uint32_t)t->scratch.len, .from = html_position(t)};
	}
	t->state = HTML_STATE_ATTR_NAME;
}

void html_before_attr_name_state(struct html_tokenizer *t)
{
	while (word_is_space(*t->at))
		if (++t->at == t->end)
			return;
	if (*t->at == '/' || *t->at == '>') {
		after_piece(t);
		return;
	}
	begin_attr(t);
	if (*t->at == '=')
		html_put(t, t->at++, 1);
}

static slice span_name(const struct html_tokenizer *t, const struct html_span *span)
{
	return (slice){t->scratch.ptr + span->name, span->name_len};
}

/* Whether an earlier attribute has the name just read; a bit per hash makes that rare to ask. */
static bool is_duplicate(struct html_tokenizer *t, const struct html_span *span)
{
	slice name = span_name(t, span);
	unsigned first = (unsigned char)name.ptr[0], last = (unsigned char)name.ptr[name.len - 1];
	uint64_t bit = UINT64_C(1) << ((name.len * 31 + first * 7 + last) & 63);
	bool maybe = t->names_seen & bit;

	t->names_seen |= bit;
	for (size_t i = 0; maybe && i < t->span_count; i++)
		if (slice_eq(span_name(t, &t->spans[i]), name))
			return true;
	return false;
}

/* Names that links are read from, or that say how: a tag full of others still has room for them. */
static bool may_have_link(slice name)
{
	static const slice names[] = {SLICE_INIT("href"), SLICE_INIT("src"), SLICE_INIT("srcset"),
		SLICE_INIT("imagesrcset"), SLICE_INIT("xlink:href"), SLICE_INIT("action"),
		SLICE_INIT("formaction"), SLICE_INIT("data"), SLICE_INIT("data-src"),
		SLICE_INIT("data-srcset"), SLICE_INIT("poster"), SLICE_INIT("background"),
		SLICE_INIT("cite"), SLICE_INIT("content"), SLICE_INIT("http-equiv"),
		SLICE_INIT("rel"), SLICE_INIT("type"), SLICE_INIT("name"), SLICE_INIT("property"),
		SLICE_INIT("style"), SLICE_INIT("longdesc"), SLICE_INIT("codebase"),
		SLICE_INIT("archive"), SLICE_INIT("code"), SLICE_INIT("srcdoc"),
		SLICE_INIT("manifest"), SLICE_INIT("as"), SLICE_INIT("method"),
		SLICE_INIT("formmethod"), SLICE_INIT("data-original"), SLICE_INIT("data-lazy-src"),
		SLICE_INIT("data-poster"), SLICE_INIT("data-bg"),
		SLICE_INIT("data-background-image"), SLICE_INIT("integrity"), SLICE_INIT("nonce"),
		SLICE_INIT("ping")};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (slice_eq(name, names[i]))
			return true;
	return false;
}

/* The name is read: the attribute counts, with an empty value so far, unless it is there already.
 */
static void end_attr_name(struct html_tokenizer *t)
{
	struct html_span *span;
	bool drop;

	if (t->dropped)
		return;
	span = &t->spans[t->span_count];
	span->name_len = (uint32_t)(t->scratch.len - span->name);
	drop = span->name_len == 0;
	if (!drop && t->span_count >= HTML_ATTRS_MAX && !may_have_link(span_name(t, span)))
		drop = t->token.cut = true;
	if (!drop && is_duplicate(t, span))
		drop = t->token.has_doubles = true;
	if (drop) {
		buf_truncate(&t->scratch, span->name);
		t->dropped = true;
		t->room = 0;
		return;
	}
	span->value = (uint32_t)t->scratch.len;
	t->span_count++;
	t->room = HTML_VALUE_MAX;
	t->cut = false;
}

static void end_attr_value(struct html_tokenizer *t)
{
	struct html_span *span;

	if (t->dropped)
		return;
	span = &t->spans[t->span_count - 1];
	span->value_len = (uint32_t)(t->scratch.len - span->value);
	span->value_to = html_position(t);
	span->cut = t->cut;
}

/* The value, or its quote, comes next. */
static void begin_attr_value(struct html_tokenizer *t, enum html_state state)
{
	if (!t->dropped)
		t->spans[t->span_count - 1].value_from = html_position(t);
	t->state = state;
}

void html_attr_name_state(struct html_tokenizer *t)
{
	if (!read_name(t, ENDS_ATTR_NAME))
		return;
	end_attr_name(t);
	if (*t->at == '=') {
		t->at++;
		t->state = HTML_STATE_BEFORE_ATTR_VALUE;
	} else {
		t->state = HTML_STATE_AFTER_ATTR_NAME;
	}
}

void html_after_attr_name_state(struct html_tokenizer *t)
{
	while (word_is_space(*t->at))
		if (++t->at == t->end)
			return;
	if (*t->at == '=') {
		t->at++;
		t->state = HTML_STATE_BEFORE_ATTR_VALUE;
	} else if (*t->at == '/' || *t->at == '>') {
		after_piece(t);
	} else {
		begin_attr(t);
	}
}

void html_before_attr_value_state(struct html_tokenizer *t)
{
	while (word_is_space(*t->at))
		if (++t->at == t->end)
			return;
	switch (*t->at) {
	case '"':
		begin_attr_value(t, HTML_STATE_ATTR_VALUE_DOUBLE_QUOTED);
		t->at++;
		break;
	case '\'':
		begin_attr_value(t, HTML_STATE_ATTR_VALUE_SINGLE_QUOTED);
		t->at++;
		break;
	case '>':
		after_piece(t);
		break;
	default:
		t->is_odd = true;
		begin_attr_value(t, HTML_STATE_ATTR_VALUE_UNQUOTED);
	}
}

static void quoted_value(struct html_tokenizer *t, char quote)
{
	const char *p;

	if (html_skip_lf(t))
		return;
	p = html_scan(t->at, t->end, quote, '&');
	html_put(t, t->at, (size_t)(p - t->at));
	t->at = p;
	if (p == t->end)
		return;
	t->at++;
	if (*p == quote) {
		end_attr_value(t);
		t->state = HTML_STATE_AFTER_ATTR_VALUE_QUOTED;
	} else if (*p == '&') {
		html_begin_reference(t);
	} else if (*p == '\r') {
		t->after_cr = true;
		html_put(t, "\n", 1);
	} else {
		html_put(t, UTF8_REPLACEMENT, 3);
	}
}

void html_attr_value_double_quoted_state(struct html_tokenizer *t)
{
	quoted_value(t, '"');
}

void html_attr_value_single_quoted_state(struct html_tokenizer *t)
{
	quoted_value(t, '\'');
}

void html_attr_value_unquoted_state(struct html_tokenizer *t)
{
	const char *p = run_end(t, ENDS_UNQUOTED);

	html_put(t, t->at, (size_t)(p - t->at));
	t->at = p;
	if (p == t->end)
		return;
	if (*p == '&') {
		t->at++;
		html_begin_reference(t);
	} else if (*p == '\0') {
		t->at++;
		html_put(t, UTF8_REPLACEMENT, 3);
	} else {
		end_attr_value(t);
		after_piece(t);
	}
}

void html_after_attr_value_quoted_state(struct html_tokenizer *t)
{
	if (word_is_space(*t->at) || *t->at == '/' || *t->at == '>')
		after_piece(t);
	else
		t->state = HTML_STATE_BEFORE_ATTR_NAME;
}

void html_self_closing_start_tag_state(struct html_tokenizer *t)
{
	if (*t->at != '>') {
		t->state = HTML_STATE_BEFORE_ATTR_NAME;
		return;
	}
	t->at++;
	t->token.self_closing = true;
	emit_tag(t);
}
