/*
 * Selectors: what they match, both ways, while tags open and close; what is refused and where; and
 * that hostile pages cost neither memory nor time. Expected matches are those of a browser's
 * querySelectorAll, but where the header says otherwise.
 */
#include "formats/selector.h"

#include <stdio.h>

#include "base/buf.h"
#include "tap.h"

enum { MAX = 1 << 20 };

static const char PAGE[] =
	"<!doctype html><html lang=en><head><title>T</title></head><body>"
	"<div id=top class='nav main'><p>a<span class=x>b</span></p></div>"
	"<ul><li class=x>c<li>d</ul>"
	"<p data-kind='ad-slot' lang='en-GB' rel='NoFollow me'>e<img class=x>f</p>g";

/* Text in matching elements, and a * for each start tag that is. */
static const struct {
	const char *label;
	const char *selector;
	const char *html; /* NULL: PAGE */
	const char *want;
} rows[] = {
	{"type", "span", NULL, "*b"},
	{"type in upper case", "SPAN", NULL, "*b"},
	{"type that is not there", "em", NULL, ""},
	{"universal", "body *", NULL, "**a*b**c*d*e*f"},
	{"id", "#top", NULL, "**a*b"},
	{"id in another case", "#Top", NULL, ""},
	{"class", ".x", NULL, "*b*c*"},
	{"class in another case", ".X", NULL, ""},
	{"part of a class", ".mai", NULL, ""},
	{"two classes", ".main.nav", NULL, "**a*b"},
	{"type and class", "li.x", NULL, "*c"},
	{"type and other class", "li.nav", NULL, ""},
	{"attribute", "[data-kind]", NULL, "*e*f"},
	{"attribute in upper case", "[DATA-KIND]", NULL, "*e*f"},
	{"attribute that is not there", "[data-kin]", NULL, ""},
	{"attribute equals", "[data-kind=ad-slot]", NULL, "*e*f"},
	{"attribute equals, string", "[ data-kind = \"ad-slot\" ]", NULL, "*e*f"},
	{"attribute does not equal", "[data-kind=ad]", NULL, ""},
	{"attribute in another case", "[data-kind='AD-slot']", NULL, ""},
	{"attribute in any case", "[data-kind='AD-slot' i]", NULL, "*e*f"},
	{"attribute with a word", "[rel~=me]", NULL, "*e*f"},
	{"attribute without that word", "[rel~=m]", NULL, ""},
	{"attribute with no word", "[rel~='']", NULL, ""},
	{"attribute that HTML matches in any case", "[rel~=nofollow]", NULL, "*e*f"},
	{"and not with s", "[rel~=nofollow s]", NULL, ""},
	{"language", "[lang|=en]", NULL, "***T***a*b**c*d*e*fg"},
	{"language, another", "[lang|=e]", NULL, ""},
	{"begins", "[data-kind^=ad]", NULL, "*e*f"},
	{"begins otherwise", "[data-kind^=slot]", NULL, ""},
	{"begins with nothing", "[data-kind^='']", NULL, ""},
	{"ends", "[data-kind$=slot]", NULL, "*e*f"},
	{"ends otherwise", "[data-kind$=ad]", NULL, ""},
	{"contains", "[data-kind*='-s']", NULL, "*e*f"},
	{"contains, any case", "[data-kind*='-S'i]", NULL, "*e*f"},
	{"contains not", "[data-kind*=xx]", NULL, ""},
	{"contains nothing", "[data-kind*='']", NULL, ""},
	{"descendant", "div span", NULL, "*b"},
	{"descendant, far", "html body span", NULL, "*b"},
	{"no descendant", "span div", NULL, ""},
	{"not its own descendant", "div div", NULL, ""},
	{"child", "p > span", NULL, "*b"},
	{"child without blanks", "p>span", NULL, "*b"},
	{"no child", "div > span", NULL, ""},
	{"child of a descendant", "body p>.x", NULL, "*b*"},
	{"descendant of a child", "body > div .x", NULL, "*b"},
	{"list", "span, li.x", NULL, "*b*c"},
	{"list over lines", "span,\n\tli.x", NULL, "*b*c"},
	{"escaped", "#\\74 op", NULL, "**a*b"},
	{"escaped digit", ".\\31 a", "<i class=1a>y</i>z", "*y"},
	{"other scripts", ".größe", "<i class=größe>y</i>z", "*y"},
	{"empty element ends at once", "img", "<img>a", "*"},
	{"wbr, too", "wbr", "<wbr>a", "*"},
	{"and what is closed in SVG", "circle", "<svg><circle/>a</svg>", "*"},
	{"but not in HTML", "i", "<i/>a", "*a"},
	{"p ends at a block", "p", "<p>a<div>b</div>c", "*a"},
	{"with all in it", "p", "<p>a<b>b<div>c</div>", "*a*b"},
	{"not in a button", "p", "<p>a<button><div>b</div></button>c", "*a**bc"},
	{"p ends where its parent does", "p", "<div><p>a</div>b", "*a"},
	{"items of lists", "li.x", "<li class=x>a<ul><li>b</ul>c<li>d", "*a**bc"},
	{"terms", "dt", "<dl><dt>a<dd>b<dt>c</dl>d", "*a*c"},
	{"cells", "td.x", "<table><tr><td class=x>a<td>b<tr><td>c</table>d", "*a"},
	{"rows", "tr.x", "<table><tr class=x><td>a<td>b<tr><td>c</table>d", "**a*b"},
	{"bodies", "tbody", "<table><tbody><tr><td>a<tfoot><tr><td>b</table>", "***a"},
	{"a table in a cell", "tr.x", "<table><tr class=x><td><table><tr><td>a</table>b</table>c",
		"*****ab"},
	{"options", ".x", "<select><option class=x>a<option>b</select>", "*a"},
	{"groups of options", ".x", "<optgroup class=x><option>a<optgroup><option>b", "**a"},
	{"a cell keeps what is around it", "div", "<div><table><tr><td></div>a</table>b</div>c",
		"****ab"},
	{"a link ends at the next", "a.x", "<a class=x>b<i>c<a>d</a>e", "*b*c"},
	{"but not in a cell", "a.x", "<a class=x>b<table><tr><td><a>c</a></table>d", "*b****cd"},
	{"a heading ends at the next", "h2", "<h2>a<h3>b</h3>c", "*a"},
	{"a cell ends what stands beside cells", "i", "<table><i>a<tr><td>b</table>", "*a"},
	{"cells without a table", "td", "<div><td>a</td></div>", ""},
	{"buttons", "button.x", "<button class=x>a<button>b", "*a"},
	{"HTML ends SVG", "svg", "<svg><g>a<p>b", "**a"},
	{"but where SVG holds it", "svg", "<svg><foreignObject><p>a</p></foreignObject></svg>b",
		"***a"},
	{"end tag of nothing", "div", "<div>a</p></b>b</div>c", "*ab"},
	{"end tag over others", "div", "<div>a<b><i>b</div>c", "*a**b"},
	{"formatting ends what is in it", "div", "<b>a<div>b</b>c</div>d", "*b"},
	{"body left out", "html > body > p", "<title>t</title><p>a", "*a"},
	{"head left out", "html > head > title", "<title>t</title><p>a", "*t"},
	{"head not ended", "head p", "<head><title>t</title><p>a", ""},
	{"not in the head", "head", "<head><meta><title>t</title></head>a<p>b", "***t"},
	{"behind the body", "body", "<body>a</body></html>b", "*ab"},
	{"a second body", "body.x", "<body>a<body class=x>b", ""},
	{"custom elements", "x-y", "<x-y>a<x-z>b</x-z>c</x-y>d", "*a*bc"},
	{"raw text", "script", "<script>if (a<b) '</b>'</script>c", "*if (a<b) '</b>'"},
};

static void run(struct selector_stack *stack, slice html, unsigned flags, struct buf *out)
{
	const struct html_token *token;
	struct html_tokenizer t;

	html_init(&t, flags);
	html_feed(&t, html);
	html_finish(&t);
	while (html_next(&t, &token) == 0) {
		selector_stack_token(stack, token);
		if (!selector_stack_is_inside(stack, 0))
			continue;
		if (token->kind == HTML_START_TAG)
			(void)buf_add_char(out, '*');
		else if (token->kind == HTML_TEXT)
			(void)buf_add(out, token->text);
	}
	html_release(&t);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct selector_set set;
		struct selector_stack stack;
		struct buf out;
		uint32_t k;

		tap_case("match: %s", rows[i].label);
		selector_set_init(&set);
		buf_init(&out, MAX);
		selector_stack_init(&stack, &set, 0);
		if (CHECK_INT(selector_set_add(&set, slice_str(rows[i].selector), &k, NULL, NULL),
			    0)) {
			run(&stack, slice_str(rows[i].html ? rows[i].html : PAGE), 0, &out);
			CHECK_STR(buf_str(&out), rows[i].want);
			CHECK(selector_stack_has_seen(&stack, 0) == (out.len > 0));
			CHECK(!stack.cut);
		}
		buf_release(&out);
		selector_stack_release(&stack);
		selector_set_release(&set);
	}
}

static const struct {
	const char *label;
	const char *selector;
	size_t line, column;
	const char *text; /* part of the message */
} errors[] = {
	{"empty", "", 1, 1, "ends where"},
	{"blanks", "  ", 1, 3, "ends where"},
	{"pseudo-class", "a:hover", 1, 2, "pseudo-classes are not supported"},
	{"pseudo-class alone", "div :first-child", 1, 5, "pseudo-classes are not supported"},
	{"pseudo-element", "p::before", 1, 2, "pseudo-elements"},
	{"sibling", "a + b", 1, 3, "siblings"},
	{"later sibling", "a ~ b", 1, 3, "siblings"},
	{"sibling without blanks", "a+b", 1, 2, "siblings"},
	{"namespace", "svg|a", 1, 4, "namespaces"},
	{"namespace of an attribute", "[xml|lang]", 1, 5, "namespaces"},
	{"nesting", "& a", 1, 1, "nesting"},
	{"child of nothing", "> a", 1, 1, "should be here, not '>'"},
	{"two combinators", "a > > b", 1, 5, "not '>'"},
	{"combinator at the end", "a >", 1, 4, "ends where"},
	{"comma at the end", "a,", 1, 3, "ends where"},
	{"two commas", "a,,b", 1, 3, "not ','"},
	{"second line", "a,\n b:not(c)", 2, 3, "pseudo-classes"},
	{"columns are characters", "größe:x", 1, 6, "pseudo-classes"},
	{"class without a name", "a.", 1, 3, "name of a class"},
	{"class that begins with a digit", ".1a", 1, 2, "name of a class"},
	{"id without a name", "#", 1, 2, "name of an id"},
	{"attribute without a name", "[]", 1, 2, "name of an attribute"},
	{"attribute without an end", "[a", 1, 3, "']' or one of"},
	{"unknown operator", "[a!=b]", 1, 3, "']' or one of"},
	{"value without quotes", "[a=1]", 1, 4, "string in quotes"},
	{"no value", "[a=]", 1, 4, "string in quotes"},
	{"string without an end", "[a='b]", 1, 4, "does not end"},
	{"string over lines", "[a='b\n']", 1, 4, "does not end"},
	{"unknown flag", "[a=b x]", 1, 6, "flags are i and s"},
	{"long flag", "[a=b is]", 1, 6, "flags are i and s"},
	{"comment", "a /* b */", 1, 3, "not '/'"},
	{"type behind a class", ".a*", 1, 3, "not '*'"},
	{"rule", "a { }", 1, 3, "not '{'"},
};

static void test_errors(void)
{
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct selector_place place = {0};
		struct selector_set set;
		struct err err = {0};
		uint32_t k = 77;

		tap_case("error: %s", errors[i].label);
		selector_set_init(&set);
		CHECK_INT(selector_set_add(&set, slice_str(errors[i].selector), &k, &place, &err),
			ERR_SYNTAX);
		CHECK_INT((int64_t)place.line, (int64_t)errors[i].line);
		CHECK_INT((int64_t)place.column, (int64_t)errors[i].column);
		CHECK_INT(k, 77);
		if (!CHECK(strstr(err.text, errors[i].text) != NULL))
			tap_note("message: %s", err.text);
		selector_set_release(&set);
	}
}

/* Several selectors at once, more than a word of bits holds; and the same stack twice. */
static void test_many(void)
{
	static const char HTML[] = "<div class=c7>a<p class=c199>b</p>c</div>d<i class=c200>e";
	struct selector_set set;
	struct selector_stack stack;
	char text[64];
	uint32_t k;

	selector_set_init(&set);
	for (unsigned i = 0; i < 200; i++) {
		(void)snprintf(text, sizeof text, ".c%u, div > .d%u", i, i);
		CHECK_INT(selector_set_add(&set, slice_str(text), &k, NULL, NULL), 0);
		CHECK_INT(k, i);
	}
	selector_stack_init(&stack, &set, 0);
	for (unsigned round = 0; round < 2; round++) {
		const struct html_token *token;
		struct html_tokenizer t;
		char got[32] = "";

		html_init(&t, 0);
		html_feed(&t, slice_str(HTML));
		html_finish(&t);
		while (html_next(&t, &token) == 0) {
			selector_stack_token(&stack, token);
			if (token->kind != HTML_TEXT)
				continue;
			(void)snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s%d%d%d ",
				(int)token->text.len, token->text.ptr,
				selector_stack_is_inside_any(&stack),
				selector_stack_is_inside(&stack, 7),
				selector_stack_is_inside(&stack, 199));
		}
		CHECK_STR(got, "a110 b111 c110 d000 e000 ");
		CHECK(selector_stack_has_seen(&stack, 199));
		CHECK(!selector_stack_has_seen(&stack, 198));
		CHECK(!selector_stack_is_inside(&stack, 200));
		html_release(&t);
		selector_stack_reset(&stack, 0);
		CHECK(!selector_stack_has_seen(&stack, 199));
	}
	selector_stack_release(&stack);
	selector_set_release(&set);
}

static void test_xml(void)
{
	struct selector_set set;
	struct selector_stack stack;
	struct buf out;
	uint32_t k;

	selector_set_init(&set);
	buf_init(&out, MAX);
	CHECK_INT(selector_set_add(&set, SLICE("p > p"), &k, NULL, NULL), 0);
	selector_stack_init(&stack, &set, HTML_XML);
	run(&stack, SLICE("<p>a<p>b<br/>c</p><p/>d</p>"), HTML_XML, &out);
	CHECK_STR(buf_str(&out), "*b*c*");
	buf_release(&out);
	selector_stack_release(&stack);
	selector_set_release(&set);
}

/* Repeats a piece of a page; the page is too deep or not. */
static const struct {
	const char *label;
	const char *before, *again, *after;
	size_t times;
	bool cut;
	const char *want;
} hostile[] = {
	{"deep", "", "<div>", "<i class=x>a</i>", 100000, true, ""},
	{"just deep enough", "", "<div>", "<i class=x>a</i>", SELECTOR_DEPTH_MAX - 3, false, "*a"},
	{"deep and up again", "<b>", "<div>", "</b></b><i class=x>a</i>", 1000, false, "*a"},
	{"end tags of what is far away", "<main><table><td>", "<b>", "</main>", 900, false, ""},
	{"many end tags", "<main><table><td><b><b><b>", "</main>", "<i class=x>a", 200000, false,
		"*a"},
	{"many cells", "<table>", "<td>", "<i class=x>a", 100000, false, "*a"},
	{"many paragraphs in a button", "<p><button>", "<p>", "<i class=x>a", 100000, false, "*a"},
};

static void test_hostile(void)
{
	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		struct selector_set set;
		struct selector_stack stack;
		struct buf html, out;
		uint32_t k;

		tap_case("hostile: %s", hostile[i].label);
		selector_set_init(&set);
		buf_init(&html, 16 * MAX);
		buf_init(&out, MAX);
		selector_stack_init(&stack, &set, 0);
		CHECK_INT(selector_set_add(&set, SLICE(".x, a b c d"), &k, NULL, NULL), 0);
		(void)buf_add_str(&html, hostile[i].before);
		for (size_t n = 0; n < hostile[i].times; n++)
			(void)buf_add_str(&html, hostile[i].again);
		(void)buf_add_str(&html, hostile[i].after);
		run(&stack, buf_slice(&html), 0, &out);
		CHECK_STR(buf_str(&out), hostile[i].want);
		CHECK(stack.cut == hostile[i].cut);
		CHECK(stack.levels.len <= SELECTOR_DEPTH_MAX);
		buf_release(&html);
		buf_release(&out);
		selector_stack_release(&stack);
		selector_set_release(&set);
	}
}

static void test_limits(void)
{
	struct selector_set set;
	struct err err = {0};
	struct buf text;
	uint32_t k;
	int rc = 0;

	selector_set_init(&set);
	buf_init(&text, MAX);
	for (size_t i = 0; i <= SELECTOR_TEXT_MAX; i++)
		(void)buf_add_char(&text, 'a');
	CHECK_INT(selector_set_add(&set, buf_slice(&text), &k, NULL, &err), ERR_LIMIT);
	selector_set_release(&set);
	selector_set_init(&set);
	for (size_t i = 0; rc == 0 && i <= SELECTOR_STEPS_MAX; i++)
		rc = selector_set_add(&set, SLICE("a"), &k, NULL, &err);
	CHECK_INT(rc, ERR_LIMIT);
	CHECK_INT((int64_t)set.steps.len, SELECTOR_STEPS_MAX);
	buf_release(&text);
	selector_set_release(&set);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	test_errors();
	TAP_RUN(test_many);
	TAP_RUN(test_xml);
	test_hostile();
	TAP_RUN(test_limits);
	return tap_done();
}
