#include "base/text.h"

#include <stdlib.h>

#include "tap.h"

static void test_duration(void)
{
	static const struct {
		double seconds;
		const char *want;
	} rows[] = {
		{0, "0.0 s"},
		{0.94, "0.9 s"},
		{59.9, "59.9 s"},
		{59.96, "1 min 0 s"},
		{60, "1 min 0 s"},
		{599.4, "9 min 59 s"},
		{599.6, "10 min 0 s"},
		{3599.4, "59 min 59 s"},
		{3599.6, "1 h 0 min"},
		{119.9, "2 min 0 s"},
		{8000, "2 h 13 min"},
		{86369, "23 h 59 min"},
		{86371, "1 d 0 h"},
		{273600, "3 d 4 h"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[TEXT_DURATION_SIZE];

		tap_case("duration: %s", rows[i].want);
		text_duration(rows[i].seconds, text);
		CHECK_STR(text, rows[i].want);
	}
}

static void test_rate(void)
{
	static const struct {
		double rate;
		const char *want;
	} rows[] = {
		{12, "about 12 times a second"},
		{1, "about once a second"},
		{0.5, "about once in 2 seconds"},
		{1 / 60.0, "about once a minute"},
		{1 / 5400.0, "about once in 2 hours"},
		{1 / 86400.0, "about once a day"},
		{1 / 259200.0, "about once in 3 days"},
		{1 / (400 * 86400.0), "about once a year"},
		{1e-12, "hardly ever"},
		{0, "hardly ever"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[TEXT_RATE_SIZE];

		tap_case("rate: %s", rows[i].want);
		text_rate(rows[i].rate, text);
		CHECK_STR(text, rows[i].want);
	}
}

static void test_size(void)
{
	static const struct {
		uint64_t bytes;
		const char *want;
	} rows[] = {
		{0, "0 bytes"},
		{999, "999 bytes"},
		{1000, "1.0 kB"},
		{999949, "999.9 kB"},
		{999950, "1.0 MB"},
		{1400000000, "1.4 GB"},
		{UINT64_MAX, "18.4 EB"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[TEXT_SIZE_SIZE];

		tap_case("size: %s", rows[i].want);
		text_size(rows[i].bytes, text);
		CHECK_STR(text, rows[i].want);
	}
}

static void test_name(void)
{
	static const struct {
		const char *label;
		slice name;
		size_t width;
		const char *want;
	} rows[] = {
		{"as it is", SLICE_INIT("/index"), 0, "/index"},
		{"filled", SLICE_INIT("/a"), 4, "/a  "},
		{"fits", SLICE_INIT("/abc"), 4, "/abc"},
		{"cut", SLICE_INIT("/abcd"), 4, "/ab…"},
		{"characters, not bytes", SLICE_INIT("/äöü"), 5, "/äöü "},
		{"cut between characters", SLICE_INIT("/äöüß"), 4, "/äö…"},
		{"no command to the terminal", SLICE_INIT("\x1b[2J\n\x7f"), 0, "?[2J??"},
		{"C1 controls",
			SLICE_INIT("a\xc2\x9b"
				   "b"),
			0, "a?b"},
		{"writing turned around",
			SLICE_INIT("a\xe2\x80\xae"
				   "b"),
			0, "a?b"},
		{"not UTF-8", SLICE_INIT("a\xff\xe2\x82z"), 0, "a??z"},
		{"overlong", SLICE_INIT("\xc0\xaf"), 0, "??"},
		{"surrogate", SLICE_INIT("\xed\xa0\x80"), 0, "???"},
		{"beyond the last", SLICE_INIT("\xf4\x90\x80\x80"), 0, "????"},
		{"cut in the middle", SLICE_INIT("a\xf0\x9f\x98"), 0, "a?"},
		{"four bytes", SLICE_INIT("a\xf0\x9f\x98\x80"), 3, "a\xf0\x9f\x98\x80 "},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&text, &len);

		tap_case("name: %s", rows[i].label);
		text_name(file, rows[i].name, rows[i].width);
		(void)fclose(file);
		CHECK_STR(text, rows[i].want);
		free(text);
	}
}

static void test_command(void)
{
	static const struct {
		const char *archive, *want;
	} ROWS[] = {
		{"a.stillpoint", "stillpoint resume a.stillpoint!"},
		{"/x/a b", "stillpoint resume '/x/a b'!"},
		{"it's", "stillpoint resume 'it'\\''s'!"},
		{"'", "stillpoint resume ''\\'''!"},
		{"-rf", "stillpoint resume '-rf'!"},
		{"$(x);`y`", "stillpoint resume '$(x);`y`'!"},
		{"", "stillpoint resume ''!"},
		{"a\x1b[31m", "stillpoint resume 'a?[31m'!"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&text, &len);

		tap_case("command: %s", ROWS[i].want);
		text_command(file, "resume", ROWS[i].archive, "!");
		(void)fclose(file);
		CHECK_STR(text, ROWS[i].want);
		free(text);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_duration();
	test_rate();
	test_size();
	test_name();
	test_command();
	return tap_done();
}
