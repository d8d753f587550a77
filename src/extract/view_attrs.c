/*
 * What of a start tag's attributes can be read, followed, seen or sent.
 */
#include <stdlib.h>
#include <string.h>

#include "base/word.h"
#include "extract/html_attr.h"
#include "extract/noise_word.h"
#include "extract/script_literal.h"
#include "extract/srcset.h"
#include "extract/view_build.h"

/* How an attribute is read. */
enum role {
	ROLE_MARKUP, /* not at all */
	ROLE_LINK,
	ROLE_FORM,
	ROLE_IMAGE,
	ROLE_SPRITE, /* a part of an SVG file or of the page: its name says which */
	ROLE_IMAGES, /* srcset */
	ROLE_MEDIA,
	ROLE_FRAME,
	ROLE_LABEL,
	ROLE_HIDDEN, /* present or not */
	ROLE_CODE,   /* of an event handler */
	ROLE_SHAPE,  /* of SVG */
	ROLE_DATA,   /* data-price and the like */
	ROLE_ASSET,
	ROLE_STYLE,
	ROLE_EMAIL, /* decoded as text by its rule */
	ROLE_DONE,  /* read with its element */
	ROLE_CLASS,
	ROLE_ID,
	ROLE_NONCE,
};

struct attr_role {
	slice name;
	enum role role;
};

/* Attributes that mean the same on any element; the most frequent first. */
static const struct attr_role ANYWHERE[] = {
	{SLICE_INIT("class"), ROLE_CLASS},
	{SLICE_INIT("id"), ROLE_ID},
	{SLICE_INIT("style"), ROLE_STYLE},
	{SLICE_INIT("alt"), ROLE_LABEL},
	{SLICE_INIT("background"), ROLE_IMAGE},
	{SLICE_INIT("cite"), ROLE_LINK},
	{SLICE_INIT("content"), ROLE_LABEL},
	{SLICE_INIT("d"), ROLE_SHAPE},
	{SLICE_INIT("datetime"), ROLE_LABEL},
	{SLICE_INIT("download"), ROLE_LABEL},
	{SLICE_INIT("for"), ROLE_ID},
	{SLICE_INIT("formaction"), ROLE_FORM},
	{SLICE_INIT("hidden"), ROLE_HIDDEN},
	{SLICE_INIT("integrity"), ROLE_NONCE},
	{SLICE_INIT("label"), ROLE_LABEL},
	{SLICE_INIT("max"), ROLE_LABEL},
	{SLICE_INIT("min"), ROLE_LABEL},
	{SLICE_INIT("nonce"), ROLE_NONCE},
	{SLICE_INIT("placeholder"), ROLE_LABEL},
	{SLICE_INIT("points"), ROLE_SHAPE},
	{SLICE_INIT("poster"), ROLE_IMAGE},
	{SLICE_INIT("srcset"), ROLE_IMAGES},
	{SLICE_INIT("title"), ROLE_LABEL},
	{SLICE_INIT("value"), ROLE_LABEL},
	{{0}, ROLE_MARKUP},
};

/* The same with a prefix. */
static const struct attr_role PREFIXED[] = {
	{SLICE_INIT("aria-label"), ROLE_LABEL},
	{SLICE_INIT("aria-valuetext"), ROLE_LABEL},
	{SLICE_INIT("data-src"), ROLE_IMAGE},
	{SLICE_INIT("data-srcset"), ROLE_IMAGES},
	{SLICE_INIT("data-lazy-src"), ROLE_IMAGE},
	{SLICE_INIT("data-original"), ROLE_IMAGE},
	{SLICE_INIT("data-bg"), ROLE_IMAGE},
	{SLICE_INIT("data-background"), ROLE_IMAGE},
	{SLICE_INIT("data-cfemail"), ROLE_EMAIL},
	{SLICE_INIT("data-href"), ROLE_LINK},
	{SLICE_INIT("aria-labelledby"), ROLE_ID},
	{SLICE_INIT("aria-describedby"), ROLE_ID},
	{SLICE_INIT("aria-controls"), ROLE_ID},
	{SLICE_INIT("aria-owns"), ROLE_ID},
	{{0}, ROLE_MARKUP},
};

static enum role find_role(const struct attr_role *r, slice name, const char **ret_name)
{
	for (; r->name.len; r++) {
		if (r->name.len == name.len && r->name.ptr[0] == name.ptr[0] &&
			memcmp(r->name.ptr, name.ptr, name.len) == 0) {
			*ret_name = r->name.ptr;
			break;
		}
	}
	return r->role;
}

static enum role role_anywhere(slice name, const char **ret_name)
{
	enum role role;

	if (slice_starts_with(name, SLICE("data-"))) {
		role = find_role(PREFIXED, name, ret_name);
		if (role != ROLE_MARKUP || !noise_name_of(name).content || noise_has_random(name))
			return role;
		*ret_name = "data-*";
		return ROLE_DATA;
	}
	if (slice_starts_with(name, SLICE("aria-")))
		return find_role(PREFIXED, name, ret_name);
	if (slice_starts_with(name, SLICE("on")))
		return ROLE_CODE;
	return find_role(ANYWHERE, name, ret_name);
}

static enum role role_of_source(enum html_tag tag)
{
	switch (tag) {
	case HTML_TAG_SCRIPT:
		return ROLE_ASSET;
	case HTML_TAG_IFRAME:
	case HTML_TAG_FRAME:
		return ROLE_FRAME;
	case HTML_TAG_AUDIO:
	case HTML_TAG_EMBED:
	case HTML_TAG_SOURCE:
	case HTML_TAG_TRACK:
	case HTML_TAG_VIDEO:
		return ROLE_MEDIA;
	default:
		return ROLE_IMAGE;
	}
}

static enum role role_of_href(const struct html_token *token)
{
	if (token->tag == HTML_TAG_LINK)
		return ROLE_DONE;
	if (token->tag == HTML_TAG_IMAGE || token->tag == HTML_TAG_FEIMAGE)
		return ROLE_IMAGE;
	return token->tag == HTML_TAG_USE ? ROLE_SPRITE : ROLE_LINK;
}

static bool is_field(enum html_tag tag)
{
	return tag == HTML_TAG_INPUT || tag == HTML_TAG_SELECT || tag == HTML_TAG_OPTION ||
	       tag == HTML_TAG_TEXTAREA || tag == HTML_TAG_BUTTON;
}

static enum role role_of(const struct html_token *token, slice name, const char **ret_name)
{
	bool is_frame = token->tag == HTML_TAG_IFRAME || token->tag == HTML_TAG_FRAME;

	*ret_name = NULL;
	if (slice_eq(name, SLICE("href")) || slice_eq(name, SLICE("xlink:href"))) {
		*ret_name = "href";
		return role_of_href(token);
	}
	if (slice_eq(name, SLICE("src"))) {
		*ret_name = "src";
		return role_of_source(token->tag);
	}
	if (is_frame && (slice_eq(name, SLICE("srcdoc")) || slice_eq(name, SLICE("data-src")))) {
		*ret_name = name.ptr[0] == 's' ? "srcdoc" : "data-src";
		return ROLE_FRAME;
	}
	if (token->tag == HTML_TAG_OBJECT && slice_eq(name, SLICE("data"))) {
		*ret_name = "data";
		return ROLE_MEDIA;
	}
	if (token->tag == HTML_TAG_FORM &&
		(slice_eq(name, SLICE("action")) || slice_eq(name, SLICE("method"))))
		return ROLE_DONE;
	if (is_field(token->tag) && slice_eq(name, SLICE("value")))
		return ROLE_DONE;
	return role_anywhere(name, ret_name);
}

static int add_images(struct view *v, const char *attr, slice value)
{
	struct srcset_candidate candidate;
	struct srcset set;
	int rc = 0;

	srcset_init(&set, value);
	while (rc == 0 && srcset_next(&set, &candidate))
		rc = view_add_url(v, VIEW_IMAGE, attr, NOISE_URL_EMBED, candidate.url);
	return rc;
}

static int add_label(struct view *v, const char *attr, slice value)
{
	return view_add(v, VIEW_LABEL, attr, word_trim(value));
}

/* What is no content, unless its rule is off. */
static int add_masked(struct view *v, enum noise_rule rule, slice name, slice value)
{
	if (noise_applies(&v->noise, rule, value.len ? value : name))
		return 0;
	return view_add_pair(v, VIEW_MARKUP, NULL, name, value);
}

static bool is_data_url(slice value)
{
	return word_starts(word_trim(value), SLICE("data:"));
}

/* The icon of a sprite file is named by the fragment; the file is an asset. */
static int add_sprite(struct view *v, slice ref)
{
	const char *hash = ref.len ? memchr(ref.ptr, '#', ref.len) : NULL;
	slice icon = hash ? slice_sub(ref, (size_t)(hash - ref.ptr), ref.len) : ref;

	if (icon.len < ref.len && !noise_applies(&v->noise, NOISE_ASSET_HASHES, ref))
		icon = ref;
	return view_add_url(v, VIEW_IMAGE, "href", NOISE_URL_EMBED, icon);
}

/* Where a handler leads; the rest of it is code. */
static int add_handler(struct view *v, const struct html_attr *attr)
{
	struct script_literal literal;
	struct script_scanner s;
	int rc = add_masked(v, NOISE_MARKUP, attr->name, attr->value);

	script_scanner_init(&s, attr->value);
	while (rc == 0 && script_scanner_next(&s, &literal))
		if (literal.string && (slice_starts_with(literal.value, SLICE("/")) ||
					      slice_starts_with(literal.value, SLICE("http"))))
			rc = view_add_url(v, VIEW_LINK, "on*", NOISE_URL_LINK, literal.value);
	return rc;
}

static int add_data(struct view *v, const struct html_attr *attr)
{
	if (noise_has_random(attr->value))
		return add_masked(v, NOISE_MARKUP, attr->name, attr->value);
	return view_add_pair(v, VIEW_LABEL, "data-*", attr->name, word_trim(attr->value));
}

/* A class that hides by convention says what can be seen; all others only how it looks. */
static int add_class(struct view *v, const struct html_attr *attr)
{
	static const slice HIDES[] = {SLICE_INIT("hidden"), SLICE_INIT("d-none"),
		SLICE_INIT("hide"), SLICE_INIT("is-hidden"), SLICE_INIT("invisible")};
	slice left = attr->value, word;
	int rc = add_masked(v, NOISE_HASHED_CLASSES, attr->name, attr->value);

	while (rc == 0 && word_next(&left, ' ', &word))
		for (size_t i = 0; i < sizeof HIDES / sizeof HIDES[0] && rc == 0; i++)
			if (slice_eq(word, HIDES[i]))
				rc = view_add(v, VIEW_LABEL, "hidden", SLICE("yes"));
	return rc;
}

static int add_style(struct view *v, slice style)
{
	bool hides = style.ptr && (memmem(style.ptr, style.len, "display:none", 12) ||
					  memmem(style.ptr, style.len, "display: none", 13));
	int rc = hides ? view_add(v, VIEW_LABEL, "hidden", SLICE("yes")) : 0;

	return rc ? rc : view_sheet(v, "style", style);
}

static int add_attribute(
	struct view *v, const struct html_token *token, const struct html_attr *attr)
{
	const char *name;

	switch (role_of(token, attr->name, &name)) {
	case ROLE_LINK:
		return view_add_url(v, VIEW_LINK, name, NOISE_URL_LINK, attr->value);
	case ROLE_FORM:
		return view_add_url(v, VIEW_FORM, name, NOISE_URL_LINK, attr->value);
	case ROLE_IMAGE:
		return view_add_url(v, VIEW_IMAGE, name, NOISE_URL_EMBED, attr->value);
	case ROLE_IMAGES:
		if (is_data_url(attr->value))
			return view_add(v, VIEW_IMAGE, name, attr->value);
		return add_images(v, name, attr->value);
	case ROLE_MEDIA:
		return view_add_url(v, VIEW_MEDIA, name, NOISE_URL_EMBED, attr->value);
	case ROLE_FRAME:
		if (name && strcmp(name, "srcdoc") == 0)
			return view_add(v, VIEW_FRAME, name, attr->value);
		return view_add_url(v, VIEW_FRAME, name, NOISE_URL_LINK, attr->value);
	case ROLE_SPRITE:
		return add_sprite(v, attr->value);
	case ROLE_HIDDEN:
		return view_add(v, VIEW_LABEL, name, SLICE("yes"));
	case ROLE_CODE:
		return add_handler(v, attr);
	case ROLE_DATA:
		return add_data(v, attr);
	case ROLE_LABEL:
		return add_label(v, name, attr->value);
	case ROLE_SHAPE:
		return token->foreign ? view_add(v, VIEW_IMAGE, name, attr->value) : 0;
	case ROLE_STYLE:
		return add_style(v, attr->value);
	case ROLE_ASSET:
		if (noise_applies(&v->noise, NOISE_ASSET_HASHES, attr->value))
			return 0;
		return view_add(v, VIEW_ASSET, name, attr->value);
	case ROLE_CLASS:
		return add_class(v, attr);
	case ROLE_ID:
		return add_masked(v, NOISE_RANDOM_IDS, attr->name, attr->value);
	case ROLE_NONCE:
		return add_masked(v, NOISE_NONCES, attr->name, attr->value);
	case ROLE_EMAIL:
		if (noise_set_has(v->noise.set, NOISE_EMAIL))
			return 0;
		return add_label(v, name, attr->value);
	case ROLE_DONE:
		return 0;
	case ROLE_MARKUP:
		break;
	}
	return add_masked(v, NOISE_MARKUP, attr->name, attr->value);
}

static bool has(const struct html_token *token, slice name)
{
	return html_attr_value(token, name).ptr != NULL;
}

static int link_element(struct view *v, const struct html_token *token)
{
	static const char *const CONTENT[] = {"canonical", "alternate", "next", "prev", "amphtml",
		"license", "author", "shortlink", NULL};
	slice rel = html_attr_value(token, SLICE("rel")), left = rel, word;
	slice href = html_attr_value(token, SLICE("href"));
	int rc;

	if (href.len == 0)
		return 0;
	while (word_next(&left, ' ', &word)) {
		for (const char *const *c = CONTENT; *c; c++) {
			if (!word_is(word, slice_str(*c)))
				continue;
			buf_reset(&v->scratch);
			rc = noise_url(&v->noise, NOISE_URL_LINK, href, &v->scratch);
			if (rc)
				return view_limited(v, rc);
			return view_add_pair(
				v, VIEW_META, "href", slice_str(*c), buf_slice(&v->scratch));
		}
	}
	if (noise_applies(&v->noise, NOISE_ASSET_HASHES, href))
		return 0;
	return view_add(v, VIEW_ASSET, "href", href);
}

/* "id", "post_id", "newsId": a number under such a name is no clock reading. */
static bool ends_like_id(slice name)
{
	return name.len >= 2 && word_is(slice_sub(name, name.len - 2, name.len), SLICE("id"));
}

static bool is_one_time(struct noise_name kind, slice name, slice value)
{
	static const char *const TOKEN[] = {"token", NULL};

	if (kind.token)
		return true;
	if (kind.clock && (noise_is_epoch(value) || noise_is_instant(value)))
		return true;
	if (kind.thing)
		return false;
	if (noise_is_epoch(value) && !ends_like_id(name))
		return true;
	return noise_is_token(value) || (noise_is_random(value) && noise_names(name, TOKEN));
}

/* Metadata that speak to programs only. */
static bool is_technical(slice name)
{
	static const char *const WORDS[] = {"viewport", "generator", "themecolor", "msapplication",
		"xuacompatible", "verification", "formatdetection", "applewebapp", "mobilewebapp",
		"applicationname", "servername", "hostname", "serverid", "serverip", "charset",
		"contenttype", "colorscheme", "turbo", "csp", "contentsecurity", "cachecontrol",
		"pragma", "referrer", "origintrial", "httpequivx", "baggage", NULL};

	return noise_names(name, WORDS);
}

static int meta_element(struct view *v, const struct html_token *token)
{
	static const slice KEYS[] = {SLICE_INIT("name"), SLICE_INIT("property"),
		SLICE_INIT("itemprop"), SLICE_INIT("http-equiv")};
	slice content = word_trim(html_attr_value(token, SLICE("content")));
	slice name = {0};
	struct noise_name kind;
	size_t first;
	int rc;

	for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0] && name.len == 0; i++)
		name = word_trim(html_attr_value(token, KEYS[i]));
	if (name.len == 0 || content.len == 0)
		return 0;
	kind = noise_name_of(name);
	if (is_one_time(kind, name, content))
		return add_masked(v, NOISE_NONCES, name, content);
	if (kind.build)
		return add_masked(v, NOISE_BUILD_IDS, name, content);
	if (is_technical(name))
		return add_masked(v, NOISE_MARKUP, name, content);
	if (content.ptr[0] == '{')
		return view_script(v, VIEW_SCRIPT_JSON, content);
	buf_reset(&v->scratch);
	rc = noise_url(&v->noise, noise_url_use_of(name, content), content, &v->scratch);
	if (rc)
		return view_limited(v, rc);
	first = v->items.len;
	rc = view_add_pair(v, VIEW_META, "content", name, buf_slice(&v->scratch));
	view_mark_learnable(v, first);
	return rc;
}

static int form_element(struct view *v, const struct html_token *token)
{
	slice method = word_trim(html_attr_value(token, SLICE("method")));
	int rc = view_add_url(
		v, VIEW_FORM, "action", NOISE_URL_LINK, html_attr_value(token, SLICE("action")));

	if (rc || method.len == 0)
		return rc;
	return view_add(v, VIEW_FORM, "method",
		word_is(method, SLICE("post")) ? SLICE("post") : SLICE("get"));
}

/* A field of a form: what it would send, and whether. */
static int field_element(struct view *v, const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));
	slice name = html_attr_value(token, SLICE("name"));
	slice value = html_attr_value(token, SLICE("value"));
	bool hidden = word_is(type, SLICE("hidden"));
	size_t first = v->items.len;
	int rc = 0;

	if (hidden && value.len && is_one_time(noise_name_of(name), name, value) &&
		noise_applies(&v->noise, NOISE_ONE_TIME_FIELDS, value))
		value = SLICE("*");
	if (noise_has_random(name) && noise_applies(&v->noise, NOISE_RANDOM_IDS, name))
		name = SLICE("*");
	if (name.len || value.len)
		rc = view_add_pair(v, VIEW_FIELD, "value", name, value);
	if (hidden)
		view_mark_learnable(v, first);
	if (rc == 0 && (has(token, SLICE("checked")) || has(token, SLICE("selected"))))
		rc = view_add(v, VIEW_FIELD, "checked", SLICE("yes"));
	if (rc == 0 && has(token, SLICE("disabled")))
		rc = view_add(v, VIEW_FIELD, "disabled", SLICE("yes"));
	return rc;
}

static int element(struct view *v, const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_LINK:
		return link_element(v, token);
	case HTML_TAG_META:
		return meta_element(v, token);
	case HTML_TAG_FORM:
		return form_element(v, token);
	case HTML_TAG_BASE:
		return view_add_url(v, VIEW_META, "href", NOISE_URL_LINK,
			html_attr_value(token, SLICE("href")));
	default:
		return is_field(token->tag) ? field_element(v, token) : 0;
	}
}

/* The names as written; their values are read one by one, whatever their order. */
static int add_order(struct view *v, const struct html_token *token)
{
	int rc = 0;

	buf_reset(&v->scratch);
	for (size_t i = 0; i < token->attr_count && rc == 0; i++) {
		rc = buf_add(&v->scratch, token->attrs[i].name);
		if (rc == 0)
			rc = buf_add_char(&v->scratch, ' ');
	}
	return rc ? view_limited(v, rc) : view_add(v, VIEW_MARKUP, "order", buf_slice(&v->scratch));
}

/* Names are told apart by their length and first byte: enough to see whether the order differs. */
static int attribute_order(struct view *v, const struct html_token *token)
{
	uint64_t order = 0;

	for (size_t i = 0; i < token->attr_count; i++)
		order = order * 31 + token->attrs[i].name.len * 256 +
			(token->attrs[i].name.len ? (unsigned char)token->attrs[i].name.ptr[0] : 0);
	if (noise_applies_number(&v->noise, NOISE_ATTRIBUTE_ORDER, order))
		return 0;
	return add_order(v, token);
}

static bool is_tiny(slice size)
{
	size = word_trim(size);
	return (size.len == 1 || (size.len == 3 && word_is(slice_sub(size, 1, 3), SLICE("px")))) &&
	       (size.ptr[0] == '0' || size.ptr[0] == '1');
}

/* Nobody can see it: its size, as written in the tag, is at most one pixel. */
static bool is_pixel(const struct html_token *token)
{
	return (token->tag == HTML_TAG_IMG || token->tag == HTML_TAG_IFRAME) &&
	       is_tiny(html_attr_value(token, SLICE("width"))) &&
	       is_tiny(html_attr_value(token, SLICE("height")));
}

static bool goes_before(const struct html_attr *a, const struct html_attr *b)
{
	size_t m = a->name.len, n = b->name.len;
	int order = memcmp(a->name.ptr, b->name.ptr, m < n ? m : n);

	return order < 0 || (order == 0 && m < n);
}

/*
 * In the order of their names: that in which they are written means nothing. Tags have a few
 * attributes, and never more than the tokenizer's limit, so they are sorted by insertion.
 */
static int add_attributes(struct view *v, const struct html_token *token)
{
	const struct html_attr *sorted[HTML_ATTRS_MAX + HTML_ATTRS_MORE];
	size_t count = token->attr_count;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		for (; at > 0 && goes_before(&token->attrs[i], sorted[at - 1]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &token->attrs[i];
	}
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = add_attribute(v, token, sorted[i]);
	return rc;
}

int view_attributes(struct view *v, const struct html_token *token)
{
	int rc = 0;

	/* Where a link begins, among the words, is part of what it says. */
	if (token->tag == HTML_TAG_A || token->tag == HTML_TAG_IMG)
		rc = view_end_run(v);
	if (rc == 0 && token->attr_count > 1)
		rc = attribute_order(v, token);
	if (is_pixel(token) && noise_applies(&v->noise, NOISE_TRACKING_PIXELS,
				       html_attr_value(token, SLICE("src"))))
		return rc;
	if (rc == 0)
		rc = element(v, token);
	return rc || token->tag == HTML_TAG_META ? rc : add_attributes(v, token);
}
