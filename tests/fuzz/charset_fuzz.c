/*
 * Encodings: one is guessed for any bytes, and every one of them decodes them to sound UTF-8, whole
 * and in pieces alike. The first byte chooses the encoding, the second the size of the pieces.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "formats/charset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void decode(enum charset charset, slice in, size_t step, struct buf *out)
{
	struct charset_decoder *d = NULL;
	struct buf scratch;
	slice text;

	buf_init(&scratch, CHARSET_EXPANSION * (in.len + 4));
	buf_init(out, CHARSET_EXPANSION * (in.len + 4));
	require(charset_decoder_open(charset, &d) == 0);
	for (size_t at = 0; at < in.len; at += step) {
		require(charset_decode(d, slice_sub(in, at, at + step), false, &scratch, &text) ==
			0);
		require(buf_add(out, text) == 0);
	}
	require(charset_decode(d, (slice){"", 0}, true, &scratch, &text) == 0);
	require(buf_add(out, text) == 0);
	require(utf8_valid_prefix(buf_slice(out)) == out->len);
	charset_decoder_close(d);
	buf_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;
	enum charset charset;
	slice in;

	if (size < 3)
		return 0;
	charset = data[0] % CHARSET_COUNT;
	in = (slice){(const char *)data + 2, size - 2};
	for (int format = CHARSET_HTML; format <= CHARSET_PLAIN; format++) {
		struct charset_guess guess =
			charset_guess(in, (slice){"", 0}, (enum charset_format)format);

		require(guess.charset < CHARSET_COUNT && guess.bom <= in.len);
	}
	decode(charset, in, in.len, &whole);
	decode(charset, in, 1 + data[1] % 9, &pieces);
	require(slice_eq(buf_slice(&whole), buf_slice(&pieces)));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
