/* A secret is found in every form that a server may give it; other texts have none. */
#include "formats/http_echo.h"

#include "tap.h"

static const struct {
	const char *label, *secret, *text;
	bool has;
} ROWS[] = {
	{"as it is", "s3cret", "<p>s3cret</p>", true},
	{"another case", "s3cret", "<p>S3cret</p>", false},
	{"cut", "s3cret", "s3cre", false},
	{"nothing", "", "text", false},
	{"no text", "s3cret", "", false},
	{"percent", "a b&c", "?p=a%20b%26c", true},
	{"percent, lower case", "a/b", "?p=a%2fb", true},
	{"percent, all of it", "abc", "%61%62%63", true},
	{"form", "a b&c", "p=a+b%26c", true},
	{"escaped twice", "a b&c", "next=%2F%3Fp%3Da%2520b%2526c", true},
	{"escaped three times", "a b", "a%252520b", true},
	{"a percent sign", "a%b", "a%25b", true},
	{"a percent sign as it is", "a%b", "a%b", true},
	{"what looks escaped", "%41b", "x%41b", true},
	{"what looks escaped, escaped", "%41b", "x%2541b", true},
	{"percent and UTF-8", "&%\xc3\xbc", "%26%25%C3%BC", true},
	{"a percent sign, escaped twice", "a%\xc3\xbc", "a%2525%25C3%25BC", true},
	{"HTML", "a<\"'&b", "value=a&lt;&quot;&#39;&amp;b", true},
	{"HTML, hexadecimal", "a'b", "a&#x27;b", true},
	{"HTML, a letter",
		"\xc3\xbc"
		"b",
		"&#252;b", true},
	{"JSON", "a\"b\\c/", "{\"p\":\"a\\\"b\\\\c\\/\"}", true},
	{"JSON, a letter",
		"\xc3\xbc"
		"b",
		"\\u00fcb", true},
	{"another letter",
		"\xc3\xbc"
		"b",
		"\\u00fdb", false},
	{"a broken escape", "ab", "a%6", false},
	{"at the end", "ab", "xx%61%62", true},
	{"no UTF-8",
		"a\xff"
		"b",
		"a%FFb", true},
};

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("echo: %s", ROWS[i].label);
		CHECK_INT(
			echo_has(slice_str(ROWS[i].text), slice_str(ROWS[i].secret)), ROWS[i].has);
	}
	return tap_done();
}
