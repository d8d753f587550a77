/* Links of documents, by element and attribute; and as URLs. */
#include "formats/links.h"

#include <stdlib.h>

#include "base/err.h"
#include "formats/page.h"
#include "formats/resolve.h"
#include "tap.h"

enum { MAX = 64 << 20 };

struct row {
	const char *label;
	const char *in;
	const char *want; /* kind:reference; … */
};

static const struct row rows[] = {
	{"a and area", "<a href=' b '><area href=c><a name=d>", "page:b;page:c;"},
	{"entities", "<a href='?a=1&amp;b=2&copy=3'>", "page:?a=1&b=2&copy=3;"},
	{"nowhere", "<a href=''><a href=#x><a href=' JavaScript:x'><img src=data:image/gif,x>", ""},
	{"twice", "<a href=b><a href=b><img src=b>", "page:b;image:b;"},
	{"link",
		"<link rel=stylesheet href=a><link rel='alternate stylesheet' href=b>"
		"<link rel=canonical href=c><link rel=Alternate href=d><link rel=sitemap href=e>"
		"<link rel='shortcut icon' href=f><link rel=next href=g><link rel=manifest href=h>"
		"<link href=i><link rel=preconnect href=j>",
		"style:a;style:b;canonical:c;alternate:d;sitemap:e;image:f;page:g;other:h;other:i;"
		"other:j;"},
	{"link, two rels", "<link rel='canonical next' href=a>", "page:a;canonical:a;"},
	{"preload",
		"<link rel=preload as=font href=a><link rel=preload as=fetch href=b>"
		"<link rel=modulepreload href=c><link rel=prefetch as=image href=d>"
		"<link rel=preload as=image imagesrcset='e 1x, f 2x'>"
		"<link rel=preload href=g type=font/woff2>",
		"font:a;other:b;script:c;image:d;image:e;image:f;font:g;"},
	{"img", "<img src=a srcset='b 1x, c 2x' longdesc=d lowsrc=e dynsrc=f>",
		"image:a;image:b;image:c;page:d;image:e;media:f;"},
	{"image is img", "<image src=a>", "image:a;"},
	{"picture", "<picture><source srcset='a 1x' src=b><img src=c></picture><source src=d>",
		"image:a;image:b;image:c;media:d;"},
	{"video and audio",
		"<video src=a poster=b><source src=c><track src=d></video><audio src=e>",
		"media:a;image:b;media:c;media:d;media:e;"},
	{"frames", "<iframe src=a></iframe><frameset><frame src=b longdesc=c>",
		"frame:a;frame:b;page:c;"},
	{"objects",
		"<object data=a type=image/svg+xml></object><object data=b "
		"type='text/html'></object>"
		"<object data=c><param name=movie value=d></object><embed src=e><embed src=f "
		"type=image/png>",
		"image:a;frame:b;media:c;media:d;media:e;image:f;"},
	{"script", "<script src=a></script><script>'<img src=b>'</script>", "script:a;"},
	{"style", "<style>@import 'a'; b{c:url(d)}</style><p style='e:url(\"f\")'>",
		"style:a;image:d;image:f;"},
	{"style that is open", "<style>b{c:url(d)}", "image:d;"},
	{"SVG",
		"<svg><use href='a#b'/><use xlink:href=#c /><image xlink:href=d /><a href=e>"
		"<script href=f></script><linearGradient xlink:href=g /><feImage href=h />"
		"<style><![CDATA[i{j:url(k)}]]></style></svg><use href=l>",
		"image:a#b;image:d;page:e;script:f;other:g;image:h;image:k;image:l;"},
	{"meta refresh", "<meta http-equiv=Refresh content='1;url=a'><meta content='1;url=b'>",
		"page:a;"},
	{"forms",
		"<form action=a></form><form method=POST action=b><button formaction=c></button>"
		"<button formaction=d formmethod=get></button></form><form method=get>"
		"<input type=submit formaction=e><input type=image src=f></form>",
		"form:a;form:d;form:;form:e;image:f;"},
	{"backgrounds", "<body background=a><table background=b><td background=c><p background=d>",
		"image:a;image:b;image:c;"},
	{"cite and manifest", "<html manifest=a><q cite=b></q><blockquote cite=c>",
		"other:a;other:b;other:c;"},
	{"lazy",
		"<img data-src=a data-srcset='b 1x, c 2x' data-original=d data-lazy-src=e>"
		"<iframe data-src=f></iframe><video data-src=g data-poster=h></video>"
		"<div data-bg=i data-background-image=j data-src='{\"k\":1}'></div>"
		"<picture><source data-src=l></picture><script data-src=m></script>",
		"image:a;image:b;image:c;image:d;image:e;frame:f;media:g;image:h;image:i;image:j;"
		"image:l;script:m;"},
	{"noscript", "<noscript><img src=a></noscript>", "image:a;"},
	{"template", "<template><img src=a></template>", "image:a;"},
	{"comments and raw text",
		"<!--<a href=b>--><textarea><a href=c></textarea><xmp><a href=d></xmp>", ""},
	{"xml-stylesheet", "<?xml-stylesheet type=\"text/css\" href=\"a.css\"?>", "style:a.css;"},
};

static void dump(const struct links *l, struct buf *out)
{
	for (size_t i = 0; i < l->list.len; i++) {
		(void)buf_printf(out, "%s:", link_kind_name(l->list.ptr[i].kind));
		(void)buf_add(out, l->list.ptr[i].ref);
		(void)buf_add_char(out, ';');
	}
}

/* Reads a document in pieces of so many bytes; 0 for one. */
static void read_page(slice in, const char *type, size_t step, struct links *l)
{
	struct page *p = malloc(sizeof *p);

	links_init(l);
	if (!CHECK(p != NULL))
		return;
	page_open(p, &(struct page_params){.content_type = slice_str(type), .links = l});
	for (size_t at = 0; at < in.len; at += step ? step : in.len)
		CHECK_INT(page_feed(p, slice_sub(in, at, step ? at + step : in.len)), 0);
	CHECK_INT(page_finish(p), 0);
	page_close(p);
	free(p);
}

static void check_page(const char *in, const char *type, const char *want)
{
	for (size_t step = 0; step < 4; step++) {
		struct links l;
		struct buf out;

		buf_init(&out, MAX);
		read_page(slice_str(in), type, step, &l);
		dump(&l, &out);
		CHECK_STR(buf_str(&out), want);
		links_release(&l);
		buf_release(&out);
	}
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("links: %s", rows[i].label);
		check_page(rows[i].in, "text/html", rows[i].want);
	}
}

/* However many attributes come before it. */
static void test_many_attributes(void)
{
	struct buf in, out;
	struct links l;

	buf_init(&in, 1 << 20);
	buf_init(&out, 1000);
	links_init(&l);
	(void)buf_add_str(&in, "<a");
	for (int i = 0; i < 5000; i++)
		(void)buf_printf(&in, " data-%d=x", i);
	(void)buf_add_str(&in, " href=b>");
	read_page(buf_slice(&in), "text/html", 0, &l);
	dump(&l, &out);
	CHECK_STR(buf_str(&out), "page:b;");
	links_release(&l);
	buf_release(&in);
	buf_release(&out);
}

/* A tag of more bytes than are kept costs no link behind it. */
static void test_overlong_tag(void)
{
	struct buf in, out;
	struct links l;

	buf_init(&in, 4 << 20);
	buf_init(&out, 1000);
	(void)buf_add_str(&in, "<a href=a><p");
	for (int i = 0; i < 8; i++) {
		(void)buf_printf(&in, " data-%d=", i);
		for (int n = 0; n < 200000; n++)
			(void)buf_add_char(&in, 'x');
	}
	(void)buf_add_str(&in, "><a href=b><img src=c>");
	CHECK_INT(in.error, 0);
	read_page(buf_slice(&in), "text/html", 0, &l);
	dump(&l, &out);
	CHECK_STR(buf_str(&out), "page:a;page:b;image:c;");
	links_release(&l);
	buf_release(&in);
	buf_release(&out);
}

static void test_feeds(void)
{
	static const struct {
		const char *in;
		bool is_feed;
	} feeds[] = {
		{"<link rel=alternate type='application/rss+xml' href=a>", true},
		{"<link rel='Alternate feed' type=' Application/Atom+XML; charset=utf-8' href=a>",
			true},
		{"<link rel=alternate type=application/feed+json href=a>", true},
		{"<link rel=alternate hreflang=de href=a>", false},
		{"<link rel=alternate type=text/html href=a>", false},
		{"<link rel=icon type=application/rss+xml href=a>", false},
		{"<a rel=alternate type=application/rss+xml href=a>", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(feeds); i++) {
		struct links l;

		tap_case("feeds: %s", feeds[i].in);
		read_page(slice_str(feeds[i].in), "text/html", 0, &l);
		CHECK(l.list.len == 1 && l.list.ptr[0].is_feed == feeds[i].is_feed);
		links_release(&l);
	}
	tap_case("feeds: Link header");
	{
		struct links l;

		links_init(&l);
		links_header(&l, SLICE("</f>; rel=alternate; type=\"application/rss+xml\""));
		CHECK(l.list.len == 1 && l.list.ptr[0].is_feed);
		links_release(&l);
	}
}

static void test_types(void)
{
	tap_case("type: CSS");
	check_page("@charset \"utf-8\"; a{b:url(c)}", "text/css; charset=utf-8", "image:c;");
	tap_case("type: XHTML");
	check_page("<script src='a'/><a href='b'/>", "application/xhtml+xml", "script:a;page:b;");
	tap_case("type: SVG");
	check_page("<svg xmlns='x'><title>y</title><image href='a'/></svg>", "image/svg+xml",
		"image:a;");
	tap_case("type: plain text");
	check_page("<a href=b>", "text/plain", "");
	tap_case("type: an image");
	check_page("<a href=b>", "image/png", "");
	tap_case("type: none given");
	check_page("<a href=b>", "", "page:b;");
}

static void test_header(void)
{
	struct links l;
	struct buf out;

	buf_init(&out, MAX);
	links_init(&l);
	links_header(&l, SLICE("<a>; rel=canonical, <b>; rel=preload; as=style"));
	dump(&l, &out);
	CHECK_STR(buf_str(&out), "canonical:a;style:b;");
	links_release(&l);
	buf_release(&out);
}

static void check_resolved(const char *in, const char *document, const char *want)
{
	struct resolved_link link;
	struct resolver r;
	struct links l;
	struct url url;
	struct buf out;

	buf_init(&out, MAX);
	url_init(&url);
	CHECK_INT(url_parse(&url, slice_str(document), NULL, NULL), 0);
	read_page(slice_str(in), "text/html", 0, &l);
	resolver_init(&r, hash_key_random());
	resolver_start(&r, &l, &url);
	while (resolver_next(&r, &link)) {
		(void)buf_add(&out, link.url);
		(void)buf_add_char(&out, ' ');
	}
	CHECK_STR(buf_str(&out), want);
	resolver_release(&r);
	links_release(&l);
	url_release(&url);
	buf_release(&out);
}

static void test_resolve(void)
{
	tap_case("resolve: relative to the document");
	check_resolved("<a href=b><a href=/c?d#e><a href=//f>", "http://x.org/y/z",
		"http://x.org/y/b http://x.org/c?d http://f/ ");
	tap_case("resolve: base, for links before it, too");
	check_resolved("<a href=b><base href=/y/><base href=/z/><a href=c>", "http://x.org/",
		"http://x.org/y/b http://x.org/y/c ");
	tap_case("resolve: base without href");
	check_resolved(
		"<base target=x><base href=y/><a href=b>", "http://x.org/", "http://x.org/y/b ");
	tap_case("resolve: base that is none");
	check_resolved("<base href='data:x'><a href=b>", "http://x.org/", "http://x.org/b ");
	tap_case("resolve: only HTTP, only once");
	check_resolved(
		"<a href=mailto:a@b><a href=ftp://x/><a href=c#1><a href=c#2><a href='http://['>",
		"http://x.org/", "http://x.org/c ");
	tap_case("resolve: queries are written in the document's encoding");
	check_resolved("<meta charset=iso-8859-1><a href='/\xe4?\xe4&euro;'>", "http://x.org/",
		"http://x.org/%C3%A4?%E4%80 ");
	tap_case("resolve: a form without action goes to its page");
	check_resolved("<base href=/y/><form><form action=a>", "http://x.org/z?q",
		"http://x.org/z?q http://x.org/y/a ");
}

/* iframe srcdoc: HTML 2.4.3 (fallback base URL) and 4.8.5. */
static void test_srcdoc(void)
{
	tap_case("srcdoc: its base is the document's");
	check_resolved(
		"<base href=/y/><iframe srcdoc=\"<a href='b'><img src=c>\"></iframe><a href=d>",
		"http://x.org/", "http://x.org/y/b http://x.org/y/c http://x.org/y/d ");
	tap_case("srcdoc: its own base counts for it alone");
	check_resolved(
		"<iframe srcdoc='<a href=b><base href=/y/><base href=/z/>'></iframe><a href=b>",
		"http://x.org/", "http://x.org/y/b http://x.org/b ");
	tap_case("srcdoc: one in another");
	check_resolved("<base href=/y/><iframe srcdoc=\"<base href=z/>"
		       "<iframe srcdoc='&lt;base href=w/&gt;&lt;a href=b&gt;'></iframe>"
		       "<iframe srcdoc='&lt;a href=c&gt;'></iframe>\"></iframe>",
		"http://x.org/", "http://x.org/y/z/w/b http://x.org/y/z/c ");
	tap_case("srcdoc: a base that is none");
	check_resolved("<iframe srcdoc='<base href=data:x><a href=b>'>", "http://x.org/y/",
		"http://x.org/y/b ");
	tap_case("srcdoc: style, and a form that goes nowhere");
	check_resolved("<form action=/f><iframe src=s srcdoc='<form><style>a{b:url(c)}'></iframe>"
		       "<button formaction=g>",
		"http://x.org/", "http://x.org/f http://x.org/s http://x.org/c http://x.org/g ");
	tap_case("srcdoc: the same link twice");
	check_resolved("<a href=b><iframe srcdoc='<a href=b>'></iframe>", "http://x.org/",
		"http://x.org/b ");
}

/* As many documents in each other, the innermost with a link. */
static void check_srcdoc_depth(size_t depth, size_t links, bool cut)
{
	struct links l;
	struct buf html;

	buf_init(&html, MAX);
	(void)buf_add_str(&html, "<a href=b>");
	for (size_t i = 0; i < depth; i++) {
		struct buf outer;

		buf_init(&outer, MAX);
		(void)buf_add_str(&outer, "<iframe srcdoc='");
		for (size_t k = 0; k < html.len; k++)
			(void)(html.ptr[k] == '\''   ? buf_add_str(&outer, "&#39;")
				: html.ptr[k] == '&' ? buf_add_str(&outer, "&amp;")
						     : buf_add_char(&outer, html.ptr[k]));
		(void)buf_add_str(&outer, "'></iframe>");
		buf_release(&html);
		html = outer;
	}
	read_page(buf_slice(&html), "", 0, &l);
	CHECK_INT((int64_t)l.list.len, (int64_t)links);
	CHECK(l.cut == cut);
	links_release(&l);
	buf_release(&html);
}

static void check_srcdoc_bases(size_t count, size_t links, bool cut)
{
	struct links l;
	struct buf html;

	buf_init(&html, MAX);
	for (size_t i = 0; i < count; i++)
		(void)buf_add_str(&html, "<iframe srcdoc='<base href=b><a href=c>'></iframe>");
	read_page(buf_slice(&html), "", 0, &l);
	CHECK_INT((int64_t)l.list.len, (int64_t)links);
	CHECK(l.cut == cut);
	links_release(&l);
	buf_release(&html);
}

static void test_srcdoc_limits(void)
{
	check_srcdoc_depth(LINKS_SRCDOC_MAX, 1, false);
	check_srcdoc_depth(LINKS_SRCDOC_MAX + 1, 0, true);
	check_srcdoc_bases(LINKS_BASES_MAX, LINKS_BASES_MAX, false);
	check_srcdoc_bases(LINKS_BASES_MAX + 1, LINKS_BASES_MAX, true);
}

static void test_link_limit(void)
{
	struct links l;
	struct buf in;

	buf_init(&in, MAX);
	for (size_t i = 0; i < LINKS_MAX; i++)
		(void)buf_printf(&in, "<a href=%zu>", i);
	read_page(buf_slice(&in), "", 0, &l);
	CHECK_INT((int64_t)l.list.len, LINKS_MAX);
	CHECK(!l.cut);
	links_add(&l, LINK_PAGE, SLICE("more"));
	CHECK_INT((int64_t)l.list.len, LINKS_MAX);
	CHECK(l.cut);
	links_release(&l);
	buf_release(&in);
}

static void test_url_limit(void)
{
	char *url = malloc(LINK_URL_MAX + 1);
	struct links l;

	links_init(&l);
	if (!CHECK(url != NULL))
		return;
	memset(url, 'x', LINK_URL_MAX + 1);
	links_add(&l, LINK_PAGE, (slice){url, LINK_URL_MAX});
	CHECK(!l.cut);
	links_add(&l, LINK_PAGE, (slice){url, LINK_URL_MAX + 1});
	CHECK(l.cut);
	CHECK_INT((int64_t)l.list.len, 1);
	links_release(&l);
	free(url);
}

/* A style element as long as the limit is read whole; of a longer one the rest is not. */
static void check_style(size_t pad, size_t links, bool cut)
{
	struct links l;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<style>");
	for (size_t i = 0; i < pad; i++)
		(void)buf_add_char(&in, ' ');
	(void)buf_add_str(&in, "url(x)</style>");
	read_page(buf_slice(&in), "", 0, &l);
	CHECK_INT((int64_t)l.list.len, (int64_t)links);
	CHECK(l.cut == cut);
	links_release(&l);
	buf_release(&in);
}

static void test_style_limit(void)
{
	check_style(LINKS_STYLE_MAX - 6, 1, false);
	check_style(LINKS_STYLE_MAX - 3, 0, true);
}

/* The same for a style sheet's file. */
static void test_sheet_limit(void)
{
	/* A string that is open at the end is one: it takes two bytes to lose its letter. */
	for (size_t more = 0; more < 3; more += 2) {
		struct links l;
		struct buf in;

		buf_init(&in, MAX);
		CHECK_INT(buf_reserve(&in, PAGE_SHEET_MAX + 2), 0);
		memset(in.ptr, ' ', PAGE_SHEET_MAX + 2);
		in.len = PAGE_SHEET_MAX - (sizeof "@import 'x'" - 1) + more;
		(void)buf_add_str(&in, "@import 'x'");
		read_page(buf_slice(&in), "text/css", 0, &l);
		CHECK_INT((int64_t)l.list.len, more ? 0 : 1);
		links_release(&l);
		buf_release(&in);
	}
}

static void test_bytes_limit(void)
{
	char *url = malloc(LINK_URL_MAX);
	struct links l;

	links_init(&l);
	if (!CHECK(url != NULL))
		return;
	memset(url, 'x', LINK_URL_MAX);
	for (size_t i = 0; !l.cut && i < 2 * (LINKS_BYTES_MAX / LINK_URL_MAX); i++) {
		memcpy(url, &i, sizeof i);
		url[0] = (char)('a' + i % 26);
		url[sizeof i] = (char)('a' + i / 26 % 26);
		url[sizeof i + 1] = (char)('a' + i / 676);
		links_add(&l, LINK_PAGE, (slice){url, LINK_URL_MAX});
	}
	CHECK(l.cut);
	CHECK(l.list.len * LINK_URL_MAX <= LINKS_BYTES_MAX);
	CHECK(l.list.len > LINKS_BYTES_MAX / LINK_URL_MAX / 2);
	links_release(&l);
	free(url);
}

/* One gathering and one resolver for documents one after the other: nothing is left over. */
static void test_again(void)
{
	static const char *const DOCUMENTS[] = {"<base href=/b/><a href=1><a href=2>",
		"<a href=1><a href=1#x><style>", "", "<a href=2>"};
	static const char *const WANT[] = {
		"http://h/b/1 http://h/b/2 ", "http://h/1 ", "", "http://h/2 "};
	struct page_params params = {.content_type = SLICE("text/html")};
	struct resolved_link link;
	struct page *page = malloc(sizeof *page);
	struct resolver r;
	struct links l;
	struct url url;

	if (!CHECK(page != NULL))
		return;
	links_init(&l);
	url_init(&url);
	resolver_init(&r, hash_key_random());
	CHECK_INT(url_parse(&url, SLICE("http://h/"), NULL, NULL), 0);
	params.links = &l;
	for (size_t i = 0; i < ARRAY_LEN(DOCUMENTS); i++) {
		struct buf out;

		buf_init(&out, MAX);
		links_reset(&l);
		page_open(page, &params);
		CHECK_INT(page_feed(page, slice_str(DOCUMENTS[i])), 0);
		CHECK_INT(page_finish(page), 0);
		page_close(page);
		resolver_start(&r, &l, &url);
		while (resolver_next(&r, &link)) {
			CHECK_SLICE(url_text(link.parsed), link.url);
			(void)buf_add(&out, link.url);
			(void)buf_add_char(&out, ' ');
		}
		CHECK_STR(buf_str(&out), WANT[i]);
		buf_release(&out);
	}
	resolver_release(&r);
	url_release(&url);
	links_release(&l);
	free(page);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_many_attributes);
	TAP_RUN(test_overlong_tag);
	test_rows();
	test_feeds();
	test_types();
	TAP_RUN(test_header);
	TAP_RUN(test_again);
	test_resolve();
	test_srcdoc();
	TAP_RUN(test_srcdoc_limits);
	TAP_RUN(test_link_limit);
	TAP_RUN(test_url_limit);
	TAP_RUN(test_style_limit);
	TAP_RUN(test_sheet_limit);
	TAP_RUN(test_bytes_limit);
	return tap_done();
}
