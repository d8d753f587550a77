/* Links in style sheets. Expected values: CSS Syntax 3, section 4, and CSS Values 4. */
#include "formats/css.h"

#include "base/err.h"
#include "tap.h"

enum { MAX = 1 << 20 };

static const struct {
	const char *label;
	const char *in;
	const char *want; /* kind:url; … */
} rows[] = {
	{"empty", "", ""},
	{"url", "a{background:url(x.png)}", "image:x.png;"},
	{"url in quotes", "a{b:url( \"x y.png\" ) c url('z')}", "image:x y.png;image:z;"},
	{"url in capitals", "a{b:URL(x)}", "image:x;"},
	{"blanks", "a{b:url(  x  )}", "image:x;"},
	{"escapes", "a{b:url(x\\29 y\\20z)}", "image:x)y z;"},
	{"escaped name", "a{b:u\\72l(x)}", "image:x;"},
	{"escaped string", "a{b:url('x\\\ny\\'\\26 z')}", "image:xy'&z;"},
	{"escape of no character", "a{b:url(\\0 \\110000 x)}", "image:\xef\xbf\xbd\xef\xbf\xbdx;"},
	{"comment", "/* url(a) */a{b:url(/*c*/d)}/*", "image:/*c*/d;"},
	{"comment between", "a{b:url/**/(x)}", ""},
	{"string is no link", "a{content:\"url(x)\"}", ""},
	{"bad url", "a{b:url(x y) c:url(z)}", "image:z;"},
	{"bad url with quote", "a{b:url(x\"y) c:url(z)}", "image:z;"},
	{"bad string", "a{b:'x\n;c:url(y)}", "image:y;"},
	{"url at the end", "a{b:url(x", "image:x;"},
	{"string at the end", "@import 'x", "style:x;"},
	{"import", "@import 'a.css'; @IMPORT url(b.css) print; @import url(\"c.css\") layer(x);",
		"style:a.css;style:b.css;style:c.css;"},
	{"import with supports", "@import url(a) supports(background:url(b));", "style:a;image:b;"},
	{"import without a link", "@import; a{b:'c'}", ""},
	{"namespace", "@namespace svg url(http://www.w3.org/2000/svg); a{b:url(x)}", "image:x;"},
	{"font",
		"@font-face{font-family:x;src:local('y'),url(a.woff2) format('woff2'),url(b.eot)}"
		"a{b:url(c)}",
		"font:a.woff2;font:b.eot;image:c;"},
	{"font in a media rule", "@media print{@font-face{src:url(a)} a{b:url(c)}}",
		"font:a;image:c;"},
	{"image-set", "a{b:image-set('x' 1x,url(y) 2x,'z' type('image/avif'))}",
		"image:x;image:y;image:z;"},
	{"prefixed image-set", "a{b:-webkit-image-set(url(x) 1x)}", "image:x;"},
	{"src()", "a{b:src('x')}", "image:x;"},
	{"declarations", "background:url(x);color:red", "image:x;"},
	{"dimension is no function", "a{b:1url(x)}", ""},
	{"hash is no function", "a{b:#url(x)}", ""},
	{"CDO and CDC", "<!-- a{b:url(x)} -->a{b:url(y)}", "image:x;image:y;"},
	{"custom property", ":root{--x:url(y)}", "image:y;"},
	{"close without open", "}}}a{b:url(x)}", "image:x;"},
	{"open parenthesis", "a{b:f(} c{d:'x';e:url(y)}", "image:y;"},
};

static void dump(slice in, struct buf *out)
{
	struct css_reader css;
	struct css_link link;
	int rc;

	css_init(&css, in);
	while ((rc = css_next(&css, &link)) == 0) {
		(void)buf_printf(out, "%s:", link_kind_name(link.kind));
		(void)buf_add(out, link.url);
		(void)buf_add_char(out, ';');
	}
	CHECK_INT(rc, ERR_END);
	css_release(&css);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		tap_case("css: %s", rows[i].label);
		buf_init(&out, MAX);
		dump(slice_str(rows[i].in), &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		buf_release(&out);
	}
}

/* An unquoted URL of so many bytes: too long is left out. */
static void check_long_url(size_t len, size_t want)
{
	struct buf in, out;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	(void)buf_add_str(&in, "a{b:url(");
	for (size_t i = 0; i < len; i++)
		(void)buf_add_char(&in, 'x');
	(void)buf_add_str(&in, ") url(y)}");
	dump(buf_slice(&in), &out);
	CHECK_INT((int64_t)out.len, (int64_t)want);
	buf_release(&in);
	buf_release(&out);
}

static void test_url_limit(void)
{
	check_long_url(CSS_VALUE_MAX, strlen("image:;image:y;") + CSS_VALUE_MAX);
	check_long_url(CSS_VALUE_MAX + 1, strlen("image:y;"));
}

static void check_parens(size_t depth, const char *want)
{
	struct buf in, out;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	(void)buf_add_str(&in, "a{b:");
	for (size_t i = 1; i < depth; i++)
		(void)buf_add_char(&in, '(');
	(void)buf_add_str(&in, "url('x')}c{d:url('y')}");
	dump(buf_slice(&in), &out);
	CHECK_STR(buf_str(&out), want);
	buf_release(&in);
	buf_release(&out);
}

static void test_parens_limit(void)
{
	check_parens(CSS_PARENS_MAX, "image:x;image:y;");
	check_parens(CSS_PARENS_MAX + 1, "image:y;");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_url_limit);
	TAP_RUN(test_parens_limit);
	return tap_done();
}
