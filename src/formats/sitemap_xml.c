#include "formats/sitemap_xml.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/slice.h"
#include "base/word.h"

/*
 * What the elements of sitemaps and feeds mean: the sitemap protocol 0.9, RSS 0.9x, 1.0 and 2.0,
 * Atom 0.3 and 1.0 (RFC 4287).
 */

enum feed_role {
	FEED_OTHER,
	FEED_RECORD, /* url, sitemap, item, entry */
	FEED_FIELD,
};

struct feed_meaning {
	enum feed_role role;
	bool is_sitemap; /* of a record */
	enum sitemap_field field;
	int rank;          /* of a field: the larger replaces the smaller, the first its equals */
	bool in_attribute; /* the value is in "href" */
};

/* An element as libxml2's SAX2 interface reports it; borrowed. */
struct feed_element {
	slice name; /* local */
	slice prefix;
	slice uri; /* of its namespace; ptr is NULL for none, as in prefix */
	const unsigned char **attributes;
	int attribute_count;
};

static const struct row {
	slice name;
	enum sitemap_format format;
	struct feed_meaning meaning;
} ROWS[] = {
	{SLICE_INIT("url"), SITEMAP_XML, {.role = FEED_RECORD}},
	{SLICE_INIT("sitemap"), SITEMAP_XML, {.role = FEED_RECORD, .is_sitemap = true}},
	{SLICE_INIT("loc"), SITEMAP_XML, {FEED_FIELD, false, SITEMAP_FIELD_LOC, 1, false}},
	{SLICE_INIT("lastmod"), SITEMAP_XML, {FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 1, false}},
	{SLICE_INIT("changefreq"), SITEMAP_XML,
		{FEED_FIELD, false, SITEMAP_FIELD_CHANGEFREQ, 1, false}},
	{SLICE_INIT("priority"), SITEMAP_XML,
		{FEED_FIELD, false, SITEMAP_FIELD_PRIORITY, 1, false}},
	{SLICE_INIT("item"), SITEMAP_RSS, {.role = FEED_RECORD}},
	{SLICE_INIT("link"), SITEMAP_RSS, {FEED_FIELD, false, SITEMAP_FIELD_LOC, 2, false}},
	{SLICE_INIT("guid"), SITEMAP_RSS, {FEED_FIELD, false, SITEMAP_FIELD_LOC, 1, false}},
	{SLICE_INIT("pubDate"), SITEMAP_RSS, {FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 2, false}},
	{SLICE_INIT("date"), SITEMAP_RSS, {FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 1, false}},
	{SLICE_INIT("entry"), SITEMAP_ATOM, {.role = FEED_RECORD}},
	{SLICE_INIT("link"), SITEMAP_ATOM, {FEED_FIELD, false, SITEMAP_FIELD_LOC, 1, true}},
	{SLICE_INIT("updated"), SITEMAP_ATOM, {FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 3, false}},
	{SLICE_INIT("modified"), SITEMAP_ATOM,
		{FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 3, false}},
	{SLICE_INIT("published"), SITEMAP_ATOM,
		{FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 2, false}},
	{SLICE_INIT("issued"), SITEMAP_ATOM, {FEED_FIELD, false, SITEMAP_FIELD_LASTMOD, 1, false}},
};

/* The format whose root element this is; *ret_index tells a sitemapindex. */
static enum sitemap_format feed_root(slice name, bool *ret_index)
{
	*ret_index = word_is(name, SLICE("sitemapindex"));
	if (*ret_index || word_is(name, SLICE("urlset")))
		return SITEMAP_XML;
	if (word_is(name, SLICE("rss")) || word_is(name, SLICE("rdf")))
		return SITEMAP_RSS;
	return word_is(name, SLICE("feed")) ? SITEMAP_ATOM : SITEMAP_UNKNOWN;
}

/* Versions follow; "…/sitemap-image/1.1" and its like do not begin like these. */
/* Whether the namespace is one of those that core elements have in some format. */
static bool feed_is_core_namespace(slice uri)
{
	static const slice known[] = {
		SLICE_INIT("http://www.sitemaps.org/schemas/sitemap/"),
		SLICE_INIT("https://www.sitemaps.org/schemas/sitemap/"),
		SLICE_INIT("http://www.google.com/schemas/sitemap/"),
		SLICE_INIT("https://www.google.com/schemas/sitemap/"),
		SLICE_INIT("http://purl.org/rss/1.0/"),
		SLICE_INIT("http://purl.org/dc/elements/"),
		SLICE_INIT("http://my.netscape.com/rdf/simple/0.9/"),
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		bool module =
			uri.len > known[i].len &&
			slice_eq(slice_sub(uri, known[i].len, known[i].len + 7), SLICE("modules"));

		if (slice_eq(slice_sub(uri, 0, known[i].len), known[i]) && !module)
			return true;
	}
	return false;
}

/* The raw value of an attribute, {NULL, 0} when missing; prefix "" for none. */
static slice feed_attribute(const struct feed_element *e, const char *prefix, const char *name)
{
	for (int i = 0; i < e->attribute_count; i++) {
		/* Five each: local name, prefix, namespace, value, its end. */
		const unsigned char *const *a = e->attributes + 5 * (size_t)i;
		const char *has = a[1] ? (const char *)a[1] : "";

		if (strcmp((const char *)a[0], name) == 0 && strcmp(has, prefix) == 0)
			return (slice){(const char *)a[3], (size_t)(a[4] - a[3])};
	}
	return (slice){0};
}

/*
 * Appends an attribute's value as text: SAX2 gives "&" as "&#38;" as long as entities are off.
 * As buf_add.
 */
static SP_MUST_CHECK int feed_add_value(struct buf *out, slice raw)
{
	static const slice amp = SLICE_INIT("&#38;");

	for (size_t at = 0; at < raw.len;) {
		const char *found = memmem(raw.ptr + at, raw.len - at, amp.ptr, amp.len);
		size_t end = found ? (size_t)(found - raw.ptr) : raw.len;
		int rc = buf_add(out, slice_sub(raw, at, end));

		if (rc == 0 && found)
			rc = buf_add_char(out, '&');
		if (rc)
			return rc;
		at = end + (found ? amp.len : 0);
	}
	return 0;
}

/* A guid is an address unless it says otherwise; a link of Atom only as the entry's own page. */
static bool is_address(enum sitemap_format format, const struct feed_element *e)
{
	slice rel = feed_attribute(e, "", "rel");

	if (format == SITEMAP_RSS)
		return !word_is(feed_attribute(e, "", "isPermaLink"), SLICE("false"));
	return format != SITEMAP_ATOM || !rel.ptr || word_is(rel, SLICE("alternate"));
}

/* What an element in a core namespace means. */
static struct feed_meaning feed_meaning(enum sitemap_format format, const struct feed_element *e)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		if (ROWS[i].format != format || !word_is(ROWS[i].name, e->name))
			continue;
		if (ROWS[i].meaning.field == SITEMAP_FIELD_LOC && !is_address(format, e))
			break;
		return ROWS[i].meaning;
	}
	return (struct feed_meaning){.role = FEED_OTHER};
}

enum {
	NAMESPACE_MAX = 4096, /* a longer one is none that is known */
	/* Recover; never load anything; libxml2's own limits stay on (no XML_PARSE_HUGE), and
	 * entities stay references (no XML_PARSE_NOENT). */
	OPTIONS = XML_PARSE_RECOVER | XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING,
};

static slice from_xml(const xmlChar *s)
{
	return s ? slice_str((const char *)s) : (slice){0};
}

static void fail(struct sitemap_xml *x, int rc)
{
	x->rc = rc;
	xmlStopParser(x->parser);
}

static void begin_record(struct sitemap_xml *x, bool is_sitemap)
{
	x->in_record = true;
	x->record = sitemap_entry_empty(is_sitemap);
	x->loc_rank = x->lastmod_rank = 0;
	buf_reset(&x->loc);
}

static void end_record(struct sitemap_xml *x)
{
	int rc = 0;

	if (x->in_record && x->loc_rank > 0) {
		x->record.loc = buf_slice(&x->loc);
		rc = sitemap_queue_add(x->queue, &x->record, buf_slice(&x->loc_base));
	}
	x->in_record = false;
	x->skip = 0;
	if (rc)
		fail(x, rc);
}

static bool base_is_lost(const struct sitemap_xml *x)
{
	return x->base_count > 0 && x->base_stack[x->base_count - 1].lost;
}

/*
 * Whether an address has a reference to an entity that nobody has declared ("&test;"): what it
 * stands for is not known, so the address is not either. The predefined ones are there where they
 * were escaped twice.
 */
static bool has_entity(slice s)
{
	static const slice known[] = {SLICE_INIT("amp"), SLICE_INIT("lt"), SLICE_INIT("gt"),
		SLICE_INIT("quot"), SLICE_INIT("apos")};

	for (size_t at = 0; at < s.len; at++) {
		size_t end = at + 1;
		bool is_known = false;

		if (s.ptr[at] != '&')
			continue;
		while (end < s.len && word_is_alpha(s.ptr[end]))
			end++;
		if (end == at + 1 || end == s.len || s.ptr[end] != ';')
			continue;
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			is_known = is_known || slice_eq(slice_sub(s, at + 1, end), known[i]);
		if (!is_known)
			return true;
	}
	return false;
}

static void set_loc(struct sitemap_xml *x)
{
	slice text = sitemap_trim(buf_slice(&x->text));
	int rc;

	if (x->overlong || base_is_lost(x)) {
		x->queue->overlong++;
		return;
	}
	if (text.len == 0 || x->field_rank <= x->loc_rank || has_entity(text))
		return;
	buf_reset(&x->loc);
	buf_reset(&x->loc_base);
	rc = buf_add(&x->loc, text);
	if (rc == 0)
		rc = buf_add(&x->loc_base, buf_slice(&x->bases));
	if (rc)
		fail(x, rc);
	else
		x->loc_rank = x->field_rank;
}

static void set_lastmod(struct sitemap_xml *x)
{
	if (x->field_rank <= x->lastmod_rank ||
		w3cdate_parse_any(sitemap_trim(buf_slice(&x->text)), &x->record.lastmod))
		return;
	x->record.has_lastmod = true;
	x->lastmod_rank = x->field_rank;
}

static void set_priority(struct sitemap_xml *x)
{
	double value;

	if (parse_double(sitemap_trim(buf_slice(&x->text)), &value) == 0 && value >= 0 &&
		value <= 1)
		x->record.priority = value;
}

static void end_field(struct sitemap_xml *x)
{
	switch (x->field) {
	case SITEMAP_FIELD_LOC:
		set_loc(x);
		break;
	case SITEMAP_FIELD_LASTMOD:
		set_lastmod(x);
		break;
	case SITEMAP_FIELD_CHANGEFREQ:
		x->record.changefreq = sitemap_frequency_parse(buf_slice(&x->text));
		break;
	case SITEMAP_FIELD_PRIORITY:
		set_priority(x);
		break;
	case SITEMAP_FIELD_NONE:
		break;
	}
	x->field = SITEMAP_FIELD_NONE;
	buf_reset(&x->text);
}

static void add_text(struct sitemap_xml *x, slice text)
{
	int rc = x->overlong ? 0 : buf_add(&x->text, text);

	if (rc == ERR_LIMIT)
		x->overlong = true;
	else if (rc)
		fail(x, rc);
}

/*
 * In a sitemap a second loc, or one outside of any record, begins a record of its own: the tags
 * around it are missing.
 */
static void begin_field(
	struct sitemap_xml *x, const struct feed_element *e, const struct feed_meaning *meaning)
{
	bool loc = meaning->field == SITEMAP_FIELD_LOC && x->format == SITEMAP_XML;

	if (loc && (!x->in_record || x->loc_rank > 0)) {
		bool is_sitemap = x->in_record ? x->record.is_sitemap : x->index;

		end_record(x);
		begin_record(x, is_sitemap);
	}
	if (!x->in_record)
		return;
	x->field = meaning->field;
	x->field_rank = meaning->rank;
	x->field_depth = 0;
	x->overlong = false;
	buf_reset(&x->text);
	if (meaning->in_attribute) {
		int rc = feed_add_value(&x->text, feed_attribute(e, "", "href"));

		x->overlong = rc == ERR_LIMIT;
		end_field(x);
		x->skip = 1;
	}
}

static bool is_core(const struct sitemap_xml *x, const struct feed_element *e)
{
	if (slice_eq(e->uri, buf_slice(&x->namespace)) &&
		(e->uri.len > 0 || slice_eq(e->prefix, buf_slice(&x->prefix))))
		return true;
	return feed_is_core_namespace(e->uri);
}

static void begin_root(struct sitemap_xml *x, const struct feed_element *e)
{
	slice uri = slice_sub(e->uri, 0, NAMESPACE_MAX);
	int rc = buf_add(&x->namespace, uri);

	x->root_seen = true;
	x->format = feed_root(e->name, &x->index);
	if (rc == 0)
		rc = buf_add(&x->prefix, slice_sub(e->prefix, 0, NAMESPACE_MAX));
	if (rc == 0)
		rc = feed_add_value(&x->base, feed_attribute(e, "xml", "base"));
	if (rc == ERR_LIMIT)
		buf_reset(&x->base);
	else if (rc)
		fail(x, rc);
}

static void begin_element(struct sitemap_xml *x, const struct feed_element *e)
{
	struct feed_meaning meaning = {.role = FEED_OTHER};

	if (is_core(x, e))
		meaning = feed_meaning(x->format, e);
	if (meaning.role == FEED_RECORD) {
		end_field(x);
		end_record(x);
		begin_record(x, meaning.is_sitemap);
	} else if (x->skip) {
		x->skip++;
	} else if (meaning.role == FEED_FIELD) {
		end_field(x);
		begin_field(x, e, &meaning);
	} else if (x->field) {
		x->field_depth++;
	} else if (x->in_record) {
		x->skip = 1;
	}
}

/* XML Base §3.1. What is inside of one that is lost is lost, too. */
static void push_base(struct sitemap_xml *x, const struct feed_element *e)
{
	slice value = feed_attribute(e, "xml", "base");
	struct sitemap_base base = {x->depth, x->bases.len, base_is_lost(x)};
	int rc = 0;

	if (value.len == 0 || x->base_count == SITEMAP_DEPTH_MAX)
		return;
	if (!base.lost && x->bases.len > 0)
		rc = buf_add_char(&x->bases, '\n');
	if (!base.lost && rc == 0)
		rc = feed_add_value(&x->bases, value);
	base.lost = base.lost || rc == ERR_LIMIT;
	if (rc == ERR_NOMEM)
		fail(x, rc);
	x->base_stack[x->base_count++] = base;
}

static void pop_base(struct sitemap_xml *x)
{
	while (x->base_count > 0 && x->base_stack[x->base_count - 1].depth >= x->depth)
		buf_truncate(&x->bases, x->base_stack[--x->base_count].before);
}

/* libxml2's parameters. NOLINTNEXTLINE(readability-function-size) */
static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
	int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
	const xmlChar **attributes)
{
	struct sitemap_xml *x = user;
	struct feed_element e = {
		.name = from_xml(name),
		.prefix = from_xml(prefix),
		.uri = from_xml(uri),
		.attributes = attributes,
		.attribute_count = attribute_count,
	};

	(void)namespace_count;
	(void)namespaces;
	(void)defaulted;
	x->depth++;
	if (x->root_seen) {
		push_base(x, &e);
		begin_element(x, &e);
	} else {
		begin_root(x, &e);
	}
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct sitemap_xml *x = user;
	struct feed_element e = {
		.name = from_xml(name), .prefix = from_xml(prefix), .uri = from_xml(uri)};

	if (x->skip)
		x->skip--;
	else if (x->field && x->field_depth > 0)
		x->field_depth--;
	else if (x->field)
		end_field(x);
	else if (is_core(x, &e) && feed_meaning(x->format, &e).role == FEED_RECORD)
		end_record(x);
	pop_base(x);
	x->depth -= x->depth > 0;
}

static void on_text(void *user, const xmlChar *text, int len)
{
	struct sitemap_xml *x = user;

	if (x->field && !x->skip)
		add_text(x, (slice){(const char *)text, (size_t)len});
}

/* Keeps the first complaint; a namespace that is not declared harms nobody. */
static void on_error(void *user, xmlErrorPtr error)
{
	struct sitemap_xml *x = user;
	size_t len;

	if (x->error[0] || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE)
		return;
	(void)snprintf(x->error, sizeof x->error, "%s", error->message ? error->message : "error");
	len = strcspn(x->error, "\n");
	x->error[len] = '\0';
}

static xmlParserCtxtPtr new_parser(struct sitemap_xml *x)
{
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.serror = on_error,
	};
	xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&sax, x, NULL, 0, NULL);

	if (parser)
		(void)xmlCtxtUseOptions(parser, OPTIONS);
	return parser;
}

int sitemap_xml_init(struct sitemap_xml *x, struct sitemap_queue *queue)
{
	*x = (struct sitemap_xml){.queue = queue};
	buf_init(&x->base, SITEMAP_LOC_MAX);
	buf_init(&x->namespace, NAMESPACE_MAX);
	buf_init(&x->prefix, NAMESPACE_MAX);
	buf_init(&x->loc, SITEMAP_LOC_MAX);
	buf_init(&x->bases, SITEMAP_BASE_MAX);
	buf_init(&x->loc_base, SITEMAP_BASE_MAX);
	buf_init(&x->text, SITEMAP_LOC_MAX);
	x->parser = new_parser(x);
	return x->parser ? 0 : ERR_NOMEM;
}

void sitemap_xml_release(struct sitemap_xml *x)
{
	if (x->parser) {
		xmlFreeDoc(x->parser->myDoc);
		x->parser->myDoc = NULL;
	}
	xmlFreeParserCtxt(x->parser);
	x->parser = NULL;
	buf_release(&x->base);
	buf_release(&x->namespace);
	buf_release(&x->prefix);
	buf_release(&x->loc);
	buf_release(&x->bases);
	buf_release(&x->loc_base);
	buf_release(&x->text);
}

/* What the parser thinks of the bytes does not matter: its callbacks have said it all. */
int sitemap_xml_feed(struct sitemap_xml *x, slice block)
{
	if (block.len > 0)
		(void)xmlParseChunk(x->parser, block.ptr, (int)block.len, 0);
	return x->rc;
}

int sitemap_xml_end(struct sitemap_xml *x)
{
	(void)xmlParseChunk(x->parser, NULL, 0, 1);
	end_record(x);
	return x->rc;
}
