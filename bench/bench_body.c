/*
 * What is done to a body before anything is read in it, and style sheets, on one core (processor
 * time, best of some rounds): content codings beside their libraries alone, encodings beside
 * glibc's iconv and ICU's converter alone, CSS beside a copy of its bytes.
 */
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/ucnv.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/err.h"
#include "bench.h"
#include "formats/charset.h"
#include "formats/css.h"
#include "formats/http_decode.h"

enum {
	SIZE = 4 << 20,
	CHUNK = 64 << 10, /* as a body comes */
	ROUNDS = 9,
	GZIP_BITS = 15 + 16,
	LEVEL = 6,
	BROTLI_LEVEL = 5,
	ZSTD_LEVEL = 3,
};

/* What is run: by us, or by the peer. */
struct run {
	slice in;
	const char *name; /* of the coding or encoding */
	const char *peer_name;
	char *room; /* for the peer's output */
	size_t room_len;
};

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_body: failed\n", stderr);
		exit(1);
	}
}

/* The best of some rounds, in MB/s of bytes. */
static double measure(size_t (*what)(const struct run *), const struct run *run, double bytes)
{
	double best = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), rate;

		require(what(run) > 0);
		rate = bytes / 1e6 / (processor_time() - start);
		best = rate > best ? rate : best;
	}
	return best;
}

static void report(const char *what, double ours, const char *peer, double theirs)
{
	(void)printf("%-28s %8.1f MB/s   %s %8.1f MB/s   ratio %.2f\n", what, ours, peer, theirs,
		ours / theirs);
}

static size_t decode_ours(const struct run *run)
{
	struct decode d;
	struct buf out;
	size_t len = 0;

	buf_init(&out, SIZE);
	require(decode_open(&d, slice_str(run->name), NULL) == 0);
	for (size_t at = 0; at < run->in.len; at += CHUNK) {
		require(decode_feed(&d, slice_sub(run->in, at, at + CHUNK), &out, NULL) == 0);
		len += out.len;
		buf_reset(&out);
	}
	require(decode_finish(&d, NULL) == 0);
	decode_close(&d);
	buf_release(&out);
	return len;
}

static size_t decode_zlib(const struct run *run)
{
	z_stream z = {.next_in = (const Bytef *)run->in.ptr, .avail_in = (uInt)run->in.len};

	require(inflateInit2(&z, GZIP_BITS) == Z_OK);
	z.next_out = (Bytef *)run->room;
	z.avail_out = (uInt)run->room_len;
	require(inflate(&z, Z_FINISH) == Z_STREAM_END);
	(void)inflateEnd(&z);
	return z.total_out;
}

static size_t decode_brotli(const struct run *run)
{
	size_t len = run->room_len;

	require(BrotliDecoderDecompress(run->in.len, (const uint8_t *)run->in.ptr, &len,
			(uint8_t *)run->room) == BROTLI_DECODER_RESULT_SUCCESS);
	return len;
}

static size_t decode_zstd(const struct run *run)
{
	size_t len = ZSTD_decompress(run->room, run->room_len, run->in.ptr, run->in.len);

	require(!ZSTD_isError(len));
	return len;
}

static slice pack_gzip(slice text, char *to, size_t room)
{
	z_stream z = {.next_in = (const Bytef *)text.ptr, .avail_in = (uInt)text.len};

	require(deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_out = (Bytef *)to;
	z.avail_out = (uInt)room;
	require(deflate(&z, Z_FINISH) == Z_STREAM_END);
	(void)deflateEnd(&z);
	return (slice){to, z.total_out};
}

static slice pack_brotli(slice text, char *to, size_t room)
{
	require(BrotliEncoderCompress(BROTLI_LEVEL, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT,
		text.len, (const uint8_t *)text.ptr, &room, (uint8_t *)to));
	return (slice){to, room};
}

static slice pack_zstd(slice text, char *to, size_t room)
{
	size_t len = ZSTD_compress(to, room, text.ptr, text.len, ZSTD_LEVEL);

	require(!ZSTD_isError(len));
	return (slice){to, len};
}

static void bench_codings(slice text, char *room, size_t room_len)
{
	static const struct {
		const char *name, *peer;
		slice (*pack)(slice, char *, size_t);
		size_t (*decode)(const struct run *);
	} rows[] = {
		{"gzip", "zlib  ", pack_gzip, decode_zlib},
		{"br", "brotli", pack_brotli, decode_brotli},
		{"zstd", "zstd  ", pack_zstd, decode_zstd},
	};
	char *packed = malloc(SIZE);

	require(packed != NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct run run = {.in = rows[i].pack(text, packed, SIZE),
			.name = rows[i].name,
			.room = room,
			.room_len = room_len};
		char what[64];

		(void)snprintf(what, sizeof what, "decode %s", rows[i].name);
		report(what, measure(decode_ours, &run, (double)text.len), rows[i].peer,
			measure(rows[i].decode, &run, (double)text.len));
	}
	free(packed);
}

static size_t charset_ours(const struct run *run)
{
	struct charset_decoder *d = NULL;
	enum charset charset;
	struct buf scratch;
	size_t len = 0;
	slice text;

	require(charset_of_label(slice_str(run->name), &charset) == 0);
	require(charset_decoder_open(charset, &d) == 0);
	buf_init(&scratch, CHARSET_EXPANSION * (size_t)CHUNK);
	for (size_t at = 0; at < run->in.len; at += CHUNK) {
		slice chunk = slice_sub(run->in, at, at + CHUNK);

		require(charset_decode(d, chunk, false, &scratch, &text) == 0);
		len += text.len;
	}
	charset_decoder_close(d);
	buf_release(&scratch);
	return len;
}

static size_t charset_iconv(const struct run *run)
{
	iconv_t cd = iconv_open("UTF-8", run->peer_name);
	char *in, *out = run->room;
	size_t in_left = run->in.len, out_left = run->room_len;

	memcpy(&in, &run->in.ptr, sizeof in); /* iconv changes nothing, but does not say so */
	require(iconv(cd, &in, &in_left, &out, &out_left) != (size_t)-1);
	(void)iconv_close(cd);
	return run->room_len - out_left;
}

static size_t charset_icu(const struct run *run)
{
	UErrorCode status = U_ZERO_ERROR;
	UConverter *from = ucnv_open(run->name, &status), *to = ucnv_open("UTF-8", &status);
	const char *in = run->in.ptr;
	char *out = run->room;

	ucnv_convertEx(to, from, &out, out + run->room_len, &in, in + run->in.len, NULL, NULL, NULL,
		NULL, 1, 1, &status);
	require(U_SUCCESS(status));
	ucnv_close(from);
	ucnv_close(to);
	return (size_t)(out - run->room);
}

/* A text of that encoding: a line of markup with words that are not ASCII, again and again. */
static void make_text(struct buf *out, const char *encoding, const char *word)
{
	char line[256], bytes[1024], *in = line, *end = bytes;
	iconv_t cd = iconv_open(encoding, "UTF-8");
	size_t left = sizeof bytes, in_left;

	(void)snprintf(line, sizeof line, "<p class=\"text\">%s %s %s %s %s %s %s %s</p>\n", word,
		word, word, word, word, word, word, word);
	in_left = strlen(line);
	require(iconv(cd, &in, &in_left, &end, &left) != (size_t)-1);
	(void)iconv_close(cd);
	buf_init(out, SIZE + sizeof bytes);
	while (out->len < SIZE)
		require(buf_add(out, (slice){bytes, (size_t)(end - bytes)}) == 0);
}

static void bench_charsets(char *room, size_t room_len)
{
	static const struct {
		const char *name, *iconv_name, *word;
	} rows[] = {
		{"utf-8", "UTF-8",
			"gr\xc3\xbc\xc3\x9f"
			"e"},
		{"windows-1252", "CP1252",
			"gr\xc3\xbc\xc3\x9f"
			"e"},
		{"koi8-r", "KOI8-R", "\xd1\x81\xd0\xbb\xd0\xbe\xd0\xb2\xd0\xbe"},
		{"shift_jis", "CP932", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"},
		{"euc-jp", "EUC-JP", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"},
		{"gb18030", "GB18030", "\xe4\xb8\xad\xe6\x96\x87"},
		{"big5", "BIG5-HKSCS", "\xe4\xb8\xad\xe6\x96\x87"},
		{"euc-kr", "CP949", "\xed\x95\x9c\xea\xb5\xad"},
		{"utf-16le", "UTF-16LE",
			"gr\xc3\xbc\xc3\x9f"
			"e"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct run run = {.name = rows[i].name,
			.peer_name = rows[i].iconv_name,
			.room = room,
			.room_len = room_len};
		struct buf text;
		double ours;
		char what[64];

		make_text(&text, rows[i].iconv_name, rows[i].word);
		run.in = buf_slice(&text);
		(void)snprintf(what, sizeof what, "encoding %s", rows[i].name);
		ours = measure(charset_ours, &run, (double)text.len);
		report(what, ours, "ICU   ", measure(charset_icu, &run, (double)text.len));
		report("", ours, "iconv ", measure(charset_iconv, &run, (double)text.len));
		buf_release(&text);
	}
}

static size_t run_css(const struct run *run)
{
	struct css_reader css;
	struct css_link link;
	size_t count = 0;

	css_init(&css, run->in);
	while (css_next(&css, &link) == 0)
		count++;
	css_release(&css);
	return count;
}

static size_t run_copy(const struct run *run)
{
	memcpy(run->room, run->in.ptr, run->in.len);
	return run->in.len;
}

static void bench_css(char *room, size_t room_len)
{
	struct run run = {.room = room, .room_len = room_len};
	struct buf sheet;

	buf_init(&sheet, SIZE + 1024);
	for (unsigned n = 0; sheet.len < SIZE; n++)
		require(buf_printf(&sheet,
				".teaser--%u > a:hover, #id%u {\n\tbackground: #fff "
				"url(\"/img/%u.png\") no-repeat 0 50%%;\n\tfont: 1.2em/1.5 "
				"\"Open Sans\", sans-serif; /* a comment */\n\tmargin: 0 auto "
				"calc(1px + 2%%);\n}\n",
				n, n, n) == 0);
	run.in = buf_slice(&sheet);
	report("links of CSS", measure(run_css, &run, (double)sheet.len), "memcpy",
		measure(run_copy, &run, (double)sheet.len));
	buf_release(&sheet);
}

int main(void)
{
	size_t room_len = 4 * (size_t)SIZE;
	char *room = malloc(room_len);
	struct buf text;

	require(room != NULL);
	buf_init(&text, SIZE + 1024);
	for (unsigned n = 0; text.len < SIZE; n++)
		require(buf_printf(&text,
				"<article id=\"a%u\"><a href=\"/story-%u.html?pos=%u\">Something "
				"happened again, says %u</a><p>It was on day %u when it came "
				"about, "
				"and those who were there remember it well.</p></article>\n",
				n, n * 7919 % 100003, n % 37, n * 31 % 977, n * 7 % 365) == 0);
	bench_codings(buf_slice(&text), room, room_len);
	bench_charsets(room, room_len);
	bench_css(room, room_len);
	buf_release(&text);
	free(room);
	return 0;
}
