#include "replay/rewrite_html.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/word.h"
#include "formats/html_token.h"
#include "replay/rewrite_tag.h"

enum {
	STEP = 64 << 10,
	VALUE_MAX = 32 << 20,
};

void rewrite_html_init(struct rewrite_html *h, const struct rewrite_html_params *params)
{
	h->urls = params->urls;
	h->script = params->script;
	h->is_utf8 = params->is_utf8;
	h->is_xml = params->is_xml;
	h->script_due = params->script.len > 0;
	h->in_style = h->too_long = false;
	h->depth = params->depth;
	h->chunk = (slice){0};
	h->chunk_at = h->written = 0;
	buf_init(&h->kept, REWRITE_TAG_MAX + STEP);
	buf_init(&h->value, VALUE_MAX);
	buf_init(&h->source, REWRITE_TAG_MAX + STEP);
	html_init(&h->tokens, params->is_xml ? HTML_XML : 0);
	rewrite_css_init(&h->css, params->urls, params->is_utf8);
}

void rewrite_html_release(struct rewrite_html *h)
{
	buf_release(&h->kept);
	buf_release(&h->value);
	buf_release(&h->source);
	html_release(&h->tokens);
	rewrite_css_release(&h->css);
}

/* Bytes [from, to) of the document, none of them written yet: in kept, in the chunk, or both. */
static int source_of(struct rewrite_html *h, uint64_t from, uint64_t to, slice *ret_source)
{
	uint64_t kept_at = h->chunk_at - h->kept.len;

	if (from >= h->chunk_at) {
		*ret_source = slice_sub(h->chunk, from - h->chunk_at, to - h->chunk_at);
		return 0;
	}
	if (to <= h->chunk_at) {
		*ret_source = slice_sub(buf_slice(&h->kept), from - kept_at, to - kept_at);
		return 0;
	}
	buf_reset(&h->source);
	buf_add(&h->source, slice_sub(buf_slice(&h->kept), from - kept_at, h->kept.len));
	buf_add(&h->source, slice_sub(h->chunk, 0, to - h->chunk_at));
	*ret_source = buf_slice(&h->source);
	return h->source.error;
}

/* Writes the document as it is up to a byte. */
static void put_until(struct rewrite_html *h, uint64_t to, struct buf *out)
{
	uint64_t from = h->written;

	if (to <= from)
		return;
	h->written = to;
	if (from < h->chunk_at) {
		uint64_t kept_at = h->chunk_at - h->kept.len;

		buf_add(out, slice_sub(buf_slice(&h->kept), from - kept_at, to - kept_at));
		from = h->chunk_at;
	}
	if (to > from)
		buf_add(out, slice_sub(h->chunk, from - h->chunk_at, to - h->chunk_at));
}

/* A character above ASCII: as it is in UTF-8, elsewhere as a reference. */
static void put_wide(struct buf *out, slice s, size_t *at, bool is_utf8)
{
	const unsigned char *p = (const unsigned char *)s.ptr + *at;
	bool ok;
	size_t n = utf8_length(p, s.len - *at, &ok);
	uint32_t code = p[0] & (0x7fU >> n);

	*at += n;
	if (is_utf8) {
		buf_add(out, (slice){(const char *)p, n});
		return;
	}
	for (size_t i = 1; i < n; i++)
		code = code << 6 | (p[i] & 0x3fU);
	buf_printf(out, "&#%u;", ok ? code : 0xfffd);
}

/* A value in double quotes. */
static void put_value(struct buf *out, slice value, bool is_utf8)
{
	static const char *const ESCAPES[0x80] = {
		['&'] = "&amp;", ['"'] = "&quot;", ['<'] = "&lt;", ['\r'] = "&#13;"};
	size_t at = 0;

	buf_add_char(out, '"');
	while (at < value.len) {
		size_t from = at;

		while (at < value.len && (unsigned char)value.ptr[at] < 0x80 &&
			!ESCAPES[(unsigned char)value.ptr[at]])
			at++;
		buf_add(out, slice_sub(value, from, at));
		if (at == value.len)
			break;
		if ((unsigned char)value.ptr[at] >= 0x80)
			put_wide(out, value, &at, is_utf8);
		else
			buf_add_str(out, ESCAPES[(unsigned char)value.ptr[at++]]);
	}
	buf_add_char(out, '"');
}

static bool is_ascii(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	return true;
}

/*
 * Undoes references in a value as it was written, with its quotes, which is UTF-8 by now: reads it
 * as the only attribute of a tag. The result is in h->value.
 */
static int undo_references(struct rewrite_html *h, slice written)
{
	struct html_tokenizer *t = mem_new(1, sizeof *t);
	const struct html_token *token;
	slice parts[] = {SLICE("<a a="), written, SLICE(" >")};
	int rc = ERR_END;

	html_init(t, h->is_xml ? HTML_XML : 0);
	buf_reset(&h->value);
	for (size_t i = 0; i < 3 && rc == ERR_END; i++) {
		html_feed(t, parts[i]);
		rc = html_next(t, &token);
	}
	/* The tag is the only token, and complete with the last part. */
	if (rc == 0 && token->attr_count)
		rc = buf_add(&h->value, token->attrs[0].value);
	html_release(t);
	free(t);
	return rc == ERR_END ? 0 : rc;
}

/* The value in UTF-8. The tokenizer's own is half in the document's encoding, if that is another.
 */
static int value_of(struct rewrite_html *h, const struct html_attr *attr, slice *ret_value)
{
	slice written;
	int rc;

	*ret_value = attr->value;
	if (h->is_utf8 || is_ascii(attr->value))
		return 0;
	rc = source_of(h, attr->value_from, attr->value_to, &written);
	if (rc == 0)
		rc = rewrite_decode(h->urls, written, &written);
	if (rc == 0)
		rc = undo_references(h, written);
	if (rc)
		return rc;
	/* The text moves to a place where it may stay while the new value is written. */
	buf_reset(&h->source);
	rc = buf_add(&h->source, buf_slice(&h->value));
	*ret_value = buf_slice(&h->source);
	return rc;
}

/* A document inside; it is UTF-8 by now, as all values are. */
static int put_srcdoc(struct rewrite_html *h, slice document, struct buf *out)
{
	struct rewrite_html *inner;
	int rc;

	if (h->depth == REWRITE_SRCDOC_MAX)
		return ERR_NOTFOUND;
	inner = mem_new(1, sizeof *inner);
	rewrite_html_init(inner, &(struct rewrite_html_params){.urls = h->urls,
					 .script = h->script,
					 .is_utf8 = true,
					 .depth = h->depth + 1});
	rc = rewrite_html_feed(inner, document, out);
	if (rc == 0)
		rc = rewrite_html_finish(inner, out);
	rewrite_html_release(inner);
	free(inner);
	return rc;
}

/* Behind the new name an attribute that is there again would count: something harmless is first. */
static void rename_attr(struct rewrite_html *h, const struct html_token *token,
	const struct html_attr *attr, struct buf *out)
{
	put_until(h, attr->from, out);
	if (token->has_doubles) {
		buf_add(out, attr->name);
		buf_add_str(out, "=\"data:,\" ");
	}
	buf_add_str(out, REWRITE_RENAMED);
}

/* The relations that stay, and what they all were. */
static int edit_rel(struct rewrite_html *h, const struct html_token *token,
	const struct html_attr *attr, struct buf *out)
{
	int rc;

	buf_reset(&h->value);
	rc = rewrite_value(
		h->urls, (struct rewrite_edit){.what = EDIT_REL}, attr->value, &h->value);
	if (rc == ERR_NOTFOUND) {
		rename_attr(h, token, attr, out);
		return 0;
	}
	put_until(h, attr->from, out);
	buf_add_str(out, "rel=");
	put_value(out, buf_slice(&h->value), h->is_utf8);
	buf_add_str(out, " " REWRITE_RENAMED);
	return rc;
}

static int edit_value(struct rewrite_html *h, const struct html_attr *attr,
	struct rewrite_edit edit, struct buf *out)
{
	slice value;
	int rc;

	if (attr->cut || attr->value_from == attr->value_to)
		return 0;
	rc = value_of(h, attr, &value);
	if (rc)
		return rc;
	buf_reset(&h->value);
	rc = edit.what == EDIT_SRCDOC ? put_srcdoc(h, value, &h->value)
				      : rewrite_value(h->urls, edit, value, &h->value);
	if (rc == ERR_NOTFOUND || rc == ERR_LIMIT)
		return 0;
	if (rc)
		return rc;
	put_until(h, attr->value_from, out);
	put_value(out, buf_slice(&h->value), h->is_utf8);
	h->written = attr->value_to;
	return 0;
}

static int edit_attr(struct rewrite_html *h, const struct html_token *token,
	const struct html_attr *attr, struct buf *out)
{
	struct rewrite_edit edit = rewrite_edit_of(token, attr);

	switch (edit.what) {
	case EDIT_NONE:
		return 0;
	case EDIT_RENAME:
		rename_attr(h, token, attr, out);
		return 0;
	case EDIT_REL:
		return edit_rel(h, token, attr, out);
	default:
		return edit_value(h, attr, edit, out);
	}
}

/* The client script learns from its own element where it is. */
static void put_script(struct rewrite_html *h, struct buf *out)
{
	const struct rewrite_place *place = &h->urls->place;

	h->script_due = false;
	buf_add_str(out,
		h->is_xml ? "<script xmlns=\"http://www.w3.org/1999/xhtml\" src=" : "<script src=");
	put_value(out, h->script, true);
	buf_add_str(out, " data-url=");
	put_value(out, h->depth ? SLICE("about:srcdoc") : url_text(&h->urls->document), true);
	buf_add_str(out, " data-collection=");
	put_value(out, place->collection, true);
	buf_add_str(out, " data-time=");
	put_value(out, place->time, true);
	buf_add_str(out, "></script>");
}

/* The base counts for what follows, and for itself not at all. */
static int base_element(struct rewrite_html *h, const struct html_token *token)
{
	slice value;
	int rc = 0;

	for (size_t i = 0; i < token->attr_count; i++) {
		if (!slice_eq(token->attrs[i].name, SLICE("href")))
			continue;
		rc = value_of(h, &token->attrs[i], &value);
		if (rc == 0)
			rewrite_urls_set_base(h->urls, value);
		break;
	}
	return rc;
}

static int start_tag(struct rewrite_html *h, const struct html_token *token, struct buf *out)
{
	int rc = 0;

	if (h->script_due && token->tag != HTML_TAG_HTML && token->tag != HTML_TAG_HEAD) {
		put_until(h, token->from, out);
		put_script(h, out);
	}
	for (size_t i = 0; i < token->attr_count && rc == 0 && !h->too_long; i++)
		rc = edit_attr(h, token, &token->attrs[i], out);
	if (rc == 0 && token->tag == HTML_TAG_BASE && h->depth == 0 && !h->too_long)
		rc = base_element(h, token);
	put_until(h, token->to, out);
	if (h->script_due && token->tag == HTML_TAG_HEAD)
		put_script(h, out);
	h->in_style = token->tag == HTML_TAG_STYLE &&
		      !(token->self_closing && (token->foreign || h->is_xml));
	return rc;
}

static bool is_blank(slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!word_is_space(text.ptr[i]))
			return false;
	return true;
}

static int put_style(struct rewrite_html *h, const struct html_token *token, struct buf *out)
{
	slice source;
	int rc;

	put_until(h, token->from, out); /* a comment in between */
	rc = source_of(h, token->from, token->to, &source);
	h->written = token->to;
	return rc ? rc : rewrite_css_feed(&h->css, source, out);
}

static int end_style(struct rewrite_html *h, struct buf *out)
{
	if (!h->in_style)
		return 0;
	h->in_style = false;
	return rewrite_css_finish(&h->css, out);
}

/* Text and end tags show that the head will not come any more. */
static void script_before(struct rewrite_html *h, const struct html_token *token, struct buf *out)
{
	if (!h->script_due || (token->kind == HTML_TEXT && is_blank(token->text)))
		return;
	put_until(h, token->from, out);
	put_script(h, out);
}

static int take_token(struct rewrite_html *h, const struct html_token *token, struct buf *out)
{
	int rc = 0;

	switch (token->kind) {
	case HTML_START_TAG:
		rc = end_style(h, out);
		if (rc == 0)
			rc = start_tag(h, token, out);
		break;
	case HTML_END_TAG:
		rc = end_style(h, out);
		script_before(h, token, out);
		break;
	case HTML_TEXT:
		if (h->in_style && !h->too_long)
			rc = put_style(h, token, out);
		else
			script_before(h, token, out);
		break;
	default: /* in a style element of XML the sheet goes on behind it */
		rc = h->in_style ? rewrite_css_finish(&h->css, out) : 0;
		break;
	}
	h->too_long = false;
	return rc;
}

static int take_tokens(struct rewrite_html *h, struct buf *out)
{
	const struct html_token *token;
	int rc;

	while ((rc = html_next(&h->tokens, &token)) == 0)
		if ((rc = take_token(h, token, out)))
			return rc;
	return rc == ERR_END ? 0 : rc;
}

/* Writes what is complete, and keeps the rest of the chunk. */
static int end_chunk(struct rewrite_html *h, struct buf *out)
{
	uint64_t end = h->chunk_at + h->chunk.len;

	put_until(h, h->tokens.from < end ? h->tokens.from : end, out);
	if (h->written >= h->chunk_at)
		buf_reset(&h->kept);
	buf_add(&h->kept,
		slice_sub(h->chunk, h->written > h->chunk_at ? h->written - h->chunk_at : 0,
			h->chunk.len));
	h->chunk_at = end;
	h->chunk = (slice){0};
	if (h->kept.error)
		return h->kept.error;
	if (h->kept.len > REWRITE_TAG_MAX) {
		h->too_long = true;
		put_until(h, end, out);
		buf_reset(&h->kept);
	}
	return out->error;
}

int rewrite_html_feed(struct rewrite_html *h, slice in, struct buf *out)
{
	int rc = 0;

	for (size_t at = 0; at < in.len && rc == 0; at += STEP) {
		h->chunk = slice_sub(in, at, at + STEP);
		html_feed(&h->tokens, h->chunk);
		rc = take_tokens(h, out);
		if (rc == 0)
			rc = end_chunk(h, out);
	}
	return rc;
}

int rewrite_html_finish(struct rewrite_html *h, struct buf *out)
{
	int rc;

	html_finish(&h->tokens);
	rc = take_tokens(h, out);
	if (rc == 0)
		rc = end_style(h, out);
	put_until(h, h->chunk_at, out);
	return rc ? rc : out->error;
}
