/*
 * Content codings: any bytes are decoded or refused, with a message, and what comes out is the same
 * in one piece and in many. The first byte chooses the codings.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/http_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_MAX = 1 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int decode(slice codings, slice in, size_t step, struct buf *out)
{
	struct err err = {0};
	struct decode d;
	int rc = decode_open(&d, codings, &err);

	require(rc == 0);
	for (size_t at = 0; at < in.len && rc == 0; at += step)
		rc = decode_feed(&d, slice_sub(in, at, at + step), out, &err);
	if (rc == 0)
		rc = decode_finish(&d, &err);
	require((rc == 0) == (err.text[0] == '\0'));
	decode_close(&d);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const slice CODINGS[] = {SLICE_INIT("gzip"), SLICE_INIT("deflate"), SLICE_INIT("br"),
		SLICE_INIT("zstd"), SLICE_INIT("gzip, br"), SLICE_INIT("zstd, deflate, gzip")};
	struct buf whole, pieces;
	slice codings, in;
	int rc, rc_pieces;

	if (size == 0)
		return 0;
	codings = CODINGS[data[0] % 6];
	in = (slice){(const char *)data + 1, size - 1};
	buf_init(&whole, OUT_MAX);
	buf_init(&pieces, OUT_MAX);
	rc = decode(codings, in, in.len, &whole);
	rc_pieces = decode(codings, in, 3, &pieces);
	require((rc == 0) == (rc_pieces == 0));
	if (rc == 0)
		require(slice_eq(buf_slice(&whole), buf_slice(&pieces)));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
