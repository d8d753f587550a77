/* Words of a text, against a reader that takes one byte at a time. */
#include "base/word_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/word.h"
#include "tap.h"

static bool is_part(char c, bool with_digits)
{
	return word_is_alpha(c) || (unsigned char)c >= 0x80 || (with_digits && word_is_digit(c));
}

/* The next word from *at on. */
static bool next_plain(slice text, bool with_digits, size_t *at, slice *ret)
{
	size_t from;

	while (*at < text.len && !is_part(text.ptr[*at], with_digits))
		++*at;
	from = *at;
	while (*at < text.len && is_part(text.ptr[*at], with_digits))
		++*at;
	*ret = slice_sub(text, from, *at);
	return *at > from;
}

static void check_text(slice text, bool with_digits)
{
	struct word_scan scan = {.text = text, .with_digits = with_digits};
	slice word, expected;
	size_t at = 0;
	bool same = true;

	while (same && next_plain(text, with_digits, &at, &expected))
		same = word_scan_next(&scan, &word) && word.ptr == expected.ptr &&
		       word.len == expected.len;
	CHECK(same);
	CHECK(!word_scan_next(&scan, &word));
	CHECK(!word_scan_next(&scan, &word));
}

/* Copied to memory of just that size, so that a sanitizer sees a byte too many. */
static void check_exact(const char *from, size_t len)
{
	char *copy = malloc(len ? len : 1);

	CHECK(copy != NULL);
	if (!copy)
		return;
	if (len)
		memcpy(copy, from, len);
	check_text((slice){copy, len}, false);
	check_text((slice){copy, len}, true);
	free(copy);
}

static void test_words(void)
{
	static const char ALPHABET[] = "azAZ09 \n@[`{/:-\x7f\x80\xff\xc3\xa4";
	char text[300];
	struct rng rng;

	rng_init(&rng, 1);
	for (int round = 0; round < 200; round++) {
		size_t len = (size_t)rng_below(&rng, sizeof text);
		double parts = rng_double(&rng); /* long words, and words of many blocks */

		for (size_t i = 0; i < len; i++)
			text[i] = ALPHABET[rng_double(&rng) < parts
						   ? 0
						   : rng_below(&rng, sizeof ALPHABET - 1)];
		check_exact(text, len);
	}
	/* One word of whole blocks. */
	memset(text, 'w', sizeof text);
	for (size_t len = 0; len <= 256; len += 64)
		check_exact(text, len);
}

static uint64_t hash_of(const char *text)
{
	struct word_scan scan = {.text = slice_str(text), .with_digits = true};
	slice word;

	CHECK(word_scan_next(&scan, &word));
	return word_scan_hash(&scan, word);
}

static void test_hash(void)
{
	CHECK(hash_of("Stillpoint") == hash_of("  stillPOINT, and what stands behind it"));
	CHECK(hash_of("a") != hash_of("aa"));
	CHECK(hash_of("stillpoint") != hash_of("stillpoins"));
	CHECK(hash_of("12345678") != hash_of("123456781"));
	/* Only ASCII has cases here. */
	CHECK(hash_of("\xc3\x84") != hash_of("\xc3\xa4"));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_words);
	TAP_RUN(test_hash);
	return tap_done();
}
