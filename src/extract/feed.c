#include "extract/feed.h"

#include "base/word.h"

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

enum sitemap_format feed_root(slice name, bool *ret_index)
{
	*ret_index = word_is(name, SLICE("sitemapindex"));
	if (*ret_index || word_is(name, SLICE("urlset")))
		return SITEMAP_XML;
	if (word_is(name, SLICE("rss")) || word_is(name, SLICE("rdf")))
		return SITEMAP_RSS;
	return word_is(name, SLICE("feed")) ? SITEMAP_ATOM : SITEMAP_UNKNOWN;
}

/* Versions follow; "…/sitemap-image/1.1" and its like do not begin like these. */
bool feed_is_core_namespace(slice uri)
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

slice feed_attribute(const struct feed_element *e, const char *prefix, const char *name)
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

int feed_add_value(struct buf *out, slice raw)
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

struct feed_meaning feed_meaning(enum sitemap_format format, const struct feed_element *e)
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
