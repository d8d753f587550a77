#include "formats/http_digest.h"

#include "base/err.h"
#include "tap.h"

/* Of "abc": RFC 1321 A.5, RFC 3174 §7.3, FIPS 180-2 B.1; base32 computed with coreutils. */
#define MD5_HEX       "900150983cd24fb0d6963f7d28e17f72"
#define MD5_BASE32    "SAAVBGB42JH3BVUWH56SRYL7OI======"
#define SHA1_HEX      "a9993e364706816aba3e25717850c26c9cd0d89d"
#define SHA1_BASE32   "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
#define SHA256_HEX    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA256_BASE32 "XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ"

static struct digest digest_of_abc(enum digest_kind kind)
{
	struct digester d = {0};
	struct digest value = {0};

	CHECK_INT(digester_start(&d, kind), 0);
	digester_feed(&d, SLICE("a"));
	digester_feed(&d, SLICE(""));
	digester_feed(&d, SLICE("bc"));
	digester_finish(&d, &value);
	digester_release(&d);
	return value;
}

static void test_spellings(void)
{
	static const struct {
		const char *label;
		enum digest_kind kind;
		const char *text;
	} rows[] = {
		{"md5 hex", DIGEST_MD5, "md5:" MD5_HEX},
		{"md5 base32, padded", DIGEST_MD5, "md5:" MD5_BASE32},
		{"md5 base32, bare", DIGEST_MD5, "md5:SAAVBGB42JH3BVUWH56SRYL7OI"},
		{"sha1 hex", DIGEST_SHA1, "sha1:" SHA1_HEX},
		{"sha1 base32", DIGEST_SHA1, "sha1:" SHA1_BASE32},
		{"sha1 base32, lower case", DIGEST_SHA1, "sha1:vgmt4nsha2awvor6evyxqugcnsonbwe5"},
		{"sha1 with a dash", DIGEST_SHA1, "SHA-1:" SHA1_BASE32},
		{"sha256 hex", DIGEST_SHA256, "sha256:" SHA256_HEX},
		{"sha256 base32", DIGEST_SHA256, "sha256:" SHA256_BASE32},
		{"sha256 base32, padded", DIGEST_SHA256, "sha-256:" SHA256_BASE32 "===="},
		{"blanks", DIGEST_SHA256, "sha256: " SHA256_HEX " "},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct digest want = digest_of_abc(rows[i].kind), got = {0};

		tap_case("spelling: %s", rows[i].label);
		CHECK_INT(digest_parse(slice_str(rows[i].text), &got), 0);
		CHECK(digest_eq(&got, &want));
	}
}

static void test_refused(void)
{
	static const struct {
		const char *label;
		const char *text;
		int want;
	} rows[] = {
		{"empty", "", ERR_SYNTAX},
		{"no algorithm", SHA1_HEX, ERR_SYNTAX},
		{"unknown algorithm", "crc32:00000000", ERR_UNSUPPORTED},
		{"empty value", "sha1:", ERR_SYNTAX},
		{"one digit short", "sha1:a9993e364706816aba3e25717850c26c9cd0d89", ERR_SYNTAX},
		{"one digit more", "sha1:" SHA1_HEX "0", ERR_SYNTAX},
		{"no digit", "sha1:g9993e364706816aba3e25717850c26c9cd0d89d", ERR_SYNTAX},
		{"base32 with a 1", "sha1:1GMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", ERR_SYNTAX},
		{"bits left over", "md5:SAAVBGB42JH3BVUWH56SRYL7OJ", ERR_SYNTAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct digest d;

		tap_case("refused: %s", rows[i].label);
		CHECK_INT(digest_parse(slice_str(rows[i].text), &d), rows[i].want);
	}
}

static void test_format(void)
{
	struct digest d = digest_of_abc(DIGEST_SHA256);
	char text[DIGEST_TEXT_SIZE];

	CHECK_INT(digest_format(&d, text), 71);
	CHECK_STR(text, "sha256:" SHA256_HEX);
}

/* A digester goes on with another kind, and starts anew when the last one was not finished. */
static void test_reuse(void)
{
	struct digest want = digest_of_abc(DIGEST_SHA1), got;
	struct digester d = {0};

	CHECK_INT(digester_start(&d, DIGEST_SHA256), 0);
	digester_feed(&d, SLICE("xyz"));
	for (int i = 0; i < 2; i++) {
		CHECK_INT(digester_start(&d, DIGEST_SHA1), 0);
		digester_feed(&d, SLICE("abc"));
		digester_finish(&d, &got);
		CHECK(digest_eq(&got, &want));
	}
	digester_release(&d);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_spellings();
	test_refused();
	TAP_RUN(test_format);
	TAP_RUN(test_reuse);
	return tap_done();
}
