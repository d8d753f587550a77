#include "extract/sitemap_xml.h"

#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "extract/feed.h"

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
