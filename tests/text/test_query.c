#include "tap.h"
#include "text/text_index.h"
#include "text/text_search.h"

/* What is typed, and the expression for FTS5 (its documentation, section 3). */
static void test_expressions(void)
{
	static const struct {
		const char *label, *typed, *want;
	} ROWS[] = {
		{"a word", "lamp", "\"lamp\""},
		{"words", "  a\tlamp ", "\"a\" \"lamp\""},
		{"a phrase", "\"part of\" it", "\"part of\" \"it\""},
		{"a quote that does not end", "\"part of", "\"part of\""},
		{"a quote within a word", "a\"b c\"d", "\"a\" \"b c\" \"d\""},
		{"a beginning", "zeb*", "\"zeb*\" *"},
		{"a phrase whose last word is a beginning", "\"a zeb\"*", "\"a zeb\" *"},
		{"operators are text", "NEAR(a) AND ^b title:c -d",
			"\"NEAR(a)\" \"AND\" \"^b\" "
			"\"title:c\" \"-d\""},
		{"what has no word is left out", "a -- \"\" !", "\"a\""},
		{"characters of Chinese are words", "天気", "\"天\xe2\x80\x8b気\xe2\x80\x8b\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};
		struct buf out;

		tap_case("%s", ROWS[i].label);
		buf_init(&out, TEXT_EXPRESSION_MAX);
		CHECK_INT(text_query_parse(slice_str(ROWS[i].typed), &out, &err), 0);
		CHECK_STR(buf_str(&out), ROWS[i].want);
		buf_release(&out);
	}
}

static void test_refused(void)
{
	char many[3 * TEXT_QUERY_WORDS_MAX + 3];
	struct err err = {0};
	struct buf out;

	buf_init(&out, TEXT_EXPRESSION_MAX);
	tap_case("no words");
	CHECK_INT(text_query_parse(SLICE(""), &out, &err), ERR_USAGE);
	CHECK_INT(text_query_parse(SLICE(" \"\" -- *"), &out, &err), ERR_USAGE);
	tap_case("too many words");
	for (size_t i = 0; i < sizeof many; i++)
		many[i] = (char)(i % 3 ? (i % 3 == 1 ? 'a' + i / 3 % 26 : 'a' + i / 78) : ' ');
	CHECK_INT(text_query_parse((slice){many, sizeof many}, &out, &err), ERR_USAGE);
	buf_release(&out);
}

/* A version is known by URL and digest, however the digest is written, or by its place. */
static void test_keys(void)
{
	const struct text_version bare = {.url = SLICE("http://a/"), .digest = SLICE("AB")},
				  named = {.url = SLICE("http://a/"), .digest = SLICE("sha1:AB")},
				  other = {.url = SLICE("http://b/"), .digest = SLICE("AB")},
				  first = {.url = SLICE("http://a/"), .filename = SLICE("x")},
				  second = {.url = SLICE("http://a/"),
					  .filename = SLICE("x"),
					  .offset = 7};
	unsigned char a[TEXT_KEY_SIZE], b[TEXT_KEY_SIZE];
	struct digester d = {0};

	tap_case("keys of versions");
	CHECK_INT(text_db_key(&d, &bare, a), 0);
	CHECK_INT(text_db_key(&d, &named, b), 0);
	CHECK(memcmp(a, b, sizeof a) == 0);
	CHECK_INT(text_db_key(&d, &other, b), 0);
	CHECK(memcmp(a, b, sizeof a) != 0);
	CHECK_INT(text_db_key(&d, &first, a), 0);
	CHECK_INT(text_db_key(&d, &second, b), 0);
	CHECK(memcmp(a, b, sizeof a) != 0);
	digester_release(&d);
}

static void test_words(void)
{
	struct buf out;

	tap_case("texts as the index takes them, and back");
	buf_init(&out, 1000);
	text_db_words(&out, SLICE("a\x02"
				  "b\n東京 caf\xc3\xa9 \xe3\x81"));
	CHECK_INT(out.error, 0);
	CHECK_STR(buf_str(&out), "a b\n東\xe2\x80\x8b京\xe2\x80\x8b caf\xc3\xa9 \xe3\x81");
	text_db_join(&out);
	CHECK_STR(buf_str(&out), "a b\n東京 caf\xc3\xa9 \xe3\x81");
	buf_release(&out);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_expressions);
	TAP_RUN(test_refused);
	TAP_RUN(test_keys);
	TAP_RUN(test_words);
	return tap_done();
}
