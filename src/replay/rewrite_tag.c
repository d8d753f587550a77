#include "replay/rewrite_tag.h"

#include "base/err.h"
#include "base/word.h"
#include "formats/html_token.h"
#include "formats/links_rules.h"
#include "formats/refresh.h"
#include "formats/srcset.h"

static const struct rewrite_edit NONE = {EDIT_NONE, REWRITE_PAGE};

static struct rewrite_edit url_edit(enum rewrite_kind kind)
{
	return (struct rewrite_edit){EDIT_URL, kind};
}

static struct rewrite_edit edit(enum rewrite_edit_kind what)
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
		return edit(EDIT_REL);
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
		return is_dropped_pragma(attr->value) ? edit(EDIT_RENAME) : NONE;
	if (slice_eq(attr->name, SLICE("content")) &&
		word_is(word_trim(html_attr_value(token, SLICE("http-equiv"))), SLICE("refresh")))
		return edit(EDIT_REFRESH);
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
		return slice_eq(name, SLICE("srcdoc")) ? edit(EDIT_SRCDOC) : NONE;
	case HTML_TAG_SCRIPT:
		return slice_eq(name, SLICE("type")) &&
				       word_is(word_trim(attr->value), SLICE("speculationrules"))
			       ? edit(EDIT_RENAME)
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
		return edit(EDIT_RENAME);
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
		return edit(EDIT_SRCSET);
	case LINKS_CSS:
		return edit(EDIT_CSS);
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

int rewrite_value(struct rewrite_urls *urls, struct rewrite_edit edit, slice value, struct buf *out)
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
