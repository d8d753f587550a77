#include "replay/rewrite_css.h"

#include "base/err.h"
#include "base/utf8.h"
#include "base/word.h"

enum {
	STEP = 64 << 10,
	LOOK_AHEAD = 3,       /* bytes behind a token that may belong to it */
	KEPT_SMALL = 4 << 10, /* looked through again without much ado */
};

void rewrite_css_init(struct rewrite_css *c, struct rewrite_urls *urls, bool is_utf8)
{
	*c = (struct rewrite_css){.urls = urls, .is_utf8 = is_utf8};
	css_init(&c->reader, (slice){0});
	buf_init(&c->kept, REWRITE_CSS_TOKEN_MAX + STEP);
}

void rewrite_css_release(struct rewrite_css *c)
{
	css_release(&c->reader);
	buf_release(&c->kept);
}

/* In double quotes; the serialisation of a URL has no quotes and no line breaks. */
static void put_string(struct buf *out, slice url)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < url.len; i++) {
		if (url.ptr[i] == '\\' || url.ptr[i] == '"')
			buf_add_char(out, '\\');
		buf_add_char(out, url.ptr[i]);
	}
	buf_add_char(out, '"');
}

/* Writes a link in its new form; ERR_NOTFOUND when it keeps the old one. */
static int put_link(struct rewrite_css *c, const struct css_link *link, struct buf *out)
{
	struct buf url;
	slice ref = link->url;
	int rc = 0;

	buf_init(&url, 2 * (size_t)URL_MAX);
	if (!c->is_utf8 && utf8_valid_prefix(ref) != ref.len)
		rc = rewrite_decode(c->urls, ref, &ref);
	if (rc == 0)
		rc = rewrite_url(c->urls, ref, rewrite_kind_of_link(link->kind), &url);
	if (rc == 0) {
		buf_add_str(out, link->is_string ? "" : "url(");
		put_string(out, buf_slice(&url));
		buf_add_str(out, link->is_string ? "" : ")");
		rc = out->error;
	}
	buf_release(&url);
	return rc;
}

static bool is_blank(const char *from, const char *to)
{
	while (from != to && word_is_space(*from))
		from++;
	return from == to;
}

/* Whether more input could make another token of it. */
static bool may_go_on(const struct css_tokenizer *t, const struct css_token *token)
{
	if (t->end - t->at < LOOK_AHEAD)
		return true;
	return token->kind == CSS_FUNCTION && word_is(token->value, SLICE("url")) &&
	       is_blank(t->at, t->end);
}

/* Writes the text as far as its tokens are complete; *ret_done is how far that is. */
static int put_tokens(
	struct rewrite_css *c, slice text, bool last, struct buf *out, size_t *ret_done)
{
	struct css_tokenizer *t = &c->reader.tokens;
	const char *written = text.ptr, *before;
	struct css_token token;
	struct css_link link;
	int rc;

	css_tokenizer_continue(t, text);
	for (;;) {
		before = t->at;
		rc = css_token_next(t, &token);
		if (rc || (!last && may_go_on(t, &token)))
			break;
		if (!css_step(&c->reader, &token, &link))
			continue;
		buf_add(out, (slice){written, (size_t)(link.source.ptr - written)});
		written = link.source.ptr;
		rc = put_link(c, &link, out);
		if (rc == 0)
			written = link.source.ptr + link.source.len;
		else if (rc != ERR_NOTFOUND)
			break;
	}
	if (rc && rc != ERR_END)
		return rc;
	if (last)
		before = text.ptr + text.len;
	*ret_done = (size_t)(before - text.ptr);
	return buf_add(out, (slice){written, (size_t)(before - written)});
}

/* Keeps what is not written; a token that is too long passes as it is. */
static int keep(struct rewrite_css *c, slice rest, struct buf *out)
{
	if (rest.len > REWRITE_CSS_TOKEN_MAX) {
		buf_add(out, rest);
		buf_reset(&c->kept);
		c->worthwhile = 0;
		return out->error;
	}
	c->worthwhile = rest.len > KEPT_SMALL ? 2 * rest.len : 0;
	if (c->kept.len == 0)
		return buf_add(&c->kept, rest);
	memmove(c->kept.ptr, rest.ptr, rest.len);
	buf_truncate(&c->kept, rest.len);
	return 0;
}

static int take(struct rewrite_css *c, slice in, bool last, struct buf *out)
{
	slice text = in;
	size_t done = 0;
	int rc;

	if (c->kept.len) {
		rc = buf_add(&c->kept, in);
		if (rc)
			return rc;
		text = buf_slice(&c->kept);
	}
	if (text.len == 0 ||
		(!last && text.len < c->worthwhile && text.len <= REWRITE_CSS_TOKEN_MAX))
		return 0;
	TRY(put_tokens(c, text, last, out, &done));
	return keep(c, slice_sub(text, done, text.len), out);
}

int rewrite_css_feed(struct rewrite_css *c, slice in, struct buf *out)
{
	int rc = 0;

	for (size_t at = 0; at < in.len && rc == 0; at += STEP)
		rc = take(c, slice_sub(in, at, at + STEP), false, out);
	return rc;
}

int rewrite_css_finish(struct rewrite_css *c, struct buf *out)
{
	int rc = take(c, (slice){0}, true, out);

	buf_reset(&c->kept);
	c->worthwhile = 0;
	css_release(&c->reader);
	css_init(&c->reader, (slice){0});
	return rc;
}
