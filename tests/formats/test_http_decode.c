/* Content codings. Bodies are made here with zlib and zstd; the brotli one is an uncompressed
 * meta-block, written by hand. */
#include "formats/http_decode.h"

#include <stdlib.h>
#define ZLIB_CONST /* its input is not written to */
#include <zlib.h>
#include <zstd.h>

#include "tap.h"

enum { MAX = 64 << 20, BOMB = 32 << 20 };

/* zlib's coding of the bytes: 15 + 16 is gzip, 15 zlib, -15 bare deflate. */
static void deflate_to(slice in, int window_bits, struct buf *out)
{
	z_stream z = {0};

	CHECK_INT(deflateInit2(&z, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	CHECK_INT(buf_reserve(out, deflateBound(&z, in.len)), 0);
	z.next_in = (const Bytef *)in.ptr;
	z.avail_in = (uInt)in.len;
	z.next_out = (Bytef *)out->ptr + out->len;
	z.avail_out = (uInt)(out->cap - out->len);
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	(void)deflateEnd(&z);
}

static void zstd_to(slice in, struct buf *out)
{
	size_t n;

	CHECK_INT(buf_reserve(out, ZSTD_compressBound(in.len)), 0);
	n = ZSTD_compress(out->ptr + out->len, out->cap - out->len, in.ptr, in.len, 3);
	if (CHECK(!ZSTD_isError(n)))
		out->len += n;
}

/* Decodes in pieces of so many bytes; 0 for one. */
static int decode(const char *codings, slice in, size_t step, struct buf *out, struct err *err)
{
	struct decode d;
	int rc = decode_open(&d, slice_str(codings), err);

	if (rc)
		return rc;
	for (size_t at = 0; at < in.len && rc == 0; at += step ? step : in.len)
		rc = decode_feed(&d, slice_sub(in, at, step ? at + step : in.len), out, err);
	if (rc == 0)
		rc = decode_finish(&d, err);
	decode_close(&d);
	return rc;
}

static void check(const char *codings, slice in, slice want, int want_rc)
{
	for (size_t step = 0; step < 4; step++) {
		struct err err = {0};
		struct buf out;

		buf_init(&out, MAX);
		CHECK_INT(decode(codings, in, step, &out, &err), want_rc);
		CHECK((err.text[0] != '\0') == (want_rc != 0));
		CHECK_SLICE(buf_slice(&out), want);
		buf_release(&out);
	}
}

static const slice HELLO = SLICE_INIT("hello hello hello hello\n");

static void test_identity(void)
{
	check("", HELLO, HELLO, 0);
	check("identity", HELLO, HELLO, 0);
	check(" , ", HELLO, HELLO, 0);
}

static void test_zlib(void)
{
	static const struct {
		const char *label, *codings;
		int window_bits;
	} rows[] = {
		{"gzip", "gzip", 31},
		{"x-gzip in capitals", "X-GZIP", 31},
		{"deflate as it should be", "deflate", 15},
		{"deflate as it is sent", "deflate", -15},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf in;

		tap_case("zlib: %s", rows[i].label);
		buf_init(&in, MAX);
		deflate_to(HELLO, rows[i].window_bits, &in);
		check(rows[i].codings, buf_slice(&in), HELLO, 0);
		buf_release(&in);
	}
}

static void test_gzip_members(void)
{
	struct buf in;

	buf_init(&in, MAX);
	deflate_to(SLICE("hello hello "), 31, &in);
	deflate_to(SLICE("hello hello\n"), 31, &in);
	(void)buf_add_str(&in, "rubbish");
	check("gzip", buf_slice(&in), HELLO, 0);
	buf_release(&in);
}

static void test_zstd(void)
{
	struct buf in;

	buf_init(&in, MAX);
	zstd_to(SLICE("hello hello "), &in);
	zstd_to(SLICE("hello hello\n"), &in);
	check("zstd", buf_slice(&in), HELLO, 0);
	(void)buf_add_str(&in, "\x50\x2a\x4d\x18\x02");
	(void)buf_add(&in, SLICE("\0\0\0skrubbish"));
	check("zstd", buf_slice(&in), HELLO, 0);
	buf_release(&in);
}

static void test_brotli(void)
{
	check("br", SLICE("\x8b\x0b\x80hello hello hello hello\n\x03"), HELLO, 0);
	check("br", SLICE("\x8b\x0b\x80hello hello hello hello\n\x03rubbish"), HELLO, 0);
}

static void test_chain(void)
{
	struct buf once, twice;

	buf_init(&once, MAX);
	buf_init(&twice, MAX);
	deflate_to(HELLO, 31, &once);
	zstd_to(buf_slice(&once), &twice);
	check("gzip, zstd", buf_slice(&twice), HELLO, 0);
	buf_release(&once);
	buf_release(&twice);
}

static void test_refused(void)
{
	struct decode d;
	struct err err = {0};

	CHECK_INT(decode_open(&d, SLICE("compress, gzip"), &err), 0);
	CHECK(d.unknown);
	CHECK_INT((int64_t)d.count, 1);
	decode_close(&d);
	CHECK_INT(decode_open(&d, SLICE("gzip,gzip,gzip,gzip"), &err), 0);
	decode_close(&d);
	CHECK_INT(decode_open(&d, SLICE("gzip,gzip,gzip,gzip,gzip"), &err), ERR_LIMIT);
	CHECK_STR(err.text, "more than 4 content codings");
}

static void test_broken(void)
{
	struct buf in;

	tap_case("broken: no gzip at all");
	check("gzip", HELLO, SLICE(""), ERR_SYNTAX);
	tap_case("broken: no zstd at all");
	check("zstd", HELLO, SLICE(""), ERR_SYNTAX);
	tap_case("broken: zstd as it was before its standard");
	check("zstd", SLICE("\x26\xb5\x2f\xfd\x04P\0\0"), SLICE(""), ERR_SYNTAX);
	tap_case("broken: no brotli at all");
	check("br", SLICE("\xff\xff\xff\xff"), SLICE(""), ERR_SYNTAX);
	tap_case("broken: no deflate at all");
	check("deflate", SLICE("\xff\xff"), SLICE(""), ERR_SYNTAX);
	tap_case("broken: nothing is the coding of nothing");
	check("gzip", SLICE(""), SLICE(""), 0);
	tap_case("broken: truncated, what is there is read");
	buf_init(&in, MAX);
	deflate_to(HELLO, 31, &in);
	check("gzip", slice_sub(buf_slice(&in), 0, in.len - 4), HELLO, ERR_SYNTAX);
	tap_case("broken: one byte of deflate");
	check("deflate", SLICE("\x78"), SLICE(""), ERR_SYNTAX);
	tap_case("broken: checksum");
	in.ptr[in.len - 8] ^= 1;
	check("gzip", buf_slice(&in), HELLO, ERR_SYNTAX);
	buf_release(&in);
}

/* Zeros are the most that codings can be made to shrink. */
static void make_zeros(struct buf *zeros, size_t len)
{
	buf_init(zeros, MAX);
	if (CHECK_INT(buf_reserve(zeros, len), 0)) {
		memset(zeros->ptr, 0, len);
		zeros->len = len;
	}
}

static void check_bomb(const char *codings, slice in, int want_rc, const char *want_text)
{
	struct err err = {0};
	struct buf out;

	buf_init(&out, MAX);
	CHECK_INT(decode(codings, in, 0, &out, &err), want_rc);
	CHECK_STR(err.text, want_text);
	CHECK(out.len <= DECODE_RATIO_FREE + DECODE_STEP);
	buf_release(&out);
}

/* Packs into exactly so many bytes, by a name in the header, which says nothing. */
static void pad_gzip(slice in, size_t want, struct buf *out)
{
	struct buf packed;
	size_t name;

	buf_init(&packed, MAX);
	deflate_to(in, 31, &packed);
	if (!CHECK(packed.len + 1 < want))
		return;
	name = want - packed.len - 1;
	packed.ptr[3] |= 0x08; /* FNAME, RFC 1952 §2.3.1 */
	(void)buf_add(out, slice_sub(buf_slice(&packed), 0, 10));
	for (size_t i = 0; i < name; i++)
		(void)buf_add_char(out, 'n');
	(void)buf_add_char(out, '\0');
	(void)buf_add(out, slice_sub(buf_slice(&packed), 10, packed.len));
	CHECK_INT((int64_t)out->len, (int64_t)want);
	buf_release(&packed);
}

static void test_bombs(void)
{
	struct buf zeros, once, twice;

	make_zeros(&zeros, BOMB);
	buf_init(&once, MAX);
	buf_init(&twice, MAX);
	tap_case("bomb: gzip");
	deflate_to(buf_slice(&zeros), 31, &once);
	check_bomb("gzip", buf_slice(&once), ERR_LIMIT,
		"gzip body: more than 250 times as large as its coded form");
	tap_case("bomb: gzip in gzip");
	deflate_to(buf_slice(&once), 31, &twice);
	check_bomb("gzip, gzip", buf_slice(&twice), ERR_LIMIT,
		"gzip body: more than 250 times as large as its coded form");
	tap_case("bomb: zstd");
	buf_reset(&once);
	zstd_to(buf_slice(&zeros), &once);
	check_bomb("zstd", buf_slice(&once), ERR_LIMIT,
		"zstd body: more than 250 times as large as its coded form");
	tap_case("bomb: as much as comes free");
	buf_reset(&once);
	deflate_to(slice_sub(buf_slice(&zeros), 0, DECODE_RATIO_FREE), 31, &once);
	check_bomb("gzip", buf_slice(&once), 0, "");
	tap_case("bomb: beyond that, as well packed as may be");
	for (size_t less = 0; less < 2; less++) {
		size_t want = 2 * DECODE_RATIO_FREE / DECODE_RATIO_MAX - less;
		struct err err = {0};
		struct buf out;

		buf_reset(&once);
		buf_init(&out, MAX);
		pad_gzip(slice_sub(buf_slice(&zeros), 0, 2 * (size_t)DECODE_RATIO_FREE), want,
			&once);
		CHECK_INT(decode("gzip", buf_slice(&once), 0, &out, &err), less ? ERR_LIMIT : 0);
		buf_release(&out);
	}
	tap_case("bomb: one byte more");
	buf_reset(&once);
	deflate_to(slice_sub(buf_slice(&zeros), 0, DECODE_RATIO_FREE + 1), 31, &once);
	check_bomb("gzip", buf_slice(&once), ERR_LIMIT,
		"gzip body: more than 250 times as large as its coded form");
	buf_release(&zeros);
	buf_release(&once);
	buf_release(&twice);
}

static void test_size(void)
{
	struct err err = {0};
	struct buf in, out;

	buf_init(&in, MAX);
	deflate_to(HELLO, 31, &in);
	buf_init(&out, HELLO.len);
	CHECK_INT(decode("gzip", buf_slice(&in), 0, &out, &err), 0);
	buf_release(&out);
	buf_init(&out, HELLO.len - 1);
	CHECK_INT(decode("gzip", buf_slice(&in), 0, &out, &err), ERR_LIMIT);
	CHECK_SLICE(buf_slice(&out), slice_sub(HELLO, 0, HELLO.len - 1));
	buf_release(&out);
	buf_release(&in);
}

/* A frame that asks for a larger window than the web allows for. */
static void test_zstd_window(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	struct err err = {0};
	struct buf zeros, in, out;

	make_zeros(&zeros, (size_t)2 << DECODE_ZSTD_WINDOW_LOG_MAX);
	buf_init(&in, MAX);
	buf_init(&out, MAX);
	for (size_t i = 0; i < zeros.len; i += 64)
		zeros.ptr[i] = (char)(i * 2654435761U >> 13);
	for (int more = 0; c && more < 2; more++) {
		size_t n;

		(void)ZSTD_CCtx_setParameter(
			c, ZSTD_c_windowLog, DECODE_ZSTD_WINDOW_LOG_MAX + more);
		buf_reset(&in);
		CHECK_INT(buf_reserve(&in, ZSTD_compressBound(zeros.len)), 0);
		n = ZSTD_compress2(c, in.ptr, in.cap, zeros.ptr, zeros.len);
		CHECK(!ZSTD_isError(n));
		in.len = n;
		CHECK_INT(decode("zstd", buf_slice(&in), 0, &out, &err), more ? ERR_SYNTAX : 0);
	}
	(void)ZSTD_freeCCtx(c);
	buf_release(&zeros);
	buf_release(&in);
	buf_release(&out);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_identity);
	test_zlib();
	TAP_RUN(test_gzip_members);
	TAP_RUN(test_zstd);
	TAP_RUN(test_brotli);
	TAP_RUN(test_chain);
	TAP_RUN(test_refused);
	test_broken();
	test_bombs();
	TAP_RUN(test_size);
	TAP_RUN(test_zstd_window);
	return tap_done();
}
