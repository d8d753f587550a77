/*
 * Character encodings of the web: the WHATWG Encoding standard (section 4.2: names and labels), how
 * the encoding of a document is found (HTML 13.2.3), and the way to UTF-8, through ICU.
 */
#ifndef FORMATS_CHARSET_H
#define FORMATS_CHARSET_H

#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/* Number, name, name of ICU's converter ("" where it is not asked). */
/* clang-format off */
#define CHARSETS(X) \
	X(UTF_8, "UTF-8", "") \
	X(IBM866, "IBM866", "ibm-866_P100-1995") \
	X(ISO_8859_2, "ISO-8859-2", "ISO-8859-2") \
	X(ISO_8859_3, "ISO-8859-3", "ISO-8859-3") \
	X(ISO_8859_4, "ISO-8859-4", "ISO-8859-4") \
	X(ISO_8859_5, "ISO-8859-5", "ISO-8859-5") \
	X(ISO_8859_6, "ISO-8859-6", "ISO-8859-6") \
	X(ISO_8859_7, "ISO-8859-7", "ISO-8859-7") \
	X(ISO_8859_8, "ISO-8859-8", "ISO-8859-8") \
	X(ISO_8859_8_I, "ISO-8859-8-I", "ISO-8859-8") \
	X(ISO_8859_10, "ISO-8859-10", "ISO-8859-10") \
	X(ISO_8859_13, "ISO-8859-13", "ISO-8859-13") \
	X(ISO_8859_14, "ISO-8859-14", "ISO-8859-14") \
	X(ISO_8859_15, "ISO-8859-15", "ISO-8859-15") \
	X(ISO_8859_16, "ISO-8859-16", "") \
	X(KOI8_R, "KOI8-R", "KOI8-R") \
	X(KOI8_U, "KOI8-U", "KOI8-U") \
	X(MACINTOSH, "macintosh", "macintosh") \
	X(WINDOWS_874, "windows-874", "windows-874-2000") \
	X(WINDOWS_1250, "windows-1250", "windows-1250") \
	X(WINDOWS_1251, "windows-1251", "windows-1251") \
	X(WINDOWS_1252, "windows-1252", "windows-1252") \
	X(WINDOWS_1253, "windows-1253", "windows-1253") \
	X(WINDOWS_1254, "windows-1254", "windows-1254") \
	X(WINDOWS_1255, "windows-1255", "windows-1255") \
	X(WINDOWS_1256, "windows-1256", "windows-1256") \
	X(WINDOWS_1257, "windows-1257", "windows-1257") \
	X(WINDOWS_1258, "windows-1258", "windows-1258") \
	X(X_MAC_CYRILLIC, "x-mac-cyrillic", "x-mac-cyrillic") \
	X(GBK, "GBK", "gb18030") \
	X(GB18030, "gb18030", "gb18030") \
	X(BIG5, "Big5", "Big5-HKSCS") \
	X(EUC_JP, "EUC-JP", "EUC-JP") \
	X(ISO_2022_JP, "ISO-2022-JP", "ISO-2022-JP") \
	X(SHIFT_JIS, "Shift_JIS", "windows-31j") \
	X(EUC_KR, "EUC-KR", "windows-949-2000") \
	X(REPLACEMENT, "replacement", "") \
	X(UTF_16BE, "UTF-16BE", "UTF-16BE") \
	X(UTF_16LE, "UTF-16LE", "UTF-16LE") \
	X(X_USER_DEFINED, "x-user-defined", "")
/* clang-format on */

enum charset {
#define X(id, name, icu) CHARSET_##id,
	CHARSETS(X)
#undef X
		CHARSET_COUNT,
};

enum {
	CHARSET_PRESCAN_MAX = 1024,   /* bytes in which a declaration is looked for */
	CHARSET_SNIFF_MAX = 64 << 10, /* bytes that decide between UTF-8 and windows-1252 */
};

/* How an encoding was found. */
enum charset_source {
	CHARSET_FROM_BOM,
	CHARSET_FROM_HEADER,
	CHARSET_FROM_DOCUMENT, /* a meta element, an XML declaration, an @charset rule */
	CHARSET_FROM_BYTES,    /* they are UTF-8, or not */
};

enum charset_format { CHARSET_HTML, CHARSET_CSS, CHARSET_PLAIN };

struct charset_guess {
	enum charset charset;
	enum charset_source source;
	size_t bom; /* bytes at the start that are no text */
};

/* "Get an encoding" from a label, blanks around it and its case ignored. 0 or ERR_NOTFOUND. */
int charset_of_label(slice label, enum charset *ret_charset) SP_MUST_CHECK;

/* The standard's name; lives for ever. */
const char *charset_name(enum charset charset);

/*
 * The encoding of a document that begins with these bytes; up to CHARSET_SNIFF_MAX of them are
 * looked at. label is what the HTTP header says, empty for nothing.
 */
struct charset_guess charset_guess(slice start, slice label, enum charset_format format);

/* "Prescan a byte stream to determine its encoding". 0 or ERR_NOTFOUND. */
int charset_prescan(slice start, enum charset *ret_charset) SP_MUST_CHECK;

/*
 * A way to UTF-8, in pieces. Opening gives ERR_NOMEM, or ERR_UNSUPPORTED when this ICU does not
 * know the encoding (then windows-1252 is better than nothing). Close is NULL-safe.
 */
struct charset_decoder;
int charset_decoder_open(enum charset charset, struct charset_decoder **ret_decoder) SP_MUST_CHECK;
void charset_decoder_close(struct charset_decoder *d);

/*
 * Decodes the next bytes (last: there are no more). The result is a part of the input where that is
 * UTF-8 already, or else in scratch, which is overwritten. What is malformed becomes U+FFFD. 0,
 * ERR_LIMIT at the maximum of scratch, or ERR_NOMEM. A scratch of CHARSET_EXPANSION times the input
 * is always enough.
 */
enum { CHARSET_EXPANSION = 6 };
int charset_decode(struct charset_decoder *d, slice in, bool last, struct buf *scratch,
	slice *ret_text) SP_MUST_CHECK;

#endif
