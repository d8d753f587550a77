#include "extract/charset_single.h"

#include "base/err.h"
#include "base/utf8.h"

enum {
	ASCII = 0x80,
	LATIN = 0xa0, /* the ISO 8859 family has C1 controls below */
	USER_DEFINED = 0xf780,
	STEP = 1024, /* bytes decoded at a time */
};

bool charset_is_single(enum charset charset)
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

bool charset_single_own(enum charset charset, struct charset_single *ret)
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

void charset_single_mend(enum charset charset, struct charset_single *s)
{
	for (size_t i = 0; i < sizeof DIFFERENCES / sizeof DIFFERENCES[0]; i++)
		for (unsigned b = DIFFERENCES[i].first; b <= DIFFERENCES[i].last; b++)
			if (DIFFERENCES[i].charset == charset)
				s->high[b - ASCII] = DIFFERENCES[i].code;
}

int charset_single_decode(const struct charset_single *s, slice in, struct buf *out)
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
