#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

size_t utf8_length(const unsigned char *p, size_t left, bool *ret_ok)
{
	size_t want = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
	size_t n = 1;

	*ret_ok = p[0] < 0x80;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 1;
	while (n < want && n < left && p[n] >= low && p[n] <= high) {
		low = 0x80;
		high = 0xbf;
		n++;
	}
	*ret_ok = n == want;
	return n;
}

size_t utf8_control(const unsigned char *p, size_t left)
{
	bool is_sound, found;
	size_t n = utf8_length(p, left, &is_sound);

	if (!is_sound)
		return n;
	if (n == 1)
		found = p[0] < 0x20 || p[0] == 0x7f;
	else if (n == 2) /* U+0080 to U+009F, U+061C */
		found = (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
	else if (n == 3 && p[0] == 0xe2 && p[1] == 0x80) /* U+200E, U+200F, U+2028 to U+202E */
		found = p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
	else /* U+2066 to U+2069 */
		found = n == 3 && p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
	return found ? n : 0;
}

/* Steps over ASCII 64 bytes at a time: most text is. */
static size_t skip_ascii(slice s, size_t at)
{
#ifdef __SSE2__
	for (; at + 64 <= s.len; at += 64) {
		const __m128i *p = (const __m128i *)(const void *)(s.ptr + at);
		__m128i first = _mm_or_si128(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
		__m128i second = _mm_or_si128(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));

		if (_mm_movemask_epi8(_mm_or_si128(first, second)))
			break;
	}
#endif
	while (at < s.len && (unsigned char)s.ptr[at] < 0x80)
		at++;
	return at;
}

size_t utf8_valid_prefix(slice s)
{
	size_t at = skip_ascii(s, 0);

	while (at < s.len) {
		bool ok;
		size_t n = utf8_length((const unsigned char *)s.ptr + at, s.len - at, &ok);

		if (!ok)
			break;
		at = skip_ascii(s, at + n);
	}
	return at;
}

size_t utf8_put(uint32_t code, char out[UTF8_MAX])
{
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		code = 0xfffd;
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}
