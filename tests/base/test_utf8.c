/* UTF-8. Expected values: Unicode, table 3-7 and the examples of section 3.9. */
#include "base/utf8.h"

#include <string.h>

#include "tap.h"

static const struct {
	const char *label;
	slice in;
	size_t length;
	bool ok;
} rows[] = {
	{"ASCII", SLICE_INIT("ab"), 1, true},
	{"two bytes", SLICE_INIT("\xc3\xa4z"), 2, true},
	{"three bytes", SLICE_INIT("\xe2\x82\xac"), 3, true},
	{"four bytes", SLICE_INIT("\xf4\x8f\xbf\xbf"), 4, true},
	{"cut", SLICE_INIT("\xe2\x82"), 2, false},
	{"broken", SLICE_INIT("\xe2\x82z"), 2, false},
	{"overlong, two bytes", SLICE_INIT("\xc0\xaf"), 1, false},
	{"overlong, three bytes", SLICE_INIT("\xe0\x80\xaf"), 1, false},
	{"surrogate", SLICE_INIT("\xed\xa0\x80"), 1, false},
	{"above U+10FFFF", SLICE_INIT("\xf4\x90\x80\x80"), 1, false},
	{"continuation alone", SLICE_INIT("\x80"), 1, false},
	{"no such byte", SLICE_INIT("\xff"), 1, false},
};

static void test_length(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool ok;
		size_t n = utf8_length((const unsigned char *)rows[i].in.ptr, rows[i].in.len, &ok);

		tap_case("length: %s", rows[i].label);
		CHECK_INT((int64_t)n, (int64_t)rows[i].length);
		CHECK(ok == rows[i].ok);
	}
}

static void test_valid_prefix(void)
{
	CHECK_INT((int64_t)utf8_valid_prefix(SLICE("")), 0);
	CHECK_INT((int64_t)utf8_valid_prefix(SLICE("0123456789abcdefg")), 17);
	CHECK_INT((int64_t)utf8_valid_prefix(SLICE("0123456789\xc3\xa4\xe2\x82\xacz")), 16);
	CHECK_INT((int64_t)utf8_valid_prefix(SLICE("01234567\xff")), 8);
	CHECK_INT((int64_t)utf8_valid_prefix(SLICE("01234567\xc3\xa4\xe2\x82")), 10);
}

/* Every code point is written as it is read. */
static void test_put(void)
{
	char out[UTF8_MAX];

	for (uint32_t code = 0; code <= 0x10ffff; code += code < 0x1000 ? 1 : 37) {
		bool surrogate = code >= 0xd800 && code <= 0xdfff, ok;
		size_t n = utf8_put(code, out);

		if (!CHECK(utf8_length((const unsigned char *)out, n, &ok) == n && ok) ||
			!CHECK(!surrogate || memcmp(out, UTF8_REPLACEMENT, 3) == 0))
			break;
	}
	CHECK_INT((int64_t)utf8_put(0x110000, out), 3);
	CHECK_SLICE(((slice){out, 3}), SLICE(UTF8_REPLACEMENT));
	CHECK_INT((int64_t)utf8_put(0x1f600, out), 4);
	CHECK_SLICE(((slice){out, 4}), SLICE("\xf0\x9f\x98\x80"));
}

static void test_control(void)
{
	static const struct {
		const char *text;
		size_t len;
	} ROWS[] = {
		{"a", 0},
		{"\x1b[31m", 1},
		{"\x7f", 1},
		{"\xc2\x9b", 2},
		{"\xc2\xa0", 0},
		{"\xc3\xa9", 0},
		{"\xd8\x9c", 2},
		{"\xe2\x80\xae", 3},
		{"\xe2\x80\x8f", 3},
		{"\xe2\x80\x93", 0},
		{"\xe2\x81\xa9", 3},
		{"\xe2\x82\xac", 0},
		{"\x9b", 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("control: row %zu", i);
		CHECK_INT((int64_t)utf8_control(
				  (const unsigned char *)ROWS[i].text, strlen(ROWS[i].text)),
			(int64_t)ROWS[i].len);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_length();
	TAP_RUN(test_valid_prefix);
	TAP_RUN(test_put);
	test_control();
	return tap_done();
}
