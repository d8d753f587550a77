/*
 * Queries in legacy encodings. Expected bytes: windows-1252 and windows-1251 by their tables; gbk
 * and Shift_JIS as the Encoding Standard's indexes have them (U+4E2D: D6 D0 and 92 86).
 */
#include "formats/url_encoding.h"

#include "formats/url.h"
#include "tap.h"

static void test_queries(void)
{
	static const struct {
		const char *label;
		const char *encoding;
		const char *in;
		const char *want;
	} rows[] = {
		{"windows-1252", "windows-1252", "http://h/\xc3\xa9?a=\xc3\xa9#\xc3\xa9",
			"http://h/%C3%A9?a=%E9#%C3%A9"},
		{"windows-1251", "windows-1251", "?q=\xd0\xb6", "http://b/?q=%E6"},
		{"gbk", "gbk", "?q=\xe4\xb8\xad", "http://b/?q=%D6%D0"},
		{"Shift_JIS", "shift_jis", "?q=\xe4\xb8\xad", "http://b/?q=%92%86"},
		{"what it lacks", "windows-1252", "?q=\xe4\xb8\xad&b",
			"http://b/?q=%26%2320013%3B&b"},
		{"beyond 16 bits", "windows-1252", "?\xf0\x9f\x98\x80",
			"http://b/?%26%23128512%3B"},
		{"not UTF-8", "windows-1252", "?a\xff", "http://b/?a%26%2365533%3B"},
		{"signs", "windows-1252", "? '\"<%41", "http://b/?%20%27%22%3C%41"},
		{"UTF-8", "UTF-8", "?\xc3\xa9", "http://b/?%C3%A9"},
		{"UTF-16", "utf-16le", "?\xc3\xa9", "http://b/?%C3%A9"},
		{"web sockets", "windows-1252", "ws://h/?\xc3\xa9", "ws://h/?%C3%A9"},
		{"not special", "windows-1252", "foo://h/?\xc3\xa9", "foo://h/?%C3%A9"},
	};
	struct url base, u;

	url_init(&base);
	url_init(&u);
	CHECK_INT(url_parse(&base, SLICE("http://b/"), NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct url_encoding *encoding = NULL;

		tap_case("queries: %s", rows[i].label);
		CHECK_INT(url_encoding_open(rows[i].encoding, &encoding, NULL), 0);
		CHECK_INT(url_parse_encoded(&u, slice_str(rows[i].in), &base, encoding, NULL), 0);
		CHECK_STR(buf_str(&u.text), rows[i].want);
		url_encoding_close(encoding);
	}
	url_release(&u);
	url_release(&base);
}

static void test_unknown(void)
{
	struct url_encoding *encoding = NULL;
	struct err err = {0};

	CHECK_INT(url_encoding_open("no-such-encoding", &encoding, &err), ERR_UNSUPPORTED);
	CHECK_STR(err.text, "unknown encoding 'no-such-encoding'");
	CHECK(encoding == NULL);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_queries();
	TAP_RUN(test_unknown);
	return tap_done();
}
