/* Rewriting for replay. Expected values: issue texts and the HTML, CSS and URL standards. */
#include "replay/rewrite.h"

#include "base/err.h"
#include "tap.h"

enum { MAX = 64 << 20 };

#define P "/c/20260102030405"
#define H P "mp_/http://h.org"

static const struct row {
	const char *label;
	const char *in;
	const char *want; /* NULL: as it was */
} HTML[] = {
	{"empty", "", NULL},
	{"text", "a < b &amp; c", NULL},
	{"link", "<a href=x.html>x</a>", "<a href=\"" H "/d/x.html\">x</a>"},
	{"quotes", "<a href='x' title='y'>", "<a href=\"" H "/d/x\" title='y'>"},
	{"root", "<a href=/x?a=1&amp;b=2#f>", "<a href=\"" H "/x?a=1&amp;b=2#f\">"},
	{"scheme", "<a href=//i.org/x>", "<a href=\"" P "mp_/http://i.org/x\">"},
	{"absolute", "<a href=https://i.org>", "<a href=\"" P "mp_/https://i.org/\">"},
	{"too many dots", "<a href=../../../../x>", "<a href=\"" H "/x\">"},
	{"backslash and line feed", "<a href='ht\ntp:\\\\i.org\\x'>",
		"<a href=\"" P "mp_/http://i.org/x\">"},
	{"references in a URL", "<a href='&#x68;ttp&colon;//i.org/'>",
		"<a href=\"" P "mp_/http://i.org/\">"},
	{"fragment", "<a href='#x'>", NULL},
	{"empty reference", "<a href=''><a href>", NULL},
	{"other schemes", "<a href=mailto:a@b><a href=javascript:x()><img src=data:image/gif,x>",
		NULL},
	{"no URL", "<a href='http://[x/'>", NULL},
	{"capitals", "<A HREF=x>", "<A HREF=\"" H "/d/x\">"},
	{"duplicate", "<a href=x href=y>", "<a href=\"" H "/d/x\" href=y>"},
	{"image", "<img src=x>", "<img src=\"" P "im_/http://h.org/d/x\">"},
	{"script", "<script src=x></script>",
		"<script src=\"" P "js_/http://h.org/d/x\"></script>"},
	{"style sheet", "<link rel=stylesheet href=x>",
		"<link rel=stylesheet href=\"" P "cs_/http://h.org/d/x\">"},
	{"icon", "<link rel='shortcut icon' href=x>",
		"<link rel='shortcut icon' href=\"" P "im_/http://h.org/d/x\">"},
	{"canonical", "<link rel=canonical href=x>", "<link rel=canonical href=\"" H "/d/x\">"},
	{"frame", "<iframe src=x></iframe>", "<iframe src=\"" H "/d/x\"></iframe>"},
	{"srcset", "<img srcset='x 1x, y,z 2x'>",
		"<img srcset=\"" P "im_/http://h.org/d/x 1x, " P "im_/http://h.org/d/y,z 2x\">"},
	{"form", "<form action=x><button formaction=y>",
		"<form action=\"" H "/d/x\"><button formaction=\"" H "/d/y\">"},
	{"object", "<object data=x type=text/html><embed src=y type=video/mp4>",
		"<object data=\"" H "/d/x\" type=text/html><embed src=\"" P
		"im_/http://h.org/d/y\" type=video/mp4>"},
	{"refresh", "<meta http-equiv=Refresh content='3;URL=x'>",
		"<meta http-equiv=Refresh content=\"3; url=" H "/d/x\">"},
	{"refresh of itself", "<meta http-equiv=refresh content=3>", NULL},
	{"base", "<base href=/e/><a href=x><base href=/f/><a href=y>",
		"<base href=\"" H "/e/\"><a href=\"" H "/e/x\"><base href=\"" H "/f/\"><a href=\"" H
		"/e/y\">"},
	{"base of no use", "<base href=data:x><a href=x>",
		"<base href=data:x><a href=\"" H "/d/x\">"},
	{"style attribute", "<p style='background:url(x);color:red'>",
		"<p style=\"background:url(&quot;" P "im_/http://h.org/d/x&quot;);color:red\">"},
	{"style attribute without link", "<p style='width:calc(1px)'>", NULL},
	{"style element", "<style>@import 'a';b{c:url(d)}</style><a href=x>",
		"<style>@import \"" P "cs_/http://h.org/d/a\";b{c:url(\"" P
		"im_/http://h.org/d/d\")}</style><a href=\"" H "/d/x\">"},
	{"style element that does not end", "<style>a{b:url(c",
		"<style>a{b:url(\"" P "im_/http://h.org/d/c\")"},
	{"integrity and nonce", "<script integrity=sha256-x nonce=y>",
		"<script data-stillpoint-integrity=sha256-x data-stillpoint-nonce=y>"},
	{"policy", "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">",
		"<meta data-stillpoint-http-equiv=Content-Security-Policy content=\"default-src "
		"'none'\">"},
	{"ping", "<a ping=http://i.org href=#x>", "<a data-stillpoint-ping=http://i.org href=#x>"},
	{"hint", "<link rel=preconnect href=//i.org>",
		"<link data-stillpoint-rel=preconnect href=\"" P "mp_/http://i.org/\">"},
	{"hint with another relation", "<link rel='DNS-prefetch icon' href=#x>",
		"<link rel=\"icon\" data-stillpoint-rel='DNS-prefetch icon' href=#x>"},
	{"policy, twice", "<meta http-equiv=Content-Security-Policy http-equiv=Refresh content=x>",
		"<meta http-equiv=\"data:,\" data-stillpoint-http-equiv=Content-Security-Policy "
		"http-equiv=Refresh content=x>"},
	{"speculation", "<script type=speculationrules>",
		"<script data-stillpoint-type=speculationrules>"},
	{"srcdoc", "<iframe srcdoc='<a href=x>&lt;b&gt;é'></iframe>",
		"<iframe srcdoc=\"&lt;a href=&quot;" H "/d/x&quot;>&lt;b>é\"></iframe>"},
	{"SVG", "<svg><image xlink:href=x /><a href=y><use href=#z /></svg>",
		"<svg><image xlink:href=\"" P "im_/http://h.org/d/x\" /><a href=\"" H
		"/d/y\"><use href=#z /></svg>"},
	{"comment in a style element of SVG", "<svg><style>a{b:<!-- c -->url(d)}</style></svg>",
		"<svg><style>a{b:<!-- c -->url(\"" P "im_/http://h.org/d/d\")}</style></svg>"},
	{"scripts stay", "<script>'<a href=x>'</script><noscript><img src=x></noscript>",
		"<script>'<a href=x>'</script><noscript><img src=\"" P
		"im_/http://h.org/d/x\"></noscript>"},
	{"for scripts", "<img data-src=x data-srcset='y 1x'>", NULL},
	{"comment", "<!-- <a href=x> --><a href=y", NULL},
	{"CR LF, NUL", "a\r\nb<p\r\ntitle='c\r\nd'>\0", NULL},
	{"blanks around", "<a\n\thref = x\n>", "<a\n\thref = \"" H "/d/x\"\n>"},
};

static const struct row CSS[] = {
	{"nothing", "a{b:c} /* url(d) */", NULL},
	{"url", "a{b:url(c)}", "a{b:url(\"" P "im_/http://h.org/d/c\")}"},
	{"quotes", "a{b:url( 'c' )}", "a{b:url( \"" P "im_/http://h.org/d/c\" )}"},
	{"font", "@font-face{src:url(c)format('x')}",
		"@font-face{src:url(\"" P "im_/http://h.org/d/c\")format('x')}"},
	{"import", "@import\n'c' print;", "@import\n\"" P "cs_/http://h.org/d/c\" print;"},
	{"data", "a{b:url(data:image/gif,x)}", NULL},
	{"fragment", "a{b:url(#c)}", NULL},
	{"comment in front", "/* a */ url(c)", "/* a */ url(\"" P "im_/http://h.org/d/c\")"},
	{"backslash in a query", "url('?\\\\')", "url(\"" P "im_/http://h.org/d/e?\\\\\")"},
};

struct body {
	const char *type;
	slice in;
	const char *script;
	enum rewrite_kind kind;
};

static void rewrite(const struct body *b, size_t piece, struct buf *out, struct buf *type)
{
	struct rewrite_params params = {
		.place = {.collection = SLICE("c"), .time = SLICE("20260102030405")},
		.url = SLICE("http://h.org/d/e"),
		.content_type = slice_str(b->type),
		.script = slice_str(b->script ? b->script : ""),
		.kind = b->kind,
	};
	struct rewriter *r = rewriter_open(&params);

	buf_reset(out);
	for (size_t at = 0; at < b->in.len; at += piece)
		CHECK_INT(rewriter_feed(r, slice_sub(b->in, at, at + piece), out), 0);
	CHECK_INT(rewriter_finish(r, out), 0);
	if (type)
		CHECK_INT(rewriter_content_type(r, type), 0);
	rewriter_close(r);
}

static void check(const struct body *b, const char *want)
{
	static const size_t PIECES[] = {1, 2, 3, 7, 1 << 20};
	slice wanted = want ? slice_str(want) : b->in;
	struct buf out;

	buf_init(&out, MAX);
	for (size_t i = 0; i < ARRAY_LEN(PIECES); i++) {
		rewrite(b, PIECES[i], &out, NULL);
		if (!CHECK_SLICE(buf_slice(&out), wanted))
			tap_note("in pieces of %zu bytes", PIECES[i]);
	}
	buf_release(&out);
}

static void test_rows(const char *type, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tap_case("%s: %s", type, rows[i].label);
		check(&(struct body){.type = type, .in = slice_str(rows[i].in)}, rows[i].want);
	}
}

#define SCRIPT                                                                       \
	"<script src=\"/s.js\" data-url=\"http://h.org/d/e\" data-collection=\"c\" " \
	"data-time=\"20260102030405\"></script>"

static void test_script(void)
{
	static const struct row ROWS[] = {
		{"in the head", "<!doctype html><html><head id=x><title>",
			"<!doctype html><html><head id=x>" SCRIPT "<title>"},
		{"before the first tag", "<!-- c --> <title>", "<!-- c --> " SCRIPT "<title>"},
		{"before text", "<html>\n x", "<html>" SCRIPT "\n x"},
		{"nowhere", "<!doctype html> ", NULL},
		{"once", "<head><head>", "<head>" SCRIPT "<head>"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("script: %s", ROWS[i].label);
		check(&(struct body){.type = "text/html",
			      .in = slice_str(ROWS[i].in),
			      .script = "/s.js"},
			ROWS[i].want);
	}
}

/* Bytes above ASCII stay; queries are written in the document's encoding (URL standard). */
static void test_encodings(void)
{
	static const struct {
		const char *type, *in, *want, *want_type;
	} ROWS[] = {
		{"text/html; charset=iso-8859-1", "\xe4<a href='\xe4?\xe4&auml;'>",
			"\xe4<a href=\"" H "/d/%C3%A4?%E4%E4\">", "text/html; charset=iso-8859-1"},
		{"text/html; charset=windows-1252", "<p style='content:\"\xe4\";b:url(c)'>",
			"<p style=\"content:&quot;&#228;&quot;;b:url(&quot;" P
			"im_/http://h.org/d/c&quot;)\">",
			"text/html; charset=windows-1252"},
		{"text/html; charset=shift_jis", "\x83\x5c<a href=x title='\x83\x5c'>",
			"\x83\x5c<a href=\"" H "/d/x\" title='\x83\x5c'>",
			"text/html; charset=shift_jis"},
		{"text/html", "<meta charset=gbk><a href=x>",
			"<meta charset=gbk><a href=\"" H "/d/x\">", "text/html; charset=GBK"},
		{"text/html", "\xef\xbb\xbf<a href=x>", "\xef\xbb\xbf<a href=\"" H "/d/x\">",
			"text/html; charset=UTF-8"},
		{"text/html; charset=iso-2022-jp", "\x1b$B<a\x1b(B<a href=x>",
			"\xe9\x87\x88<a href=\"" H "/d/x\">", "text/html; charset=UTF-8"},
		{"text/css; charset=iso-8859-1", "a{b:url(\xe4)}\xe4",
			"a{b:url(\"" P "im_/http://h.org/d/%C3%A4\")}\xe4",
			"text/css; charset=iso-8859-1"},
		{"application/json", "{\"a\":\"/x\"}", "{\"a\":\"/x\"}", "application/json"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct body body = {.type = ROWS[i].type, .in = slice_str(ROWS[i].in)};
		struct buf out, type;

		tap_case("encoding: %zu, %s", i, ROWS[i].type);
		check(&body, ROWS[i].want);
		buf_init(&out, MAX);
		buf_init(&type, MAX);
		rewrite(&body, 64, &out, &type);
		CHECK_STR(buf_str(&type), ROWS[i].want_type);
		buf_release(&out);
		buf_release(&type);
	}
}

static void test_utf16(void)
{
	check(&(struct body){.type = "text/html",
		      .in = {"\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0x\0>\0\xe4\0", 24}},
		"<a href=\"" H "/d/x\">\xc3\xa4");
}

static void test_kinds(void)
{
	static const struct {
		const char *type;
		enum rewrite_kind kind;
		enum rewrite_format want;
	} ROWS[] = {
		{"text/html", REWRITE_PAGE, REWRITE_HTML},
		{"", REWRITE_PAGE, REWRITE_HTML},
		{"application/xhtml+xml", REWRITE_PAGE, REWRITE_XHTML},
		{"image/svg+xml", REWRITE_IMAGE, REWRITE_SVG},
		{"text/html", REWRITE_IMAGE, REWRITE_NOTHING},
		{"text/html", REWRITE_SCRIPT, REWRITE_NOTHING},
		{"text/css; charset=x", REWRITE_PAGE, REWRITE_CSS},
		{"text/plain", REWRITE_STYLE, REWRITE_CSS},
		{"text/html", REWRITE_STYLE, REWRITE_HTML},
		{"image/png", REWRITE_PAGE, REWRITE_NOTHING},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		CHECK_INT(rewrite_format_of(slice_str(ROWS[i].type), ROWS[i].kind), ROWS[i].want);
	check(&(struct body){.type = "",
		      .in = SLICE("\x7f"
				  "ELF<a href=x>")},
		NULL);
	check(&(struct body){.type = "", .in = SLICE(" <a href=x>")}, " <a href=\"" H "/d/x\">");
}

/* A tag that is longer than what is kept passes as it is, and what follows is rewritten. */
static void test_long_tag(void)
{
	struct buf in, out, want;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	buf_init(&want, MAX);
	(void)buf_add_str(&in, "<img src='data:");
	for (int i = 0; i < 18 << 10; i++)
		(void)buf_printf(&in, "%01024d", i);
	(void)buf_add_str(&in, "' longdesc=y>");
	(void)buf_add(&want, buf_slice(&in));
	(void)buf_add_str(&in, "<a href=x>");
	(void)buf_add_str(&want, "<a href=\"" H "/d/x\">");
	rewrite(&(struct body){.type = "text/html", .in = buf_slice(&in)}, 1 << 16, &out, NULL);
	CHECK(slice_eq(buf_slice(&out), buf_slice(&want)));
	buf_release(&in);
	buf_release(&out);
	buf_release(&want);
}

/* A style sheet with a comment of some size, in small pieces, takes no time that grows faster. */
static void test_long_comment(void)
{
	struct buf in, out;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	(void)buf_add_str(&in, "/*");
	for (int i = 0; i < 1 << 10; i++)
		(void)buf_printf(&in, "%01024d", i);
	(void)buf_add_str(&in, "*/a{b:url(c)}");
	rewrite(&(struct body){.type = "text/css", .in = buf_slice(&in)}, 64, &out, NULL);
	CHECK(slice_ends_with(buf_slice(&out), SLICE("*/a{b:url(\"" P "im_/http://h.org/d/c\")}")));
	CHECK_INT(out.len, in.len + sizeof "\"" P "im_/http://h.org/d/\"" - 1);
	buf_release(&in);
	buf_release(&out);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows("text/html", HTML, ARRAY_LEN(HTML));
	test_rows("text/css", CSS, ARRAY_LEN(CSS));
	test_script();
	test_encodings();
	TAP_RUN(test_utf16);
	TAP_RUN(test_kinds);
	TAP_RUN(test_long_tag);
	TAP_RUN(test_long_comment);
	return tap_done();
}
