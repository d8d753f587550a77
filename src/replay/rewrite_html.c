#include "replay/rewrite_html.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/word.h"
#include "formats/html_token.h"
#include "formats/link_values.h"
#include "formats/links.h"

static const struct rewrite_edit NONE = {EDIT_NONE, REWRITE_PAGE};

static struct rewrite_edit url_edit(enum rewrite_kind kind)
{
	return (struct rewrite_edit){EDIT_URL, kind};
}

static struct rewrite_edit edit_by(enum rewrite_edit_kind what)
{
	return (struct rewrite_edit){what, REWRITE_PAGE};
}

/* Names that mean the same on every element. */
static bool is_dropped(slice name)
{
	switch (name.ptr[0]) {
	case 'i':
		return slice_eq(name, SLICE("integrity"));
	case 'n':
		return slice_eq(name, SLICE("nonce"));
	case 'p':
		return slice_eq(name, SLICE("ping"));
	case 'a':
		return slice_eq(name, SLICE("attributionsrc"));
	default:
		return false;
	}
}

/* Relations that make a browser connect to a host, or look up its name, ahead of time. */
static bool is_hint(slice word)
{
	return word_is(word, SLICE("preconnect")) || word_is(word, SLICE("dns-prefetch"));
}

static bool has_hint(slice rel)
{
	slice word;

	while (word_next(&rel, ' ', &word))
		if (is_hint(word))
			return true;
	return false;
}

static enum rewrite_kind link_element_kind(const struct html_token *token)
{
	unsigned kinds = link_kinds_of_rel(html_attr_value(token, SLICE("rel")),
		html_attr_value(token, SLICE("as")), html_attr_value(token, SLICE("type")));

	for (int kind = 0; kind < LINK_KIND_COUNT; kind++) {
		enum rewrite_kind as = rewrite_kind_of_link((enum link_kind)kind);

		if (kinds & 1U << kind && as != REWRITE_PAGE)
			return as;
	}
	return REWRITE_PAGE;
}

static struct rewrite_edit link_edit(const struct html_token *token, const struct html_attr *attr)
{
	if (slice_eq(attr->name, SLICE("href")))
		return url_edit(link_element_kind(token));
	if (slice_eq(attr->name, SLICE("rel")) && has_hint(attr->value))
		return edit_by(EDIT_REL);
	return NONE;
}

/* Pragmas that would change what the page may do, or ask for connections. */
static bool is_dropped_pragma(slice pragma)
{
	static const slice PRAGMAS[] = {SLICE_INIT("content-security-policy"),
		SLICE_INIT("content-security-policy-report-only"),
		SLICE_INIT("x-content-security-policy"), SLICE_INIT("x-webkit-csp"),
		SLICE_INIT("x-dns-prefetch-control"), SLICE_INIT("set-cookie"),
		SLICE_INIT("origin-trial")};

	pragma = word_trim(pragma);
	for (size_t i = 0; i < sizeof PRAGMAS / sizeof *PRAGMAS; i++)
		if (word_is(pragma, PRAGMAS[i]))
			return true;
	return false;
}

static struct rewrite_edit meta_edit(const struct html_token *token, const struct html_attr *attr)
{
	if (slice_eq(attr->name, SLICE("http-equiv")))
		return is_dropped_pragma(attr->value) ? edit_by(EDIT_RENAME) : NONE;
	if (slice_eq(attr->name, SLICE("content")) &&
		word_is(word_trim(html_attr_value(token, SLICE("http-equiv"))), SLICE("refresh")))
		return edit_by(EDIT_REFRESH);
	return NONE;
}

static struct rewrite_edit object_edit(const struct html_token *token, const struct html_attr *attr)
{
	slice wanted = token->tag == HTML_TAG_OBJECT ? SLICE("data") : SLICE("src");
	slice type = html_attr_value(token, SLICE("type"));

	if (!slice_eq(attr->name, wanted))
		return NONE;
	return url_edit(type.len ? rewrite_kind_of_link(link_kind_of_type(type)) : REWRITE_PAGE);
}

static struct rewrite_edit param_edit(const struct html_token *token, const struct html_attr *attr)
{
	slice name = html_attr_value(token, SLICE("name"));

	if (slice_eq(attr->name, SLICE("value")) &&
		(word_is(name, SLICE("movie")) || word_is(name, SLICE("src"))))
		return url_edit(REWRITE_IMAGE);
	return NONE;
}

/* What an element means beyond the table of formats/links_rules.h. */
static struct rewrite_edit special_edit(
	const struct html_token *token, const struct html_attr *attr)
{
	slice name = attr->name;

	switch (token->tag) {
	case HTML_TAG_LINK:
		return link_edit(token, attr);
	case HTML_TAG_META:
		return meta_edit(token, attr);
	case HTML_TAG_BASE:
		return slice_eq(name, SLICE("href")) ? url_edit(REWRITE_PAGE) : NONE;
	case HTML_TAG_FORM:
		return slice_eq(name, SLICE("action")) ? url_edit(REWRITE_PAGE) : NONE;
	case HTML_TAG_BUTTON:
	case HTML_TAG_INPUT:
		return slice_eq(name, SLICE("formaction")) ? url_edit(REWRITE_PAGE) : NONE;
	case HTML_TAG_OBJECT:
	case HTML_TAG_EMBED:
		return object_edit(token, attr);
	case HTML_TAG_PARAM:
		return param_edit(token, attr);
	case HTML_TAG_IFRAME:
		return slice_eq(name, SLICE("srcdoc")) ? edit_by(EDIT_SRCDOC) : NONE;
	case HTML_TAG_SCRIPT:
		return slice_eq(name, SLICE("type")) &&
				       word_is(word_trim(attr->value), SLICE("speculationrules"))
			       ? edit_by(EDIT_RENAME)
			       : NONE;
	default:
		return NONE;
	}
}

struct rewrite_edit rewrite_edit_of(const struct html_token *token, const struct html_attr *attr)
{
	struct links_rule rule = {0};
	struct rewrite_edit special;

	if (is_dropped(attr->name))
		return edit_by(EDIT_RENAME);
	special = special_edit(token, attr);
	if (special.what != EDIT_NONE)
		return special;
	/* data-… is for scripts alone: they shall read what was there. */
	if (slice_starts_with(attr->name, SLICE("data-")) ||
		!links_rule_of(token, attr->name, false, &rule))
		return NONE;
	switch (rule.how) {
	case LINKS_URL:
		return url_edit(rewrite_kind_of_link(rule.kind));
	case LINKS_SRCSET:
		return edit_by(EDIT_SRCSET);
	case LINKS_CSS:
		return edit_by(EDIT_CSS);
	case LINKS_GUESS:
		break;
	}
	return NONE;
}

static int put_srcset(struct rewrite_urls *urls, slice value, struct buf *out)
{
	struct srcset_candidate candidate;
	const char *written = value.ptr;
	struct srcset set;
	int rc = 0;

	srcset_init(&set, value);
	while (rc == 0 && srcset_next(&set, &candidate)) {
		buf_add(out, (slice){written, (size_t)(candidate.url.ptr - written)});
		written = candidate.url.ptr;
		rc = rewrite_url(urls, candidate.url, REWRITE_IMAGE, out);
		if (rc == 0)
			written += candidate.url.len;
		else if (rc == ERR_NOTFOUND)
			rc = 0;
	}
	return rc ? rc : buf_add(out, (slice){written, (size_t)(value.ptr + value.len - written)});
}

static int put_css(struct rewrite_urls *urls, slice value, struct buf *out)
{
	size_t before = out->len;
	struct rewrite_css css;
	int rc;

	/* Both url() and image-set() have one. */
	if (value.len == 0 || !memchr(value.ptr, '(', value.len))
		return ERR_NOTFOUND;
	rewrite_css_init(&css, urls, true);
	rc = rewrite_css_feed(&css, value, out);
	if (rc == 0)
		rc = rewrite_css_finish(&css, out);
	rewrite_css_release(&css);
	if (rc == 0 && slice_eq(slice_sub(buf_slice(out), before, out->len), value))
		rc = ERR_NOTFOUND;
	return rc;
}

static int put_refresh(struct rewrite_urls *urls, slice value, struct buf *out)
{
	uint64_t seconds;
	slice url;
	if (!refresh_parse(value, &seconds, &url) || url.len == 0)
		return ERR_NOTFOUND;
	buf_printf(out, "%llu; url=", (unsigned long long)seconds);
	return rewrite_url(urls, url, REWRITE_PAGE, out);
}

/* The relations that are no hints. */
static int put_rel(slice value, struct buf *out)
{
	size_t before = out->len;
	slice word;

	while (word_next(&value, ' ', &word)) {
		if (is_hint(word))
			continue;
		if (out->len > before)
			buf_add_char(out, ' ');
		buf_add(out, word);
	}
	return out->len == before && !out->error ? ERR_NOTFOUND : out->error;
}

/*
 * Appends the new value of an attribute (UTF-8, before any escaping): 0, ERR_NOTFOUND when the old
 * one stays, ERR_LIMIT, ERR_NOMEM. EDIT_SRCDOC is the caller's.
 */
static int rewrite_value(
	struct rewrite_urls *urls, struct rewrite_edit edit, slice value, struct buf *out)
{
	switch (edit.what) {
	case EDIT_URL:
		return rewrite_url(urls, value, edit.kind, out);
	case EDIT_SRCSET:
		return put_srcset(urls, value, out);
	case EDIT_CSS:
		return put_css(urls, value, out);
	case EDIT_REFRESH:
		return put_refresh(urls, value, out);
	case EDIT_REL:
		return put_rel(value, out);
	default:
		return ERR_NOTFOUND;
	}
}

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
	TRY(value_of(h, attr, &value));
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
