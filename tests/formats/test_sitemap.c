#include "formats/sitemap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define ZLIB_CONST /* next_in borrows */
#include <zlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "formats/sitemap_xml.h"
#include "tap.h"

enum { MAX = 400 << 20 };

static const slice BASE = SLICE_INIT("http://h/dir/sitemap.xml");

static void add_entry(struct buf *out, const struct sitemap_entry *e)
{
	const char *word = sitemap_frequency_name(e->changefreq);
	char date[CLOCK_TEXT_SIZE];

	(void)buf_printf(out, "%s", e->is_sitemap ? "S:" : "");
	(void)buf_add(out, e->loc);
	if (e->has_lastmod) {
		clock_format(e->lastmod.ns, CLOCK_ROUND_DOWN, date);
		(void)buf_printf(out, "@%.10s", date);
	}
	if (word)
		(void)buf_printf(out, "~%s", word);
	if (!isnan(e->priority))
		(void)buf_printf(out, "!%g", e->priority);
	(void)buf_add_char(out, ' ');
}

/* All entries, and at the end "#" and what reading ended with, if not with the end. */
static void read_all(slice input, struct buf *out, char *ret_damage, size_t size)
{
	struct sitemap_reader *r;
	struct sitemap_entry entry;
	struct err err = {0};
	const char *damage;
	int rc;

	if (!CHECK_INT(sitemap_open_slice(&r, input, BASE, &err), 0))
		return;
	while ((rc = sitemap_next(r, &entry, &err)) == 0)
		add_entry(out, &entry);
	if (rc != ERR_END)
		(void)buf_printf(out, "#%s", err.text);
	damage = sitemap_damage(r);
	(void)snprintf(ret_damage, size, "%s", damage ? damage : "");
	sitemap_close(r);
}

/* The entries of a long sitemap: their number, and what the reading ended with. */
static void check_count(slice input, uint64_t want, int want_rc, const char *want_text)
{
	struct sitemap_reader *r;
	struct sitemap_entry entry;
	struct err err = {0};
	uint64_t n = 0;
	int rc;

	if (!CHECK_INT(sitemap_open_slice(&r, input, BASE, &err), 0))
		return;
	while ((rc = sitemap_next(r, &entry, &err)) == 0)
		n++;
	CHECK_INT((int64_t)n, (int64_t)want);
	CHECK_INT(rc, want_rc);
	CHECK_STR(err.text, want_text);
	sitemap_close(r);
}

static void fill(struct buf *b, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		(void)buf_add_str(b, text);
}

#define URLSET "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
#define U(loc) "<url><loc>" loc "</loc></url>"

struct row {
	const char *label;
	slice in;
	const char *want;
	const char *damage;
};

static void check_rows(const char *group, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char damage[200] = "";
		struct buf out;

		tap_case("%s: %s", group, rows[i].label);
		buf_init(&out, MAX);
		read_all(rows[i].in, &out, damage, sizeof damage);
		CHECK_STR(buf_str(&out), rows[i].want);
		CHECK_STR(damage, rows[i].damage ? rows[i].damage : "");
		buf_release(&out);
	}
}

static void test_sitemaps(void)
{
	static const struct row rows[] = {
		{"all fields",
			SLICE_INIT("<?xml version='1.0' encoding='UTF-8'?>" URLSET
				   "<url><loc>http://h/a</loc><lastmod>2005-01-01</lastmod>"
				   "<changefreq>Weekly</changefreq><priority> 0.8 </priority></url>"
				   "</urlset>"),
			"http://h/a@2005-01-01~weekly!0.8 ", NULL},
		{"nothing in it", SLICE_INIT(URLSET "</urlset>"), "", NULL},
		{"empty element", SLICE_INIT(URLSET "<url/><url></url>" U("") "</urlset>"), "",
			NULL},
		{"blanks and CDATA",
			SLICE_INIT(URLSET U("\n\t <![CDATA[http://h/?a=1&b=2]]>\n") "</urlset>"),
			"http://h/?a=1&b=2 ", NULL},
		{"references", SLICE_INIT(URLSET U("http://h/?a&amp;b&#61;&#x31;") "</urlset>"),
			"http://h/?a&b=1 ", NULL},
		{"order of the fields",
			SLICE_INIT(URLSET "<url><priority>1</priority><loc>http://h/</loc></url>"
					  "</urlset>"),
			"http://h/!1 ", NULL},
		{"bad values",
			SLICE_INIT(URLSET "<url><loc>http://h/</loc><lastmod>soon</lastmod>"
					  "<changefreq>often</changefreq><priority>2</priority>"
					  "</url></urlset>"),
			"http://h/ ", NULL},
		{"index",
			SLICE_INIT("<sitemapindex><sitemap><loc>http://h/s1.xml.gz</loc>"
				   "<lastmod>2014-06-03T10:30:45Z</lastmod></sitemap>"
				   "</sitemapindex>"),
			"S:http://h/s1.xml.gz@2014-06-03 ", NULL},
		{"no namespace", SLICE_INIT("<urlset>" U("http://h/a") "</urlset>"), "http://h/a ",
			NULL},
		{"unknown namespace",
			SLICE_INIT("<urlset xmlns='urn:x'>" U("http://h/a") "</urlset>"),
			"http://h/a ", NULL},
		{"prefix",
			SLICE_INIT(
				"<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'>"
				"<s:url><s:loc>http://h/a</s:loc></s:url></s:urlset>"),
			"http://h/a ", NULL},
		{"prefix that nobody declared",
			SLICE_INIT("<s:urlset><s:url><s:loc>http://h/a</s:loc></s:url></s:urlset>"),
			"http://h/a ", NULL},
		{"namespace in the child only",
			SLICE_INIT("<urlset><url "
				   "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
				   "<loc>http://h/a</loc></url></urlset>"),
			"http://h/a ", NULL},
		{"namespaces end with their elements",
			SLICE_INIT("<s:urlset xmlns:s='urn:s'><x xmlns:s='urn:t' xmlns='urn:s'>"
				   "<s:loc>/a</s:loc><loc>/b</loc></x><loc>/c</loc>"
				   "<s:loc>/d</s:loc></s:urlset>"),
			"http://h/b http://h/d ", NULL},
		{"names in capitals",
			SLICE_INIT("<URLSET><Url><LOC>http://h/a</LOC></Url></URLSET>"),
			"http://h/a ", NULL},
		{"extensions",
			SLICE_INIT(URLSET
				"<url xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'>"
				"<i:image><i:loc>http://h/i.png</i:loc><i:lastmod>2001</i:lastmod>"
				"</i:image><loc>http://h/a</loc><xhtml:link rel='alternate' "
				"href='http://h/de'/></url></urlset>"),
			"http://h/a ", NULL},
		{"extension without a prefix",
			SLICE_INIT(URLSET "<url><loc>http://h/a</loc><image><loc>http://h/i</loc>"
					  "</image></url></urlset>"),
			"http://h/a ", NULL},
	};

	check_rows("sitemap", rows, ARRAY_LEN(rows));
}

static void test_addresses(void)
{
	static const struct row rows[] = {
		{"relative", SLICE_INIT(URLSET U("/a") U("b") U("//i/c") "</urlset>"),
			"http://h/a http://h/dir/b http://i/c ", NULL},
		{"no scheme", SLICE_INIT(URLSET U("www.h/a") "</urlset>"), "http://www.h/a ", NULL},
		{"fragment", SLICE_INIT(URLSET U("http://h/a#b") "</urlset>"), "http://h/a ", NULL},
		{"not HTTP", SLICE_INIT(URLSET U("mailto:a@h") U("http://[") U("/a") "</urlset>"),
			"http://h/a ", "addresses that are not http URLs: 2"},
		{"comments and instructions",
			SLICE_INIT("<!-- <urlset> --><?x <url> ?>" URLSET "<!-- > " U("x") " -->" U(
				"http://h/a<!-- b --><?c d?>") "</urlset><!-- -->"),
			"http://h/a ", NULL},
		{"DTD with entities",
			SLICE_INIT(
				"<!DOCTYPE urlset [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>] >" URLSET U(
					"http://h/&b;") "</urlset>"),
			"", "not well-formed XML"},
		{"unresolved entities",
			SLICE_INIT(URLSET U("http://h/&test;") U("/?a=1&b;c") U("/?a=1&amp;amp;b")
					U("/x") "</urlset>"),
			"http://h/?a=1&amp;b http://h/x ", "not well-formed XML"},
		{"white space of Unicode",
			SLICE_INIT(URLSET U("\xc2\xa0http://h/a\xe2\x80\x8b \xe3\x80\x80")
					U("\xef\xbb\xbf/b\xe2\x80\xa8") "</urlset>"),
			"http://h/a http://h/b ", NULL},
		{"DTD on the network",
			SLICE_INIT("<!DOCTYPE urlset SYSTEM 'http://127.0.0.1:1/x.dtd'>" URLSET U(
				"http://h/a") "</urlset>"),
			"http://h/a ", NULL},
		{"Latin-1",
			SLICE_INIT("<?xml version='1.0' encoding='ISO-8859-1'?>" URLSET U(
				"http://h/\xe4") "</urlset>"),
			"http://h/%C3%A4 ", NULL},
		{"declared behind blanks",
			SLICE_INIT("\n <?xml version='1.0' encoding='windows-1251'?>" URLSET U(
				"/\xe4") "</urlset>"),
			"http://h/%D0%B4 ", NULL},
		{"declared as what it is not",
			SLICE_INIT("<?xml version='1.0' encoding='UTF-16'?>" URLSET U(
				"/\xc3\xa4") "</urlset>"),
			"http://h/%C3%A4 ", NULL},
		{"names of HTML in a query",
			SLICE_INIT(URLSET U("/?a&copy=1&lt=2&amp;reg=3") "</urlset>"),
			"http://h/?a&copy=1&lt=2&reg=3 ", "not well-formed XML"},
		{"byte order mark", SLICE_INIT("\xef\xbb\xbf" URLSET U("http://h/a") "</urlset>"),
			"http://h/a ", NULL},
		{"UTF-16",
			SLICE_INIT("\xff\xfe<\0u\0r\0l\0s\0e\0t\0>\0<\0u\0r\0l\0>\0<\0l\0o\0c\0>\0"
				   "/\0a\0<\0/\0l\0o\0c\0>\0<\0/\0u\0r\0l\0>\0"
				   "<\0/\0u\0r\0l\0s\0e\0t\0>\0"),
			"http://h/a ", NULL},
		{"UTF-16 without a mark, big end first, mended",
			SLICE_INIT("\0<\0?\0x\0m\0l\0 \0e\0n\0c\0o\0d\0i\0n\0g\0=\0'\0U\0T"
				   "\0F\0-\0"
				   "1\0"
				   "6\0'\0?\0>\0<\0u\0r\0l\0s\0e\0t\0>\0<\0l"
				   "\0o\0c\0>\0/\0?\0a\0&\0b\0=\0\xe4\0<\0/\0u\0r\0l\0s\0e\0t"
				   "\0>"),
			"http://h/?a&b=%C3%A4 ", "not well-formed XML"},
	};

	check_rows("address and encoding", rows, ARRAY_LEN(rows));
}

static void test_broken(void)
{
	static const char broken[] = "not well-formed XML", cut[] = "the end is missing";
	static const struct row rows[] = {
		{"bare ampersand", SLICE_INIT(URLSET U("/?a=1&b=2&") U("/b") "</urlset>"),
			"http://h/?a=1&b=2& http://h/b ", broken},
		{"entities of HTML", SLICE_INIT(URLSET U("/a&eacute;&copy=1") "</urlset>"), "",
			broken},
		{"stray <", SLICE_INIT(URLSET U("/a") " < <3 " U("/b") "</urlset>"),
			"http://h/a http://h/b ", broken},
		{"loc not closed",
			SLICE_INIT(URLSET "<url><loc>/a</url><url><loc>/b" U("/c") "</urlset>"),
			"http://h/a http://h/b http://h/c ", broken},
		{"loc and lastmod not closed",
			SLICE_INIT(URLSET "<url><loc>/a<lastmod>2001</url>" U("/c") "</urlset>"),
			"http://h/a@2001-01-01 http://h/c ", broken},
		{"closed too often", SLICE_INIT(URLSET U("/a") "</url></url>" U("/b") "</urlset>"),
			"http://h/a http://h/b ", broken},
		{"url missing", SLICE_INIT(URLSET "<loc>/a</loc><loc>/b</loc></urlset>"),
			"http://h/a http://h/b ", NULL},
		{"two locs",
			SLICE_INIT("<sitemapindex><sitemap><loc>/a</loc><loc>/b</loc></sitemap>"
				   "</sitemapindex>"),
			"S:http://h/a S:http://h/b ", NULL},
		{"goes on behind the root",
			SLICE_INIT(URLSET U("/a") "</urlset><?xml version='1.0'?>" URLSET U(
				"/b") "</urlset>"),
			"http://h/a http://h/b ", NULL},
		{"PHP complains first",
			SLICE_INIT("\n<br />\n<b>Warning</b>: x &<? <?xml version='1.0'?>" URLSET U(
				"/a") "</urlset>"),
			"http://h/a ", NULL},
		{"text before it",
			SLICE_INIT("Notice: x\n<?xml version='1.0'?>" URLSET U("/a") "</urlset>"),
			"http://h/a ", NULL},
		{"blank before the declaration",
			SLICE_INIT("\n\n <?xml version='1.0'?>" URLSET U("/a") "</urlset>"),
			"http://h/a ", NULL},
		{"control characters", SLICE_INIT(URLSET U("/a\x01\x00/b") U("/c") "</urlset>"),
			"http://h/a%20%20/b http://h/c ", broken},
		{"not UTF-8", SLICE_INIT(URLSET U("/a\xe4") U("/b") "</urlset>"),
			"http://h/a%EF%BF%BD http://h/b ",
			"not UTF-8, and no other encoding is declared"},
		{"cut in a tag", SLICE_INIT(URLSET U("/a") "<url><lo"), "http://h/a ", cut},
		{"cut in an address", SLICE_INIT(URLSET U("/a") "<url><loc>http://h/ab"),
			"http://h/a ", cut},
		{"cut behind an address", SLICE_INIT(URLSET U("/a") "<url><loc>/b</loc><last"),
			"http://h/a http://h/b ", cut},
		{"cut in CDATA", SLICE_INIT(URLSET U("/a") "<url><loc><![CDATA[/b"), "http://h/a ",
			cut},
		{"tag in a tag", SLICE_INIT(URLSET "<url <loc>/a</loc></url>" U("/b") "</urlset>"),
			"http://h/a http://h/b ", broken},
		{"attributes without quotes",
			SLICE_INIT("<urlset xmlns=x a><url id=1><loc>/a</loc></url></urlset>"),
			"http://h/a ", broken},
		{"a page",
			SLICE_INIT("<!doctype html><html><body><a href='/x'>x</a></body></html>"),
			"#this is not a sitemap or a feed", NULL},
		{"other XML",
			SLICE_INIT("<?xml version='1.0'?><note><url><loc>/a</loc></url></note>"),
			"#this is not a sitemap or a feed", NULL},
		{"empty", SLICE_INIT(""), "#this is not a sitemap or a feed", NULL},
		{"gzip cut off", SLICE_INIT("\x1f\x8b\x08\0\0\0\0\0"),
			"#this is not a sitemap or a feed", "gzip data is cut off"},
		{"no gzip", SLICE_INIT("\x1f\x8b\xff\0\0\0\0\0\0\0\0\0\0\0\0"),
			"#this is not a sitemap or a feed",
			"gzip data is damaged: unknown compression method"},
	};

	check_rows("broken", rows, ARRAY_LEN(rows));
}

static void test_text(void)
{
	static const struct row rows[] = {
		{"lines", SLICE_INIT("http://h/a\nhttps://h/b\r\n\r\n  http://h/c \rhttp://h/d"),
			"http://h/a https://h/b http://h/c http://h/d ", NULL},
		{"mark", SLICE_INIT("\xef\xbb\xbfhttp://h/a\n"), "http://h/a ", NULL},
		{"no scheme", SLICE_INIT("www.h/a\n/b\n"), "http://www.h/a http://h/b ", NULL},
		{"other lines", SLICE_INIT("# mine\nhttp://h/a\nhttp://h/b\nhttp://h/b c\nd\n"),
			"http://h/a http://h/b ", "lines that are not URLs: 3"},
		{"UTF-16", SLICE_INIT("\xff\xfeh\0t\0t\0p\0:\0/\0/\0h\0/\0\xe4\0\r\0\n\0/\0b\0"),
			"http://h/%C3%A4 http://h/b ", NULL},
		{"UTF-16 without a mark, big end first",
			SLICE_INIT("\0h\0t\0t\0p\0:\0/\0/\0h\0/\0a\0\n\0/\0b"),
			"http://h/a http://h/b ", NULL},
		{"prose", SLICE_INIT("Nothing\nto see\nhttp://h/here\n"),
			"#this is not a sitemap or a feed", NULL},
	};

	check_rows("text", rows, ARRAY_LEN(rows));
}

#define FEED "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":["

static void test_json(void)
{
	static const struct row rows[] = {
		{"items",
			SLICE_INIT(FEED "{\"id\":\"1\",\"url\":\"http:\\/\\/h\\/\\u0061\"},"
					"{\"id\":2,\"tags\":[\"b\",{}],\"url\":\"/b\"}]}"),
			"http://h/a http://h/b ", NULL},
		{"the date of the last change counts",
			SLICE_INIT(
				FEED "{\"url\":\"/a\",\"date_modified\":\"2020-02-02T00:00:00Z\","
				     "\"date_published\":\"2019-01-01\"},"
				     "{\"url\":\"/b\",\"date_published\":\"2019-01-01\"},"
				     "{\"url\":\"/c\",\"date_modified\":\"soon\"}]}"),
			"http://h/a@2020-02-02 http://h/b@2019-01-01 http://h/c ", NULL},
		{"the version behind the items",
			SLICE_INIT("{\"items\":[{\"url\":\"/a\"}],"
				   "\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\"}"),
			"http://h/a ", NULL},
		{"no address, odd items",
			SLICE_INIT(FEED "{\"url\":7},[{}],null,{\"id\":\"/x\"}]}"), "", NULL},
		{"cut", SLICE_INIT(FEED "{\"url\":\"/a\"},{\"url\":\"/b"), "http://h/a ",
			"byte 79: the end of the string expected"},
		{"other JSON", SLICE_INIT("{\"items\":[{\"url\":\"/a\"}]}"),
			"#this is not a sitemap or a feed", NULL},
	};

	check_rows("JSON", rows, ARRAY_LEN(rows));
}

static void test_feeds(void)
{
	static const struct row rows[] = {
		{"RSS 2.0",
			SLICE_INIT(
				"<rss version='2.0' "
				"xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
				"<link>http://h/</link><atom:link href='/feed'/>"
				"<pubDate>Thu, 05 Jan 2017 12:00:00 GMT</pubDate>"
				"<image><link>http://h/i</link></image>"
				"<item><title>x</title><link>/a</link>"
				"<pubDate>Thu, 05 Jan 2017 23:34:51 -0100</pubDate></item>"
				"<item><guid>http://h/b</guid></item>"
				"<item><guid isPermaLink='false'>http://h/c</guid></item>"
				"<item><guid>http://h/x</guid><atom:link href='/y'/><link>/d</link>"
				"<source url='/s'><link>/z</link></source></item>"
				"</channel></rss>"),
			"http://h/a@2017-01-06 http://h/b http://h/d ", NULL},
		{"RSS 1.0",
			SLICE_INIT(
				"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
				" xmlns='http://purl.org/rss/1.0/'"
				" xmlns:dc='http://purl.org/dc/elements/1.1/'>"
				"<channel><link>/</link></channel><item rdf:about='/a'>"
				"<link>/a</link><dc:date>2000-01-01T12:00+00:00</dc:date></item>"
				"</rdf:RDF>"),
			"http://h/a@2000-01-01 ", NULL},
		{"Atom",
			SLICE_INIT(
				"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://i/j/'>"
				"<link rel='self' href='feed'/><link href='http://i/'/>"
				"<updated>2003-12-13T18:30:02Z</updated>"
				"<entry><link rel='edit' href='e'/><link href='a?b&amp;c'/>"
				"<link rel='alternate' type='application/pdf' href='p'/>"
				"<published>2001-01-01</published>"
				"<updated>2003-12-14T18:30:02Z</updated>"
				"<source><link href='s'/><updated>1999</updated></source></entry>"
				"<entry><id>urn:x</id><published>2001-01-01</published></entry>"
				"<entry><link rel='Alternate' href='/c'></link>"
				"<published>2001-01-01</published></entry></feed>"),
			"http://i/j/a?b&c@2003-12-14 http://i/c@2001-01-01 ", NULL},
		{"Atom 0.3",
			SLICE_INIT("<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry>"
				   "<link rel='alternate' href='/a'/><issued>2001</issued>"
				   "<modified>2002-02-02</modified></entry></feed>"),
			"http://h/a@2002-02-02 ", NULL},
	};

	check_rows("feed", rows, ARRAY_LEN(rows));
}

#define ATOM(root, inside) "<feed xmlns='http://www.w3.org/2005/Atom'" root ">" inside "</feed>"

/* XML Base: each counts for what is in its element, and is itself relative to those around it. */
static void test_bases(void)
{
	static const struct row rows[] = {
		{"on an entry",
			SLICE_INIT(ATOM("", "<entry xml:base='e/'><link href='a'/></entry>"
					    "<entry><link href='b'/></entry>")),
			"http://h/dir/e/a http://h/dir/b ", NULL},
		{"on the link itself",
			SLICE_INIT(ATOM("", "<entry><link xml:base='/l/' href='a'/></entry>"
					    "<entry><link href='b'/></entry>")),
			"http://h/l/a http://h/dir/b ", NULL},
		{"one in another",
			SLICE_INIT(ATOM(" xml:base='http://i/r/'",
				"<entry xml:base='e/'><link xml:base='l/' href='a'/></entry>"
				"<entry xml:base='/f/'><link href='b'/></entry>"
				"<entry xml:base='http://j/'><link href='c'/></entry>"
				"<entry><link href='d'/></entry>")),
			"http://i/r/e/l/a http://i/f/b http://j/c http://i/r/d ", NULL},
		{"one that is no URL is passed over",
			SLICE_INIT(ATOM("", "<entry xml:base='http://['><link xml:base='l/' "
					    "href='a'/></entry>")),
			"http://h/dir/l/a ", NULL},
		{"that of another element does not count",
			SLICE_INIT(ATOM("", "<entry><title xml:base='/t/'>x</title><link "
					    "href='a'/></entry>")),
			"http://h/dir/a ", NULL},
		{"RSS",
			SLICE_INIT("<rss><channel xml:base='/c/'><item><link>a</link></item>"
				   "<item xml:base='i/'><link>b</link></item></channel></rss>"),
			"http://h/c/a http://h/c/i/b ", NULL},
		{"with a reference",
			SLICE_INIT(ATOM("", "<entry xml:base='/?a&amp;b'><link href=''/>"
					    "<link href='#c'/></entry>")),
			"http://h/?a&b ", NULL},
	};

	check_rows("base", rows, ARRAY_LEN(rows));
}

/* All bases below the root together; beyond, what is in the element is dropped, nothing else. */
static void test_base_limit(void)
{
	struct buf in;

	buf_init(&in, MAX);
	for (size_t more = 0; more < 2; more++) {
		buf_reset(&in);
		fill(&in, "<feed><entry xml:base='/", 1);
		fill(&in, "x", SITEMAP_BASE_MAX - 4 + more); /* and "/", a line's end, "l/" */
		fill(&in, "'><link href='a' xml:base='l/'/></entry>", 1);
		fill(&in, "<entry xml:base='/y/'><link href='b'/></entry></feed>", 1);
		check_count(buf_slice(&in), more ? 1 : 2, ERR_END, "");
	}
	/* As many entries in a block as can be, all with the longest base: memory is enough. */
	buf_reset(&in);
	fill(&in, "<rss><channel xml:base='", 1);
	fill(&in, "x", SITEMAP_BASE_MAX - 2);
	fill(&in, "'>", 1);
	for (int i = 0; i < 2000; i++)
		fill(&in, "<item><link xml:base='a'>a</link></item><item><link>a</link></item>", 1);
	fill(&in, "</channel></rss>", 1);
	check_count(buf_slice(&in), 4000, ERR_END, "");
	buf_release(&in);
}

/* Appends the packed bytes. */
static void add_gzip(struct buf *out, slice in)
{
	z_stream z = {0};
	size_t room = in.len / 100 + 4096;

	if (!CHECK_INT(buf_reserve(out, room), 0) ||
		!CHECK_INT(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK))
		return;
	z.next_in = (const unsigned char *)in.ptr;
	z.avail_in = (unsigned)in.len;
	z.next_out = (unsigned char *)out->ptr + out->len;
	z.avail_out = (unsigned)room;
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += room - z.avail_out;
	(void)deflateEnd(&z);
}

static void test_gzip(void)
{
	static const slice one = SLICE_INIT(URLSET U("/a"));
	static const slice two = SLICE_INIT(U("/b") "</urlset>");
	char damage[200];
	struct buf packed, out;

	buf_init(&packed, MAX);
	buf_init(&out, MAX);
	tap_case("gzip: two members");
	add_gzip(&packed, one);
	add_gzip(&packed, two);
	read_all(buf_slice(&packed), &out, damage, sizeof damage);
	CHECK_STR(buf_str(&out), "http://h/a http://h/b ");
	CHECK_STR(damage, "");
	tap_case("gzip: padding behind it");
	(void)buf_add(&packed, SLICE("\0\0\0\0"));
	buf_reset(&out);
	read_all(buf_slice(&packed), &out, damage, sizeof damage);
	CHECK_STR(buf_str(&out), "http://h/a http://h/b ");
	tap_case("gzip: cut off");
	buf_reset(&out);
	read_all(slice_sub(buf_slice(&packed), 0, packed.len - 8), &out, damage, sizeof damage);
	CHECK_STR(buf_str(&out), "http://h/a http://h/b ");
	CHECK_STR(damage, "gzip data is cut off");
	buf_release(&packed);
	buf_release(&out);
}

static void test_entry_limits(void)
{
	struct buf in;

	buf_init(&in, MAX);
	tap_case("limits: most entries");
	fill(&in, "/x\n", SITEMAP_ENTRIES_MAX);
	check_count(buf_slice(&in), SITEMAP_ENTRIES_MAX, ERR_END, "");
	tap_case("limits: one entry too many");
	fill(&in, "/x\n", 1);
	check_count(buf_slice(&in), SITEMAP_ENTRIES_MAX, ERR_LIMIT, "more than 1000000 entries");
	tap_case("limits: longest address, and one byte more");
	for (size_t more = 0; more < 2; more++) {
		buf_reset(&in);
		fill(&in, URLSET "<url><loc>/", 1);
		fill(&in, "x", SITEMAP_LOC_MAX - 9 + more); /* and "http://h/" before it */
		fill(&in, "</loc></url>" U("/b") "</urlset>", 1);
		check_count(buf_slice(&in), more ? 1 : 2, ERR_END, "");
	}
	tap_case("limits: address that is too long even without a base");
	buf_reset(&in);
	fill(&in, "/", 1);
	fill(&in, "x", SITEMAP_LOC_MAX);
	fill(&in, "\n/b\n", 1);
	check_count(buf_slice(&in), 1, ERR_END, "");
	buf_release(&in);
}

/* Of a longer namespace the beginning is kept, and nothing is in that one. */
static void test_namespace_limit(void)
{
	enum { NAMESPACE_MAX = 4096 }; /* of sitemap_xml.c */
	struct buf in;

	buf_init(&in, MAX);
	for (size_t more = 0; more < 2; more++) {
		buf_reset(&in);
		fill(&in, "<urlset xmlns='", 1);
		fill(&in, "x", NAMESPACE_MAX + more);
		fill(&in, "'>" U("/a") "</urlset>", 1);
		check_count(buf_slice(&in), more ? 0 : 1, ERR_END, "");
	}
	buf_release(&in);
}

static void test_size_limits(void)
{
	struct buf in, packed;

	buf_init(&in, MAX);
	buf_init(&packed, MAX);
	tap_case("limits: most bytes");
	fill(&in, URLSET U("/a"), 1);
	CHECK_INT(buf_reserve(&in, SITEMAP_BYTES_MAX), 0);
	memset(in.ptr + in.len, ' ', SITEMAP_BYTES_MAX - in.len);
	in.len = SITEMAP_BYTES_MAX;
	check_count(buf_slice(&in), 1, ERR_END, "");
	tap_case("limits: one byte too many");
	(void)buf_add_char(&in, ' ');
	check_count(buf_slice(&in), 1, ERR_LIMIT, "more than 268435456 bytes");
	tap_case("limits: packed too well");
	add_gzip(&packed, slice_sub(buf_slice(&in), 0, 4 << 20));
	check_count(buf_slice(&packed), 1, ERR_LIMIT, "packed more than 200 times");
	tap_case("limits: packed as well as may be, and a byte better");
	for (size_t less = 0; less < 2; less++) {
		size_t want = (4 << 20) / SITEMAP_RATIO_MAX - less;

		buf_reset(&packed);
		add_gzip(&packed, slice_sub(buf_slice(&in), 0, 4 << 20));
		CHECK(packed.len < want);
		while (packed.len < want)
			(void)buf_add_char(&packed, '\0');
		if (less)
			check_count(buf_slice(&packed), 1, ERR_LIMIT, "packed more than 200 times");
		else
			check_count(buf_slice(&packed), 1, ERR_END, "");
	}
	tap_case("limits: a small one may be packed as well as it likes");
	buf_reset(&packed);
	add_gzip(&packed, slice_sub(buf_slice(&in), 0, SITEMAP_RATIO_EXEMPT));
	check_count(buf_slice(&packed), 1, ERR_END, "");
	buf_release(&packed);
	buf_release(&in);
}

/* Nesting without end: what is too deep is lost, and nothing else. */
static void test_depth(void)
{
	struct buf in;

	buf_init(&in, MAX);
	fill(&in, URLSET, 1);
	fill(&in, "<url><x>", 1000);
	fill(&in, U("/a"), 1);
	fill(&in, "</x>", 1000);
	fill(&in, U("/b") "</urlset>", 1);
	check_count(buf_slice(&in), 1, ERR_END, "");
	buf_release(&in);
}

/* Ten entities of ten each, ten deep: no entity is ever declared, so it stays one line. */
static void test_billion_laughs(void)
{
	char damage[200];
	struct buf in, out;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	fill(&in, "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY a0 'ha'>", 1);
	for (int i = 1; i <= 10; i++) {
		(void)buf_printf(&in, "<!ENTITY a%d '", i);
		for (int k = 0; k < 10; k++)
			(void)buf_printf(&in, "&a%d;", i - 1);
		fill(&in, "'>", 1);
	}
	fill(&in, "]>" URLSET U("http://h/?&a10;") U("http://h/b") "</urlset>", 1);
	read_all(buf_slice(&in), &out, damage, sizeof damage);
	CHECK_STR(buf_str(&out), "http://h/?&a10; http://h/b ");
	buf_release(&in);
	buf_release(&out);
}

static void test_file(void)
{
	FILE *file = tmpfile();
	struct sitemap_reader *r;
	struct sitemap_entry entry;

	if (!CHECK(file != NULL))
		return;
	(void)fputs("http://h/a\n", file);
	rewind(file);
	if (CHECK_INT(sitemap_open_file(&r, file, BASE, NULL), 0)) {
		CHECK_INT(sitemap_next(r, &entry, NULL), 0);
		CHECK_SLICE(entry.loc, SLICE("http://h/a"));
		CHECK_INT(sitemap_format(r), SITEMAP_TEXT);
		CHECK_INT(sitemap_next(r, &entry, NULL), ERR_END);
		CHECK_INT(sitemap_next(r, &entry, NULL), ERR_END);
		sitemap_close(r);
	}
	(void)fclose(file);
}

static void test_open_errors(void)
{
	FILE *file = fopen(tap_tempdir(), "r"); /* a directory opens, but cannot be read */
	struct sitemap_reader *r;
	struct err err = {0};

	CHECK_INT(sitemap_open_slice(&r, SLICE(""), SLICE("no URL"), &err), ERR_SYNTAX);
	if (!CHECK(file != NULL))
		return;
	CHECK_INT(sitemap_open_file(&r, file, BASE, &err), ERR_IO);
	CHECK_STR(err.text, "Is a directory");
	(void)fclose(file);
}

static void add_records(struct sitemap_xml *x, slice in, size_t piece, struct buf *out)
{
	struct sitemap_queue q;

	sitemap_queue_init(&q);
	sitemap_xml_init(x, &q);
	for (size_t at = 0; at < in.len; at += piece)
		CHECK_INT(sitemap_xml_feed(x, slice_sub(in, at, at + piece)), 0);
	CHECK_INT(sitemap_xml_end(x), 0);
	for (size_t i = 0; i < q.records.len; i++)
		add_entry(out, &q.records.ptr[i].entry);
	sitemap_xml_release(x);
	sitemap_queue_release(&q);
}

/* Wherever a block ends: the same entries as of the whole. */
static void test_pieces(void)
{
	static const slice in =
		SLICE_INIT("x<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]>"
			   "<urlset a=\"b&c&amp;<>/\" ><!-- -- -->&#x20;&lt;&nbsp;<"
			   "<url/><url <loc>/a&#x3d;&amp;b&c<![CDATA[ ]] ]>&< ]]></x>"
			   "<lastmod>2001</url><url><loc>\x01/b</urlset>y<loc>/c");
	struct sitemap_xml x;
	struct buf whole, pieces;

	buf_init(&whole, MAX);
	buf_init(&pieces, MAX);
	add_records(&x, in, in.len, &whole);
	CHECK_STR(buf_str(&whole), "/a=&b&c ]] ]>&<@2001-01-01 /b /c ");
	for (size_t piece = 1; piece < 8; piece++) {
		buf_reset(&pieces);
		add_records(&x, in, piece, &pieces);
		CHECK_STR(buf_str(&pieces), buf_str(&whole));
		CHECK_STR(x.damage, "not well-formed XML");
		CHECK(x.root_closed);
	}
	buf_release(&whole);
	buf_release(&pieces);
}

/* Entries of "<urlset>", the text so many times, and a loc. */
static void check_behind(const char *text, size_t times, uint64_t want)
{
	struct buf in;

	buf_init(&in, MAX);
	fill(&in, "<urlset>", 1);
	fill(&in, text, times);
	fill(&in, "<loc>/a</loc></urlset>", 1);
	check_count(buf_slice(&in), want, ERR_END, "");
	buf_release(&in);
}

static void test_xml_limits(void)
{
	char element[2 * SITEMAP_NAME_MAX];

	tap_case("XML: deepest element, and one deeper");
	check_behind("<a>", SITEMAP_DEPTH_MAX - 2, 1);
	check_behind("<a>", SITEMAP_DEPTH_MAX - 1, 0);
	tap_case("XML: longest name, and one byte more: the element is dropped, its text stays");
	for (int more = 0; more < 2; more++) {
		char want[64];
		struct buf in, out;

		buf_init(&in, MAX);
		buf_init(&out, MAX);
		(void)snprintf(element, sizeof element, "<a%0*d>", SITEMAP_NAME_MAX - 1 + more, 0);
		fill(&in, "<feed><entry>", 1);
		fill(&in, element, 1);
		fill(&in, "<link href='/a'/></feed>", 1);
		read_all(buf_slice(&in), &out, want, sizeof want);
		/* What is in an unknown element of an entry is passed over. */
		CHECK_STR(buf_str(&out), more ? "http://h/a " : "");
		buf_release(&in);
		buf_release(&out);
	}
	tap_case("XML: most namespaces, and one more");
	for (int more = 0; more < 2; more++) {
		struct buf in;

		buf_init(&in, MAX);
		fill(&in, "<urlset xmlns='urn:x'", 1);
		for (int i = 0; i < SITEMAP_SCOPES_MAX - 2 + more; i++)
			(void)buf_printf(&in, " xmlns:n%d='urn:y'", i);
		fill(&in, " xmlns:x='urn:x'><x:loc>/a</x:loc></urlset>", 1);
		check_count(buf_slice(&in), more ? 0 : 1, ERR_END, "");
		buf_release(&in);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sitemaps();
	test_addresses();
	test_broken();
	test_text();
	test_feeds();
	test_json();
	test_bases();
	TAP_RUN(test_base_limit);
	test_gzip();
	test_entry_limits();
	TAP_RUN(test_namespace_limit);
	test_size_limits();
	TAP_RUN(test_depth);
	TAP_RUN(test_billion_laughs);
	TAP_RUN(test_file);
	TAP_RUN(test_open_errors);
	TAP_RUN(test_pieces);
	test_xml_limits();
	return tap_done();
}
