/*
 * Rewriting: any bytes are taken, pieces of any size give the same result, and the tokens of the
 * result are those of the input but for what was to be changed. The first byte chooses type,
 * encoding and the size of the pieces.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "formats/html_token.h"
#include "replay/rewrite.h"
#include "replay/rewrite_html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 64 << 20 };

#define PLACE "/c/2026"

static void require(bool ok)
{
	if (!ok)
		abort();
}

static const char *const TYPES[] = {"text/html; charset=utf-8", "text/css; charset=utf-8",
	"application/xhtml+xml; charset=utf-8", "image/svg+xml", "text/html; charset=windows-1252",
	"text/html; charset=shift_jis", "text/html", ""};

static void rewrite(slice in, const char *type, const char *script, size_t piece, struct buf *out)
{
	struct rewriter *r = rewriter_open(&(struct rewrite_params){
		.place = {.collection = SLICE("c"), .time = SLICE("2026")},
		.url = SLICE("http://h.org/d/e"),
		.content_type = slice_str(type),
		.script = slice_str(script),
	});
	for (size_t at = 0; at < in.len; at += piece)
		require(rewriter_feed(r, slice_sub(in, at, at + piece), out) == 0);
	require(rewriter_finish(r, out) == 0);
	rewriter_close(r);
}

/* Whether the tag has the attribute in its new name. */
static bool has_renamed(const struct html_token *token, slice name)
{
	for (size_t i = 0; i < token->attr_count; i++) {
		slice other = token->attrs[i].name;

		if (slice_starts_with(other, SLICE(REWRITE_RENAMED)) &&
			slice_eq(slice_sub(other, sizeof REWRITE_RENAMED - 1, other.len), name))
			return true;
	}
	return false;
}

/* One attribute as both documents must have it. */
static void dump_attr(const struct html_token *token, const struct html_attr *attr, struct buf *out)
{
	struct rewrite_edit edit = rewrite_edit_of(token, attr);
	slice name = attr->name;
	bool renamed = slice_starts_with(name, SLICE(REWRITE_RENAMED));

	if (has_renamed(token, name))
		return;
	if (renamed)
		name = slice_sub(name, sizeof REWRITE_RENAMED - 1, name.len);
	(void)buf_printf(out, " %.*s=", (int)name.len, name.ptr);
	if (renamed || edit.what == EDIT_NONE || edit.what == EDIT_RENAME || edit.what == EDIT_REL)
		(void)buf_add(out, attr->value);
}

static void dump(slice in, unsigned flags, struct buf *out)
{
	struct html_tokenizer *t = malloc(sizeof *t);
	const struct html_token *token;
	bool in_style = false;

	require(t != NULL);
	html_init(t, flags);
	html_feed(t, in);
	html_finish(t);
	while (html_next(t, &token) == 0) {
		if (token->kind == HTML_TEXT) {
			if (!in_style)
				(void)buf_add(out, token->text);
			continue;
		}
		(void)buf_printf(out, "\n%d ", token->kind);
		if (token->kind == HTML_COMMENT || token->kind == HTML_DOCTYPE) {
			(void)buf_add(out, token->text);
			continue;
		}
		in_style = token->kind == HTML_START_TAG && token->tag == HTML_TAG_STYLE &&
			   !(token->self_closing && (token->foreign || flags & HTML_XML));
		(void)buf_add(out, token->name);
		for (size_t i = 0; i < token->attr_count && token->kind == HTML_START_TAG; i++)
			dump_attr(token, &token->attrs[i], out);
	}
	html_release(t);
	free(t);
}

static void compare_tokens(slice in, slice result, unsigned flags)
{
	struct buf a, b;

	/* What is renamed already, or cut, is not to be told from what we do; UTF-16 is decoded. */
	if (in.len > HTML_COMMENT_MAX / 2 || memmem(in.ptr, in.len, "stillpoint", 10) ||
		slice_starts_with(in, SLICE("\xfe\xff")) ||
		slice_starts_with(in, SLICE("\xff\xfe")))
		return;
	buf_init(&a, MAX);
	buf_init(&b, MAX);
	dump(in, flags, &a);
	dump(result, flags, &b);
	require(slice_eq(buf_slice(&a), buf_slice(&b)));
	buf_release(&a);
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once, pieces;
	const char *type;
	slice in;

	if (size < 2)
		return 0;
	type = TYPES[data[0] & 7];
	in = (slice){(const char *)data + 1, size - 1};
	buf_init(&once, MAX);
	buf_init(&pieces, MAX);
	rewrite(in, type, "", in.len, &once);
	rewrite(in, type, "", 1 + (data[0] >> 3), &pieces);
	require(slice_eq(buf_slice(&once), buf_slice(&pieces)));
	if ((data[0] & 7) == 0 || (data[0] & 7) == 2)
		compare_tokens(in, buf_slice(&once), data[0] & 7 ? HTML_XML : 0);
	buf_reset(&once);
	rewrite(in, type, "/s.js", in.len, &once);
	buf_release(&once);
	buf_release(&pieces);
	return 0;
}
