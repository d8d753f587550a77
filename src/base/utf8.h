/*
 * UTF-8 as the WHATWG Encoding Standard decodes it: what is broken becomes U+FFFD, one for each
 * longest sound beginning of a sequence. Cannot fail, allocates nothing.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* U+FFFD in UTF-8; for SLICE and SLICE_INIT. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * Length of the UTF-8 sequence at p (Unicode, table 3-7), which begins with a byte above ASCII;
 * left > 0 bytes may be read. When it is broken, *ret_ok is false and the length is that of its
 * longest sound beginning, at least 1: so many bytes make one U+FFFD.
 */
static inline size_t utf8_length(const unsigned char *p, size_t left, bool *ret_ok)
{
	size_t want = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
	size_t n = 1;

	*ret_ok = false;
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

#endif
