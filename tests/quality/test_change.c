/*
 * What is noise and what is content, rule by rule. Of each rule there are pairs that it makes equal
 * (and that differ without it), and pairs that look like its noise and are content.
 */
#include <stdio.h>
#include <stdlib.h>

#include "quality/change.h"
#include "quality/normal.h"
#include "tap.h"

struct row {
	const char *label;
	const char *a, *b;
};

struct noise_row {
	enum noise_rule rule;
	struct row row;
};

/* What surrounds the fragments: enough text that one masked line is less than 5 % of it. */
#define TEXT50    "Fifty characters of text that stay as they are. .. "
#define HEAD      "<!DOCTYPE html><html><head><title>A page</title></head><body><p>"
#define TEXT400   TEXT50 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50
#define PAGE_HEAD HEAD TEXT400 TEXT400 TEXT400 "</p>"
#define PAGE_TAIL "</body></html>"

#define HEX_A  "4f3a9c1e77b0d2586aef01c9b3d47e12"
#define HEX_B  "b81c05de92f34a7760e1d8c2a5f9430b"
#define UUID_A "550e8400-e29b-41d4-a716-446655440000"
#define UUID_B "6fa459ea-ee8a-4ca4-894e-db77e160355e"

static const struct noise_row NOISE[] = {
	{NOISE_ONE_TIME_FIELDS,
		{"time under any name", "<input type=hidden name=creation value=1731801600>",
			"<input type=hidden name=creation value=1731801999>"}},
	{NOISE_CACHE_BUSTERS, {"random number in a link", "<a href='/p?rnd=0.1234'>x</a>",
				      "<a href='/p?rnd=0.9876'>x</a>"}},
	{NOISE_CHALLENGES, {"pixel of a network", "<img src='/akam/13/pixel_1f?a=1'>",
				   "<img src='/akam/13/pixel_2e?a=2'>"}},
	{NOISE_HASHED_CLASSES,
		{"class in JSON", "<script type=application/json>{\"className\":\"a b\"}</script>",
			"<script type=application/json>{\"className\":\"a c\"}</script>"}},
	{NOISE_HTML_COMMENTS,
		{"comment of a cache", "<!-- Cached 13:04:05 -->", "<!-- Cached 13:04:09 -->"}},
	{NOISE_HTML_COMMENTS, {"a comment more", "<i>x</i>", "<i>x</i><!-- 0.03 s -->"}},
	{NOISE_MARKUP, {"style", "<b style='left:1px'>x</b>", "<b style='left:2px'>x</b>"}},
	{NOISE_MARKUP, {"data attribute", "<b data-k=1>x</b>", "<b data-k=2>x</b>"}},
	{NOISE_MARKUP, {"attribute with a random name", "<b data-" HEX_A ">x</b>",
			       "<b data-" HEX_B ">x</b>"}},
	{NOISE_WHITESPACE, {"between words", "<p>a  b\n c</p>", "<p>a b c</p>"}},
	{NOISE_WHITESPACE, {"no-break space", "<p>a&nbsp;b</p>", "<p>a b</p>"}},
	{NOISE_HASHED_CLASSES, {"class", "<b class=css-1x9fz>x</b>", "<b class=css-8qk2>x</b>"}},
	{NOISE_RANDOM_IDS, {"id", "<b id=u81>x</b>", "<b id=u95>x</b>"}},
	{NOISE_RANDOM_IDS,
		{"id with its references",
			"<a href='#t7f'>x</a><label for=i7f>y</label><h2 id=t7f>z</h2>",
			"<a href='#t9c'>x</a><label for=i9c>y</label><h2 id=t9c>z</h2>"}},
	{NOISE_RANDOM_IDS, {"reference to nothing", "<a href='#x-" HEX_A "'>x</a>",
				   "<a href='#x-" HEX_B "'>x</a>"}},
	{NOISE_RANDOM_IDS, {"name of a honey pot", "<input name='f_" HEX_A "'>",
				   "<input name='f_" HEX_B "'>"}},
	{NOISE_NONCES, {"nonce", "<script nonce=r4nd0m>f()</script>",
			       "<script nonce=0therr>f()</script>"}},
	{NOISE_NONCES, {"token in a meta", "<meta name=csrf-token content=" HEX_A ">",
			       "<meta name=csrf-token content=" HEX_B ">"}},
	{NOISE_ASSET_HASHES, {"script", "<script src=/app.1f3b.js></script>",
				     "<script src=/app.99d0.js></script>"}},
	{NOISE_ASSET_HASHES, {"style sheet", "<link rel=stylesheet href=/s.css?v=1>",
				     "<link rel=stylesheet href=/s.css?v=2>"}},
	{NOISE_ASSET_HASHES,
		{"import map", "<script type=importmap>{\"imports\":{\"a\":\"/a-1.js\"}}</script>",
			"<script type=importmap>{\"imports\":{\"a\":\"/a-2.js\"}}</script>"}},
	{NOISE_CACHE_BUSTERS,
		{"image's version", "<img src='/i.png?v=1'>", "<img src='/i.png?v=2'>"}},
	{NOISE_CACHE_BUSTERS, {"time in an image's query", "<img src='/i.png?1731801600'>",
				      "<img src='/i.png?1731801999'>"}},
	{NOISE_CACHE_BUSTERS, {"signature", "<img src='/i.png?w=3&X-Amz-Signature=" HEX_A "'>",
				      "<img src='/i.png?w=3&X-Amz-Signature=" HEX_B "'>"}},
	{NOISE_CACHE_BUSTERS,
		{"signature with its times",
			"<img src='/i.png?sv=2022&se=2026-11-17T08%3A00%3A00Z&sig=a%3D'>",
			"<img src='/i.png?sv=2022&se=2026-11-17T09%3A00%3A00Z&sig=b%3D'>"}},
	{NOISE_CACHE_BUSTERS, {"moment of a deployment", "<img src='/s/version1731801600/i.png'>",
				      "<img src='/s/version1731809999/i.png'>"}},
	{NOISE_NONCES, {"trace", "<meta name=sentry-trace content='" HEX_A "-1'>",
			       "<meta name=sentry-trace content='" HEX_B "-1'>"}},
	{NOISE_ONE_TIME_FIELDS,
		{"signed list of fields",
			"<form><input type=hidden name='x[__trustedProperties]' value='{1}" HEX_A
			"'></form>",
			"<form><input type=hidden name='x[__trustedProperties]' value='{1}" HEX_B
			"'></form>"}},
	{NOISE_CACHE_BUSTERS, {"link with a clock", "<a href='/p?_=1731801600123'>x</a>",
				      "<a href='/p?_=1731801999456'>x</a>"}},
	{NOISE_SESSION_IDS, {"path parameter", "<a href='/p;jsessionid=A1?q=1'>x</a>",
				    "<a href='/p;jsessionid=B2?q=1'>x</a>"}},
	{NOISE_SESSION_IDS, {"query", "<a href='/p?q=1&amp;PHPSESSID=abc'>x</a>",
				    "<a href='/p?q=1&amp;PHPSESSID=def'>x</a>"}},
	{NOISE_SESSION_IDS,
		{"in one page only", "<a href='/p?sid=" HEX_A "'>x</a>", "<a href='/p'>x</a>"}},
	{NOISE_SESSION_IDS, {"ASP.NET without cookies", "<a href='/(S(abc1))/p'>x</a>",
				    "<a href='/(S(xyz2))/p'>x</a>"}},
	{NOISE_ONE_TIME_FIELDS, {"CSRF field", "<input type=hidden name=csrf_token value=a1>",
					"<input type=hidden name=csrf_token value=b2>"}},
	{NOISE_ONE_TIME_FIELDS, {"viewstate", "<input type=hidden name=__VIEWSTATE value=/wEPDw>",
					"<input type=hidden name=__VIEWSTATE value=/wEPXx>"}},
	{NOISE_ONE_TIME_FIELDS, {"random value", "<input type=hidden name=z value=" HEX_A ">",
					"<input type=hidden name=z value=" HEX_B ">"}},
	{NOISE_ONE_TIME_FIELDS, {"clock", "<input type=hidden name=timestamp value=1731801600>",
					"<input type=hidden name=timestamp value=1731801999>"}},
	{NOISE_SCRIPT_CODE, {"code", "<script>var a=f(1)</script>", "<script>var a=f(2)</script>"}},
	{NOISE_SCRIPT_CODE, {"sheet", "<style>p{top:1px}</style>", "<style>p{top:2px}</style>"}},
	{NOISE_SCRIPT_TOKENS,
		{"token in JSON", "<script type=application/json>{\"k\":\"" HEX_A "\"}</script>",
			"<script type=application/json>{\"k\":\"" HEX_B "\"}</script>"}},
	{NOISE_SCRIPT_TOKENS,
		{"clock in JSON", "<script type=application/json>{\"now\":1731801600123}</script>",
			"<script type=application/json>{\"now\":1731801999456}</script>"}},
	{NOISE_SCRIPT_TOKENS, {"nonce in code", "<script>x={\"ajaxNonce\":\"a1b2c3\"}</script>",
				      "<script>x={\"ajaxNonce\":\"d4e5f6\"}</script>"}},
	{NOISE_BUILD_IDS,
		{"build id in JSON", "<script type=application/json>{\"buildId\":\"q1\"}</script>",
			"<script type=application/json>{\"buildId\":\"w2\"}</script>"}},
	{NOISE_PERFORMANCE, {"monitoring in code", "<script>NREUM={applicationTime:31}</script>",
				    "<script>NREUM={applicationTime:47}</script>"}},
	{NOISE_PERFORMANCE,
		{"monitoring in JSON", "<script type=application/json>{\"queueTime\":0}</script>",
			"<script type=application/json>{\"queueTime\":3}</script>"}},
	{NOISE_TRACKING_PIXELS, {"image", "<img width=1 height=1 src='/t?r=1'>",
					"<img width=1 height=1 src='/t?r=2'>"}},
	{NOISE_CHALLENGES, {"script", "<script>window.__CF$cv$params={r:'8d1',t:'MTcz'}</script>",
				   "<script>window.__CF$cv$params={r:'8d2',t:'MTcy'}</script>"}},
	{NOISE_CHALLENGES, {"link for robots", "<a href='/cdn-cgi/content?id=abc'></a>",
				   "<a href='/cdn-cgi/content?id=def'></a>"}},
	{NOISE_EMAIL,
		{"link, with two keys", "<a href='/cdn-cgi/l/email-protection#4223022c21'>x</a>",
			"<a href='/cdn-cgi/l/email-protection#0160416f62'>x</a>"}},
	{NOISE_EMAIL, {"text, with two keys",
			      "<span class=__cf_email__ data-cfemail=4223022c21>[email "
			      "protected]</span>",
			      "<span class=__cf_email__ data-cfemail=0160416f62>[email "
			      "protected]</span>"}},
	{NOISE_GENERATED_LINES, {"duration", "<p>Page generated in 0.03 seconds.</p>",
					"<p>Page generated in 1.2 seconds.</p>"}},
	{NOISE_GENERATED_LINES,
		{"time of day", "<p>Rendered at 13:04:05</p>", "<p>Rendered at 13:04:09</p>"}},
};

static const struct row CONTENT[] = {
	{"figures of code in an object that is content",
		"<script>var score = {\"home\": 1, \"away\": 0};</script>",
		"<script>var score = {\"home\": 2, \"away\": 0};</script>"},
	{"two letters that mean a time only next to a signature", "<img src='/i.png?se=1'>",
		"<img src='/i.png?se=2'>"},
	{"version of a linked document", "<a href='/version1731801600/d.pdf'>x</a>",
		"<a href='/version1731809999/d.pdf'>x</a>"},
	{"text behind an address that is not closed", "<span data-cfemail=4223022c21>one",
		"<span data-cfemail=4223022c21>two"},
	{"elements behind an address that is not closed",
		"<span data-cfemail=4223022c21>[email protected]<p>protected</p>",
		"<span data-cfemail=4223022c21>[email protected]<p>email</p>"},
	{"text in code with an escape", "<script>show('We\\u2019re closed today')</script>",
		"<script>show('We\\u2019re open again today')</script>"},
	{"price in packed JSON",
		"<script>s=JSON.parse(\"{\\\"id\\\":7,\\\"price\\\":\\\"10 Euro "
		"each\\\"}\")</script>",
		"<script>s=JSON.parse(\"{\\\"id\\\":7,\\\"price\\\":\\\"11 Euro "
		"each\\\"}\")</script>"},
	{"HTML in code", "<script>w('<p>We are closed</p>')</script>",
		"<script>w('<p>We are open now</p>')</script>"},
	{"number of a post in a hidden field", "<input type=hidden name=post_id value=1731801600>",
		"<input type=hidden name=post_id value=1731801601>"},
	{"one character", "<p>word</p>", "<p>ward</p>"},
	{"a blank more", "<p>to day</p>", "<p>today</p>"},
	{"a blank at a link", "<p>a<a href=/x>b</a></p>", "<p>a <a href=/x>b</a></p>"},
	{"price", "<p>1,00€</p>", "<p>2,00€</p>"},
	{"count", "<p>7,105 tests</p>", "<p>7,217 tests</p>"},
	{"date", "<p>Updated 12 May 2026</p>", "<p>Updated 13 May 2026</p>"},
	{"version number", "<p>Version 1.2.3</p>", "<p>Version 1.2.4</p>"},
	{"hash in the text", "<p>" HEX_A "</p>", "<p>" HEX_B "</p>"},
	{"moved text", "<p>one</p><p>two</p>", "<p>two</p><p>one</p>"},
	{"text from line to line", "<p>one</p><p>two</p>", "<p>one two</p>"},
	{"title", "<title>x</title>", "<title>y</title>"},
	{"description", "<meta name=description content=x>", "<meta name=description content=y>"},
	{"robots", "<meta name=robots content=index>", "<meta name=robots content=noindex>"},
	{"canonical link", "<link rel=canonical href=/a>", "<link rel=canonical href=/b>"},
	{"refresh", "<meta http-equiv=refresh content='9;url=/a'>",
		"<meta http-equiv=refresh content='9;url=/b'>"},
	{"base", "<base href=/a/>", "<base href=/b/>"},
	{"link target under the same words", "<a href=/a>x</a>", "<a href=/b>x</a>"},
	{"link with another id", "<a href='/p?id=1'>x</a>", "<a href='/p?id=2'>x</a>"},
	{"video behind a link", "<a href='/watch?v=dQw4w9WgXcQ'>x</a>",
		"<a href='/watch?v=xvFZjo5PgG0'>x</a>"},
	{"link to another version", "<a href='/d.pdf?v=1'>x</a>", "<a href='/d.pdf?v=2'>x</a>"},
	{"session of a conference", "<a href='/talk?session=41'>x</a>",
		"<a href='/talk?session=42'>x</a>"},
	{"link to a random path", "<a href='/d/" UUID_A "'>x</a>", "<a href='/d/" UUID_B "'>x</a>"},
	{"link within the page", "<a href='#a'>x</a><h2 id=a>1</h2><h2 id=b>2</h2>",
		"<a href='#b'>x</a><h2 id=a>1</h2><h2 id=b>2</h2>"},
	{"place of a link's target", "<a href='#a'>x</a><h2 id=a>1</h2><h2>2</h2>",
		"<a href='#a'>x</a><h2>1</h2><h2 id=a>2</h2>"},
	{"words that a link covers", "<p><a href=/x>one</a> two</p>",
		"<p><a href=/x>one two</a></p>"},
	{"handler that leads elsewhere", "<b onclick=\"go('/a')\">x</b>",
		"<b onclick=\"go('/b')\">x</b>"},
	{"e-mail address", "<a href='/cdn-cgi/l/email-protection#4223022c21'>x</a>",
		"<a href='/cdn-cgi/l/email-protection#4220022c21'>x</a>"},
	{"image under another name", "<img src=/a.png>", "<img src=/b.png>"},
	{"image with another hash", "<img src=/i.1f3b.png>", "<img src=/i.99d0.png>"},
	{"size of an image", "<img src='/i?h=100'>", "<img src='/i?h=200'>"},
	{"image of a set", "<img srcset='/a.png 2x'>", "<img srcset='/b.png 2x'>"},
	{"lazy image", "<img data-src=/a.png>", "<img data-src=/b.png>"},
	{"background", "<b style='background:url(/a.png)'>x</b>",
		"<b style='background:url(/b.png)'>x</b>"},
	{"image in a sheet", "<style>p{background:url(/a.png)}</style>",
		"<style>p{background:url(/b.png)}</style>"},
	{"inline image", "<img src='data:image/gif;base64,AAAA'>",
		"<img src='data:image/gif;base64,AAAB'>"},
	{"shape", "<svg><path d='M0 0L1 1'/></svg>", "<svg><path d='M0 0L1 2'/></svg>"},
	{"icon", "<svg><use href='/s.svg#up'/></svg>", "<svg><use href='/s.svg#down'/></svg>"},
	{"frame", "<iframe src=/a></iframe>", "<iframe src=/b></iframe>"},
	{"document in a frame", "<iframe srcdoc='a?x'></iframe>", "<iframe srcdoc='a?y'></iframe>"},
	{"video", "<video src=/a.mp4></video>", "<video src=/b.mp4></video>"},
	{"alt text", "<img alt=x src=/i>", "<img alt=y src=/i>"},
	{"tool tip", "<b title=x>z</b>", "<b title=y>z</b>"},
	{"machine-readable time", "<time datetime=2026-05-12>x</time>",
		"<time datetime=2026-05-13>x</time>"},
	{"meter", "<meter value=3></meter>", "<meter value=4></meter>"},
	{"hidden by a class or not", "<p class=a>Sold out</p>", "<p class='a d-none'>Sold out</p>"},
	{"hidden by a style or not", "<p>Sold out</p>", "<p style='display:none'>Sold out</p>"},
	{"hidden or not", "<p>Sold out</p>", "<p hidden>Sold out</p>"},
	{"price in an attribute", "<b data-price=10>x</b>", "<b data-price=12>x</b>"},
	{"where a form goes", "<form action=/a></form>", "<form action=/b></form>"},
	{"how a form goes", "<form method=get></form>", "<form method=post></form>"},
	{"field's name", "<input name=a>", "<input name=b>"},
	{"field's value", "<input name=a value=1>", "<input name=a value=2>"},
	{"hidden field with a meaning", "<input type=hidden name=product_id value=" UUID_A ">",
		"<input type=hidden name=product_id value=" UUID_B ">"},
	{"hidden amount", "<input type=hidden name=total value=10>",
		"<input type=hidden name=total value=11>"},
	{"visible field with a token", "<input name=key value=" HEX_A ">",
		"<input name=key value=" HEX_B ">"},
	{"choice", "<option value=1>x</option>", "<option value=2>x</option>"},
	{"what is chosen", "<option selected>x</option>", "<option>x</option>"},
	{"price in structured data",
		"<script type=application/ld+json>{\"price\":\"10.00\"}</script>",
		"<script type=application/ld+json>{\"price\":\"10.01\"}</script>"},
	{"dateModified in structured data",
		"<script "
		"type=application/ld+json>{\"dateModified\":\"2026-11-17T13:04:05Z\"}</script>",
		"<script type=application/ld+json>{\"dateModified\":\"2026-11-17T13:04:06Z\"}"
		"</script>"},
	{"stock in JSON", "<script type=application/json>{\"stock\":3}</script>",
		"<script type=application/json>{\"stock\":4}</script>"},
	{"sign in JSON", "<script type=application/json>{\"k\":-3}</script>",
		"<script type=application/json>{\"k\":3}</script>"},
	{"short name of a number in JSON", "<script type=application/json>{\"t\":20}</script>",
		"<script type=application/json>{\"t\":21}</script>"},
	{"start of an event in JSON",
		"<script type=application/json>{\"startTime\":1731801600}</script>",
		"<script type=application/json>{\"startTime\":1731805200}</script>"},
	{"price in code", "<script>var price = 10;</script>", "<script>var price = 11;</script>"},
	{"text in code", "<script>show('We are closed today')</script>",
		"<script>show('We are open again today')</script>"},
	{"text behind noscript", "<noscript>Call us</noscript>",
		"<noscript>Write to us</noscript>"},
	{"text of a template", "<template><p>x</p></template>", "<template><p>y</p></template>"},
	{"duration that is content", "<p>Built in 30 seconds</p>", "<p>Built in 40 seconds</p>"},
	{"figure of a benchmark", "<p>rendered in 12 ms</p>", "<p>rendered in 15 ms</p>"},
	{"date of a report", "<p>Generated on 2026-05-12</p>", "<p>Generated on 2026-05-13</p>"},
	{"line that says more", "<p>Page generated in 0.03 s by Ann</p>",
		"<p>Page generated in 0.03 s by Bob</p>"},
	{"large image with the size of a pixel in one direction", "<img width=1 height=100 src=/a>",
		"<img width=1 height=100 src=/b>"},
};

static void compare(const struct row *row, noise_set rules, const char *type, struct change *ret)
{
	struct rulebook book = {.set = rules, .off = IGNORE_NONE};
	char *a = NULL, *b = NULL;

	if (asprintf(&a, PAGE_HEAD "%s" PAGE_TAIL, row->a) < 0 ||
		asprintf(&b, PAGE_HEAD "%s" PAGE_TAIL, row->b) < 0)
		abort();
	CHECK_INT(change_compare(&(struct change_params){.a = slice_str(a),
					 .b = slice_str(b),
					 .media_type = slice_str(type),
					 .terms = {.book = &book}},
			  ret),
		0);
	free(a);
	free(b);
}

static bool lists(const struct change *c, enum noise_rule rule)
{
	for (size_t i = 0; i < c->rule_count; i++)
		if (c->rules[i].rule == rule && c->rules[i].count > 0)
			return true;
	return false;
}

static void test_noise(void)
{
	for (size_t i = 0; i < ARRAY_LEN(NOISE); i++) {
		const struct noise_row *n = &NOISE[i];
		struct change with, without;

		tap_case("%s: %s", noise_rule_name(n->rule), n->row.label);
		compare(&n->row, NOISE_DEFAULT, "text/html; charset=utf-8", &with);
		CHECK_INT(with.same, CHANGE_NORMALISED);
		CHECK(lists(&with, n->rule));
		if (with.differ_count)
			tap_note("%s: %s, %s", with.differs[0].where.ptr, with.differs[0].a.ptr,
				with.differs[0].b.ptr);
		compare(&n->row, NOISE_DEFAULT & ~(1U << n->rule), "text/html", &without);
		CHECK_INT(without.same, CHANGE_DIFFERENT);
		CHECK(!lists(&without, n->rule));
		CHECK(without.differ_count > 0);
		change_release(&with);
		change_release(&without);
	}
}

static void test_content(void)
{
	for (size_t i = 0; i < ARRAY_LEN(CONTENT); i++) {
		struct change c;

		tap_case("content: %s", CONTENT[i].label);
		compare(&CONTENT[i], NOISE_DEFAULT, "text/html; charset=utf-8", &c);
		CHECK_INT(c.same, CHANGE_DIFFERENT);
		CHECK(c.differ_count > 0);
		change_release(&c);
	}
}

/* Every rule has a row above. */
static void test_rules_covered(void)
{
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		bool found = i == NOISE_ATTRIBUTE_ORDER; /* has a test of its own */

		for (size_t k = 0; k < ARRAY_LEN(NOISE); k++)
			found = found || NOISE[k].rule == i;
		if (!CHECK(found))
			tap_note("%s", noise_rule_name((enum noise_rule)i));
	}
}

static void test_equal_bytes(void)
{
	static const struct row SAME = {"", "<p>x</p>", "<p>x</p>"};
	struct change c;

	compare(&SAME, NOISE_DEFAULT, "text/html", &c);
	CHECK_INT(c.same, CHANGE_BYTES);
	CHECK_INT((int64_t)c.rule_count, 0);
	change_release(&c);
}

static void test_attribute_order(void)
{
	static const struct row ORDER = {
		"", "<a class=k href=/x>x</a>", "<a href=/x class=k>x</a>"};
	/* Several attributes that are content. */
	static const struct row ATTRIBUTES = {"",
		"<a href=/x title=t>x</a><img src=i.png srcset='j.png 2x' alt=k title=l>",
		"<a title=t href=/x>x</a><img title=l alt=k srcset='j.png 2x' src=i.png>"};
	struct change c;

	compare(&ORDER, NOISE_DEFAULT, "text/html", &c);
	CHECK_INT(c.same, CHANGE_NORMALISED);
	CHECK(lists(&c, NOISE_ATTRIBUTE_ORDER));
	change_release(&c);
	compare(&ORDER, NOISE_DEFAULT & ~(1U << NOISE_ATTRIBUTE_ORDER), "text/html", &c);
	CHECK_INT(c.same, CHANGE_DIFFERENT);
	change_release(&c);
	compare(&ATTRIBUTES, NOISE_DEFAULT, "text/html", &c);
	CHECK_INT(c.same, CHANGE_NORMALISED);
	change_release(&c);
}

/* Which rules two looks needed, by the texts that are stored of them, whatever these are. */
static void test_rules_needed(void)
{
	static const struct {
		const char *label, *a, *b, *want;
	} rows[] = {
		{"none", "", "", ""},
		{"the same", "nonces=2:00ff", "nonces=2:00ff", ""},
		{"another mark", "nonces=2:00ff", "nonces=2:00fe", "nonces=2"},
		{"another count", "nonces=2:00ff", "nonces=3:00ff", "nonces=3"},
		{"in one only", "nonces=2:00ff whitespace=1:0000", "whitespace=1:0000", "nonces=2"},
		{"in their order", "whitespace=1:0000 nonces=2:00ff", "", "whitespace=1 nonces=2"},
		{"without marks", "nonces=2", "", "nonces=2"},
		{"the user's", "nonces=1:0000 ignore:ads=2:00ff", "nonces=1:0000 ignore:ads=2:00fe",
			"ignore:ads=2"},
		{"unknown, malformed", "magic=2:00ff nonces= =3 : nonces=x:1 nonces:1=2", "", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct normal_rule rules[NORMAL_RULES_MAX];
		char text[NORMAL_RULES_SIZE] = "";
		size_t len = 0, count = normal_rules_needed(
					slice_str(rows[i].a), slice_str(rows[i].b), rules);

		tap_case("rules needed: %s", rows[i].label);
		for (size_t k = 0; k < count; k++)
			len += normal_rule_format(&rules[k], k > 0, text + len, sizeof text - len);
		CHECK_STR(text, rows[i].want);
	}
}

static void test_other_types(void)
{
	static const char *const TYPES[] = {"text/css", "text/javascript", "application/json",
		"application/rss+xml", "image/svg+xml", "text/plain", "image/png",
		"application/pdf"};
	static const struct row COMMENT = {"", "<!-- 1 -->", "<!-- 2 -->"};

	for (size_t i = 0; i < ARRAY_LEN(TYPES); i++) {
		struct change c;

		tap_case("compared by its bytes: %s", TYPES[i]);
		compare(&COMMENT, NOISE_DEFAULT, TYPES[i], &c);
		CHECK_INT(c.same, CHANGE_DIFFERENT);
		change_release(&c);
	}
	tap_case("normalised: application/xhtml+xml");
	{
		struct change c;

		compare(&COMMENT, NOISE_DEFAULT, "application/xhtml+xml", &c);
		CHECK_INT(c.same, CHANGE_NORMALISED);
		change_release(&c);
	}
}

static int compare_whole(const char *a, const char *b, struct change *c)
{
	return change_compare(&(struct change_params){.a = slice_str(a),
				      .b = slice_str(b),
				      .terms = {.book = rulebook_default()}},
		c);
}

static void test_empty_script(void)
{
	static const struct row SCRIPT = {
		"", "<script src='/x.js'/><p>one</p>", "<script src='/x.js'/><p>two</p>"};
	struct change c;

	compare(&SCRIPT, NOISE_DEFAULT, "application/xhtml+xml", &c);
	CHECK_INT(c.same, CHANGE_DIFFERENT);
	change_release(&c);
	compare(&SCRIPT, NOISE_DEFAULT, "text/html", &c);
	CHECK_INT(c.same, CHANGE_DIFFERENT);
	change_release(&c);
}

static void test_masked_share(void)
{
	struct change c;

	CHECK_INT(compare_whole("<p>short</p><p>Page generated in 0.03 s</p>",
			  "<p>short</p><p>Page generated in 0.04 s</p>", &c),
		0);
	CHECK_INT(c.same, CHANGE_DIFFERENT);
	CHECK_NEAR(c.masked_visible, 24.0 / 29.0, 1e-9);
	change_release(&c);
}

static void test_no_text(void)
{
	struct change c;

	CHECK_INT(compare_whole("<div id=app></div><script src=/1.js></script>",
			  "<div id=app></div><script src=/2.js></script>", &c),
		0);
	CHECK_INT(c.same, CHANGE_DIFFERENT);
	change_release(&c);
}

static void test_differences(void)
{
	static const struct row THREE = {"", "<ul><li>a<li>b<li>c</ul><a href=/x>l</a>",
		"<ul><li>a<li>c<li>d</ul><a href=/y>l</a>"};
	struct change c;

	compare(&THREE, NOISE_DEFAULT, "text/html", &c);
	if (CHECK_INT((int64_t)c.differ_count, 3)) {
		CHECK_SLICE(c.differs[0].a, SLICE("b"));
		CHECK(c.differs[0].b.ptr == NULL);
		CHECK_SLICE(c.differs[0].where, SLICE("body > ul:nth-child(2) > li:nth-child(2)"));
		CHECK(c.differs[1].a.ptr == NULL);
		CHECK_SLICE(c.differs[1].b, SLICE("d"));
		CHECK_SLICE(c.differs[2].where, SLICE("body > a:nth-child(3)[href]"));
		CHECK_SLICE(c.differs[2].a, SLICE("/x"));
		CHECK_SLICE(c.differs[2].b, SLICE("/y"));
	}
	change_release(&c);
}

static void test_at_most_20(void)
{
	struct buf a, b;
	struct change c;

	buf_init(&a, 1 << 20);
	buf_init(&b, 1 << 20);
	for (int i = 0; i < 1000; i++) {
		CHECK_INT(buf_printf(&a, "<p>old %d</p>", i), 0);
		CHECK_INT(buf_printf(&b, "<p>new %d</p>", i), 0);
	}
	CHECK_INT(compare_whole(buf_str(&a), buf_str(&b), &c), 0);
	CHECK_INT((int64_t)c.differ_count, CHANGE_DIFFERS_MAX);
	change_release(&c);
	buf_release(&a);
	buf_release(&b);
}

static void digest_of(const char *page, noise_set rules, struct digest *ret)
{
	struct view v;

	view_init(&v, rules);
	CHECK_INT(change_view(slice_str(page), SLICE("text/html"), &v), 0);
	CHECK_INT(view_digest(&v, ret), 0);
	view_release(&v);
}

static void test_digest(void)
{
	struct digest a, b, c, d;

	digest_of("<p class=a>x <a href=/y>y</a></p>", NOISE_DEFAULT, &a);
	digest_of("<p class=b>x <a href=/y>y</a></p>", NOISE_DEFAULT, &b);
	digest_of("<p class=a>x <a href=/z>y</a></p>", NOISE_DEFAULT, &c);
	digest_of("<p class=a>x <a href=/y>y</a></p>", NOISE_DEFAULT & ~1U, &d);
	CHECK(digest_eq(&a, &b));
	CHECK(!digest_eq(&a, &c));
	CHECK(!digest_eq(&a, &d));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_noise();
	test_content();
	TAP_RUN(test_rules_covered);
	TAP_RUN(test_equal_bytes);
	test_rules_needed();
	TAP_RUN(test_attribute_order);
	test_other_types();
	TAP_RUN(test_empty_script);
	TAP_RUN(test_masked_share);
	TAP_RUN(test_no_text);
	TAP_RUN(test_differences);
	TAP_RUN(test_at_most_20);
	TAP_RUN(test_digest);
	return tap_done();
}
