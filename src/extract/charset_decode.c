/*
 * The way to UTF-8: Encoding, section 8 and replacement by hand, single-byte encodings by a table
 * that is ICU's but for what the standard has otherwise, the rest by ICU's converters.
 */
#include <stdlib.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include "base/err.h"
#include "base/utf8.h"
#include "extract/charset.h"
#include "extract/charset_single.h"

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
	int rc;

	if (charset_single_own(d->charset, &d->single))
		return 0;
	rc = open_icu(d);
	if (rc)
		return rc;
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
	struct charset_decoder *d = calloc(1, sizeof *d);
	int rc = 0;

	if (!d)
		return ERR_NOMEM;
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
