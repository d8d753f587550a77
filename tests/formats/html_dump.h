/*
 * Tokens as one line of text each, for comparing: adjacent text is joined, whatever pieces it came
 * in.
 */
#ifndef TESTS_EXTRACT_HTML_DUMP_H
#define TESTS_EXTRACT_HTML_DUMP_H

#include "base/buf.h"
#include "base/err.h"
#include "formats/html_token.h"

static inline void dump_tag(const struct html_token *token, struct buf *out)
{
	(void)buf_add_str(out, token->kind == HTML_START_TAG ? "<" : "</");
	(void)buf_add(out, token->name);
	for (size_t i = 0; i < token->attr_count; i++) {
		(void)buf_add_char(out, ' ');
		(void)buf_add(out, token->attrs[i].name);
		(void)buf_add_char(out, '=');
		(void)buf_add(out, token->attrs[i].value);
	}
	(void)buf_add_str(out, token->self_closing ? "/>" : ">");
}

static inline void dump_token(const struct html_token *token, struct buf *out, bool *in_text)
{
	if (token->kind == HTML_TEXT) {
		if (!*in_text)
			(void)buf_add_char(out, '"');
		*in_text = true;
		(void)buf_add(out, token->text);
		return;
	}
	if (*in_text)
		(void)buf_add_char(out, '"');
	*in_text = false;
	switch (token->kind) {
	case HTML_COMMENT:
	case HTML_DOCTYPE:
		(void)buf_add_str(out, token->kind == HTML_COMMENT ? "{" : "{!");
		(void)buf_add(out, token->text);
		(void)buf_add_char(out, '}');
		break;
	default:
		dump_tag(token, out);
	}
}

static inline void dump_chunk(struct html_tokenizer *t, struct buf *out, bool *in_text)
{
	const struct html_token *token;

	while (html_next(t, &token) == 0)
		dump_token(token, out, in_text);
}

/* All tokens of the input, given in chunks of so many bytes (0 for all at once). */
static inline void dump_html(slice in, size_t chunk, unsigned flags, struct buf *out)
{
	struct html_tokenizer t;
	bool in_text = false;

	if (chunk == 0)
		chunk = in.len;
	html_init(&t, flags);
	for (size_t at = 0; at < in.len; at += chunk) {
		html_feed(&t, slice_sub(in, at, at + chunk));
		dump_chunk(&t, out, &in_text);
	}
	html_finish(&t);
	dump_chunk(&t, out, &in_text);
	if (in_text)
		(void)buf_add_char(out, '"');
	html_release(&t);
}

#endif
