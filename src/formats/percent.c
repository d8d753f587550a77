/* WHATWG URL Standard, section 1.3; forbidden code points: section 3.3 "Host miscellaneous". */
#include "formats/percent.h"

#include <string.h>

#include "base/err.h"
#include "base/utf8.h"
#include "base/word.h"

/* The sets contain one another; each name is a byte's full membership. */
#define C0        (URL_SET_C0_CONTROL | URL_SET_FRAGMENT | QUERY_UP | URL_SET_ARCHIVE)
#define QUERY_UP  (URL_SET_QUERY | URL_SET_SPECIAL_QUERY | PATH_UP)
#define PATH_UP   (URL_SET_PATH | URL_SET_USERINFO)
#define FRAGMENT  URL_SET_FRAGMENT
#define FORBIDDEN (URL_FORBIDDEN_HOST | URL_FORBIDDEN_DOMAIN)
#define ENDS      (URL_ENDS_AUTHORITY | URL_ENDS_SPECIAL_AUTH)

/* Neighbours that are alike. */
#define X2(v)  (v), (v)
#define X8(v)  X2(v), X2(v), X2(v), X2(v)
#define X16(v) X8(v), X8(v)
#define X26(v) X16(v), X8(v), X2(v)
#define X64(v) X16(v), X16(v), X16(v), X16(v)

/* clang-format off */
const uint16_t url_byte[256] = {
	[0x00] = C0 | FORBIDDEN,
	[0x01] = X8(C0 | URL_FORBIDDEN_DOMAIN),
	['\t'] = C0 | FORBIDDEN,
	['\n'] = C0 | FORBIDDEN,
	[0x0b] = X2(C0 | URL_FORBIDDEN_DOMAIN),
	['\r'] = C0 | FORBIDDEN,
	[0x0e] = X16(C0 | URL_FORBIDDEN_DOMAIN), X2(C0 | URL_FORBIDDEN_DOMAIN),
	[' '] = FRAGMENT | QUERY_UP | URL_SET_ARCHIVE | FORBIDDEN,
	['"'] = FRAGMENT | QUERY_UP,
	['#'] = QUERY_UP | URL_SET_ARCHIVE | FORBIDDEN | ENDS,
	['%'] = URL_SET_ARCHIVE | URL_FORBIDDEN_DOMAIN,
	['\''] = URL_SET_SPECIAL_QUERY,
	['+'] = URL_SCHEME,
	['-'] = URL_SCHEME,
	['.'] = URL_SCHEME,
	['/'] = URL_SET_USERINFO | FORBIDDEN | ENDS,
	['0'] = X8(URL_SCHEME | URL_DIGIT), X2(URL_SCHEME | URL_DIGIT),
	[':'] = URL_SET_USERINFO | FORBIDDEN,
	[';'] = URL_SET_USERINFO,
	['<'] = FRAGMENT | QUERY_UP | FORBIDDEN,
	['='] = URL_SET_USERINFO,
	['>'] = FRAGMENT | QUERY_UP | FORBIDDEN,
	['?'] = PATH_UP | FORBIDDEN | ENDS,
	['@'] = URL_SET_USERINFO | FORBIDDEN,
	['A'] = X26(URL_SCHEME | URL_ALPHA | URL_UPPER),
	['['] = URL_SET_USERINFO | FORBIDDEN,
	['\\'] = URL_SET_USERINFO | FORBIDDEN | URL_ENDS_SPECIAL_AUTH,
	[']'] = URL_SET_USERINFO | FORBIDDEN,
	['^'] = PATH_UP | FORBIDDEN,
	['`'] = FRAGMENT | PATH_UP,
	['a'] = X26(URL_SCHEME | URL_ALPHA),
	['{'] = PATH_UP,
	['|'] = URL_SET_USERINFO | FORBIDDEN,
	['}'] = PATH_UP,
	[0x7f] = C0 | URL_FORBIDDEN_DOMAIN,
	[0x80] = X64(C0 | URL_NOT_ASCII), X64(C0 | URL_NOT_ASCII),
};
/* clang-format on */

bool url_equal_nocase(slice a, slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (word_lower(a.ptr[i]) != word_lower(b.ptr[i]))
			return false;
	return true;
}

static void add_escaped(struct buf *out, slice bytes)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = (unsigned char)bytes.ptr[i];
		char escape[3] = {'%', digits[c >> 4], digits[c & 15]};

		buf_add(out, (slice){escape, sizeof escape});
	}
}

int url_percent_encode(struct buf *out, slice s, enum url_set set)
{
	for (size_t at = 0; at < s.len;) {
		size_t from = at, n = 1;
		bool ok = true;

		while (at < s.len && !url_byte_is(s.ptr[at], set))
			at++;
		if (at > from)
			buf_add(out, slice_sub(s, from, at));
		if (at == s.len)
			break;
		if (url_byte_is(s.ptr[at], URL_NOT_ASCII))
			n = utf8_length((const unsigned char *)s.ptr + at, s.len - at, &ok);
		add_escaped(out, ok ? slice_sub(s, at, at + n) : SLICE(UTF8_REPLACEMENT));
		at += n;
	}
	return out->error;
}

int url_form_encode(struct buf *out, slice s, const char *kept)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (word_is_alnum(c) || (c && strchr(kept, c)))
			buf_add_char(out, c);
		else if (c == ' ')
			buf_add_char(out, '+');
		else
			add_escaped(out, (slice){&c, 1});
	}
	return out->error;
}

int url_percent_decode(struct buf *out, slice s)
{
	size_t at = 0;

	buf_reserve(out, s.len);
	while (at < s.len) {
		int high = -1, low = -1;

		if (s.ptr[at] == '%' && s.len - at > 2) {
			high = word_hex(s.ptr[at + 1]);
			low = word_hex(s.ptr[at + 2]);
		}
		if (high < 0 || low < 0) {
			buf_add_char(out, s.ptr[at++]);
		} else {
			buf_add_char(out, (char)(high << 4 | low));
			at += 3;
		}
	}
	return out->error;
}

int url_add_lower(struct buf *out, slice s)
{
	int rc = buf_reserve(out, s.len);

	if (rc || s.len == 0)
		return rc;
	for (size_t i = 0; i < s.len; i++)
		out->ptr[out->len + i] = word_lower(s.ptr[i]);
	out->len += s.len;
	out->ptr[out->len] = '\0';
	return 0;
}
