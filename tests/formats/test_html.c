/* The HTML tokenizer. Expected values: the WHATWG standard, read state by state. */
#include "formats/html_token.h"

#include <stdlib.h>

#include "formats/html_dump.h"
#include "formats/html_state.h"
#include "tap.h"

enum { MAX = 64 << 20 };

struct row {
	const char *label;
	const char *in;
	const char *want;
};

static const struct row rows[] = {
	{"empty", "", ""},
	{"text", "a b", "\"a b\""},
	{"tag", "<P Class=X>a</P >", "<p class=X>\"a\"</p>"},
	{"attributes", "<a b c=d e='f' g=\"h\" i = j>", "<a b= c=d e=f g=h i=j>"},
	{"attribute twice", "<a b=1 B=2 c=3>", "<a b=1 c=3>"},
	{"attribute without blank", "<a b=\"1\"c='2'd>", "<a b=1 c=2 d=>"},
	{"attribute named =", "<a =x=y>", "<a =x=y>"},
	{"value without quotes", "<a b=/c/?d=e\"f>", "<a b=/c/?d=e\"f>"},
	{"missing value", "<a b=>x", "<a b=>\"x\""},
	{"self closing", "<br/><br / ><br /x>", "<br/><br><br x=>"},
	{"odd name", "<a$\"b c>", "<a$\"b c=>"},
	{"less-than is text", "a < b <3 <", "\"a < b <3 <\""},
	{"end tag open at end", "x</", "\"x</\""},
	{"empty end tag", "a</>b", "\"ab\""},
	{"bogus end tag", "</ a>b", "{ a}\"b\""},
	{"tag at end of file", "a<b c=", "\"a\""},
	{"processing instruction", "<?xml version='1'?>a", "{?xml version='1'?}\"a\""},
	{"comment", "<!-- a - b -- c -->d", "{ a - b -- c }\"d\""},
	{"comments that end early", "<!--><!---><!---->", "{}{}{}"},
	{"comment with bang", "<!--a--!>b<!--a--!b-->", "{a}\"b\"{a--!b}"},
	{"comment with dashes", "<!--a---><!------>", "{a-}{--}"},
	{"comment in a comment", "<!-- <!-- a --> -->", "{ <!-- a }\" -->\""},
	{"comment <!-->", "<!-- <!-->x", "{ <!}\"x\""},
	{"comment at end of file", "<!--a--", "{a}"},
	{"bogus comment", "<!a><!-b>", "{a}{-b}"},
	{"declaration at end of file", "<!doc", "{doc}"},
	{"doctype", "<!DOCTYPE html><!doctype a \"b>c", "{! html}{! a \"b}\"c\""},
	{"CDATA in HTML", "<![CDATA[x]]>", "{[CDATA[x]]}"},
	{"CDATA in SVG", "<svg><![CDATA[<x>]]]>]</svg>", "<svg>\"<x>]]\"</svg>"},
	{"CDATA at end of file", "<svg><![CDATA[a]]", "<svg>\"a]]\""},
	{"CDATA keyword in lower case", "<svg><![cdata[x]]>", "<svg>{[cdata[x]]}"},
	{"script", "<script>a<b></x></script >c", "<script>\"a<b></x>\"</script>\"c\""},
	{"script, other end tags", "<script></scriptx></scrip></script>",
		"<script>\"</scriptx></scrip>\"</script>"},
	{"script escaped", "<script><!--<x--></script>", "<script>\"<!--<x-->\"</script>"},
	{"script escaped, end tag", "<script><!-- </script>x", "<script>\"<!-- \"</script>\"x\""},
	{"script double escaped", "<script><!--<script></script>--></script>",
		"<script>\"<!--<script></script>-->\"</script>"},
	{"script double escaped, open", "<script><!--<script></script></script>",
		"<script>\"<!--<script></script>\"</script>"},
	{"script double escaped, no word", "<script><!--<scripty></script>",
		"<script>\"<!--<scripty>\"</script>"},
	{"script escape start only", "<script><!-x</script>", "<script>\"<!-x\"</script>"},
	{"script at end of file", "<script><!--</scr", "<script>\"<!--</scr\""},
	{"style", "<style><b>&amp;</style>", "<style>\"<b>&amp;\"</style>"},
	{"title", "<title><b>&amp;</TITLE>", "<title>\"<b>&\"</title>"},
	{"textarea", "<textarea></text</textarea>", "<textarea>\"</text\"</textarea>"},
	{"noscript is ordinary", "<noscript><b>", "<noscript><b>"},
	{"iframe, noembed, noframes, xmp",
		"<iframe><a></iframe><noembed><a></noembed><noframes><a></noframes><xmp><a></xmp>",
		"<iframe>\"<a>\"</iframe><noembed>\"<a>\"</noembed><noframes>\"<a>\"</noframes>"
		"<xmp>\"<a>\"</xmp>"},
	{"plaintext", "<plaintext></plaintext>", "<plaintext>\"</plaintext>\""},
	{"self-closing script opens all the same", "<script/>a<b></script>",
		"<script/>\"a<b>\"</script>"},
	{"style in SVG is ordinary", "<svg><style>a<b/></style></svg><style><b></style>",
		"<svg><style>\"a\"<b/></style></svg><style>\"<b>\"</style>"},
	{"empty svg", "<svg/><style><b></style>", "<svg/><style>\"<b>\"</style>"},
	{"foreignObject holds HTML",
		"<svg><foreignObject><style><x></style></foreignObject><style><x></style></svg>",
		"<svg><foreignobject><style>\"<x>\"</style></foreignobject><style><x></style></"
		"svg>"},
	{"unclosed svg is left by a div", "<svg><g><div><style><x></style>",
		"<svg><g><div><style>\"<x>\"</style>"},
	{"font leaves svg with a colour",
		"<svg><font><style><x></style><font color=x><style><y></style>",
		"<svg><font><style><x></style><font color=x><style>\"<y>\"</style>"},
	{"carriage returns", "a\r\nb\rc<p q='1\r\n2'><!--\r\n-->", "\"a\nb\nc\"<p q=1\n2>{\n}"},
	{"named references", "&amp;&lt;&copy&NotEqualTilde;&notit;&noti;&;&x;&",
		"\"&<\xc2\xa9\xe2\x89\x82\xcc\xb8\xc2\xacit;\xc2\xaci;&;&x;&\""},
	{"references in attributes", "<a b='&copy=1&copy;&copy&copyx&amp;=&lt'>",
		"<a b=&copy=1\xc2\xa9\xc2\xa9&copyx&=<>"},
	{"reference before a quote", "<a href=\"?a&lang=1&reg\">", "<a href=?a&lang=1\xc2\xae>"},
	{"numeric references",
		"&#65;&#x41;&#X41&#0;&#x80;&#xd800;&#1114112;&#99999999999;&#;&#x;&#xg",
		"\"AAA\xef\xbf\xbd\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd&#;&#x;&#xg\""},
	{"longest reference", "&CounterClockwiseContourIntegral;&CounterClockwiseContourIntegralx",
		"\"\xe2\x88\xb3&CounterClockwiseContourIntegralx\""},
	{"reference at end of file", "&notin", "\"\xc2\xacin\""},
	{"reference in an attribute at end of file", "<a b=&am", ""},
	{"unquoted with reference", "<a b=c&amp;d>", "<a b=c&d>"},
};

static void check(const struct row *row, size_t chunk)
{
	struct buf out;

	buf_init(&out, MAX);
	dump_html(slice_str(row->in), chunk, 0, &out);
	CHECK_STR(buf_str(&out), row->want);
	buf_release(&out);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("tokens: %s", rows[i].label);
		for (size_t chunk = 0; chunk <= 3; chunk++)
			check(&rows[i], chunk);
	}
}

static void test_nul(void)
{
	struct buf out;

	buf_init(&out, MAX);
	dump_html(SLICE("a\0b<p\0 c\0='\0' d=\0><!--\0--><title>\0</title>"), 0, 0, &out);
	CHECK_STR(buf_str(&out),
		"\"ab\"<p\xef\xbf\xbd c\xef\xbf\xbd=\xef\xbf\xbd d=\xef\xbf\xbd>{\xef\xbf\xbd}"
		"<title>\"\xef\xbf\xbd\"</title>");
	buf_release(&out);
}

static void test_xml(void)
{
	struct buf out;

	buf_init(&out, MAX);
	dump_html(SLICE("<script/><title>a<b/></title><![CDATA[<]]>"), 0, HTML_XML, &out);
	CHECK_STR(buf_str(&out), "<script/><title>\"a\"<b/></title>\"<\"");
	buf_release(&out);
}

/* The tag of a document that is one tag, given in one chunk; the tokenizer is the caller's. */
static const struct html_token *only_tag(struct html_tokenizer *t, const struct buf *in)
{
	const struct html_token *token = NULL;

	html_init(t, 0);
	html_feed(t, buf_slice(in));
	return html_next(t, &token) == 0 ? token : NULL;
}

static void fill(struct buf *b, char c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)buf_add_char(b, c);
}

static void check_name(size_t len, bool cut)
{
	struct html_tokenizer t;
	const struct html_token *token;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<");
	fill(&in, 'A', len);
	(void)buf_add_str(&in, " ");
	fill(&in, 'b', len);
	(void)buf_add_str(&in, "=c>");
	token = only_tag(&t, &in);
	if (CHECK(token != NULL)) {
		CHECK_INT((int64_t)token->name.len, HTML_NAME_MAX);
		CHECK_INT((int64_t)token->attrs[0].name.len, HTML_NAME_MAX);
		CHECK_SLICE(token->attrs[0].value, SLICE("c"));
		CHECK(token->cut == cut);
	}
	html_release(&t);
	buf_release(&in);
}

static void test_name_limit(void)
{
	check_name(HTML_NAME_MAX, false);
	check_name(HTML_NAME_MAX + 1, true);
}

static void check_value(size_t len, bool cut)
{
	struct html_tokenizer t;
	const struct html_token *token;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<a b='");
	fill(&in, 'x', len);
	(void)buf_add_str(&in, "' c=d>");
	token = only_tag(&t, &in);
	if (CHECK(token != NULL) && CHECK_INT((int64_t)token->attr_count, 2)) {
		CHECK_INT((int64_t)token->attrs[0].value.len, HTML_VALUE_MAX);
		CHECK(token->attrs[0].cut == cut);
		CHECK_SLICE(token->attrs[1].value, SLICE("d"));
		CHECK(!token->attrs[1].cut);
	}
	html_release(&t);
	buf_release(&in);
}

static void test_value_limit(void)
{
	check_value(HTML_VALUE_MAX, false);
	check_value(HTML_VALUE_MAX + 1, true);
}

static void check_attr_count(size_t count, bool cut)
{
	struct html_tokenizer t;
	const struct html_token *token;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<a");
	for (size_t i = 0; i < count; i++)
		(void)buf_printf(&in, " a%zu=%zu", i, i);
	(void)buf_add_str(&in, " a7=twice>");
	token = only_tag(&t, &in);
	if (CHECK(token != NULL)) {
		CHECK_INT((int64_t)token->attr_count, HTML_ATTRS_MAX);
		CHECK_SLICE(token->attrs[HTML_ATTRS_MAX - 1].value, SLICE("255"));
		CHECK(token->cut == cut);
	}
	html_release(&t);
	buf_release(&in);
}

static void test_attr_count_limit(void)
{
	check_attr_count(HTML_ATTRS_MAX, true); /* the one that is there twice is one too many */
	check_attr_count(HTML_ATTRS_MAX + 1, true);
}

/* Five values of the greatest length are more than a tag may hold. */
static void test_tag_limit(void)
{
	struct html_tokenizer t;
	const struct html_token *token;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<a");
	for (size_t i = 0; i < 5; i++) {
		(void)buf_printf(&in, " a%zu=", i);
		fill(&in, 'x', HTML_VALUE_MAX);
	}
	(void)buf_add_str(&in, ">");
	token = only_tag(&t, &in);
	if (CHECK(token != NULL)) {
		CHECK(token->cut);
		CHECK_INT((int64_t)token->attrs[2].value.len, HTML_VALUE_MAX);
		CHECK(!token->attrs[2].cut);
		CHECK(token->attrs[3].cut);
	}
	CHECK(t.scratch.cap <= HTML_TAG_MAX + 1);
	html_release(&t);
	buf_release(&in);
}

static void check_comment(size_t len, bool cut)
{
	struct html_tokenizer t;
	const struct html_token *token;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<!--");
	fill(&in, 'x', len);
	(void)buf_add_str(&in, "-->");
	token = only_tag(&t, &in);
	if (CHECK(token != NULL)) {
		CHECK_INT((int64_t)token->text.len, HTML_COMMENT_MAX);
		CHECK(token->cut == cut);
	}
	html_release(&t);
	buf_release(&in);
}

static void test_comment_limit(void)
{
	check_comment(HTML_COMMENT_MAX, false);
	check_comment(HTML_COMMENT_MAX + 1, true);
}

static void test_foreign_limit(void)
{
	struct html_tokenizer t;
	const struct html_token *token;

	html_init(&t, 0);
	for (size_t i = 0; i < 2 * HTML_FOREIGN_MAX; i++) {
		html_feed(&t, SLICE("<svg>"));
		CHECK_INT(html_next(&t, &token), 0);
	}
	CHECK_INT(t.foreign_len, HTML_FOREIGN_MAX);
	for (size_t i = 0; i < 2 * HTML_FOREIGN_MAX; i++) {
		html_feed(&t, SLICE("</svg>"));
		CHECK_INT(html_next(&t, &token), 0);
	}
	CHECK_INT(t.foreign_len, 0);
	html_release(&t);
}

static void test_tags(void)
{
	for (int i = 1; i < HTML_TAG_COUNT; i++)
		CHECK_INT(html_tag_of(html_tag_name((enum html_tag)i)), i);
	CHECK_INT(html_tag_of(SLICE("")), HTML_TAG_OTHER);
	CHECK_INT(html_tag_of(SLICE("blockquot")), HTML_TAG_OTHER);
	CHECK_INT(html_tag_of(SLICE("custom-element")), HTML_TAG_OTHER);
}

static void test_entities(void)
{
	slice value = {0};

	CHECK_INT((int64_t)html_entity_match(SLICE("zwnj;"), &value), 5);
	CHECK_SLICE(value, SLICE("\xe2\x80\x8c"));
	CHECK_INT((int64_t)html_entity_match(SLICE("AElig"), &value), 5);
	CHECK_SLICE(value, SLICE("\xc3\x86"));
	CHECK_INT((int64_t)html_entity_match(SLICE("AElig;"), &value), 6);
	CHECK_INT((int64_t)html_entity_match(SLICE("lat;"), &value), 4);
	CHECK_INT((int64_t)html_entity_match(SLICE("late;"), &value), 5);
	CHECK_INT((int64_t)html_entity_match(SLICE("lates;"), &value), 6);
	CHECK_SLICE(value, SLICE("\xe2\xaa\xad\xef\xb8\x80"));
	CHECK_INT((int64_t)html_entity_match(SLICE("latex;"), &value), 0);
	CHECK_INT((int64_t)html_entity_match(SLICE(""), &value), 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_nul);
	TAP_RUN(test_xml);
	TAP_RUN(test_name_limit);
	TAP_RUN(test_value_limit);
	TAP_RUN(test_attr_count_limit);
	TAP_RUN(test_tag_limit);
	TAP_RUN(test_comment_limit);
	TAP_RUN(test_foreign_limit);
	TAP_RUN(test_tags);
	TAP_RUN(test_entities);
	return tap_done();
}
