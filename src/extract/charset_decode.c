/* The way to UTF-8: Encoding, section 8 by hand, x-user-defined and replacement too; ICU the rest.
 */
#include <stdlib.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include "base/err.h"
#include "base/utf8.h"
#include "extract/charset.h"

enum { PIVOT_SIZE = 2048 };

struct charset_decoder {
	enum charset charset;
	UConverter *from; /* NULL where ICU is not asked */
	UConverter *to;
	UChar *pivot_source, *pivot_target;
	bool started; /* the replacement character has been given */
	size_t tail_len;
	char tail[UTF8_MAX]; /* the beginning of a UTF-8 character */
	UChar pivot[PIVOT_SIZE];
};

static const char *icu_name(enum charset charset)
{
	static const char *const NAMES[CHARSET_COUNT] = {
#define X(id, name, icu) [CHARSET_##id] = (icu),
		CHARSETS(X)
#undef X
	};

	return NAMES[charset];
}

/* Always U+FFFD: ICU's own would be U+001A for some encodings. */
static void substitute(const void *context, UConverterToUnicodeArgs *args, const char *units,
	int32_t length, UConverterCallbackReason reason, UErrorCode *status)
{
	static const UChar REPLACEMENT = 0xfffd;

	(void)context;
	(void)units;
	(void)length;
	if (reason > UCNV_IRREGULAR)
		return;
	*status = U_ZERO_ERROR;
	ucnv_cbToUWriteUChars(args, &REPLACEMENT, 1, 0, status);
}

static int open_icu(struct charset_decoder *d)
{
	UErrorCode status = U_ZERO_ERROR;

	d->pivot_source = d->pivot_target = d->pivot;
	d->from = ucnv_open(icu_name(d->charset), &status);
	d->to = ucnv_open("UTF-8", &status);
	if (U_SUCCESS(status))
		ucnv_setToUCallBack(d->from, substitute, NULL, NULL, NULL, &status);
	if (status == U_MEMORY_ALLOCATION_ERROR)
		return ERR_NOMEM;
	return U_SUCCESS(status) ? 0 : ERR_UNSUPPORTED;
}

int charset_decoder_open(enum charset charset, struct charset_decoder **ret_decoder)
{
	struct charset_decoder *d = calloc(1, sizeof *d);
	int rc = 0;

	if (!d)
		return ERR_NOMEM;
	d->charset = charset;
	if (icu_name(charset)[0] != '\0')
		rc = open_icu(d);
	if (rc)
		charset_decoder_close(d);
	else
		*ret_decoder = d;
	return rc;
}

void charset_decoder_close(struct charset_decoder *d)
{
	if (!d)
		return;
	ucnv_close(d->from);
	ucnv_close(d->to);
	free(d);
}

static int decode_icu(struct charset_decoder *d, slice in, bool last, struct buf *out)
{
	const char *source = in.ptr ? in.ptr : "", *limit = source + in.len;

	for (;;) {
		UErrorCode status = U_ZERO_ERROR;
		char *target, *target_limit;
		int rc = buf_reserve(out,
			in.len + UTF8_MAX < out->max - out->len ? in.len + UTF8_MAX : UTF8_MAX);

		if (rc)
			return rc;
		target = out->ptr + out->len;
		target_limit = out->ptr + out->cap - 1;
		ucnv_convertEx(d->to, d->from, &target, target_limit, &source, limit, d->pivot,
			&d->pivot_source, &d->pivot_target, d->pivot + PIVOT_SIZE, 0, last ? 1 : 0,
			&status);
		out->len = (size_t)(target - out->ptr);
		if (status == U_MEMORY_ALLOCATION_ERROR)
			return ERR_NOMEM;
		if (status != U_BUFFER_OVERFLOW_ERROR)
			return 0;
	}
}

/* Completes the character that the last piece ended in; takes its bytes off *in. */
static int decode_tail(struct charset_decoder *d, slice *in, bool last, struct buf *out)
{
	while (d->tail_len) {
		bool ok;
		size_t n = utf8_length((const unsigned char *)d->tail, d->tail_len, &ok);
		bool open = !ok && n == d->tail_len && n < UTF8_MAX;
		int rc;

		if (open && in->len) {
			d->tail[d->tail_len++] = in->ptr[0];
			*in = slice_sub(*in, 1, in->len);
			continue;
		}
		if (open && !last)
			return 0;
		rc = buf_add(out, ok ? (slice){d->tail, n} : SLICE(UTF8_REPLACEMENT));
		if (rc)
			return rc;
		memmove(d->tail, d->tail + n, d->tail_len - n);
		d->tail_len -= n;
	}
	return 0;
}

/* The first broken sequence of in: replaced, or kept if more of it may come. */
static int decode_broken(struct charset_decoder *d, slice *in, bool last, struct buf *out)
{
	bool ok;
	size_t n = utf8_length((const unsigned char *)in->ptr, in->len, &ok);
	unsigned char first = (unsigned char)in->ptr[0];
	bool open = n == in->len && first >= 0xc2 && first <= 0xf4;
	int rc = 0;

	if (open && !last) {
		memcpy(d->tail, in->ptr, n);
		d->tail_len = n;
	} else {
		rc = buf_add_str(out, UTF8_REPLACEMENT);
	}
	*in = slice_sub(*in, n, in->len);
	return rc;
}

static int decode_utf8(struct charset_decoder *d, slice in, bool last, struct buf *out)
{
	int rc = decode_tail(d, &in, last, out);

	while (rc == 0 && in.len) {
		size_t valid = utf8_valid_prefix(in);

		rc = buf_add(out, slice_sub(in, 0, valid));
		in = slice_sub(in, valid, in.len);
		if (rc == 0 && in.len)
			rc = decode_broken(d, &in, last, out);
	}
	return rc;
}

/* Bytes above ASCII are U+F780 and on. */
static int decode_user_defined(slice in, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; i < in.len && rc == 0; i++) {
		unsigned char c = (unsigned char)in.ptr[i];
		char utf8[UTF8_MAX];

		rc = buf_add(out, (slice){utf8, utf8_put(c < 0x80 ? c : 0xf780U + c - 0x80, utf8)});
	}
	return rc;
}

/* ICU does not have it. Bytes below 0xa0 are Latin 1 (Encoding, index-iso-8859-16). */
static int decode_iso_8859_16(slice in, struct buf *out)
{
	static const uint16_t INDEX[96] = {0x00a0, 0x0104, 0x0105, 0x0141, 0x20ac, 0x201e, 0x0160,
		0x00a7, 0x0161, 0x00a9, 0x0218, 0x00ab, 0x0179, 0x00ad, 0x017a, 0x017b, 0x00b0,
		0x00b1, 0x010c, 0x0142, 0x017d, 0x201d, 0x00b6, 0x00b7, 0x017e, 0x010d, 0x0219,
		0x00bb, 0x0152, 0x0153, 0x0178, 0x017c, 0x00c0, 0x00c1, 0x00c2, 0x0102, 0x00c4,
		0x0106, 0x00c6, 0x00c7, 0x00c8, 0x00c9, 0x00ca, 0x00cb, 0x00cc, 0x00cd, 0x00ce,
		0x00cf, 0x0110, 0x0143, 0x00d2, 0x00d3, 0x00d4, 0x0150, 0x00d6, 0x015a, 0x0170,
		0x00d9, 0x00da, 0x00db, 0x00dc, 0x0118, 0x021a, 0x00df, 0x00e0, 0x00e1, 0x00e2,
		0x0103, 0x00e4, 0x0107, 0x00e6, 0x00e7, 0x00e8, 0x00e9, 0x00ea, 0x00eb, 0x00ec,
		0x00ed, 0x00ee, 0x00ef, 0x0111, 0x0144, 0x00f2, 0x00f3, 0x00f4, 0x0151, 0x00f6,
		0x015b, 0x0171, 0x00f9, 0x00fa, 0x00fb, 0x00fc, 0x0119, 0x021b, 0x00ff};
	int rc = 0;

	for (size_t i = 0; i < in.len && rc == 0; i++) {
		unsigned char c = (unsigned char)in.ptr[i];
		char utf8[UTF8_MAX];

		rc = buf_add(out, (slice){utf8, utf8_put(c < 0xa0 ? c : INDEX[c - 0xa0], utf8)});
	}
	return rc;
}

/* Encodings that are unsafe to read: all of the document is one U+FFFD. */
static int decode_replacement(struct charset_decoder *d, slice in, struct buf *out)
{
	if (d->started || in.len == 0)
		return 0;
	d->started = true;
	return buf_add_str(out, UTF8_REPLACEMENT);
}

static bool is_plain_utf8(const struct charset_decoder *d, slice in)
{
	return d->charset == CHARSET_UTF_8 && d->tail_len == 0 && utf8_valid_prefix(in) == in.len;
}

int charset_decode(
	struct charset_decoder *d, slice in, bool last, struct buf *scratch, slice *ret_text)
{
	int rc;

	if (is_plain_utf8(d, in)) {
		*ret_text = in;
		return 0;
	}
	buf_reset(scratch);
	if (d->charset == CHARSET_UTF_8)
		rc = decode_utf8(d, in, last, scratch);
	else if (d->charset == CHARSET_REPLACEMENT)
		rc = decode_replacement(d, in, scratch);
	else if (d->charset == CHARSET_X_USER_DEFINED)
		rc = decode_user_defined(in, scratch);
	else if (d->charset == CHARSET_ISO_8859_16)
		rc = decode_iso_8859_16(in, scratch);
	else
		rc = decode_icu(d, in, last, scratch);
	if (rc == 0)
		*ret_text = buf_slice(scratch);
	return rc;
}
