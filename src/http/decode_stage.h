/*
 * One coding of a body: a common face of zlib, brotli and zstd. Used by decode.c alone.
 */
#ifndef HTTP_DECODE_STAGE_H
#define HTTP_DECODE_STAGE_H

#include "http/decode.h"

struct decode_stage;

/* 0 or ERR_NOMEM. */
int decode_stage_open(enum decode_kind kind, struct decode_stage **ret_stage) SP_MUST_CHECK;
void decode_stage_close(struct decode_stage *s);

/*
 * Decodes bytes off *in into out, up to size of them: 0, ERR_SYNTAX or ERR_NOMEM, and how many
 * came out in any case. Call it again while the output was full or input is left; what stands
 * behind the end of the coded bytes is dropped.
 */
int decode_stage_step(
	struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out) SP_MUST_CHECK;

/* What the first bytes of its input say, before they are given. */
enum decode_start decode_stage_start(const struct decode_stage *s, slice first);

/* Whether the coded bytes have come to their end; nothing at all counts as one. */
bool decode_stage_ended(const struct decode_stage *s);

/* What the HTTP registry calls it. */
const char *decode_stage_name(const struct decode_stage *s);

#endif
