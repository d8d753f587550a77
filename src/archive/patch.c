#include "archive/patch.h"

#include <zstd.h>

#include "base/err.h"

enum {
	LEVEL = 3,
	WINDOW_LOG = 24, /* both sides at their largest */
	WINDOW_LOG_MIN = 10,
};

/* The window must reach over both sides, and costs time and memory beyond that. */
static int window_log(size_t bytes)
{
	int log = WINDOW_LOG_MIN;

	while (log < WINDOW_LOG && (size_t)1 << log < bytes)
		log++;
	return log;
}

static int make(ZSTD_CCtx *c, slice from, slice bytes, struct buf *out)
{
	size_t room = ZSTD_compressBound(bytes.len), n;

	if (buf_reserve(out, room))
		return out->max - out->len < room ? ERR_LIMIT : ERR_NOMEM;
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, LEVEL);
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log(from.len + bytes.len));
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, from.len > (1 << 20));
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	if (ZSTD_isError(ZSTD_CCtx_refPrefix(c, from.ptr, from.len)))
		return ERR_NOMEM;
	n = ZSTD_compress2(c, out->ptr + out->len, room, bytes.ptr, bytes.len);
	if (ZSTD_isError(n))
		return ERR_NOMEM;
	buf_truncate(out, out->len + n);
	return 0;
}

void patch_maker_release(struct patch_maker *m)
{
	(void)ZSTD_freeCCtx(m->context);
	m->context = NULL;
}

int patch_make(struct patch_maker *m, slice from, slice bytes, struct buf *out)
{
	if (from.len > PATCH_BYTES_MAX || bytes.len > PATCH_BYTES_MAX)
		return ERR_LIMIT;
	if (!m->context)
		m->context = ZSTD_createCCtx();
	if (!m->context)
		return ERR_NOMEM;
	(void)ZSTD_CCtx_reset(m->context, ZSTD_reset_session_and_parameters);
	return make(m->context, from, bytes, out);
}

static int apply(ZSTD_DCtx *d, slice from, slice patch, size_t size, struct buf *out)
{
	size_t n;

	if (buf_reserve(out, size + 1))
		return out->max - out->len < size + 1 ? ERR_LIMIT : ERR_NOMEM;
	(void)ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_LOG);
	if (ZSTD_isError(ZSTD_DCtx_refPrefix(d, from.ptr, from.len)))
		return ERR_NOMEM;
	/* One byte of room more, so that one that is too long is noticed. */
	n = ZSTD_decompressDCtx(d, out->ptr + out->len, size + 1, patch.ptr, patch.len);
	if (ZSTD_isError(n) || n != size)
		return ERR_SYNTAX;
	buf_truncate(out, out->len + n);
	return 0;
}

int patch_apply(slice from, slice patch, uint64_t size, struct buf *out)
{
	ZSTD_DCtx *d;
	int rc;

	if (from.len > PATCH_BYTES_MAX || size > PATCH_BYTES_MAX)
		return ERR_LIMIT;
	d = ZSTD_createDCtx();
	rc = d ? apply(d, from, patch, (size_t)size, out) : ERR_NOMEM;
	(void)ZSTD_freeDCtx(d);
	return rc;
}
