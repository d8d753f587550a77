/*
 * Looking for the next byte that means something, sixteen at a time where the processor can: this
 * is where a tokenizer spends its time.
 */
#ifndef FORMATS_HTML_SCAN_H
#define FORMATS_HTML_SCAN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* First of a, b, CR and NUL in [p, end), or end. */
static inline const char *html_scan(const char *p, const char *end, char a, char b)
{
#ifdef __SSE2__
	const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), cr = _mm_set1_epi8('\r');

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i hit =
			_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, va), _mm_cmpeq_epi8(v, vb)),
				_mm_or_si128(_mm_cmpeq_epi8(v, cr),
					_mm_cmpeq_epi8(v, _mm_setzero_si128())));
		int mask = _mm_movemask_epi8(hit);

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
#endif
	while (p < end && *p != a && *p != b && *p != '\r' && *p != '\0')
		p++;
	return p;
}

#endif
