/*
 * The dictionary that a zstd-compressed WARC file may begin with (IIPC, "Zstandard compression for
 * WARC files 1.0"): bytes for the decoder, themselves a zstd frame or not.
 */
#ifndef ARCHIVE_WARC_DICTIONARY_H
#define ARCHIVE_WARC_DICTIONARY_H

#include <zstd.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum { WARC_DICTIONARY_MAX = 8 << 20 }; /* bytes, uncompressed */

/* Gives it to the decoder, which copies it: 0, ERR_SYNTAX, ERR_LIMIT, ERR_NOMEM. */
int warc_dictionary_load(ZSTD_DCtx *decoder, slice content, struct err *err) SP_MUST_CHECK;

#endif
