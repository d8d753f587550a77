#include "archive/warc_compress.h"

#include <libdeflate.h>
#include <stdlib.h>
#define ZLIB_CONST /* next_in is */
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"

enum {
	GZIP_LEVEL = 1,
	ZSTD_LEVEL = 3,
	GZIP_BITS = 15 + 16, /* zlib: the largest window, and gzip around it */
	GZIP_MEMORY = 8,     /* zlib's default */
	OUT_SIZE = 64 << 10,
};

struct warc_compress {
	enum warc_coding coding;
	int level;
	bool is_small; /* the record under way is gathered, to be compressed at once */
	warc_compress_emit *emit;
	void *context;
	struct buf record; /* a small one */
	struct buf member; /* what became of it */
	struct libdeflate_compressor *deflate;
	z_stream gzip;
	bool has_gzip;
	ZSTD_CCtx *zstd;
	unsigned char out[OUT_SIZE];
};

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
}

static int find_level(enum warc_coding coding, int level, int *ret, struct err *err)
{
	int max = coding == WARC_CODING_ZSTD ? WARC_ZSTD_LEVEL_MAX : WARC_GZIP_LEVEL_MAX;

	if (level < 0 || level > max)
		return err_set(err, ERR_RANGE, "compression level must be from 1 to %d", max);
	*ret = level ? level : coding == WARC_CODING_ZSTD ? ZSTD_LEVEL : GZIP_LEVEL;
	return 0;
}

static int prepare(struct warc_compress *c, struct err *err)
{
	if (c->coding == WARC_CODING_GZIP) {
		c->deflate = libdeflate_alloc_compressor(c->level);
		if (!c->deflate)
			return no_memory(err);
		buf_init(&c->record, WARC_COMPRESS_SMALL_MAX);
		buf_init(&c->member,
			libdeflate_gzip_compress_bound(c->deflate, WARC_COMPRESS_SMALL_MAX));
	} else if (c->coding == WARC_CODING_ZSTD) {
		c->zstd = ZSTD_createCCtx();
		if (!c->zstd)
			return no_memory(err);
		(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, c->level);
		(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_checksumFlag, 1);
		buf_init(&c->record, WARC_COMPRESS_SMALL_MAX);
		buf_init(&c->member, ZSTD_compressBound(WARC_COMPRESS_SMALL_MAX));
	}
	return 0;
}

int warc_compress_open(
	enum warc_coding coding, int level, struct warc_compress **ret, struct err *err)
{
	struct warc_compress *c = calloc(1, sizeof *c);
	int rc;

	if (!c)
		return no_memory(err);
	c->coding = coding;
	rc = find_level(coding, level, &c->level, err);
	if (rc == 0)
		rc = prepare(c, err);
	if (rc) {
		warc_compress_close(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void warc_compress_close(struct warc_compress *c)
{
	if (!c)
		return;
	libdeflate_free_compressor(c->deflate);
	if (c->has_gzip)
		(void)deflateEnd(&c->gzip);
	(void)ZSTD_freeCCtx(c->zstd);
	buf_release(&c->record);
	buf_release(&c->member);
	free(c);
}

static int begin_gzip(struct warc_compress *c, struct err *err)
{
	int z;

	z = c->has_gzip ? deflateReset(&c->gzip)
			: deflateInit2(&c->gzip, c->level, Z_DEFLATED, GZIP_BITS, GZIP_MEMORY,
				  Z_DEFAULT_STRATEGY);
	if (z != Z_OK)
		return no_memory(err);
	c->has_gzip = true;
	return 0;
}

int warc_compress_begin(struct warc_compress *c, uint64_t size, warc_compress_emit *emit,
	void *context, struct err *err)
{
	c->emit = emit;
	c->context = context;
	c->is_small = c->coding != WARC_CODING_PLAIN && size <= WARC_COMPRESS_SMALL_MAX;
	buf_reset(&c->record);
	if (c->coding == WARC_CODING_GZIP && !c->is_small)
		return begin_gzip(c, err);
	if (c->coding == WARC_CODING_ZSTD) {
		(void)ZSTD_CCtx_reset(c->zstd, ZSTD_reset_session_only);
		if (!c->is_small && ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(c->zstd, size)))
			return no_memory(err);
	}
	return 0;
}

static int emit_out(struct warc_compress *c, size_t len, struct err *err)
{
	return len ? c->emit(c->context, (slice){(const char *)c->out, len}, err) : 0;
}

/* zlib takes at most 4 GiB at once; pieces are far smaller, but nobody has to know that. */
static int run_gzip(struct warc_compress *c, slice bytes, int flush, struct err *err)
{
	z_stream *z = &c->gzip;
	int rc = 0, result = Z_OK;

	do {
		slice part = slice_sub(bytes, 0, 1 << 30);
		int mode = part.len == bytes.len ? flush : Z_NO_FLUSH;

		z->next_in = (const Bytef *)part.ptr;
		z->avail_in = (uInt)part.len;
		do {
			z->next_out = c->out;
			z->avail_out = OUT_SIZE;
			result = deflate(z, mode);
			rc = emit_out(c, OUT_SIZE - z->avail_out, err);
		} while (rc == 0 && z->avail_out == 0);
		bytes = slice_sub(bytes, part.len, bytes.len);
	} while (rc == 0 && bytes.len > 0);
	if (rc == 0 && flush == Z_FINISH && result != Z_STREAM_END)
		return err_set(err, ERR_STATE, "gzip member did not end");
	return rc;
}

static int run_zstd(
	struct warc_compress *c, slice bytes, ZSTD_EndDirective directive, struct err *err)
{
	ZSTD_inBuffer in = {bytes.ptr, bytes.len, 0};
	bool again = true;
	int rc = 0;

	while (rc == 0 && again) {
		ZSTD_outBuffer out = {c->out, OUT_SIZE, 0};
		size_t left = ZSTD_compressStream2(c->zstd, &out, &in, directive);

		if (ZSTD_isError(left))
			return err_set(err, ERR_NOMEM, "zstd: %s", ZSTD_getErrorName(left));
		rc = emit_out(c, out.pos, err);
		again = directive == ZSTD_e_end ? left > 0 : in.pos < in.size;
	}
	return rc;
}

int warc_compress_feed(struct warc_compress *c, slice bytes, struct err *err)
{
	if (bytes.len == 0)
		return 0;
	if (c->coding == WARC_CODING_PLAIN)
		return c->emit(c->context, bytes, err);
	if (!c->is_small)
		return c->coding == WARC_CODING_ZSTD ? run_zstd(c, bytes, ZSTD_e_continue, err)
						     : run_gzip(c, bytes, Z_NO_FLUSH, err);
	if (buf_add(&c->record, bytes))
		return no_memory(err);
	return 0;
}

/* What a small record becomes; 0 when something went wrong. */
static size_t compress_small(struct warc_compress *c, size_t room)
{
	size_t len;

	if (c->coding == WARC_CODING_GZIP)
		return libdeflate_gzip_compress(
			c->deflate, buf_str(&c->record), c->record.len, c->member.ptr, room);
	len = ZSTD_compress2(c->zstd, c->member.ptr, room, buf_str(&c->record), c->record.len);
	return ZSTD_isError(len) ? 0 : len;
}

static int end_small(struct warc_compress *c, struct err *err)
{
	size_t room = c->coding == WARC_CODING_GZIP
			      ? libdeflate_gzip_compress_bound(c->deflate, c->record.len)
			      : ZSTD_compressBound(c->record.len);

	buf_reset(&c->member);
	if (buf_reserve(&c->member, room))
		return no_memory(err);
	c->member.len = compress_small(c, room);
	return c->member.len ? c->emit(c->context, buf_slice(&c->member), err) : no_memory(err);
}

int warc_compress_end(struct warc_compress *c, struct err *err)
{
	if (c->coding == WARC_CODING_PLAIN)
		return 0;
	if (c->is_small)
		return end_small(c, err);
	return c->coding == WARC_CODING_ZSTD ? run_zstd(c, (slice){0}, ZSTD_e_end, err)
					     : run_gzip(c, (slice){0}, Z_FINISH, err);
}
