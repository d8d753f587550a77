/*
 * The way to UTF-8: Encoding, section 8 and replacement by hand, single-byte encodings by a table
 * that is ICU's but for what the standard has otherwise, the rest by ICU's converters.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include "base/api.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/charset.h"

/*
 * Single-byte encodings (Encoding, section 9): bytes below 0x80 are ASCII, the others have a table.
 * Private to charset_decode.c.
 */

enum { CHARSET_HIGH = 128 }; /* bytes that are not ASCII */

/* Characters of the bytes from 0x80 on; U+FFFD for one that has none. */
struct charset_single {
	uint16_t high[CHARSET_HIGH];
};

enum {
	ASCII = 0x80,
	LATIN = 0xa0, /* the ISO 8859 family has C1 controls below */
	USER_DEFINED = 0xf780,
	STEP = 1024, /* bytes decoded at a time */
};

/* Whether it is one of them; x-user-defined (section 14.5) is no different. */
static bool charset_is_single(enum charset charset)
{
	return (charset >= CHARSET_IBM866 && charset <= CHARSET_X_MAC_CYRILLIC) ||
	       charset == CHARSET_X_USER_DEFINED;
}

/* index-iso-8859-16 from 0xa0 on. */
static const uint16_t ISO_8859_16[] = {0x00a0, 0x0104, 0x0105, 0x0141, 0x20ac, 0x201e, 0x0160,
	0x00a7, 0x0161, 0x00a9, 0x0218, 0x00ab, 0x0179, 0x00ad, 0x017a, 0x017b, 0x00b0, 0x00b1,
	0x010c, 0x0142, 0x017d, 0x201d, 0x00b6, 0x00b7, 0x017e, 0x010d, 0x0219, 0x00bb, 0x0152,
	0x0153, 0x0178, 0x017c, 0x00c0, 0x00c1, 0x00c2, 0x0102, 0x00c4, 0x0106, 0x00c6, 0x00c7,
	0x00c8, 0x00c9, 0x00ca, 0x00cb, 0x00cc, 0x00cd, 0x00ce, 0x00cf, 0x0110, 0x0143, 0x00d2,
	0x00d3, 0x00d4, 0x0150, 0x00d6, 0x015a, 0x0170, 0x00d9, 0x00da, 0x00db, 0x00dc, 0x0118,
	0x021a, 0x00df, 0x00e0, 0x00e1, 0x00e2, 0x0103, 0x00e4, 0x0107, 0x00e6, 0x00e7, 0x00e8,
	0x00e9, 0x00ea, 0x00eb, 0x00ec, 0x00ed, 0x00ee, 0x00ef, 0x0111, 0x0144, 0x00f2, 0x00f3,
	0x00f4, 0x0151, 0x00f6, 0x015b, 0x0171, 0x00f9, 0x00fa, 0x00fb, 0x00fc, 0x0119, 0x021b,
	0x00ff};

/* Fills the table of an encoding that ICU does not have: whether it is one. */
static bool charset_single_own(enum charset charset, struct charset_single *ret)
{
	for (unsigned i = 0; i < CHARSET_HIGH; i++) {
		unsigned byte = ASCII + i;

		if (charset == CHARSET_X_USER_DEFINED)
			ret->high[i] = (uint16_t)(USER_DEFINED + i);
		else if (charset == CHARSET_ISO_8859_16)
			ret->high[i] = byte < LATIN ? (uint16_t)byte : ISO_8859_16[byte - LATIN];
		else
			return false;
	}
	return true;
}

static const struct {
	enum charset charset;
	unsigned char first, last;
	uint16_t code; /* of each of them */
} DIFFERENCES[] = {
	/* ICU follows RFC 2319; the standard has the Belarusian letter, as KOI8-RU. */
	{CHARSET_KOI8_U, 0xae, 0xae, 0x045e},
	{CHARSET_KOI8_U, 0xbe, 0xbe, 0x040e},
	/* ICU has private characters where there are none. */
	{CHARSET_WINDOWS_874, 0xdb, 0xde, 0xfffd},
	{CHARSET_WINDOWS_874, 0xfc, 0xff, 0xfffd},
	{CHARSET_WINDOWS_1253, 0xaa, 0xaa, 0xfffd},
	{CHARSET_WINDOWS_1255, 0xca, 0xca, 0x05ba},
};

/* Corrects the table where ICU's differs from the standard's. */
static void charset_single_mend(enum charset charset, struct charset_single *s)
{
	for (size_t i = 0; i < sizeof DIFFERENCES / sizeof DIFFERENCES[0]; i++)
		for (unsigned b = DIFFERENCES[i].first; b <= DIFFERENCES[i].last; b++)
			if (DIFFERENCES[i].charset == charset)
				s->high[b - ASCII] = DIFFERENCES[i].code;
}

/* Appends the text in UTF-8. As buf_add. */
static SP_MUST_CHECK int charset_single_decode(
	const struct charset_single *s, slice in, struct buf *out)
{
	while (in.len > 0) {
		slice step = slice_sub(in, 0, STEP);
		char utf8[STEP * UTF8_MAX], *at = utf8;
		int rc;

		for (size_t i = 0; i < step.len; i++) {
			unsigned char c = (unsigned char)step.ptr[i];

			if (c < ASCII)
				*at++ = (char)c;
			else
				at += utf8_put(s->high[c - ASCII], at);
		}
		rc = buf_add(out, (slice){utf8, (size_t)(at - utf8)});
		if (rc)
			return rc;
		in = slice_sub(in, step.len, in.len);
	}
	return 0;
}

enum { PIVOT_SIZE = 2048 };

struct charset_decoder {
	enum charset charset;
	UConverter *from; /* NULL where ICU is not asked */
	UConverter *to;
	struct charset_single single;
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

/* The byte 0x80 has a meaning in the standard (10.2.1, 12.3.1) and none for ICU. */
static UChar meaning_of_80(enum charset charset)
{
	switch (charset) {
	case CHARSET_GBK:
	case CHARSET_GB18030:
		return 0x20ac;
	case CHARSET_SHIFT_JIS:
		return 0x80;
	default:
		return 0xfffd;
	}
}

/*
 * The standard reads a byte of ASCII again behind one that does not go with it, lest it be hidden
 * (11.1.1, 12.3.1: "prepend"); so does ICU, but for pairs that are unassigned in these.
 */
static bool reads_ascii_again(enum charset charset)
{
	return charset == CHARSET_BIG5 || charset == CHARSET_SHIFT_JIS;
}

/* Otherwise always U+FFFD: ICU's own would be U+001A for some encodings. */
static void substitute(const void *context, UConverterToUnicodeArgs *args, const char *units,
	int32_t length, UConverterCallbackReason reason, UErrorCode *status)
{
	const struct charset_decoder *d = context;
	UChar text[] = {0xfffd, 0};
	bool swallows =
		reads_ascii_again(d->charset) && length == 2 && (unsigned char)units[1] < 0x80;

	if (reason > UCNV_IRREGULAR)
		return;
	if (length == 1 && units[0] == '\x80')
		text[0] = meaning_of_80(d->charset);
	if (swallows)
		text[1] = (UChar)units[1];
	*status = U_ZERO_ERROR;
	ucnv_cbToUWriteUChars(args, text, swallows ? 2 : 1, 0, status);
}

static int open_icu(struct charset_decoder *d)
{
	UErrorCode status = U_ZERO_ERROR;

	d->pivot_source = d->pivot_target = d->pivot;
	d->from = ucnv_open(icu_name(d->charset), &status);
	d->to = ucnv_open("UTF-8", &status);
	if (U_SUCCESS(status))
		ucnv_setToUCallBack(d->from, substitute, d, NULL, NULL, &status);
	if (status == U_MEMORY_ALLOCATION_ERROR)
		return ERR_NOMEM;
	return U_SUCCESS(status) ? 0 : ERR_UNSUPPORTED;
}

/* Asks ICU once for every byte that is not ASCII; each gives one character. */
static int open_single(struct charset_decoder *d)
{
	UChar *target = d->pivot;
	char bytes[CHARSET_HIGH];
	const char *source = bytes;
	UErrorCode status = U_ZERO_ERROR;

	if (charset_single_own(d->charset, &d->single))
		return 0;
	TRY(open_icu(d));
	for (unsigned i = 0; i < CHARSET_HIGH; i++)
		bytes[i] = (char)(CHARSET_HIGH + i);
	ucnv_toUnicode(d->from, &target, d->pivot + CHARSET_HIGH, &source, bytes + CHARSET_HIGH,
		NULL, 1, &status);
	if (U_FAILURE(status) || target != d->pivot + CHARSET_HIGH)
		return ERR_UNSUPPORTED;
	memcpy(d->single.high, d->pivot, sizeof d->single.high);
	charset_single_mend(d->charset, &d->single);
	return 0;
}

int charset_decoder_open(enum charset charset, struct charset_decoder **ret_decoder)
{
	struct charset_decoder *d = mem_resize(NULL, 1, sizeof *d);
	int rc = 0;

	memset(d, 0, offsetof(struct charset_decoder, pivot));
	d->charset = charset;
	if (charset_is_single(charset))
		rc = open_single(d);
	else if (icu_name(charset)[0] != '\0')
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

		TRY(buf_reserve(out,
			in.len + UTF8_MAX < out->max - out->len ? in.len + UTF8_MAX : UTF8_MAX));
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

/*
 * ICU's converter is a DOS code page, which has three controls turned round; no other bytes give
 * them.
 */
static void turn_controls(struct buf *text)
{
	for (size_t i = 0; i < text->len; i++)
		switch (text->ptr[i]) {
		case 0x1a:
			text->ptr[i] = 0x7f;
			break;
		case 0x1c:
			text->ptr[i] = 0x1a;
			break;
		case 0x7f:
			text->ptr[i] = 0x1c;
			break;
		default:
			break;
		}
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
	else if (charset_is_single(d->charset))
		rc = charset_single_decode(&d->single, in, scratch);
	else
		rc = decode_icu(d, in, last, scratch);
	if (d->charset == CHARSET_SHIFT_JIS)
		turn_controls(scratch);
	if (rc == 0)
		*ret_text = buf_slice(scratch);
	return rc;
}
