#include "formats/links.h"

#include <stdlib.h>

#include "base/api.h"
#include "base/err.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/css.h"
#include "formats/html_token.h"
#include "formats/link_values.h"
#include "formats/url.h"

const char *link_kind_name(enum link_kind kind)
{
	static const char *const NAMES[LINK_KIND_COUNT] = {
#define X(id, name) [LINK_##id] = (name),
		LINK_KINDS(X)
#undef X
	};

	return NAMES[kind];
}

bool link_kind_is_requisite(enum link_kind kind)
{
	switch (kind) {
	case LINK_IMAGE:
	case LINK_STYLE:
	case LINK_SCRIPT:
	case LINK_MEDIA:
	case LINK_FONT:
	case LINK_FRAME:
		return true;
	default:
		return false;
	}
}

struct meaning {
	enum link_kind kind;
	const char *words;
};

static const struct meaning RELS[] = {
	{LINK_STYLE, "stylesheet"},
	{LINK_IMAGE, "icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image "
		     "mask-icon fluid-icon image_src"},
	{LINK_CANONICAL, "canonical"},
	{LINK_ALTERNATE, "alternate"},
	{LINK_SITEMAP, "sitemap"},
	{LINK_SCRIPT, "modulepreload"},
	{LINK_PAGE,
		"next prev previous first last up top home start index contents chapter section "
		"subsection appendix glossary archives bookmark tag author help license "
		"copyright privacy-policy terms-of-service amphtml prerender"},
};

/* Destinations of a preload (Fetch, section 2.2.5). */
static const struct meaning DESTINATIONS[] = {
	{LINK_PAGE, "document"},
	{LINK_IMAGE, "image"},
	{LINK_STYLE, "style"},
	{LINK_SCRIPT, "script serviceworker sharedworker worker"},
	{LINK_MEDIA, "audio embed object track video"},
	{LINK_FONT, "font"},
	{LINK_FRAME, "frame iframe"},
};

/* The set with the word's kind in it, or an empty one. */
static unsigned kinds_of(const struct meaning *table, size_t count, slice word)
{
	for (size_t i = 0; i < count; i++) {
		slice words = slice_str(table[i].words), one;

		while (word_next(&words, ' ', &one))
			if (word_is(word, one))
				return 1U << table[i].kind;
	}
	return 0;
}

unsigned link_kinds_of_rel(slice rel, slice as, slice type)
{
	unsigned kinds = 0;
	slice word;

	while (word_next(&rel, ' ', &word)) {
		if (!word_is(word, SLICE("preload")) && !word_is(word, SLICE("prefetch"))) {
			kinds |= kinds_of(RELS, sizeof RELS / sizeof *RELS, word);
			continue;
		}
		kinds |= kinds_of(DESTINATIONS, sizeof DESTINATIONS / sizeof *DESTINATIONS, as);
		if (kinds == 0 && word_starts(type, SLICE("font/")))
			kinds = 1U << LINK_FONT;
	}
	if (kinds & 1U << LINK_STYLE)
		kinds &= ~(1U << LINK_ALTERNATE);
	return kinds ? kinds : 1U << LINK_OTHER;
}

/* Whether an alternate of this type (empty when there is none) is a feed: RSS, Atom, JSON Feed. */
static bool link_type_is_feed(slice type)
{
	static const slice TYPES[] = {SLICE_INIT("application/rss+xml"),
		SLICE_INIT("application/atom+xml"), SLICE_INIT("application/feed+json"),
		SLICE_INIT("application/rdf+xml")};

	type = word_trim(slice_take(&type, ';'));
	for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
		if (word_is(type, TYPES[i]))
			return true;
	return false;
}

enum link_kind link_kind_of_type(slice type)
{
	type = word_trim(type);
	if (word_starts(type, SLICE("image/")))
		return LINK_IMAGE;
	if (word_starts(type, SLICE("text/html")) ||
		word_starts(type, SLICE("application/xhtml+xml")))
		return LINK_FRAME;
	return LINK_MEDIA;
}

enum { TAGS_MAX = 9 };

/* An attribute of these elements. */
static const struct {
	slice attr;
	struct links_rule rule;
	uint8_t tags[TAGS_MAX]; /* enum html_tag, up to 0 */
} ROWS[] = {
	{SLICE_INIT("href"), {LINKS_URL, LINK_PAGE}, {HTML_TAG_A, HTML_TAG_AREA}},
	{SLICE_INIT("href"), {LINKS_URL, LINK_IMAGE},
		{HTML_TAG_IMAGE, HTML_TAG_FEIMAGE, HTML_TAG_USE}},
	{SLICE_INIT("href"), {LINKS_URL, LINK_SCRIPT}, {HTML_TAG_SCRIPT}},
	{SLICE_INIT("src"), {LINKS_URL, LINK_IMAGE},
		{HTML_TAG_IMG, HTML_TAG_IMAGE, HTML_TAG_INPUT}},
	{SLICE_INIT("src"), {LINKS_URL, LINK_SCRIPT}, {HTML_TAG_SCRIPT}},
	{SLICE_INIT("src"), {LINKS_URL, LINK_FRAME}, {HTML_TAG_IFRAME, HTML_TAG_FRAME}},
	{SLICE_INIT("src"), {LINKS_URL, LINK_MEDIA},
		{HTML_TAG_SOURCE, HTML_TAG_VIDEO, HTML_TAG_AUDIO, HTML_TAG_TRACK}},
	{SLICE_INIT("srcset"), {LINKS_SRCSET, LINK_IMAGE}, {HTML_TAG_IMG, HTML_TAG_SOURCE}},
	{SLICE_INIT("xlink:href"), {LINKS_URL, LINK_PAGE}, {HTML_TAG_A}},
	{SLICE_INIT("xlink:href"), {LINKS_URL, LINK_IMAGE},
		{HTML_TAG_IMAGE, HTML_TAG_FEIMAGE, HTML_TAG_USE}},
	{SLICE_INIT("xlink:href"), {LINKS_URL, LINK_SCRIPT}, {HTML_TAG_SCRIPT}},
	{SLICE_INIT("imagesrcset"), {LINKS_SRCSET, LINK_IMAGE}, {HTML_TAG_LINK}},
	{SLICE_INIT("poster"), {LINKS_URL, LINK_IMAGE}, {HTML_TAG_VIDEO}},
	{SLICE_INIT("lowsrc"), {LINKS_URL, LINK_IMAGE}, {HTML_TAG_IMG}},
	{SLICE_INIT("dynsrc"), {LINKS_URL, LINK_MEDIA}, {HTML_TAG_IMG}},
	{SLICE_INIT("longdesc"), {LINKS_URL, LINK_PAGE},
		{HTML_TAG_IMG, HTML_TAG_IFRAME, HTML_TAG_FRAME}},
	{SLICE_INIT("manifest"), {LINKS_URL, LINK_OTHER}, {HTML_TAG_HTML}},
	{SLICE_INIT("cite"), {LINKS_URL, LINK_OTHER},
		{HTML_TAG_BLOCKQUOTE, HTML_TAG_Q, HTML_TAG_DEL, HTML_TAG_INS}},
	{SLICE_INIT("background"), {LINKS_URL, LINK_IMAGE},
		{HTML_TAG_BODY, HTML_TAG_TABLE, HTML_TAG_THEAD, HTML_TAG_TBODY, HTML_TAG_TFOOT,
			HTML_TAG_TR, HTML_TAG_TD, HTML_TAG_TH}},
};

/* What scripts that load images late look for, without its "data-": the element's src, an image on
 * whatever element, and its srcset. */
static const slice LAZY[] = {SLICE_INIT("src"), SLICE_INIT("lazy"), SLICE_INIT("lazy-src"),
	SLICE_INIT("lazyload"), SLICE_INIT("original"), SLICE_INIT("orig-src"),
	SLICE_INIT("original-src"), SLICE_INIT("echo")};
static const slice LAZY_IMAGES[] = {SLICE_INIT("hi-res-src"), SLICE_INIT("src-retina"),
	SLICE_INIT("bg"), SLICE_INIT("bg-src"), SLICE_INIT("background"),
	SLICE_INIT("background-image"), SLICE_INIT("image"), SLICE_INIT("image-src"),
	SLICE_INIT("img-src"), SLICE_INIT("poster")};
static const slice LAZY_SETS[] = {SLICE_INIT("srcset"), SLICE_INIT("lazy-srcset"),
	SLICE_INIT("original-set"), SLICE_INIT("bgset")};

static bool is_one_of(slice name, const slice *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_eq(names[i], name))
			return true;
	return false;
}

static bool rule_of_row(enum html_tag tag, slice attr, struct links_rule *ret_rule)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
		if (ROWS[i].attr.len != attr.len || !slice_eq(ROWS[i].attr, attr))
			continue;
		for (const uint8_t *t = ROWS[i].tags; *t; t++)
			if (*t == tag) {
				*ret_rule = ROWS[i].rule;
				return true;
			}
	}
	return false;
}

static bool rule_of_lazy(enum html_tag tag, slice name, struct links_rule *ret_rule)
{
	*ret_rule = (struct links_rule){LINKS_GUESS, LINK_IMAGE};
	if (is_one_of(name, LAZY, sizeof LAZY / sizeof *LAZY)) {
		struct links_rule src;

		if (tag == HTML_TAG_EMBED)
			ret_rule->kind = LINK_MEDIA;
		else if (rule_of_row(tag, SLICE("src"), &src))
			ret_rule->kind = src.kind;
		return true;
	}
	if (is_one_of(name, LAZY_IMAGES, sizeof LAZY_IMAGES / sizeof *LAZY_IMAGES))
		return true;
	ret_rule->how = LINKS_SRCSET;
	return is_one_of(name, LAZY_SETS, sizeof LAZY_SETS / sizeof *LAZY_SETS);
}

bool links_rule_of(
	const struct html_token *token, slice name, bool in_picture, struct links_rule *ret_rule)
{
	struct links_rule rule;

	/* Most attributes are class, id and the like: their first letters settle it. */
	switch (name.len < 3 ? '\0' : name.ptr[0]) {
	case 'b':
	case 'd':
	case 'h':
	case 'i':
	case 'l':
	case 'm':
	case 'p':
	case 's':
	case 'x':
		break;
	default:
		if (!slice_eq(name, SLICE("cite")))
			return false;
	}
	if (name.len > 5 && memcmp(name.ptr, "data-", 5) == 0) {
		if (!rule_of_lazy(token->tag, slice_sub(name, 5, name.len), &rule))
			return false;
	} else if (slice_eq(name, SLICE("style"))) {
		rule = (struct links_rule){LINKS_CSS, LINK_IMAGE};
	} else if (!rule_of_row(token->tag, name, &rule)) {
		/* Gradients, patterns and the like may refer to another file. */
		if (!token->foreign ||
			(!slice_eq(name, SLICE("href")) && !slice_eq(name, SLICE("xlink:href"))))
			return false;
		rule = (struct links_rule){LINKS_URL, LINK_OTHER};
	}
	if (token->tag == HTML_TAG_SOURCE && in_picture && rule.kind == LINK_MEDIA)
		rule.kind = LINK_IMAGE;
	*ret_rule = rule;
	return true;
}

/*
 * Links of documents of JSON: JSON Feed (jsonfeed.org, version 1.1), manifests of web applications
 * (W3C, "Web Application Manifest") and import maps (HTML, section 8.1.5.2).
 */

enum { DEPTH_MAX = 8 };

struct walk {
	struct links *links;
	const struct key *keys;
	size_t count;
	unsigned depth;
	struct buf value;
	bool is_feed, is_manifest; /* of the first reading */
};

/* A member whose value is an address, wherever it stands. */
struct key {
	slice name;
	enum link_kind kind;
};

static const struct key FEED_KEYS[] = {
	{SLICE_INIT("home_page_url"), LINK_PAGE},
	{SLICE_INIT("next_url"), LINK_ALTERNATE},
	{SLICE_INIT("url"), LINK_PAGE},
	{SLICE_INIT("external_url"), LINK_PAGE},
	{SLICE_INIT("image"), LINK_IMAGE},
	{SLICE_INIT("banner_image"), LINK_IMAGE},
	{SLICE_INIT("icon"), LINK_IMAGE},
	{SLICE_INIT("favicon"), LINK_IMAGE},
	{SLICE_INIT("avatar"), LINK_IMAGE},
};

static const struct key MANIFEST_KEYS[] = {
	{SLICE_INIT("start_url"), LINK_PAGE},
	{SLICE_INIT("url"), LINK_PAGE},
	{SLICE_INIT("src"), LINK_IMAGE},
};

static int walk_value(struct walk *w, struct json_cursor *c, const struct key *key);

static int take_string(struct walk *w, struct json_cursor *c)
{
	slice raw;
	int rc = json_cursor_string(c, &raw);

	buf_reset(&w->value);
	return rc ? rc : json_unescape(raw, &w->value);
}

static int on_element(void *context, struct json_cursor *c)
{
	return walk_value(context, c, NULL);
}

static int on_member(void *context, struct json_cursor *c, slice name)
{
	struct walk *w = context;

	for (size_t i = 0; i < w->count; i++)
		if (slice_eq(w->keys[i].name, name))
			return walk_value(w, c, &w->keys[i]);
	return walk_value(w, c, NULL);
}

static int walk_value(struct walk *w, struct json_cursor *c, const struct key *key)
{
	int next = json_cursor_peek(c), rc;

	if (next == '"' && key) {
		rc = take_string(w, c);
		if (rc == 0)
			links_add(w->links, key->kind, buf_slice(&w->value));
		return rc;
	}
	if ((next != '{' && next != '[') || w->depth == DEPTH_MAX)
		return json_cursor_skip(c);
	w->depth++;
	rc = next == '{' ? json_cursor_members(c, on_member, w)
			 : json_cursor_list(c, "a list", on_element, w);
	w->depth--;
	return rc;
}

/* What a document is, its first members say. */
static int on_top_member(void *context, struct json_cursor *c, slice name)
{
	struct walk *w = context;
	int rc;

	if (slice_eq(name, SLICE("icons")) || slice_eq(name, SLICE("start_url")))
		w->is_manifest = true;
	if (!slice_eq(name, SLICE("version")) || json_cursor_peek(c) != '"')
		return json_cursor_skip(c);
	rc = take_string(w, c);
	w->is_feed = rc == 0 && w->value.len &&
		     memmem(w->value.ptr, w->value.len, "jsonfeed.org/version/", 21) != NULL;
	return rc;
}

/* What cannot be read has no links. */
void links_json(struct links *l, slice text)
{
	struct err ignored = {0};
	struct json_cursor c = {.text = text, .err = &ignored};
	struct walk w = {.links = l};

	buf_init(&w.value, LINK_URL_MAX);
	if (json_cursor_object(&c, on_top_member, &w) == 0 && (w.is_feed || w.is_manifest)) {
		w.keys = w.is_feed ? FEED_KEYS : MANIFEST_KEYS;
		w.count = w.is_feed ? sizeof FEED_KEYS / sizeof *FEED_KEYS
				    : sizeof MANIFEST_KEYS / sizeof *MANIFEST_KEYS;
		c = (struct json_cursor){.text = text, .err = &ignored};
		(void)!json_cursor_object(&c, on_member, &w);
	}
	buf_release(&w.value);
}

/* An address ends in "/" where names below it are mapped: such a directory is no script. */
static int on_mapped(void *context, struct json_cursor *c, slice name)
{
	struct walk *w = context;
	int rc;

	(void)name;
	if (json_cursor_peek(c) != '"')
		return json_cursor_skip(c);
	rc = take_string(w, c);
	if (rc || slice_ends_with(buf_slice(&w->value), SLICE("/")) ||
		!script_import_is_address(buf_slice(&w->value)))
		return rc;
	links_add(w->links, LINK_SCRIPT, buf_slice(&w->value));
	return 0;
}

static int on_scope(void *context, struct json_cursor *c, slice name)
{
	(void)name;
	return json_cursor_peek(c) == '{' ? json_cursor_members(c, on_mapped, context)
					  : json_cursor_skip(c);
}

static int on_map_member(void *context, struct json_cursor *c, slice name)
{
	if (json_cursor_peek(c) == '{' && slice_eq(name, SLICE("imports")))
		return json_cursor_members(c, on_mapped, context);
	if (json_cursor_peek(c) == '{' && slice_eq(name, SLICE("scopes")))
		return json_cursor_members(c, on_scope, context);
	return json_cursor_skip(c);
}

/* Takes in an import map (UTF-8). */
static void links_import_map(struct links *l, slice text)
{
	struct err ignored = {0};
	struct json_cursor c = {.text = text, .err = &ignored};
	struct walk w = {.links = l};

	buf_init(&w.value, LINK_URL_MAX);
	(void)!json_cursor_object(&c, on_map_member, &w);
	buf_release(&w.value);
}

/*
 * Documents inside of documents: the srcdoc of an iframe is HTML (HTML 4.8.5), whose references are
 * relative to the base of the document around it, unless it has a base element of its own, which is
 * relative to that in turn and counts for it alone.
 */

/* The first base element that has an href becomes the base of what follows: ERR_EXISTS then. */
static int take_base(struct links *l, const struct html_token *token)
{
	struct link_base base = {.parent = l->base_number};
	slice href = {0};

	if (token->kind == HTML_START_TAG && token->tag == HTML_TAG_BASE)
		href = html_attr_value(token, SLICE("href"));
	if (!href.ptr)
		return 0;
	if (l->bases.len < LINKS_BASES_MAX && href.len <= LINK_URL_MAX)
		base.href = (slice){arena_strdup(&l->arena, href), href.len};
	if (!base.href.ptr)
		return ERR_LIMIT;
	link_base_vec_push(&l->bases, base);
	l->base_number = (uint32_t)l->bases.len;
	return ERR_EXISTS;
}

/* Reads the links, or looks for the base, which may stand behind the links it counts for. */
static int read_document(struct links *l, slice html, bool for_base)
{
	struct html_tokenizer *t = mem_resize(NULL, 1, sizeof *t);
	const struct html_token *token;
	int rc = 0;

	html_init(t, 0);
	html_feed(t, html);
	html_finish(t);
	while (rc == 0 && html_next(t, &token) == 0)
		if (for_base)
			rc = take_base(l, token);
		else
			links_token(l, token);
	html_release(t);
	free(t);
	return rc;
}

/* Takes in the links of a document that is an attribute's value. */
static void links_srcdoc(struct links *l, slice html)
{
	bool in_picture = l->in_picture, form_is_get = l->form_is_get;
	uint32_t base_number = l->base_number;

	links_finish(l); /* a style element cannot go on inside */
	if (html.len == 0)
		return;
	if (l->depth == LINKS_SRCDOC_MAX) {
		l->cut = true;
		return;
	}
	l->depth++;
	l->in_picture = l->form_is_get = false;
	if (read_document(l, html, true) == ERR_LIMIT) {
		l->cut = true;
	} else {
		(void)read_document(l, html, false);
		links_finish(l);
	}
	l->depth--;
	l->in_picture = in_picture;
	l->form_is_get = form_is_get;
	l->base_number = base_number;
}

/*
 * Links of feeds and other lists in XML (RSS, Atom, RDF, OPML, sitemaps): addresses in the text of
 * elements, and in attributes that HTML does not have.
 */

/*
 * Enclosures are as large as films, and no reader of a feed loads them unasked: they are followed
 * like other links, but are not part of the feed.
 */
static const struct {
	slice element, attr;
	enum link_kind kind;
} ATTRS[] = {
	{SLICE_INIT("enclosure"), SLICE_INIT("url"), LINK_OTHER},
	{SLICE_INIT("media:content"), SLICE_INIT("url"), LINK_OTHER},
	{SLICE_INIT("media:thumbnail"), SLICE_INIT("url"), LINK_IMAGE},
	{SLICE_INIT("media:player"), SLICE_INIT("url"), LINK_OTHER},
	{SLICE_INIT("itunes:image"), SLICE_INIT("href"), LINK_IMAGE},
	{SLICE_INIT("atom:link"), SLICE_INIT("href"), LINK_ALTERNATE},
	{SLICE_INIT("content"), SLICE_INIT("src"), LINK_OTHER},
	{SLICE_INIT("outline"), SLICE_INIT("xmlurl"), LINK_ALTERNATE},
	{SLICE_INIT("outline"), SLICE_INIT("htmlurl"), LINK_PAGE},
	{SLICE_INIT("item"), SLICE_INIT("rdf:about"), LINK_PAGE},
	{SLICE_INIT("rdf:li"), SLICE_INIT("rdf:resource"), LINK_PAGE},
	{SLICE_INIT("image"), SLICE_INIT("rdf:resource"), LINK_IMAGE},
};

static const struct {
	slice element;
	enum link_kind kind;
} TEXTS[] = {
	{SLICE_INIT("link"), LINK_PAGE},
	{SLICE_INIT("guid"), LINK_PAGE},
	{SLICE_INIT("comments"), LINK_PAGE},
	{SLICE_INIT("loc"), LINK_PAGE},
	{SLICE_INIT("image:loc"), LINK_IMAGE},
	{SLICE_INIT("url"), LINK_IMAGE}, /* of an image */
	{SLICE_INIT("logo"), LINK_IMAGE},
	{SLICE_INIT("icon"), LINK_IMAGE},
	{SLICE_INIT("wfw:commentrss"), LINK_ALTERNATE},
};

/* A start tag of a document in XML: adds what its attributes name. */
static void links_feed_start(struct links *l, const struct html_token *token)
{
	for (size_t i = 0; i < sizeof ATTRS / sizeof *ATTRS; i++)
		if (slice_eq(token->name, ATTRS[i].element))
			links_add(l, ATTRS[i].kind, html_attr_value(token, ATTRS[i].attr));
}

/* A guid is an address unless it says otherwise. */
/* Whether its text is an address, and of which kind. */
static bool links_feed_holds(const struct html_token *token, enum link_kind *ret)
{
	if (word_is(html_attr_value(token, SLICE("ispermalink")), SLICE("false")) ||
		token->self_closing)
		return false;
	for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
		if (slice_eq(token->name, TEXTS[i].element)) {
			*ret = TEXTS[i].kind;
			return true;
		}
	return false;
}

enum {
	KEY_PREFIX_MAX = 16, /* of kind and base */
	KEPT_MAX = 1024,     /* links whose memory serves for the next document */
};

void links_init(struct links *l)
{
	*l = (struct links){0};
	arena_init(&l->arena, LINKS_BYTES_MAX);
	strmap_init(&l->seen, hash_key_random(), &l->arena);
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

void links_add(struct links *l, enum link_kind kind, slice ref)
{
	int rc;

	ref = url_strip(ref);
	if (leads_nowhere(l, ref, kind))
		return;
	if (ref.len > LINK_URL_MAX) {
		l->cut = true;
		return;
	}
	/* No reference begins with LF. */
	buf_reset(&l->key);
	buf_add_char(&l->key, (char)('a' + (char)kind));
	if (l->base_number)
		buf_printf(&l->key, "\n%u\n", (unsigned)l->base_number);
	buf_add(&l->key, ref);
	if (l->list.len < LINKS_MAX)
		rc = strmap_put(&l->seen, buf_slice(&l->key), 0);
	else
		rc = strmap_get(&l->seen, buf_slice(&l->key), NULL) ? ERR_EXISTS : ERR_LIMIT;
	l->cut = l->cut || (rc && rc != ERR_EXISTS);
	if (rc)
		return;
	ref = slice_sub(strmap_newest(&l->seen), l->key.len - ref.len, l->key.len);
	link_vec_push(&l->list, (struct link){.ref = ref, .kind = kind, .base = l->base_number});
}

static void add_kinds(struct links *l, unsigned kinds, slice type, slice ref)
{
	size_t known = l->list.len;

	for (int kind = 0; kind < LINK_KIND_COUNT; kind++)
		if (kinds & 1U << kind)
			links_add(l, (enum link_kind)kind, ref);
	for (; known < l->list.len; known++)
		l->list.ptr[known].is_feed =
			l->list.ptr[known].kind == LINK_ALTERNATE && link_type_is_feed(type);
}

void links_css(struct links *l, slice sheet)
{
	struct css_reader css;
	struct css_link link;

	css_init(&css, sheet);
	while (css_next(&css, &link) == 0)
		links_add(l, link.kind, link.url);
	css_release(&css);
}

void links_header(struct links *l, slice value)
{
	struct link_header header;
	struct link_header_link link;

	link_header_init(&header, value);
	while (link_header_next(&header, &link) == 0)
		add_kinds(
			l, link_kinds_of_rel(link.rel, link.as, link.type), link.type, link.target);
	link_header_release(&header);
}

static void add_srcset(struct links *l, slice value)
{
	struct srcset_candidate candidate;
	struct srcset set;

	srcset_init(&set, value);
	while (srcset_next(&set, &candidate))
		links_add(l, LINK_IMAGE, candidate.url);
}

static void link_element(struct links *l, const struct html_token *token)
{
	slice type = html_attr_value(token, SLICE("type"));
	unsigned kinds = link_kinds_of_rel(
		html_attr_value(token, SLICE("rel")), html_attr_value(token, SLICE("as")), type);

	add_kinds(l, kinds, type, html_attr_value(token, SLICE("href")));
}

void links_refresh(struct links *l, slice value)
{
	uint64_t seconds;
	slice url;

	if (refresh_parse(value, &seconds, &url))
		links_add(l, LINK_PAGE, url);
}

static void base_element(struct links *l, const struct html_token *token)
{
	slice href = html_attr_value(token, SLICE("href"));

	if (l->has_base || l->depth > 0 || !href.ptr)
		return;
	href = url_strip(href);
	if (href.len <= LINK_URL_MAX)
		l->base = (slice){arena_strdup(&l->arena, href), href.len};
	l->has_base = l->base.ptr != NULL;
}

/* A form's method is GET unless it says POST or dialog. */
static bool is_get(slice method)
{
	method = word_trim(method);
	return !word_is(method, SLICE("post")) && !word_is(method, SLICE("dialog"));
}

/* A button that sends its form elsewhere. */
static void form_button(struct links *l, const struct html_token *token)
{
	slice action = html_attr_value(token, SLICE("formaction"));
	slice method = html_attr_value(token, SLICE("formmethod"));

	if (action.ptr && (method.ptr ? is_get(method) : l->form_is_get))
		links_add(l, LINK_FORM, action);
}

/* object, embed and a parameter that names a plug-in's file. */
static void object_element(struct links *l, const struct html_token *token)
{
	slice type = html_attr_value(token, SLICE("type"));
	slice name = html_attr_value(token, SLICE("name"));

	if (token->tag == HTML_TAG_OBJECT)
		links_add(l, link_kind_of_type(type), html_attr_value(token, SLICE("data")));
	else if (token->tag == HTML_TAG_EMBED)
		links_add(l, link_kind_of_type(type), html_attr_value(token, SLICE("src")));
	else if (word_is(name, SLICE("movie")) || word_is(name, SLICE("src")))
		links_add(l, LINK_MEDIA, html_attr_value(token, SLICE("value")));
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

/* What an element means beyond the table above. */
static void special_element(struct links *l, const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_LINK:
		link_element(l, token);
		break;
	case HTML_TAG_META:
		if (word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("refresh")))
			links_refresh(l, html_attr_value(token, SLICE("content")));
		break;
	case HTML_TAG_BASE:
		base_element(l, token);
		break;
	case HTML_TAG_FORM:
		l->form_is_get = is_get(html_attr_value(token, SLICE("method")));
		if (l->form_is_get)
			links_add(l, LINK_FORM, html_attr_value(token, SLICE("action")));
		break;
	case HTML_TAG_BUTTON:
	case HTML_TAG_INPUT:
		form_button(l, token);
		break;
	case HTML_TAG_OBJECT:
	case HTML_TAG_EMBED:
	case HTML_TAG_PARAM:
		object_element(l, token);
		break;
	case HTML_TAG_IFRAME:
		/* A value that was cut ends in a tag that was, which the tokenizer drops. */
		l->cut = l->cut || token->cut;
		links_srcdoc(l, html_attr_value(token, SLICE("srcdoc")));
		break;
	case HTML_TAG_PICTURE:
		l->in_picture = true;
		break;
	case HTML_TAG_STYLE:
		if (!token->self_closing || !token->foreign)
			gather(l, LINKS_STYLE);
		break;
	case HTML_TAG_SCRIPT:
		if (!token->self_closing || !(token->foreign || l->is_xml))
			gather(l, script_holds(token));
		break;
	default:
		break;
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

static void add_attr(struct links *l, const struct html_token *token, const struct html_attr *attr)
{
	struct links_rule rule = {0};

	if (!links_rule_of(token, attr->name, l->in_picture, &rule))
		return;
	if (attr->cut)
		l->cut = true;
	else if (rule.how == LINKS_SRCSET)
		add_srcset(l, attr->value);
	else if (rule.how == LINKS_CSS)
		links_css(l, attr->value);
	else if (rule.how == LINKS_URL || looks_like_url(attr->value))
		links_add(l, rule.kind, attr->value);
}

/* Addresses in the text of elements: <link>https://…</link>. */
static void feed_element(struct links *l, const struct html_token *token)
{
	enum link_kind kind;

	l->gathering = LINKS_NO_TEXT;
	if (links_feed_holds(token, &kind)) {
		gather(l, LINKS_ADDRESS);
		l->text_kind = (uint8_t)kind;
	}
	if (token->attr_count)
		links_feed_start(l, token);
}

static void start_tag(struct links *l, const struct html_token *token)
{
	for (size_t i = 0; i < token->attr_count; i++)
		add_attr(l, token, &token->attrs[i]);
	if (l->is_xml && !token->foreign)
		feed_element(l, token);
	special_element(l, token);
}

static void end_tag(struct links *l, const struct html_token *token)
{
	if (token->tag == HTML_TAG_STYLE || token->tag == HTML_TAG_SCRIPT ||
		l->gathering == LINKS_ADDRESS)
		links_finish(l);
	else if (token->tag == HTML_TAG_PICTURE)
		l->in_picture = false;
	else if (token->tag == HTML_TAG_FORM)
		l->form_is_get = false;
}

/* <?xml-stylesheet href="…"?>, which the tokenizer takes for a comment. */
static void xml_stylesheet(struct links *l, slice text)
{
	slice word;

	if (!word_starts(text, SLICE("?xml-stylesheet")))
		return;
	while (word_next(&text, ' ', &word)) {
		slice value = slice_sub(word, 6, word.len);
		const char *end;

		if (!word_starts(word, SLICE("href=\"")) && !word_starts(word, SLICE("href='")))
			continue;
		end = value.len ? memchr(value.ptr, word.ptr[5], value.len) : NULL;
		if (end)
			links_add(l, LINK_STYLE, slice_sub(value, 0, (size_t)(end - value.ptr)));
		return;
	}
}

/* Style sheets are read when they are whole; what is beyond the limit is left out. */
static void add_style(struct links *l, slice text)
{
	size_t room = LINKS_STYLE_MAX - l->style.len;

	l->cut = l->cut || text.len > room;
	buf_add(&l->style, slice_sub(text, 0, room));
}

void links_token(struct links *l, const struct html_token *token)
{
	if (token->kind == HTML_START_TAG)
		start_tag(l, token);
	else if (token->kind == HTML_END_TAG)
		end_tag(l, token);
	else if (token->kind == HTML_TEXT && l->gathering)
		add_style(l, token->text);
	else if (token->kind == HTML_COMMENT)
		xml_stylesheet(l, token->text);
}

void links_script(struct links *l, slice script)
{
	struct script_imports imports;
	slice specifier;

	script_imports_init(&imports, script);
	while (script_imports_next(&imports, &specifier))
		if (script_import_is_address(specifier))
			links_add(l, LINK_SCRIPT, specifier);
}

void links_finish(struct links *l)
{
	enum links_element what = (enum links_element)l->gathering;
	slice text = buf_slice(&l->style);

	l->gathering = LINKS_NO_TEXT;
	if (what == LINKS_STYLE)
		links_css(l, text);
	else if (what == LINKS_SCRIPT)
		links_script(l, text);
	else if (what == LINKS_MAP)
		links_import_map(l, text);
	else if (what == LINKS_ADDRESS && looks_like_url(text))
		links_add(l, (enum link_kind)l->text_kind, text);
}
