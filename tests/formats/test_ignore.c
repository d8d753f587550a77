/* The user's rules about what to ignore: what is read, refused with its place, and found in pages.
 */
#include "formats/ignore.h"

#include <stdio.h>

#include "base/buf.h"
#include "tap.h"

enum { MAX = 1 << 20 };

static const struct {
	const char *label;
	const char *file;
	const char *want; /* "NAME kind section text;" … */
} files[] = {
	{"empty", "", ""},
	{"comments and blank lines", "# a\n\n  \t\n   # b\n", ""},
	{"three kinds", "select .a\ntext b+\nrequire main\n",
		"ignore:1 select 0 .a;ignore:2 text 0 b+;ignore:3 require 0 main;"},
	{"names", "select:ads .a\ntext:x.y_z-1 b\n",
		"ignore:ads select 0 .a;ignore:x.y_z-1 text 0 b;"},
	{"sections", "select .a\n[a.org]\nselect .b\n[b.org c.org]\nselect .c\n",
		"ignore:1 select 0 .a;ignore:3 select 1 .b;ignore:5 select 2 .c;"},
	{"blanks around", "  select   .a  .b \t\n", "ignore:1 select 0 .a  .b;"},
	{"line ends of Windows", "\xef\xbb\xbfselect .a\r\ntext b\r\n",
		"ignore:1 select 0 .a;ignore:2 text 0 b;"},
	{"no last line end", "text b", "ignore:1 text 0 b;"},
	{"a comment sign in a rule", "text #[0-9]+\nselect #a\n",
		"ignore:1 text 0 #[0-9]+;ignore:2 select 0 #a;"},
	{"a colon in a rule", "text 12:[0-9]+\n", "ignore:1 text 0 12:[0-9]+;"},
};

static void dump(const struct ignore *ig, struct buf *out)
{
	static const char *const KINDS[] = {"select", "text", "require"};

	for (size_t i = 0; i < ig->rules.len; i++) {
		const struct ignore_rule *r = &ig->rules.ptr[i];

		(void)buf_printf(out, "%.*s %s %u %.*s;", (int)r->name.len, r->name.ptr,
			KINDS[r->kind], r->section, (int)r->text.len, r->text.ptr);
	}
}

static void test_files(void)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct err err = {0};
		struct ignore ig;
		struct buf out;

		tap_case("file: %s", files[i].label);
		ignore_init(&ig);
		buf_init(&out, MAX);
		if (!CHECK_INT(ignore_parse(&ig, slice_str(files[i].file), "f", &err), 0))
			tap_note("%s", err.text);
		dump(&ig, &out);
		CHECK_STR(buf_str(&out), files[i].want);
		buf_release(&out);
		ignore_release(&ig);
	}
}

static const struct {
	const char *label;
	const char *file;
	const char *want; /* the beginning of the message */
} errors[] = {
	{"unknown rule", "select .a\nmask .b\n", "r.txt:2:1: 'mask' is no rule"},
	{"indented", "  mask .b\n", "r.txt:1:3: 'mask' is no rule"},
	{"no selector", "select\n", "r.txt:1:7: the selector is missing"},
	{"no selector behind a name", "select:a  \n", "r.txt:1:11: the selector is missing"},
	{"no expression", "text \n", "r.txt:1:6: the regular expression is missing"},
	{"bad selector", "# x\n\nselect  div :hover\n", "r.txt:3:13: selector: pseudo-classes"},
	{"bad selector, columns are characters", "select .größe + p\n",
		"r.txt:1:15: selector: siblings"},
	{"bad selector at its end", "require a >\n", "r.txt:1:12: selector: ends where"},
	{"bad expression", "text:n a(b\n",
		"r.txt:1:11: regular expression: missing closing parenthesis"},
	{"bad expression in the middle", "text a{2,1}b\n", "r.txt:1:11: regular expression: "},
	{"empty name", "select: .a\n", "r.txt:1:8: a name has 1 to 64 characters"},
	{"a number as name", "select:12 .a\n", "r.txt:1:8: a name has 1 to 64 characters"},
	{"bad name", "select:a/b .a\n", "r.txt:1:9: a name has only letters"},
	{"name twice", "select:a .a\n\ntext:a b\n", "r.txt:3:6: line 1 has this name already"},
	{"section without end", "[example.org\n", "r.txt:1:13: the section's ']' is missing"},
	{"section of nothing", " [ ]\n", "r.txt:1:3: the section names no site"},
	{"path without scheme", "[a.org b.org/x]\n", "r.txt:1:8: 'b.org/x' is no host"},
	{"bad host", "[a.org b%.org]\n", "r.txt:1:8: "},
	{"other scheme", "[ftp://a.org/]\n", "r.txt:1:2: 'ftp://a.org/' is no prefix"},
	{"not UTF-8", "text a\ntext \xff\n", "r.txt:2:6: this is not UTF-8"},
};

static void test_errors(void)
{
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct err err = {0};
		struct ignore ig;

		tap_case("error: %s", errors[i].label);
		ignore_init(&ig);
		CHECK_INT(ignore_parse(&ig, slice_str(errors[i].file), "r.txt", &err), ERR_SYNTAX);
		CHECK_INT(err.code, ERR_SYNTAX);
		CHECK_SLICE(slice_sub(slice_str(err.text), 0, strlen(errors[i].want)),
			slice_str(errors[i].want));
		ignore_release(&ig);
	}
}

static const struct {
	const char *label;
	const char *sites;
	const char *url;
	bool want;
} sites[] = {
	{"host", "example.org", "https://example.org/a", true},
	{"host in upper case", "Example.ORG", "https://example.org/a", true},
	{"international host", "bücher.example", "https://xn--bcher-kva.example/", true},
	{"another host", "example.org", "https://www.example.org/a", false},
	{"host as the end of another", "example.org", "https://anexample.org/", false},
	{"host on any port", "example.org", "http://example.org:8080/", true},
	{"host with port", "example.org:8080", "http://example.org:8080/", true},
	{"host on another port", "example.org:8080", "http://example.org/", false},
	{"below", "*.example.org", "https://a.b.example.org/", true},
	{"below and itself", "*.example.org", "https://example.org/", true},
	{"not below", "*.example.org", "https://anexample.org/", false},
	{"all", "*", "https://example.org/", true},
	{"prefix", "https://example.org/news/", "https://example.org/news/1", true},
	{"prefix of another directory", "https://example.org/news/", "https://example.org/n",
		false},
	{"prefix is text", "https://example.org/news", "https://example.org/newsletter", true},
	{"prefix of another scheme", "https://example.org/", "http://example.org/", false},
	{"prefix without path", "https://example.org", "https://example.org/a", true},
	{"prefix without path, longer host", "https://example.org", "https://example.org.a/",
		false},
	{"one of several", "a.org b.org", "https://b.org/", true},
	{"none of several", "a.org b.org", "https://c.org/", false},
	{"address", "[::1]:80", "http://[::1]/", true},
};

static void test_sites(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sites); i++) {
		struct ignore ig;
		struct buf file;
		struct url url;

		tap_case("site: %s", sites[i].label);
		ignore_init(&ig);
		url_init(&url);
		buf_init(&file, MAX);
		(void)buf_printf(&file, "[other.example]\ntext a\n[%s]\ntext b\n", sites[i].sites);
		CHECK_INT(url_parse(&url, slice_str(sites[i].url), NULL, NULL), 0);
		if (CHECK_INT(ignore_parse(&ig, buf_slice(&file), "f", NULL), 0)) {
			CHECK(ignore_applies(&ig, 0, &url));
			CHECK(!ignore_applies(&ig, 1, &url));
			CHECK(ignore_applies(&ig, 2, &url) == sites[i].want);
		}
		buf_release(&file);
		url_release(&url);
		ignore_release(&ig);
	}
}

/* What is left of a page's text, with the names of rules in braces where they acted. */
static const struct {
	const char *label;
	const char *file;
	const char *html;
	const char *want;
} pages[] = {
	{"no rule", "", "a<p>b", "a|b|"},
	{"selector", "select:s .x", "a<p class=x>b<i>c</i></p>d", "a|{s}|{s}|d|"},
	{"selector that does not match", "select:s .y", "a<p class=x>b", "a|b|"},
	{"text", "text:t [0-9]+ views", "<p>12 views today", "{t} today|"},
	{"text that does not match", "text:t [0-9]+ views", "<p>no views", "no views|"},
	{"text twice", "text:t [0-9]+", "<p>1 of 23.", "{t} of {t}.|"},
	{"two rules, the first match", "text:a b\ntext:b a", "<p>xaby", "x{b}{a}y|"},
	{"two rules, the longest match", "text:a a\ntext:b ab", "<p>xaby", "x{b}y|"},
	{"empty matches", "text:t x*", "<p>axxb", "a{t}b|"},
	{"letters of other scripts", "text:t \\bgrö\\w+", "<p>die größe!", "die {t}!|"},
	{"anchors", "text:t ^a$", "<p>a<p>ab", "{t}|ab|"},
	{"any case", "text:t (?i)rendered", "<p>RENDERED", "{t}|"},
	{"own site", "[a.example]\ntext:t b", "<p>abc", "a{t}c|"},
	{"other site", "[b.example]\ntext:t b\nselect:s p", "<p>abc", "abc|"},
	{"required and there", "require:r main p", "<main><p>a</main>", "a|"},
	{"required and missing", "require:r main p", "<p>a", "a|missing {r}"},
	{"required of another site", "[b.example]\nrequire:r main p", "<p>a", "a|"},
	{"required elements are kept", "require:r main", "<main>a</main>", "a|"},
};

static void add_name(struct buf *out, const struct ignore *ig, uint32_t rule)
{
	slice name = ig->rules.ptr[rule].name;

	name = slice_sub(name, strlen("ignore:"), name.len);
	(void)buf_printf(out, "{%.*s}", (int)name.len, name.ptr);
}

static void add_text(struct buf *out, struct ignore_page *page, slice line)
{
	uint32_t element = ignore_page_element(page);
	struct ignore_match match;
	size_t from = 0;

	if (element != IGNORE_NONE) {
		add_name(out, page->rules, element);
		line.len = 0;
	}
	while (ignore_page_find(page, line, from, &match)) {
		(void)buf_add(out, slice_sub(line, from, match.span.from));
		add_name(out, page->rules, match.rule);
		from = match.span.to;
	}
	(void)buf_add(out, slice_sub(line, from, line.len));
	(void)buf_add_char(out, '|');
}

static void read_page(struct buf *out, struct ignore_page *page, const char *html)
{
	const struct html_token *token;
	struct html_tokenizer t;
	uint32_t missing;

	html_init(&t, 0);
	html_feed(&t, slice_str(html));
	html_finish(&t);
	while (html_next(&t, &token) == 0) {
		ignore_page_token(page, token);
		if (token->kind == HTML_TEXT)
			add_text(out, page, token->text);
	}
	html_release(&t);
	missing = ignore_page_missing(page);
	if (missing != IGNORE_NONE) {
		(void)buf_add_str(out, "missing ");
		add_name(out, page->rules, missing);
	}
}

static void test_pages(void)
{
	struct url url;

	url_init(&url);
	tap_case("page: its URL");
	CHECK_INT(url_parse(&url, SLICE("https://a.example/"), NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		struct ignore_page page;
		struct ignore ig;
		struct buf out;

		tap_case("page: %s", pages[i].label);
		ignore_init(&ig);
		buf_init(&out, MAX);
		CHECK_INT(ignore_parse(&ig, slice_str(pages[i].file), "f", NULL), 0);
		ignore_page_init(&page, &ig);
		for (unsigned round = 0; round < 2;
			round++) { /* the second uses the memory again */
			buf_reset(&out);
			CHECK_INT(ignore_page_start(&page, &url, 0), 0);
			read_page(&out, &page, pages[i].html);
			CHECK_STR(buf_str(&out), pages[i].want);
			CHECK(page.gave_up == IGNORE_NONE);
		}
		buf_release(&out);
		ignore_page_release(&page);
		ignore_release(&ig);
	}
	url_release(&url);
}

/* Lines of `a` and an expression; what is found, and whether it gave up. */
static const struct {
	const char *label;
	const char *pattern;
	size_t len, times;
	bool found, gave_up;
} hostile[] = {
	{"a line at the limit", "a{3}", TEXT_PATTERN_LINE_MAX, 1, true, false},
	{"a match that ends at the limit", "a+", TEXT_PATTERN_LINE_MAX, 1, true, false},
	{"a match that may go on beyond it", "a+", TEXT_PATTERN_LINE_MAX + 1, 1, false, false},
	{"the end of a line that is cut", "a$", TEXT_PATTERN_LINE_MAX + 1, 1, false, false},
	{"exponential", "(a+)+[bc]", 4000, 1, false, true},
	{"exponential, alternatives", "(a|aa)*b|(a|aa)*c", 4000, 1, false, true},
	{"nested", "((((a*)*)*)*)*[bc]", 4000, 1, false, true},
	{"back references", "(a*)(a*)(a*)\\1\\2\\3[bc]", 4000, 1, false, true},
	{"work beyond the page's", "x", TEXT_PATTERN_LINE_MAX, 200, false, true},
	{"many short lines", "x", 100, 20000, false, false},
};

static void test_hostile(void)
{
	struct url url;

	url_init(&url);
	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		struct ignore_match match;
		struct ignore_page page;
		struct ignore ig;
		struct buf text;
		bool found = false;

		tap_case("hostile: %s", hostile[i].label);
		ignore_init(&ig);
		buf_init(&text, MAX);
		(void)buf_printf(&text, "text %s\n", hostile[i].pattern);
		CHECK_INT(ignore_parse(&ig, buf_slice(&text), "f", NULL), 0);
		buf_reset(&text);
		for (size_t n = 0; n < hostile[i].len; n++)
			(void)buf_add_char(&text, 'a');
		ignore_page_init(&page, &ig);
		CHECK_INT(ignore_page_start(&page, &url, 0), 0);
		for (size_t n = 0; n < hostile[i].times; n++)
			found |= ignore_page_find(&page, buf_slice(&text), 0, &match);
		CHECK(found == hostile[i].found);
		CHECK(page.gave_up == (hostile[i].gave_up ? 0 : IGNORE_NONE));
		CHECK_INT(ignore_page_start(&page, &url, 0), 0);
		CHECK(page.gave_up == IGNORE_NONE);
		ignore_page_release(&page);
		buf_release(&text);
		ignore_release(&ig);
	}
}

/* The version of the rules is that of the file, byte by byte. */
static void test_digest(void)
{
	char text[DIGEST_TEXT_SIZE];
	struct ignore ig;

	ignore_init(&ig);
	CHECK_INT(ignore_parse(&ig, SLICE("# abc\n"), "f", NULL), 0);
	(void)digest_format(&ig.digest, text);
	/* printf '# abc\n' | sha256sum */
	CHECK_STR(text, "sha256:"
			"c96d70129517a804082ed92c0ff5cc78c880c661376df954acf1d349484a7715");
	ignore_release(&ig);
}

static void test_limits(void)
{
	struct err err = {0};
	struct ignore ig;
	struct buf file;

	buf_init(&file, 4 << 20);
	for (unsigned i = 0; i <= IGNORE_RULES_MAX; i++)
		(void)buf_add_str(&file, "text a\n");
	ignore_init(&ig);
	CHECK_INT(ignore_parse(&ig, buf_slice(&file), "f", &err), ERR_LIMIT);
	CHECK_STR(err.text, "f:1001:1: more than 1000 rules");
	ignore_release(&ig);
	while (file.len <= IGNORE_FILE_MAX)
		(void)buf_add_str(&file, "# a comment that fills the file\n");
	ignore_init(&ig);
	CHECK_INT(ignore_parse(&ig, buf_slice(&file), "f", &err), ERR_LIMIT);
	CHECK_STR(err.text, "f:1:1: the file has more than 262144 bytes");
	ignore_release(&ig);
	buf_release(&file);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_files();
	test_errors();
	test_sites();
	test_pages();
	test_hostile();
	TAP_RUN(test_digest);
	TAP_RUN(test_limits);
	return tap_done();
}
