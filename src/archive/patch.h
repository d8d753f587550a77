/*
 * Bytes as a patch against others that are much the same: a zstd frame (RFC 8878) that refers to
 * them as a prefix, as `zstd --patch-from` does. It can be read with those very bytes only.
 */
#ifndef ARCHIVE_PATCH_H
#define ARCHIVE_PATCH_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum { PATCH_BYTES_MAX = 8 << 20 }; /* of either side */

/* What makes patches; its memory is used again. Zero-initialise. */
struct patch_maker {
	struct ZSTD_CCtx_s *context;
};

void patch_maker_release(struct patch_maker *m);

/* Appends the patch that makes `bytes` of `from`: 0, ERR_LIMIT when one is too long, ERR_NOMEM. */
int patch_make(struct patch_maker *m, slice from, slice bytes, struct buf *out) SP_MUST_CHECK;

/*
 * Appends what a patch makes of `from`, which must be exactly size bytes: 0, ERR_SYNTAX when it
 * does not, ERR_LIMIT, ERR_NOMEM.
 */
int patch_apply(slice from, slice patch, uint64_t size, struct buf *out) SP_MUST_CHECK;

#endif
