#include "extract/links.h"

#include "base/err.h"
#include "base/word.h"
#include "extract/css.h"
#include "extract/html_attr.h"
#include "extract/links_feed.h"
#include "extract/links_rules.h"
#include "extract/links_srcdoc.h"
#include "extract/refresh.h"
#include "extract/script_import.h"
#include "extract/srcset.h"
#include "http/link_header.h"
#include "url/url.h"

enum {
	KEY_PREFIX_MAX = 16, /* of kind and base */
	KEPT_MAX = 1024,     /* links whose memory serves for the next document */
};

void links_init(struct links *l)
{
	*l = (struct links){0};
	arena_init(&l->arena, LINKS_BYTES_MAX);
	strmap_init(&l->seen, hash_key_random(), NULL);
	buf_init(&l->key, LINK_URL_MAX + KEY_PREFIX_MAX);
	buf_init(&l->style, LINKS_STYLE_MAX);
}

void links_reset(struct links *l)
{
	struct links kept;

	if (l->list.cap > KEPT_MAX)
		link_vec_release(&l->list);
	kept = *l;
	*l = (struct links){
		.list = {.ptr = kept.list.ptr, .cap = kept.list.cap},
		.bases = {.ptr = kept.bases.ptr, .cap = kept.bases.cap},
		.arena = kept.arena,
		.seen = kept.seen,
		.key = kept.key,
		.style = kept.style,
	};
	arena_reset(&l->arena);
	strmap_reset(&l->seen);
	buf_reset(&l->style);
}

void links_release(struct links *l)
{
	link_vec_release(&l->list);
	link_base_vec_release(&l->bases);
	strmap_release(&l->seen);
	arena_release(&l->arena);
	buf_release(&l->key);
	buf_release(&l->style);
}

/* A form without action goes to its own page, but a document inside has no address. */
static bool leads_nowhere(const struct links *l, slice ref, enum link_kind kind)
{
	if (ref.len == 0)
		return kind != LINK_FORM || l->depth > 0;
	return ref.ptr[0] == '#' || word_starts(ref, SLICE("data:")) ||
	       word_starts(ref, SLICE("javascript:"));
}

/* Builds the key: 0, ERR_EXISTS when it is known, or ERR_NOMEM. No reference begins with LF. */
static int make_key(struct links *l, enum link_kind kind, slice ref)
{
	int rc;

	buf_reset(&l->key);
	rc = buf_add_char(&l->key, (char)('a' + (char)kind));
	if (rc == 0 && l->base_number)
		rc = buf_printf(&l->key, "\n%u\n", (unsigned)l->base_number);
	if (rc == 0)
		rc = buf_add(&l->key, ref);
	if (rc)
		return rc;
	return strmap_get(&l->seen, buf_slice(&l->key), NULL) ? ERR_EXISTS : 0;
}

int links_add(struct links *l, enum link_kind kind, slice ref)
{
	char *copy;
	int rc;

	ref = url_strip(ref);
	if (leads_nowhere(l, ref, kind))
		return 0;
	if (ref.len > LINK_URL_MAX) {
		l->cut = true;
		return 0;
	}
	rc = make_key(l, kind, ref);
	if (rc)
		return rc == ERR_EXISTS ? 0 : rc;
	copy = l->list.len < LINKS_MAX ? arena_strdup(&l->arena, buf_slice(&l->key)) : NULL;
	if (!copy) {
		l->cut = true;
		return 0;
	}
	rc = strmap_put(&l->seen, (slice){copy, l->key.len}, 0);
	ref.ptr = copy + (l->key.len - ref.len);
	return rc ? rc
		  : link_vec_push(&l->list,
			    (struct link){.ref = ref, .kind = kind, .base = l->base_number});
}

static int add_kinds(struct links *l, unsigned kinds, slice type, slice ref)
{
	size_t known = l->list.len;
	int rc = 0;

	for (int kind = 0; kind < LINK_KIND_COUNT && rc == 0; kind++)
		if (kinds & 1U << kind)
			rc = links_add(l, (enum link_kind)kind, ref);
	for (; known < l->list.len; known++)
		l->list.ptr[known].is_feed =
			l->list.ptr[known].kind == LINK_ALTERNATE && link_type_is_feed(type);
	return rc;
}

int links_css(struct links *l, slice sheet)
{
	struct css_reader css;
	struct css_link link;
	int rc;

	css_init(&css, sheet);
	while ((rc = css_next(&css, &link)) == 0)
		if ((rc = links_add(l, link.kind, link.url)))
			break;
	css_release(&css);
	return rc == ERR_END ? 0 : rc;
}

int links_header(struct links *l, slice value)
{
	struct link_header header;
	struct link_header_link link;
	int rc;

	link_header_init(&header, value);
	while ((rc = link_header_next(&header, &link)) == 0)
		if ((rc = add_kinds(l, link_kinds_of_rel(link.rel, link.as, link.type), link.type,
			     link.target)))
			break;
	link_header_release(&header);
	return rc == ERR_END ? 0 : rc;
}

static int add_srcset(struct links *l, slice value)
{
	struct srcset_candidate candidate;
	struct srcset set;
	int rc = 0;

	srcset_init(&set, value);
	while (rc == 0 && srcset_next(&set, &candidate))
		rc = links_add(l, LINK_IMAGE, candidate.url);
	return rc;
}

static int link_element(struct links *l, const struct html_token *token)
{
	slice href = html_attr_value(token, SLICE("href"));
	slice type = html_attr_value(token, SLICE("type"));
	unsigned kinds = link_kinds_of_rel(
		html_attr_value(token, SLICE("rel")), html_attr_value(token, SLICE("as")), type);

	return add_kinds(l, kinds, type, href);
}

int links_refresh(struct links *l, slice value)
{
	uint64_t seconds;
	slice url;

	return refresh_parse(value, &seconds, &url) ? links_add(l, LINK_PAGE, url) : 0;
}

static int meta_element(struct links *l, const struct html_token *token)
{
	if (!word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("refresh")))
		return 0;
	return links_refresh(l, html_attr_value(token, SLICE("content")));
}

static int base_element(struct links *l, const struct html_token *token)
{
	slice href = html_attr_value(token, SLICE("href"));
	char *copy;

	if (l->has_base || l->depth > 0 || !href.ptr)
		return 0;
	href = url_strip(href);
	copy = href.len <= LINK_URL_MAX ? arena_strdup(&l->arena, href) : NULL;
	if (!copy)
		return 0;
	l->base = (slice){copy, href.len};
	l->has_base = true;
	return 0;
}

/* A form's method is GET unless it says POST or dialog. */
static bool is_get(slice method)
{
	method = word_trim(method);
	return !word_is(method, SLICE("post")) && !word_is(method, SLICE("dialog"));
}

static int form_element(struct links *l, const struct html_token *token)
{
	l->form_is_get = is_get(html_attr_value(token, SLICE("method")));
	return l->form_is_get ? links_add(l, LINK_FORM, html_attr_value(token, SLICE("action")))
			      : 0;
}

/* A button that sends its form elsewhere. */
static int form_button(struct links *l, const struct html_token *token)
{
	slice action = html_attr_value(token, SLICE("formaction"));
	slice method = html_attr_value(token, SLICE("formmethod"));

	if (!action.ptr || !(method.ptr ? is_get(method) : l->form_is_get))
		return 0;
	return links_add(l, LINK_FORM, action);
}

/* object, embed and a parameter that names a plug-in's file. */
static int object_element(struct links *l, const struct html_token *token)
{
	slice type = html_attr_value(token, SLICE("type"));
	slice name = html_attr_value(token, SLICE("name"));

	if (token->tag == HTML_TAG_OBJECT)
		return links_add(l, link_kind_of_type(type), html_attr_value(token, SLICE("data")));
	if (token->tag == HTML_TAG_EMBED)
		return links_add(l, link_kind_of_type(type), html_attr_value(token, SLICE("src")));
	if (word_is(name, SLICE("movie")) || word_is(name, SLICE("src")))
		return links_add(l, LINK_MEDIA, html_attr_value(token, SLICE("value")));
	return 0;
}

/* A value that was cut ends in a tag that was, which the tokenizer drops. */
static int iframe_element(struct links *l, const struct html_token *token)
{
	l->cut = l->cut || token->cut;
	return links_srcdoc(l, html_attr_value(token, SLICE("srcdoc")));
}

static void gather(struct links *l, enum links_element what)
{
	buf_reset(&l->style);
	l->gathering = (uint8_t)what;
}

/* Data and templates import nothing; what a script with a source holds does not run. */
static enum links_element script_holds(const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));

	if (html_attr_value(token, SLICE("src")).len)
		return LINKS_NO_TEXT;
	if (word_is(type, SLICE("importmap")))
		return LINKS_MAP;
	return type.len == 0 || word_is(type, SLICE("module")) ||
			       word_ends(type, SLICE("javascript"))
		       ? LINKS_SCRIPT
		       : LINKS_NO_TEXT;
}

/* What an element means beyond the table of links_rules.h. */
static int special_element(struct links *l, const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_LINK:
		return link_element(l, token);
	case HTML_TAG_META:
		return meta_element(l, token);
	case HTML_TAG_BASE:
		return base_element(l, token);
	case HTML_TAG_FORM:
		return form_element(l, token);
	case HTML_TAG_BUTTON:
	case HTML_TAG_INPUT:
		return form_button(l, token);
	case HTML_TAG_OBJECT:
	case HTML_TAG_EMBED:
	case HTML_TAG_PARAM:
		return object_element(l, token);
	case HTML_TAG_IFRAME:
		return iframe_element(l, token);
	case HTML_TAG_PICTURE:
		l->in_picture = true;
		return 0;
	case HTML_TAG_STYLE:
		if (!token->self_closing || !token->foreign)
			gather(l, LINKS_STYLE);
		return 0;
	case HTML_TAG_SCRIPT:
		if (!token->self_closing || !(token->foreign || l->is_xml))
			gather(l, script_holds(token));
		return 0;
	default:
		return 0;
	}
}

/* A lazy attribute may hold anything on an element that knows nothing of it. */
static bool looks_like_url(slice value)
{
	value = url_strip(value);
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] <= ' ' || strchr("{}<>\"|\\^`", value.ptr[i]))
			return false;
	return true;
}

static int add_attr(struct links *l, const struct html_token *token, const struct html_attr *attr)
{
	struct links_rule rule = {0};

	if (!links_rule_of(token, attr->name, l->in_picture, &rule))
		return 0;
	if (attr->cut) {
		l->cut = true;
		return 0;
	}
	switch (rule.how) {
	case LINKS_URL:
		return links_add(l, rule.kind, attr->value);
	case LINKS_GUESS:
		return looks_like_url(attr->value) ? links_add(l, rule.kind, attr->value) : 0;
	case LINKS_SRCSET:
		return add_srcset(l, attr->value);
	case LINKS_CSS:
		return links_css(l, attr->value);
	}
	return 0;
}

/* Addresses in the text of elements: <link>https://…</link>. */
static int feed_element(struct links *l, const struct html_token *token)
{
	enum link_kind kind;

	l->gathering = LINKS_NO_TEXT;
	if (links_feed_holds(token, &kind)) {
		gather(l, LINKS_ADDRESS);
		l->text_kind = (uint8_t)kind;
	}
	return token->attr_count ? links_feed_start(l, token) : 0;
}

static int start_tag(struct links *l, const struct html_token *token)
{
	int rc = 0;

	for (size_t i = 0; i < token->attr_count && rc == 0; i++)
		rc = add_attr(l, token, &token->attrs[i]);
	if (rc == 0 && l->is_xml && !token->foreign)
		rc = feed_element(l, token);
	return rc ? rc : special_element(l, token);
}

static int end_tag(struct links *l, const struct html_token *token)
{
	if (token->tag == HTML_TAG_STYLE || token->tag == HTML_TAG_SCRIPT ||
		l->gathering == LINKS_ADDRESS)
		return links_finish(l);
	if (token->tag == HTML_TAG_PICTURE)
		l->in_picture = false;
	if (token->tag == HTML_TAG_FORM)
		l->form_is_get = false;
	return 0;
}

/* <?xml-stylesheet href="…"?>, which the tokenizer takes for a comment. */
static int xml_stylesheet(struct links *l, slice text)
{
	slice word;

	if (!word_starts(text, SLICE("?xml-stylesheet")))
		return 0;
	while (word_next(&text, ' ', &word)) {
		slice value = slice_sub(word, 6, word.len);
		const char *end;

		if (!word_starts(word, SLICE("href=\"")) && !word_starts(word, SLICE("href='")))
			continue;
		end = value.len ? memchr(value.ptr, word.ptr[5], value.len) : NULL;
		return end ? links_add(
				     l, LINK_STYLE, slice_sub(value, 0, (size_t)(end - value.ptr)))
			   : 0;
	}
	return 0;
}

/* Style sheets are read when they are whole; what is beyond the limit is left out. */
static int add_style(struct links *l, slice text)
{
	size_t room = LINKS_STYLE_MAX - l->style.len;

	l->cut = l->cut || text.len > room;
	return buf_add(&l->style, slice_sub(text, 0, room));
}

int links_token(struct links *l, const struct html_token *token)
{
	switch (token->kind) {
	case HTML_START_TAG:
		return start_tag(l, token);
	case HTML_END_TAG:
		return end_tag(l, token);
	case HTML_TEXT:
		return l->gathering ? add_style(l, token->text) : 0;
	case HTML_COMMENT:
		return xml_stylesheet(l, token->text);
	default:
		return 0;
	}
}

int links_script(struct links *l, slice script)
{
	struct script_imports imports;
	slice specifier;
	int rc = 0;

	script_imports_init(&imports, script);
	while (rc == 0 && script_imports_next(&imports, &specifier))
		if (script_import_is_address(specifier))
			rc = links_add(l, LINK_SCRIPT, specifier);
	return rc;
}

int links_finish(struct links *l)
{
	enum links_element what = (enum links_element)l->gathering;
	slice text = buf_slice(&l->style);

	l->gathering = LINKS_NO_TEXT;
	switch (what) {
	case LINKS_STYLE:
		return links_css(l, text);
	case LINKS_SCRIPT:
		return links_script(l, text);
	case LINKS_MAP:
		return links_import_map(l, text);
	case LINKS_ADDRESS:
		return looks_like_url(text) ? links_add(l, (enum link_kind)l->text_kind, text) : 0;
	case LINKS_NO_TEXT:
		break;
	}
	return 0;
}
