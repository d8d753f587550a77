#include "formats/sitemap_xml.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/slice.h"
#include "base/utf8.h"
#include "base/word.h"

void sitemap_queue_init(struct sitemap_queue *q)
{
	*q = (struct sitemap_queue){0};
	arena_init(&q->arena, SITEMAP_QUEUE_MAX);
}

void sitemap_queue_release(struct sitemap_queue *q)
{
	sitemap_records_release(&q->records);
	arena_release(&q->arena);
}

void sitemap_queue_reset(struct sitemap_queue *q)
{
	q->records.len = 0;
	q->next = 0;
	arena_reset(&q->arena);
}

int sitemap_queue_add(struct sitemap_queue *q, const struct sitemap_entry *entry, slice base)
{
	const struct sitemap_record *last =
		q->records.len ? &q->records.ptr[q->records.len - 1] : NULL;
	struct sitemap_record copy = {*entry, base};

	copy.entry.loc = arena_keep(&q->arena, sitemap_trim(copy.entry.loc));
	if (copy.entry.loc.len == 0)
		return 0;
	/* The last record's base is the same more often than not. */
	copy.base = last && slice_eq(last->base, base) ? last->base : arena_keep(&q->arena, base);
	if (arena_full(&q->arena))
		return ERR_LIMIT;
	sitemap_records_push(&q->records, copy);
	return 0;
}

struct sitemap_entry sitemap_entry_empty(bool is_sitemap)
{
	return (struct sitemap_entry){.is_sitemap = is_sitemap, .priority = NAN};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* White space of Unicode in UTF-8, and characters without width that stand around texts. */
static const slice SPACES[] = {SLICE_INIT("\xc2\x85"), SLICE_INIT("\xc2\xa0"),
	SLICE_INIT("\xe1\x9a\x80"), SLICE_INIT("\xe2\x80\x80"), SLICE_INIT("\xe2\x80\x81"),
	SLICE_INIT("\xe2\x80\x82"), SLICE_INIT("\xe2\x80\x83"), SLICE_INIT("\xe2\x80\x84"),
	SLICE_INIT("\xe2\x80\x85"), SLICE_INIT("\xe2\x80\x86"), SLICE_INIT("\xe2\x80\x87"),
	SLICE_INIT("\xe2\x80\x88"), SLICE_INIT("\xe2\x80\x89"), SLICE_INIT("\xe2\x80\x8a"),
	SLICE_INIT("\xe2\x80\x8b"), SLICE_INIT("\xe2\x80\xa8"), SLICE_INIT("\xe2\x80\xa9"),
	SLICE_INIT("\xe2\x80\xaf"), SLICE_INIT("\xe2\x81\x9f"), SLICE_INIT("\xe2\x81\xa0"),
	SLICE_INIT("\xe3\x80\x80"), SLICE_INIT("\xef\xbb\xbf")};

/* Bytes of the white space that the text begins with, or ends with; 0 for none. */
static size_t space_at(slice s, bool end)
{
	if (s.len > 0 && is_blank(s.ptr[end ? s.len - 1 : 0]))
		return 1;
	for (size_t i = 0; i < sizeof SPACES / sizeof SPACES[0]; i++) {
		size_t len = SPACES[i].len;

		if (s.len >= len &&
			memcmp(s.ptr + (end ? s.len - len : 0), SPACES[i].ptr, len) == 0)
			return len;
	}
	return 0;
}

slice sitemap_trim(slice s)
{
	size_t n;

	while ((n = space_at(s, false)) > 0)
		s = slice_sub(s, n, s.len);
	while ((n = space_at(s, true)) > 0)
		s = slice_sub(s, 0, s.len - n);
	return s;
}

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

/* An element; borrowed. */
struct feed_element {
	slice name; /* local */
	slice prefix;
	struct sitemap_namespace namespace;
	const struct html_token *token; /* its attributes */
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

static slice feed_attribute(const struct feed_element *e, const char *name)
{
	return html_attr_value(e->token, slice_str(name));
}

/* A guid is an address unless it says otherwise; a link of Atom only as the entry's own page. */
static bool is_address(enum sitemap_format format, const struct feed_element *e)
{
	slice rel = feed_attribute(e, "rel");

	if (format == SITEMAP_RSS)
		return !word_is(feed_attribute(e, "ispermalink"), SLICE("false"));
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
	NAMESPACE_LONG = 1,   /* what it has for an id */
};

static void fail(struct sitemap_xml *x, int rc)
{
	if (x->rc == 0)
		x->rc = rc;
}

static void complain(struct sitemap_xml *x, const char *damage)
{
	if (!x->damage)
		x->damage = damage;
}

static void complain_of_syntax(struct sitemap_xml *x)
{
	complain(x, "not well-formed XML");
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

	if (x->overlong || x->open[x->depth - 1].lost) {
		x->queue->overlong++;
		return;
	}
	if (utf8_valid_prefix(text) < text.len)
		complain(x, "not UTF-8, and no other encoding is declared");
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
		int rc = buf_add(&x->text, feed_attribute(e, "href"));

		x->overlong = rc == ERR_LIMIT;
		end_field(x);
		x->skip = 1;
	}
}

static slice name_slice(const struct sitemap_name *name)
{
	return (slice){name->text, name->len};
}

/* What is too long is cut. */
static struct sitemap_name to_name(slice s)
{
	struct sitemap_name name = {.len = (uint8_t)slice_sub(s, 0, SITEMAP_NAME_MAX).len};

	if (name.len > 0)
		memcpy(name.text, s.ptr, name.len);
	return name;
}

static struct sitemap_namespace to_namespace(slice uri)
{
	struct sitemap_namespace n = {0};

	if (uri.len > NAMESPACE_MAX)
		n.id = NAMESPACE_LONG;
	else if (uri.len > 0)
		n = (struct sitemap_namespace){
			hash_bytes((struct hash_key){0}, uri) | (NAMESPACE_LONG + 1),
			feed_is_core_namespace(uri)};
	return n;
}

/* The namespaces that a tag declares; what exceeds the limit counts as undeclared. */
static void declare(struct sitemap_xml *x, const struct html_token *token)
{
	static const slice xmlns = SLICE_INIT("xmlns");

	for (size_t i = 0; i < token->attr_count && x->scope_count < SITEMAP_SCOPES_MAX; i++) {
		slice name = token->attrs[i].name;

		if (!slice_starts_with(name, xmlns) ||
			(name.len > xmlns.len && name.ptr[xmlns.len] != ':'))
			continue;
		x->scopes[x->scope_count++] =
			(struct sitemap_scope){to_name(slice_sub(name, xmlns.len + 1, name.len)),
				to_namespace(token->attrs[i].value)};
	}
}

static struct sitemap_namespace namespace_of(const struct sitemap_xml *x, slice prefix)
{
	for (size_t i = x->scope_count; i-- > 0;)
		if (slice_eq(name_slice(&x->scopes[i].prefix), prefix))
			return x->scopes[i].namespace;
	return (struct sitemap_namespace){0};
}

static bool is_core(const struct sitemap_xml *x, const struct feed_element *e)
{
	if (e->namespace.id == x->namespace.id && e->namespace.id != NAMESPACE_LONG &&
		(e->namespace.id || slice_eq(e->prefix, name_slice(&x->prefix))))
		return true;
	return e->namespace.is_core;
}

static void begin_root(struct sitemap_xml *x, const struct feed_element *e)
{
	int rc = buf_add(&x->base, feed_attribute(e, "xml:base"));

	x->prefix = to_name(e->prefix);
	x->namespace = e->namespace;
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
		x->open[x->depth - 1].is_record = true;
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
static void push_base(struct sitemap_xml *x, slice value, struct sitemap_open *open)
{
	int rc = 0;

	if (value.len == 0 || open->lost)
		return;
	if (x->bases.len > 0)
		rc = buf_add_char(&x->bases, '\n');
	if (rc == 0)
		rc = buf_add(&x->bases, value);
	open->lost = rc != 0;
}

static void end_element(struct sitemap_xml *x)
{
	const struct sitemap_open *open = &x->open[x->depth - 1];

	if (x->skip)
		x->skip--;
	else if (x->field && x->field_depth > 0)
		x->field_depth--;
	else if (x->field)
		end_field(x);
	else if (open->is_record)
		end_record(x);
	buf_truncate(&x->bases, open->bases);
	x->scope_count = open->scopes;
	x->depth--;
}

/* Whether the element is read, by (1) and (4). */
static bool start_element(struct sitemap_xml *x, slice name, const struct html_token *token)
{
	slice local = name, prefix = slice_take(&local, ':');
	struct feed_element e = {.name = local, .prefix = prefix, .token = token};
	struct sitemap_open *open = &x->open[x->depth];

	if (prefix.len == name.len)
		e.name = prefix, e.prefix = (slice){0};
	if (x->depth == 0)
		x->format = feed_root(e.name, &x->index);
	if (x->format == SITEMAP_UNKNOWN)
		return false;
	if (x->depth == SITEMAP_DEPTH_MAX || name.len > SITEMAP_NAME_MAX) {
		complain_of_syntax(x);
		return false;
	}
	*open = (struct sitemap_open){.name = to_name(name),
		.lost = x->depth > 0 && open[-1].lost,
		.bases = x->bases.len,
		.scopes = x->scope_count};
	declare(x, token);
	e.namespace = namespace_of(x, e.prefix);
	if (x->depth++ == 0) {
		begin_root(x, &e);
	} else {
		push_base(x, feed_attribute(&e, "xml:base"), open);
		begin_element(x, &e);
	}
	return true;
}

/* A tag that is not closed where the next one begins looks like one with odd names. */
static void on_start(struct sitemap_xml *x, const struct html_token *token)
{
	static const struct html_token none = {0};
	slice rest = token->name, name = slice_take(&rest, '<');
	bool is_read = start_element(x, name, token);

	if (rest.len > 0)
		is_read = start_element(x, rest, &none);
	for (size_t i = 0; i < token->attr_count; i++) {
		slice attr = token->attrs[i].name;

		if (!slice_starts_with(attr, SLICE("<")))
			continue;
		if (x->depth > 0)
			complain_of_syntax(x);
		is_read = start_element(x, slice_sub(attr, 1, attr.len), &none);
	}
	if (is_read && token->self_closing)
		end_element(x);
}

/* (3) */
static void on_end(struct sitemap_xml *x, slice name)
{
	size_t at = x->depth;

	while (at > 0 && !slice_eq(name_slice(&x->open[at - 1].name), name))
		at--;
	if (at < x->depth)
		complain_of_syntax(x);
	if (at == 0)
		return;
	while (x->depth > at)
		end_element(x);
	if (at == 1)
		x->root_closed = true;
	else
		end_element(x);
}

static int read_tokens(struct sitemap_xml *x)
{
	const struct html_token *token;
	int rc;

	while ((rc = html_next(&x->html, &token)) == 0 && x->rc == 0) {
		bool is_odd = x->html.is_odd;

		x->html.is_odd = false;
		if (token->kind == HTML_START_TAG)
			on_start(x, token);
		else if (token->kind == HTML_END_TAG)
			on_end(x, token->name);
		else if (token->kind == HTML_TEXT && x->field && !x->skip)
			add_text(x, token->text);
		if (is_odd && x->depth > 0)
			complain_of_syntax(x);
	}
	return x->rc ? x->rc : rc == ERR_END ? 0 : rc;
}

void sitemap_xml_init(struct sitemap_xml *x, struct sitemap_queue *queue)
{
	*x = (struct sitemap_xml){.queue = queue};
	html_init(&x->html, HTML_XML | HTML_XML_REFERENCES);
	buf_init(&x->base, SITEMAP_LOC_MAX);
	buf_init(&x->loc, SITEMAP_LOC_MAX);
	buf_init(&x->bases, SITEMAP_BASE_MAX);
	buf_init(&x->loc_base, SITEMAP_BASE_MAX);
	buf_init(&x->text, SITEMAP_LOC_MAX);
}

void sitemap_xml_release(struct sitemap_xml *x)
{
	html_release(&x->html);
	buf_release(&x->base);
	buf_release(&x->loc);
	buf_release(&x->bases);
	buf_release(&x->loc_base);
	buf_release(&x->text);
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r';
}

int sitemap_xml_feed(struct sitemap_xml *x, slice block)
{
	for (size_t at = 0, end; at < block.len; at = end + 1) {
		for (end = at; end < block.len && !is_control(block.ptr[end]);)
			end++;
		html_feed(&x->html, slice_sub(block, at, end));
		TRY(read_tokens(x));
		if (end == block.len)
			break;
		html_feed(&x->html, SLICE(" "));
		TRY(read_tokens(x));
		if (x->depth > 0)
			complain_of_syntax(x);
	}
	return 0;
}

int sitemap_xml_end(struct sitemap_xml *x)
{
	html_finish(&x->html);
	TRY(read_tokens(x));
	while (x->root_closed && x->depth > 0)
		end_element(x);
	end_record(x);
	return x->rc;
}
