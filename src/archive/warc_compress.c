#include "archive/warc_compress.h"

#include <stdlib.h>
#include <zstd.h>

#include "archive/warc_gzip.h"
#include "base/buf.h"

enum {
	DEFAULT_LEVEL = 3, /* of both libraries */
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
	struct warc_gzip *gzip;
	ZSTD_CCtx *zstd;
	unsigned char out[OUT_SIZE];
};

static int find_level(enum warc_coding coding, int level, int *ret, struct err *err)
{
	int max = coding == WARC_CODING_ZSTD ? WARC_ZSTD_LEVEL_MAX : WARC_GZIP_LEVEL_MAX;

	if (level < 0 || level > max)
		return err_set(err, ERR_RANGE, "compression level must be from 1 to %d", max);
	*ret = level ? level : DEFAULT_LEVEL;
	return 0;
}

static int prepare(struct warc_compress *c, struct err *err)
{
	if (c->coding == WARC_CODING_GZIP) {
		int rc = warc_gzip_open(c->level, &c->gzip);

		if (rc)
			return err_set(err, rc, "gzip: %s", err_name(rc));
		buf_init(&c->record, WARC_COMPRESS_SMALL_MAX);
		buf_init(&c->member, warc_gzip_room(WARC_COMPRESS_SMALL_MAX));
	} else if (c->coding == WARC_CODING_ZSTD) {
		c->zstd = ZSTD_createCCtx();
		if (!c->zstd)
			return err_code(err, ERR_NOMEM);
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
		return err_code(err, ERR_NOMEM);
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
	warc_gzip_close(c->gzip);
	(void)ZSTD_freeCCtx(c->zstd);
	buf_release(&c->record);
	buf_release(&c->member);
	free(c);
}

int warc_compress_begin(struct warc_compress *c, uint64_t size, warc_compress_emit *emit,
	void *context, struct err *err)
{
	c->emit = emit;
	c->context = context;
	c->is_small = c->coding != WARC_CODING_PLAIN && size <= WARC_COMPRESS_SMALL_MAX;
	buf_reset(&c->record);
	if (c->coding == WARC_CODING_GZIP && !c->is_small)
		warc_gzip_begin(c->gzip);
	if (c->coding == WARC_CODING_ZSTD) {
		(void)ZSTD_CCtx_reset(c->zstd, ZSTD_reset_session_only);
		if (!c->is_small && ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(c->zstd, size)))
			return err_code(err, ERR_NOMEM);
	}
	return 0;
}

static int run_gzip(struct warc_compress *c, slice bytes, bool is_last, struct err *err)
{
	return warc_gzip_feed(c->gzip, bytes, is_last, c->emit, c->context, err);
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
		if (out.pos)
			rc = c->emit(c->context, (slice){(const char *)c->out, out.pos}, err);
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
						     : run_gzip(c, bytes, false, err);
	return err_code(err, buf_add(&c->record, bytes));
}

static int compress_small(struct warc_compress *c, size_t room)
{
	slice record = buf_slice(&c->record);
	size_t len;

	if (c->coding == WARC_CODING_GZIP)
		return warc_gzip_whole(c->gzip, record, c->member.ptr, &c->member.len);
	len = ZSTD_compress2(c->zstd, c->member.ptr, room, record.ptr, record.len);
	if (ZSTD_isError(len))
		return ERR_NOMEM;
	c->member.len = len;
	return 0;
}

static int end_small(struct warc_compress *c, struct err *err)
{
	size_t room = c->coding == WARC_CODING_GZIP ? warc_gzip_room(c->record.len)
						    : ZSTD_compressBound(c->record.len);
	int rc;

	buf_reset(&c->member);
	rc = buf_reserve(&c->member, room);
	if (rc == 0)
		rc = compress_small(c, room);
	if (rc)
		return err_set(err, rc, "compression: %s", err_name(rc));
	return c->emit(c->context, buf_slice(&c->member), err);
}

int warc_compress_end(struct warc_compress *c, struct err *err)
{
	if (c->coding == WARC_CODING_PLAIN)
		return 0;
	if (c->is_small)
		return end_small(c, err);
	return c->coding == WARC_CODING_ZSTD ? run_zstd(c, (slice){0}, ZSTD_e_end, err)
					     : run_gzip(c, (slice){0}, true, err);
}
