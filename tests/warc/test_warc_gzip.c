/* What ISA-L makes is read by zlib, and the other way round. */
#include "warc/warc_compress.h"

#include <stdlib.h>
#define ZLIB_CONST /* next_in is */
#include <zlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "tap.h"

enum { TEXT_MAX = 3 << 20, GZIP = 15 + 16 };

/* Contents of all sorts: what compresses, what does not, and what the shared codes never saw. */
static void add_words(struct buf *out, struct rng *rng)
{
	static const char *const WORDS[] = {"WARC-Type: ", "sha256:", "<p>", "archive ", "\r\n"};

	(void)buf_add_str(out, WORDS[rng_below(rng, sizeof WORDS / sizeof WORDS[0])]);
}

static void add_noise(struct buf *out, struct rng *rng)
{
	(void)buf_add_char(out, (char)rng_below(rng, 256));
}

static void add_zero(struct buf *out, struct rng *rng)
{
	(void)rng;
	(void)buf_add_char(out, '\0');
}

typedef void add_fn(struct buf *out, struct rng *rng);

static const struct {
	const char *label;
	add_fn *add;
} KINDS[] = {{"words", add_words}, {"noise", add_noise}, {"zeroes", add_zero}};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static void make_text(struct buf *text, add_fn *add, size_t len)
{
	struct rng rng;

	rng_init(&rng, len + 1);
	buf_reset(text);
	while (text->len < len)
		add(text, &rng);
	if (len)
		buf_truncate(text, len);
}

/* Whether zlib finds one member with that text, and nothing behind it. */
static bool is_member_of(slice member, slice text)
{
	char *got = malloc(text.len + 1);
	z_stream z = {.next_in = (const Bytef *)member.ptr, .avail_in = (uInt)member.len};
	bool same = false;

	if (!CHECK(got != NULL) || !CHECK_INT(inflateInit2(&z, GZIP), Z_OK)) {
		free(got);
		return false;
	}
	z.next_out = (Bytef *)got;
	z.avail_out = (uInt)text.len + 1;
	if (inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0)
		same = slice_eq((slice){got, z.total_out}, text);
	(void)inflateEnd(&z);
	free(got);
	return same;
}

static void check_whole(struct warc_gzip *g, const char *label, slice text)
{
	size_t room = warc_gzip_room(text.len), len = 0;
	char *out = malloc(room);

	if (CHECK(out != NULL) && CHECK_INT(warc_gzip_whole(g, text, out, &len), 0) &&
		(len > room || !is_member_of((slice){out, len}, text)))
		tap_fail(__FILE__, __LINE__, "%zu bytes of %s are not read back", text.len, label);
	free(out);
}

static int collect(void *context, slice bytes, struct err *err)
{
	int rc = buf_add(context, bytes);

	return rc ? err_set(err, rc, "%s", err_name(rc)) : 0;
}

static void check_pieces(struct warc_gzip *g, const char *label, slice text, size_t step)
{
	struct err err = {0};
	struct buf out;
	int rc = 0;

	buf_init(&out, 2 * TEXT_MAX);
	warc_gzip_begin(g);
	for (size_t at = 0; rc == 0 && at < text.len; at += step)
		rc = warc_gzip_feed(g, slice_sub(text, at, at + step), false, collect, &out, &err);
	if (rc == 0)
		rc = warc_gzip_feed(g, (slice){0}, true, collect, &out, &err);
	if (CHECK_INT(rc, 0) && !is_member_of(buf_slice(&out), text))
		tap_fail(__FILE__, __LINE__, "%zu bytes of %s, in pieces of %zu, are not read back",
			text.len, label, step);
	buf_release(&out);
}

static void test_sizes(void)
{
	static const size_t SIZES[] = {0, 1, 2, 3, 17, 800, WARC_GZIP_ALIKE_MAX - 1,
		WARC_GZIP_ALIKE_MAX, WARC_GZIP_ALIKE_MAX + 1, 9000, 65535, 65536, 70000, 1 << 20,
		TEXT_MAX};
	struct buf text;

	buf_init(&text, TEXT_MAX + 64);
	for (int level = 1; level <= WARC_GZIP_LEVEL_MAX; level++) {
		struct warc_gzip *g;

		if (!CHECK_INT(warc_gzip_open(level, &g), 0))
			break;
		for (size_t i = 0; i < KIND_COUNT * (sizeof SIZES / sizeof SIZES[0]); i++) {
			const char *label = KINDS[i % KIND_COUNT].label;

			make_text(&text, KINDS[i % KIND_COUNT].add, SIZES[i / KIND_COUNT]);
			check_whole(g, label, buf_slice(&text));
			check_pieces(g, label, buf_slice(&text), 50000);
		}
		make_text(&text, add_words, 3000);
		check_pieces(g, "words", buf_slice(&text), 1);
		warc_gzip_close(g);
	}
	buf_release(&text);
}

/* The codes are shared for speed, but must not cost much of what compression saves. */
static void test_alike(void)
{
	static const slice RECORD = SLICE_INIT(
		"WARC/1.1\r\nWARC-Type: request\r\n"
		"WARC-Record-ID: <urn:uuid:11d82072-38af-4440-bd25-e371c4ee8099>\r\n"
		"WARC-Date: 2027-01-02T03:04:05.678901Z\r\n"
		"WARC-Target-URI: https://library.example/catalogue?page=3\r\n"
		"WARC-Concurrent-To: <urn:uuid:cdf736c1-e3e0-4ea9-a453-ec54776055aa>\r\n"
		"Content-Type: application/http; msgtype=request\r\nContent-Length: 83\r\n\r\n"
		"GET /catalogue?page=3 HTTP/1.1\r\nHost: library.example\r\n"
		"Accept-Encoding: gzip, br\r\n\r\n\r\n\r\n");
	unsigned char peer[4096];
	uLongf peer_len = sizeof peer;
	char out[4096];
	struct warc_gzip *g;
	size_t len;

	if (!CHECK_INT(warc_gzip_open(WARC_GZIP_LEVEL_MAX, &g), 0))
		return;
	CHECK_INT(warc_gzip_whole(g, RECORD, out, &len), 0);
	CHECK_INT(compress2(peer, &peer_len, (const Bytef *)RECORD.ptr, RECORD.len, 1), Z_OK);
	CHECK(len < peer_len * 6 / 5);
	warc_gzip_close(g);
}

static int refuse(void *context, slice bytes, struct err *err)
{
	(void)context;
	(void)bytes;
	return err_set(err, ERR_IO, "refused");
}

static void test_refused(void)
{
	struct err err = {0};
	struct warc_gzip *g;

	if (!CHECK_INT(warc_gzip_open(1, &g), 0))
		return;
	warc_gzip_begin(g);
	CHECK_INT(warc_gzip_feed(g, SLICE("text"), true, refuse, NULL, &err), ERR_IO);
	CHECK_STR(err.text, "refused");
	check_pieces(g, "words after that", SLICE("text"), 1);
	warc_gzip_close(g);
}

/* A member as zlib makes it; its length. */
static size_t zlib_member(slice text, unsigned char *out, size_t room)
{
	z_stream z = {.next_in = (const Bytef *)text.ptr, .avail_in = (uInt)text.len};

	z.next_out = out;
	z.avail_out = (uInt)room;
	CHECK_INT(deflateInit2(&z, 9, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY), Z_OK);
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	(void)deflateEnd(&z);
	return z.total_out;
}

static void test_unpack(void)
{
	static const size_t SIZES[] = {0, 1, 17, 9000, 70000, 1 << 20};
	size_t room = 2 << 20;
	unsigned char *member = malloc(room);
	struct buf text, got;

	buf_init(&text, TEXT_MAX);
	buf_init(&got, 1 << 20);
	for (size_t i = 0; member && i < KIND_COUNT * (sizeof SIZES / sizeof SIZES[0]); i++) {
		size_t len;

		make_text(&text, KINDS[i % KIND_COUNT].add, SIZES[i / KIND_COUNT]);
		len = zlib_member(buf_slice(&text), member, room);
		buf_reset(&got);
		CHECK_INT(warc_gzip_unpack((slice){(const char *)member, len}, &got), 0);
		CHECK(slice_eq(buf_slice(&got), buf_slice(&text)));
	}
	buf_release(&text);
	buf_release(&got);
	free(member);
}

/* What is cut, goes on or is damaged is refused, or not damaged in what counts. */
static void test_unpack_refused(void)
{
	slice text = SLICE("a record of some words, some words that come again");
	unsigned char member[200] = {0};
	size_t len = zlib_member(text, member, sizeof member);
	struct buf got;

	buf_init(&got, 1000);
	for (size_t n = 0; n < len; n++)
		CHECK(warc_gzip_unpack((slice){(const char *)member, n}, &got) != 0);
	CHECK(warc_gzip_unpack((slice){(const char *)member, len + 1}, &got) != 0);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		buf_reset(&got);
		member[bit / 8] ^= (unsigned char)(1 << bit % 8);
		if (warc_gzip_unpack((slice){(const char *)member, len}, &got) == 0 &&
			!slice_eq(buf_slice(&got), text))
			tap_fail(__FILE__, __LINE__, "bit %zu is damaged, and not noticed", bit);
		member[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	buf_release(&got);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_sizes);
	TAP_RUN(test_alike);
	TAP_RUN(test_refused);
	TAP_RUN(test_unpack);
	TAP_RUN(test_unpack_refused);
	return tap_done();
}
