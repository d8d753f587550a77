#include "http/decode_stage.h"

#include <brotli/decode.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* its input is not written to */
#include <zlib.h>
#include <zstd.h>

enum { ZLIB_WINDOW_BITS = 15, ZLIB_GZIP = 16, ZSTD_MAGIC_LEN = 4 };

struct decode_stage {
	enum decode_kind kind;
	bool opened;  /* the library's state below is there */
	bool started; /* bytes have come */
	bool ended;   /* at the end of a member or frame; another may follow */
	bool closed;  /* what comes is dropped */
	bool held;    /* first is the first byte of deflate; the second decides what it is */
	char first;
	size_t magic_len;
	unsigned char magic[ZSTD_MAGIC_LEN];
	z_stream zlib;
	BrotliDecoderState *brotli;
	ZSTD_DStream *zstd;
};

static int open_zlib(struct decode_stage *s, int window_bits)
{
	if (inflateInit2(&s->zlib, window_bits) != Z_OK)
		return ERR_NOMEM;
	s->opened = true;
	return 0;
}

static int open_zstd(struct decode_stage *s)
{
	s->zstd = ZSTD_createDStream();
	if (!s->zstd)
		return ERR_NOMEM;
	(void)ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, DECODE_ZSTD_WINDOW_LOG_MAX);
	return 0;
}

int decode_stage_open(enum decode_kind kind, struct decode_stage **ret_stage)
{
	struct decode_stage *s = calloc(1, sizeof *s);
	int rc = 0;

	if (!s)
		return ERR_NOMEM;
	s->kind = kind;
	switch (kind) {
	case DECODE_GZIP:
		rc = open_zlib(s, ZLIB_WINDOW_BITS + ZLIB_GZIP);
		break;
	case DECODE_BROTLI:
		s->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
		rc = s->brotli ? 0 : ERR_NOMEM;
		break;
	case DECODE_ZSTD:
		rc = open_zstd(s);
		break;
	case DECODE_DEFLATE: /* when its first two bytes have been seen */
		break;
	}
	if (rc)
		decode_stage_close(s);
	else
		*ret_stage = s;
	return rc;
}

void decode_stage_close(struct decode_stage *s)
{
	if (!s)
		return;
	if (s->opened)
		(void)inflateEnd(&s->zlib);
	if (s->brotli)
		BrotliDecoderDestroyInstance(s->brotli);
	(void)ZSTD_freeDStream(s->zstd);
	free(s);
}

/* What zlib makes of the input; advances *in and counts the output. */
static int inflate_some(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	uInt avail = in->len < UINT_MAX ? (uInt)in->len : UINT_MAX;
	int rc;

	s->zlib.next_in = (const Bytef *)in->ptr;
	s->zlib.avail_in = avail;
	s->zlib.next_out = (Bytef *)out;
	s->zlib.avail_out = (uInt)size;
	rc = inflate(&s->zlib, Z_NO_FLUSH);
	*in = slice_sub(*in, avail - s->zlib.avail_in, in->len);
	*ret_out = size - s->zlib.avail_out;
	s->ended = rc == Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		return ERR_NOMEM;
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : ERR_SYNTAX;
}

/* Behind a member of gzip: another one, or rubbish. */
static void next_member(struct decode_stage *s, slice in)
{
	if (s->kind == DECODE_GZIP && in.ptr[0] == '\x1f')
		(void)inflateReset(&s->zlib);
	else
		s->closed = true;
}

/* RFC 1950: a header of two bytes, a multiple of 31, whose method is 8. */
static bool is_zlib_header(char first, char second)
{
	unsigned a = (unsigned char)first, b = (unsigned char)second;

	return (a & 15) == 8 && (a >> 4) <= 7 && (a << 8 | b) % 31 == 0;
}

/* Opens deflate when two bytes are there, and gives it the first; 0 also when they are not. */
static int start_deflate(struct decode_stage *s, slice *in)
{
	slice first = {&s->first, 1};
	size_t none;
	char out;
	int rc;

	if (!s->held) {
		s->held = true;
		s->first = in->ptr[0];
		*in = slice_sub(*in, 1, in->len);
	}
	if (in->len == 0)
		return 0;
	rc = open_zlib(
		s, is_zlib_header(s->first, in->ptr[0]) ? ZLIB_WINDOW_BITS : -ZLIB_WINDOW_BITS);
	/* One byte of deflate never makes output: a block's header and a symbol take more. */
	return rc ? rc : inflate_some(s, &first, &out, 1, &none);
}

static int step_zlib(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	if (s->ended && in->len)
		next_member(s, *in);
	if (s->closed) {
		*in = (slice){0};
		return 0;
	}
	if (!s->opened && in->len) {
		int rc = start_deflate(s, in);

		if (rc || in->len == 0)
			return rc;
	}
	return s->opened ? inflate_some(s, in, out, size, ret_out) : 0;
}

static int step_brotli(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	const uint8_t *next_in = (const uint8_t *)in->ptr;
	uint8_t *next_out = (uint8_t *)out;
	size_t avail_in = in->len, avail_out = size;
	BrotliDecoderResult result;

	if (s->ended) {
		*in = (slice){0};
		return 0;
	}
	result = BrotliDecoderDecompressStream(
		s->brotli, &avail_in, &next_in, &avail_out, &next_out, NULL);
	*in = slice_sub(*in, in->len - avail_in, in->len);
	*ret_out = size - avail_out;
	s->ended = result == BROTLI_DECODER_RESULT_SUCCESS;
	return result == BROTLI_DECODER_RESULT_ERROR ? ERR_SYNTAX : 0;
}

/* RFC 8878: a frame, or one to be skipped; the library would also read seven older formats. */
static bool is_zstd_magic(const unsigned char magic[ZSTD_MAGIC_LEN])
{
	return (magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd) ||
	       ((magic[0] & 0xf0) == 0x50 && magic[1] == 0x2a && magic[2] == 0x4d &&
		       magic[3] == 0x18);
}

/* By its first byte. */
static bool may_be_zstd(unsigned char first)
{
	return first == 0x28 || (first & 0xf0) == 0x50;
}

static int decompress_some(
	struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	ZSTD_inBuffer source = {in->ptr, in->len, 0};
	ZSTD_outBuffer target = {out, size, 0};
	size_t rc = ZSTD_decompressStream(s->zstd, &target, &source);

	if (ZSTD_isError(rc))
		return ERR_SYNTAX;
	*in = slice_sub(*in, source.pos, in->len);
	*ret_out = target.pos;
	s->ended = rc == 0;
	if (s->ended)
		s->magic_len = 0;
	return 0;
}

/* Collects what a frame begins with. Behind the first one anything else is rubbish. */
static int start_frame(struct decode_stage *s, slice *in, char *out, size_t size)
{
	slice magic = {(const char *)s->magic, ZSTD_MAGIC_LEN};
	size_t none;

	while (s->magic_len < ZSTD_MAGIC_LEN && in->len) {
		s->magic[s->magic_len++] = (unsigned char)in->ptr[0];
		*in = slice_sub(*in, 1, in->len);
	}
	if (s->magic_len < ZSTD_MAGIC_LEN)
		return 0;
	if (is_zstd_magic(s->magic))
		return decompress_some(s, &magic, out, size, &none);
	s->closed = s->ended;
	return s->ended ? 0 : ERR_SYNTAX;
}

static int step_zstd(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	if (s->magic_len < ZSTD_MAGIC_LEN) {
		int rc = start_frame(s, in, out, size);

		if (rc || s->magic_len < ZSTD_MAGIC_LEN)
			return rc;
	}
	if (s->closed) {
		*in = (slice){0};
		return 0;
	}
	return decompress_some(s, in, out, size, ret_out);
}

int decode_stage_step(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	*ret_out = 0;
	s->started = s->started || in->len;
	switch (s->kind) {
	case DECODE_GZIP:
	case DECODE_DEFLATE:
		return step_zlib(s, in, out, size, ret_out);
	case DECODE_BROTLI:
		return step_brotli(s, in, out, size, ret_out);
	case DECODE_ZSTD:
		return step_zstd(s, in, out, size, ret_out);
	}
	return ERR_UNSUPPORTED;
}

static enum decode_start compare_start(slice first, slice signature)
{
	size_t len = first.len < signature.len ? first.len : signature.len;

	if (memcmp(first.ptr, signature.ptr, len) != 0)
		return DECODE_START_OTHER;
	return len == signature.len ? DECODE_START_SIGNED : DECODE_START_POSSIBLE;
}

enum decode_start decode_stage_start(const struct decode_stage *s, slice first)
{
	if (first.len == 0)
		return DECODE_START_POSSIBLE;
	if (s->kind == DECODE_GZIP)
		return compare_start(first, SLICE("\x1f\x8b"));
	if (s->kind != DECODE_ZSTD)
		return DECODE_START_POSSIBLE;
	if (first.len >= ZSTD_MAGIC_LEN)
		return is_zstd_magic((const unsigned char *)first.ptr) ? DECODE_START_SIGNED
								       : DECODE_START_OTHER;
	return may_be_zstd((unsigned char)first.ptr[0]) ? DECODE_START_POSSIBLE
							: DECODE_START_OTHER;
}

/* A body that breaks off within the signature of another zstd frame has not ended. */
bool decode_stage_ended(const struct decode_stage *s)
{
	if (s->kind == DECODE_ZSTD && s->magic_len > 0 && s->magic_len < ZSTD_MAGIC_LEN &&
		may_be_zstd(s->magic[0]))
		return false;
	return s->ended || !s->started;
}

const char *decode_stage_name(const struct decode_stage *s)
{
	static const char *const NAMES[] = {[DECODE_GZIP] = "gzip",
		[DECODE_DEFLATE] = "deflate",
		[DECODE_BROTLI] = "br",
		[DECODE_ZSTD] = "zstd"};

	return NAMES[s->kind];
}
