/* What counts as a word: the same words whatever the case, the punctuation and the blanks. */
#include <string.h>

#include "tap.h"
#include "text/similar.h"

enum { WORDS_MAX = 16 };

static size_t read_all(const char *text, uint64_t hashes[WORDS_MAX])
{
	slice rest = slice_str(text);
	size_t count = 0;

	while (count < WORDS_MAX && words_next(&rest, &hashes[count]))
		count++;
	return count;
}

static void test_same(void)
{
	static const struct {
		const char *label, *a, *b;
		size_t count;
	} rows[] = {
		{"case", "The Still POINT", "the still point", 3},
		{"punctuation", "a, b; (c) - d!", "a b c d", 4},
		{"digits are words", "page 12 of 30", "PAGE 12 OF 30", 4},
		{"no-break space and dashes",
			"a\xc2\xa0"
			"b\xe2\x80\x94"
			"c",
			"a b c", 3},
		{"Han characters are words", "\xe6\x97\xa5\xe6\x9c\xac",
			"\xe6\x97\xa5 \xe6\x9c\xac", 2},
		{"words end at Han characters",
			"ab\xe6\x97\xa5"
			"c",
			"ab \xe6\x97\xa5 c", 3},
		{"ideographic full stop", "\xe6\x97\xa5\xe3\x80\x82\xe6\x9c\xac",
			"\xe6\x97\xa5\xe6\x9c\xac", 2},
		{"more than eight letters", "Straightforwardness", "straightforwardness", 1},
		{"nothing", " \t\n.,", "", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t a[WORDS_MAX], b[WORDS_MAX];
		size_t count = read_all(rows[i].a, a);

		tap_case("same words: %s", rows[i].label);
		CHECK_INT((int64_t)count, (int64_t)rows[i].count);
		CHECK_INT((int64_t)read_all(rows[i].b, b), (int64_t)count);
		CHECK(count == 0 || memcmp(a, b, count * sizeof *a) == 0);
	}
}

static void test_different(void)
{
	static const char *const words[] = {"a", "b", "aa", "ab", "ba", "12345678", "123456789",
		"1234567890123456", "\xc3\xa4", "\xc3\xb6"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		for (size_t k = 0; k < i; k++) {
			uint64_t a[WORDS_MAX], b[WORDS_MAX];

			if (!CHECK_INT((int64_t)read_all(words[i], a), 1) ||
				!CHECK_INT((int64_t)read_all(words[k], b), 1))
				continue;
			if (!CHECK(a[0] != b[0]))
				tap_note("%s and %s", words[i], words[k]);
		}
}

/* Any bytes are read, to their end. */
static void test_any_bytes(void)
{
	char bytes[256];
	uint64_t hash;

	for (size_t len = 0; len < sizeof bytes; len++)
		for (unsigned step = 1; step < 256; step += 50) {
			slice rest = {bytes, len};
			size_t words = 0;

			for (size_t i = 0; i < len; i++)
				bytes[i] = (char)(unsigned char)(255 - i * step);
			while (words_next(&rest, &hash))
				words++;
			if (!CHECK(words <= len && rest.len <= len))
				return;
		}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_same();
	TAP_RUN(test_different);
	TAP_RUN(test_any_bytes);
	return tap_done();
}
