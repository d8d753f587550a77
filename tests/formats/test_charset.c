/*
 * Encodings. Expected values: the Encoding standard's table of labels and its indexes, HTML's
 * prescan.
 */
#include "formats/charset.h"

#include "base/err.h"
#include "base/utf8.h"
#include "formats/media_type.h"
#include "tap.h"

enum { MAX = 1 << 20 };

static void test_labels(void)
{
	static const struct {
		const char *label;
		enum charset want;
	} rows[] = {
		{"utf-8", CHARSET_UTF_8},
		{" UTF8\n", CHARSET_UTF_8},
		{"iso-8859-1", CHARSET_WINDOWS_1252},
		{"us-ascii", CHARSET_WINDOWS_1252},
		{"iso-8859-9", CHARSET_WINDOWS_1254},
		{"GB2312", CHARSET_GBK},
		{"x-x-big5", CHARSET_BIG5},
		{"866", CHARSET_IBM866},
		{"unicode", CHARSET_UTF_16LE},
		{"x-cp1258", CHARSET_WINDOWS_1258},
		{"iso-2022-kr", CHARSET_REPLACEMENT},
	};
	enum charset charset;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (CHECK_INT(charset_of_label(slice_str(rows[i].label), &charset), 0))
			CHECK_INT(charset, rows[i].want);
	for (int i = 0; i < CHARSET_COUNT; i++)
		if (CHECK_INT(charset_of_label(slice_str(charset_name((enum charset)i)), &charset),
			    0))
			CHECK_INT(charset, i);
	CHECK_INT(charset_of_label(SLICE(""), &charset), ERR_NOTFOUND);
	CHECK_INT(charset_of_label(SLICE("utf-7"), &charset), ERR_NOTFOUND);
	CHECK_INT(charset_of_label(SLICE("utf-8x"), &charset), ERR_NOTFOUND);
	CHECK_INT(
		charset_of_label(SLICE("0123456789012345678901234567890123456789012345678901234567"
				       "8901234567890"),
			&charset),
		ERR_NOTFOUND);
}

static const struct {
	const char *label;
	const char *in;
	const char *want; /* NULL when nothing is found */
} prescans[] = {
	{"meta charset", "<meta charset=koi8-r>", "KOI8-R"},
	{"in quotes and capitals", "<META Foo CHARSET = \"KOI8-R\" >", "KOI8-R"},
	{"http-equiv", "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
		"KOI8-R"},
	{"content first", "<meta content='text/html; charset=\"koi8-r\"' http-equiv=content-type>",
		"KOI8-R"},
	{"content without http-equiv", "<meta content='text/html; charset=koi8-r'>", NULL},
	{"charset over content", "<meta content='charset=koi8-u' charset=koi8-r>", "KOI8-R"},
	{"unknown label, then a known", "<meta charset=x><meta charset=koi8-r>", "KOI8-R"},
	{"attribute twice", "<meta charset=koi8-r charset=koi8-u>", "KOI8-R"},
	{"UTF-16 cannot be", "<meta charset=utf-16le>", "UTF-8"},
	{"x-user-defined", "<meta charset=x-user-defined>", "windows-1252"},
	{"in a comment", "<!-- <meta charset=koi8-u> --><meta charset=koi8-r>", "KOI8-R"},
	{"comment <!-->", "<!--><meta charset=koi8-r>-->", "KOI8-R"},
	{"in an attribute", "<a title='<meta charset=koi8-u>'><meta charset=koi8-r>", "KOI8-R"},
	{"behind an end tag", "</a b='<meta charset=koi8-u>'><meta charset=koi8-r>", "KOI8-R"},
	{"behind a doctype", "<!doctype html><?x?><meta charset=koi8-r>", "KOI8-R"},
	{"metadata is no meta", "<metadata charset=koi8-r>", NULL},
	{"meta/", "<meta/charset=koi8-r>", "KOI8-R"},
	{"XML declaration", "<?xml version='1.0' encoding='koi8-r'?><html>", "KOI8-R"},
	{"meta over XML declaration",
		"<?xml version='1.0' encoding='koi8-r'?><meta charset=koi8-u>", "KOI8-U"},
	{"XML declaration in UTF-16", "<?xml version='1.0' encoding='utf-16'?>", "UTF-8"},
	{"open quote", "<meta charset='koi8-r>", NULL},
	{"cut meta", "<meta charset=koi8-r", "KOI8-R"},
	{"nothing", "<p>a < b", NULL},
	{"empty", "", NULL},
};

static void test_prescan(void)
{
	for (size_t i = 0; i < ARRAY_LEN(prescans); i++) {
		enum charset charset = CHARSET_COUNT;
		int rc = charset_prescan(slice_str(prescans[i].in), &charset);

		tap_case("prescan: %s", prescans[i].label);
		CHECK_INT(rc, prescans[i].want ? 0 : ERR_NOTFOUND);
		if (rc == 0)
			CHECK_STR(charset_name(charset), prescans[i].want);
	}
}

static void test_prescan_limit(void)
{
	static const char meta[] = "<meta charset=koi8-r>";
	enum charset charset;
	struct buf in;

	buf_init(&in, MAX);
	while (in.len + sizeof meta - 1 < CHARSET_PRESCAN_MAX)
		(void)buf_add_char(&in, ' ');
	(void)buf_add_str(&in, meta);
	CHECK_INT(charset_prescan(buf_slice(&in), &charset), 0);
	buf_reset(&in);
	while (in.len < CHARSET_PRESCAN_MAX)
		(void)buf_add_char(&in, ' ');
	(void)buf_add_str(&in, meta);
	CHECK_INT(charset_prescan(buf_slice(&in), &charset), ERR_NOTFOUND);
	buf_release(&in);
}

static void test_guess(void)
{
	static const struct {
		const char *label;
		slice in;
		const char *header;
		enum charset_format format;
		struct charset_guess want;
	} rows[] = {
		{"BOM over header", SLICE_INIT("\xef\xbb\xbfx"), "koi8-r", CHARSET_HTML,
			{CHARSET_UTF_8, CHARSET_FROM_BOM, 3}},
		{"BOM of UTF-16LE", SLICE_INIT("\xff\xfex"), "", CHARSET_HTML,
			{CHARSET_UTF_16LE, CHARSET_FROM_BOM, 2}},
		{"BOM of UTF-16BE", SLICE_INIT("\xfe\xffx"), "", CHARSET_PLAIN,
			{CHARSET_UTF_16BE, CHARSET_FROM_BOM, 2}},
		{"header over meta", SLICE_INIT("<meta charset=koi8-u>"), "koi8-r", CHARSET_HTML,
			{CHARSET_KOI8_R, CHARSET_FROM_HEADER, 0}},
		{"header may say UTF-16", SLICE_INIT("x"), "utf-16", CHARSET_HTML,
			{CHARSET_UTF_16LE, CHARSET_FROM_HEADER, 0}},
		{"unknown header", SLICE_INIT("<meta charset=koi8-u>"), "x", CHARSET_HTML,
			{CHARSET_KOI8_U, CHARSET_FROM_DOCUMENT, 0}},
		{"no meta in CSS", SLICE_INIT("<meta charset=koi8-u>"), "", CHARSET_CSS,
			{CHARSET_UTF_8, CHARSET_FROM_BYTES, 0}},
		{"@charset", SLICE_INIT("@charset \"koi8-u\";"), "", CHARSET_CSS,
			{CHARSET_KOI8_U, CHARSET_FROM_DOCUMENT, 0}},
		{"@charset with other quotes", SLICE_INIT("@charset 'koi8-u';"), "", CHARSET_CSS,
			{CHARSET_UTF_8, CHARSET_FROM_BYTES, 0}},
		{"UTF-8 by its bytes", SLICE_INIT("\xc3\xa4"), "", CHARSET_HTML,
			{CHARSET_UTF_8, CHARSET_FROM_BYTES, 0}},
		{"UTF-8 cut in a character", SLICE_INIT("\xc3\xa4\xe2\x82"), "", CHARSET_HTML,
			{CHARSET_UTF_8, CHARSET_FROM_BYTES, 0}},
		{"not UTF-8", SLICE_INIT("\xe4 x"), "", CHARSET_HTML,
			{CHARSET_WINDOWS_1252, CHARSET_FROM_BYTES, 0}},
		{"empty", SLICE_INIT(""), "", CHARSET_HTML, {CHARSET_UTF_8, CHARSET_FROM_BYTES, 0}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct charset_guess got =
			charset_guess(rows[i].in, slice_str(rows[i].header), rows[i].format);

		tap_case("guess: %s", rows[i].label);
		CHECK_STR(charset_name(got.charset), charset_name(rows[i].want.charset));
		CHECK_INT(got.source, rows[i].want.source);
		CHECK_INT((int64_t)got.bom, (int64_t)rows[i].want.bom);
	}
}

/* The first broken byte counts up to the limit and not beyond. */
static void test_sniff_limit(void)
{
	struct charset_guess guess;
	struct buf in;

	buf_init(&in, MAX);
	while (in.len < CHARSET_SNIFF_MAX - 2)
		(void)buf_add_char(&in, 'x');
	(void)buf_add_str(&in, "\xe4x");
	guess = charset_guess(buf_slice(&in), SLICE(""), CHARSET_HTML);
	CHECK_INT(guess.charset, CHARSET_WINDOWS_1252);
	in.ptr[CHARSET_SNIFF_MAX - 2] = 'x';
	(void)buf_add_str(&in, "\xe4x");
	guess = charset_guess(buf_slice(&in), SLICE(""), CHARSET_HTML);
	CHECK_INT(guess.charset, CHARSET_UTF_8);
	buf_release(&in);
}

static void decode(enum charset charset, slice in, size_t step, struct buf *out)
{
	struct charset_decoder *d = NULL;
	struct buf scratch;
	slice text;

	buf_init(&scratch, CHARSET_EXPANSION * (in.len + 1));
	if (!CHECK_INT(charset_decoder_open(charset, &d), 0))
		return;
	for (size_t at = 0; at < in.len; at += step)
		if (CHECK_INT(
			    charset_decode(d, slice_sub(in, at, at + step), false, &scratch, &text),
			    0))
			(void)buf_add(out, text);
	if (CHECK_INT(charset_decode(d, SLICE(""), true, &scratch, &text), 0))
		(void)buf_add(out, text);
	charset_decoder_close(d);
	buf_release(&scratch);
}

static void test_decode(void)
{
	static const struct {
		enum charset charset;
		slice in;
		const char *want;
	} rows[] = {
		{CHARSET_UTF_8, SLICE_INIT("a\xc3\xa4\xf0\x9f\x98\x80"),
			"a\xc3\xa4\xf0\x9f\x98\x80"},
		{CHARSET_UTF_8, SLICE_INIT("a\xffz\xc3z\xe2\x82z\xed\xa0\x80\xf0\x9f\x98"),
			"a\xef\xbf\xbdz\xef\xbf\xbdz\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf"
			"\xbd"
			"\xef\xbf\xbd"},
		{CHARSET_WINDOWS_1252, SLICE_INIT("\x80\x81\xe4\x9f"),
			"\xe2\x82\xac\xc2\x81\xc3\xa4\xc5\xb8"},
		{CHARSET_ISO_8859_2, SLICE_INIT("\xa1"), "\xc4\x84"},
		{CHARSET_ISO_8859_16, SLICE_INIT("\xa4"), "\xe2\x82\xac"},
		{CHARSET_KOI8_R, SLICE_INIT("\xc1"), "\xd0\xb0"},
		{CHARSET_SHIFT_JIS, SLICE_INIT("\x83\x65\xb1\x87\x40"),
			"\xe3\x83\x86\xef\xbd\xb1\xe2\x91\xa0"},
		{CHARSET_EUC_JP, SLICE_INIT("\xa4\xa2"), "\xe3\x81\x82"},
		{CHARSET_ISO_2022_JP, SLICE_INIT("\x1b$B$\"\x1b(Ba"),
			"\xe3\x81\x82"
			"a"},
		{CHARSET_EUC_KR, SLICE_INIT("\xb0\xa1\x81\x41"), "\xea\xb0\x80\xea\xb0\x82"},
		{CHARSET_BIG5, SLICE_INIT("\xa4\xa4"), "\xe4\xb8\xad"},
		{CHARSET_GBK, SLICE_INIT("\xd6\xd0"), "\xe4\xb8\xad"},
		{CHARSET_GB18030, SLICE_INIT("\x81\x30\x81\x30"), "\xc2\x80"},
		/* Where tables of the same name differ: as in the standard's indexes. */
		{CHARSET_GBK, SLICE_INIT("\x80\xa2\xe3\xa1\xaa"),
			"\xe2\x82\xac\xe2\x82\xac\xe2\x80\x94"},
		{CHARSET_GB18030, SLICE_INIT("a\x80\xa8\xbc\x84\x31\xa4\x37"),
			"a\xe2\x82\xac\xe1\xb8\xbf\xef\xbf\xbd"},
		{CHARSET_SHIFT_JIS, SLICE_INIT("\x81\x5f\x81\x60\x81\x7c\x81\x91\x81\xca\\~"),
			"\xef\xbc\xbc\xef\xbd\x9e\xef\xbc\x8d\xef\xbf\xa0\xef\xbf\xa2\\~"},
		{CHARSET_SHIFT_JIS, SLICE_INIT("\x1a\x1c\x7f\x80\xfa\x40\x82\x40"),
			"\x1a\x1c\x7f\xc2\x80\xe2\x85\xb0\xef\xbf\xbd@"},
		{CHARSET_EUC_JP, SLICE_INIT("\xa1\xc0\xa1\xc1\xa1\xdd\x8e\xb1\x8f\xa2\xb7\xad\xa1"),
			"\xef\xbc\xbc\xef\xbd\x9e\xef\xbc\x8d\xef\xbd\xb1\xef\xbd\x9e\xe2\x91\xa0"},
		{CHARSET_ISO_2022_JP, SLICE_INIT("\x1b$B!A-!\x1b(J\\~\x1b(I1\x1b(B"),
			"\xef\xbd\x9e\xe2\x91\xa0\xc2\xa5\xe2\x80\xbe\xef\xbd\xb1"},
		{CHARSET_EUC_KR, SLICE_INIT("\xa1\xad\xa2\xa6\\\xc6\x52"),
			"\xe2\x88\xbc\xef\xbd\x9e\\\xed\x9e\xa3"},
		{CHARSET_BIG5, SLICE_INIT("\xa1\x45\xf9\xfe\xc6\xe7\xa1\x20"),
			"\xe2\x80\xa7\xef\xbf\xad\xe3\x81\x81\xef\xbf\xbd "},
		{CHARSET_ISO_8859_8_I, SLICE_INIT("\xe0\xfd"), "\xd7\x90\xe2\x80\x8e"},
		{CHARSET_KOI8_U, SLICE_INIT("\xae\xbe"), "\xd1\x9e\xd0\x8e"},
		{CHARSET_MACINTOSH, SLICE_INIT("\xdb\xf0"), "\xe2\x82\xac\xef\xa3\xbf"},
		{CHARSET_X_MAC_CYRILLIC, SLICE_INIT("\xa2\xff"), "\xd2\x90\xe2\x82\xac"},
		{CHARSET_IBM866, SLICE_INIT("\x1a\x7f\xf2"), "\x1a\x7f\xd0\x84"},
		{CHARSET_UTF_16LE, SLICE_INIT("a\0\x3d\xd8\x00\xde\x00\xd8z\0"),
			"a\xf0\x9f\x98\x80\xef\xbf\xbdz"},
		{CHARSET_UTF_16BE, SLICE_INIT("\0a"), "a"},
		{CHARSET_X_USER_DEFINED, SLICE_INIT("a\x80\xff"), "a\xef\x9e\x80\xef\x9f\xbf"},
		{CHARSET_REPLACEMENT, SLICE_INIT("abc"), "\xef\xbf\xbd"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("decode: %s, row %zu", charset_name(rows[i].charset), i);
		for (size_t step = 1; step < 4; step++) {
			struct buf out;

			buf_init(&out, MAX);
			decode(rows[i].charset, rows[i].in, step, &out);
			CHECK_STR(buf_str(&out), rows[i].want);
			buf_release(&out);
		}
	}
}

/* FNV-1a over two bytes for each of the last 128 characters, the higher one first. */
static uint64_t hash_of(slice text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t count = 0;

	for (size_t at = 0; at < text.len; count++) {
		bool ok;
		size_t n = utf8_length((const unsigned char *)text.ptr + at, text.len - at, &ok);
		const unsigned char *p = (const unsigned char *)text.ptr + at;
		unsigned code =
			n == 1   ? p[0]
			: n == 2 ? (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU)
				 : (p[0] & 0xfU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);

		if (count < 128)
			CHECK_INT(code, count);
		else
			hash = ((hash ^ code >> 8) * UINT64_C(0x100000001b3) ^ (code & 0xff)) *
			       UINT64_C(0x100000001b3);
		at += n;
	}
	CHECK_INT((int64_t)count, 256);
	return hash;
}

/*
 * All bytes of all single-byte encodings. The hashes are of the standard's index-*.txt, U+FFFD
 * where those have nothing.
 */
static void test_single_bytes(void)
{
	static const struct {
		const char *label;
		uint64_t hash;
	} rows[] = {
		{"ibm866", UINT64_C(0xe93a3c2e9cb4c831)},
		{"iso-8859-2", UINT64_C(0x389b15b35a20fcb0)},
		{"iso-8859-3", UINT64_C(0xf53a40ccac59e7ab)},
		{"iso-8859-4", UINT64_C(0xe04ab2d1cdfb1c22)},
		{"iso-8859-5", UINT64_C(0xc5b66df1a189fbb0)},
		{"iso-8859-6", UINT64_C(0x7de92d3fa04dbd86)},
		{"iso-8859-7", UINT64_C(0x9c3dcf6bba2db16e)},
		{"iso-8859-8", UINT64_C(0x975f789429353629)},
		{"iso-8859-8-i", UINT64_C(0x975f789429353629)},
		{"iso-8859-10", UINT64_C(0x1c8b1706fdf6c1bb)},
		{"iso-8859-13", UINT64_C(0x5983ba785e91bf2c)},
		{"iso-8859-14", UINT64_C(0xcf2c911a57ef8167)},
		{"iso-8859-15", UINT64_C(0xe77597b86957fef2)},
		{"iso-8859-16", UINT64_C(0x5f93d513279487e2)},
		{"koi8-r", UINT64_C(0x9d2af3257524c02c)},
		{"koi8-u", UINT64_C(0x7942527be5388748)},
		{"macintosh", UINT64_C(0x9989fea01ac834d9)},
		{"windows-874", UINT64_C(0x86e8b03e54ff2a1d)},
		{"windows-1250", UINT64_C(0xfcd7012b915d0b7e)},
		{"windows-1251", UINT64_C(0xf3950086b788e107)},
		{"windows-1252", UINT64_C(0xde2faaa9f95c637a)},
		{"windows-1253", UINT64_C(0xc2de832378065e05)},
		{"windows-1254", UINT64_C(0xfb1d496c5a2b7544)},
		{"windows-1255", UINT64_C(0x5cf16a541c0a021b)},
		{"windows-1256", UINT64_C(0x5280e0e2c0018566)},
		{"windows-1257", UINT64_C(0xd6de0c348991b659)},
		{"windows-1258", UINT64_C(0x3891b30eca8a88e0)},
		{"x-mac-cyrillic", UINT64_C(0x58c4f34d290c283f)},
	};
	char bytes[256];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)i;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum charset charset = CHARSET_COUNT;
		struct buf out;

		tap_case("single bytes: %s", rows[i].label);
		buf_init(&out, MAX);
		CHECK_INT(charset_of_label(slice_str(rows[i].label), &charset), 0);
		decode(charset, (slice){bytes, sizeof bytes}, 100, &out);
		CHECK(hash_of(buf_slice(&out)) == rows[i].hash);
		buf_release(&out);
	}
}

/* Every encoding opens, passes ASCII (but for the two-byte ones) and swallows any bytes. */
static void test_all_open(void)
{
	char bytes[256];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)i;
	for (int i = 0; i < CHARSET_COUNT; i++) {
		struct buf out;

		tap_case("any bytes: %s", charset_name((enum charset)i));
		buf_init(&out, MAX);
		decode((enum charset)i, (slice){bytes, sizeof bytes}, 7, &out);
		CHECK(out.len > 0);
		CHECK(utf8_valid_prefix(buf_slice(&out)) == out.len);
		buf_release(&out);
	}
}

static void test_media_type(void)
{
	static const struct {
		const char *in, *essence, *charset;
	} rows[] = {
		{"", "", ""},
		{"text/html", "text/html", ""},
		{" Text/HTML ; Charset=UTF-8 ", "Text/HTML", "UTF-8"},
		{"text/html;charset=\"a b\";x=y", "text/html", "a b"},
		{"text/html; x; y=\"a;charset=b\"; charset=c; charset=d", "text/html", "c"},
		{"text/html;charset", "text/html", ""},
		{"text/html;charset=\"a", "text/html", "a"},
		/* Several values, after the examples of Fetch, section 2.2.2. */
		{"text/html, text/html", "text/html", ""},
		{"text/plain, text/html", "text/html", ""},
		{"text/html;charset=gbk, text/html", "text/html", "gbk"},
		{"text/html;charset=gbk, text/html;x=\",text/plain\"", "text/html", "gbk"},
		{"text/html;charset=gbk, text/plain, text/html", "text/html", ""},
		{"text/html, */*", "text/html", ""},
		{"text/html, ", "text/html", ""},
		{"charset=windows-1251, text/html", "text/html", ""},
		/* No media types. */
		{"text/html charset=utf-8", "", ""},
		{"html", "", ""},
		{"text/", "", ""},
		{"/html", "", ""},
		{"*/*", "", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct media_type type = media_type_parse(slice_str(rows[i].in));

		CHECK_SLICE(type.essence, slice_str(rows[i].essence));
		CHECK_SLICE(type.charset, slice_str(rows[i].charset));
	}
	CHECK_SLICE(media_type_of_path("a/b.CSS"), SLICE("text/css"));
	CHECK_SLICE(media_type_of_path("css"), SLICE("text/html"));
}

/* Behind what the prescan reads, wherever it stands in the blocks that are searched at once. */
static void test_late_meta(void)
{
	for (size_t before = 0; before < 70; before++)
		for (size_t behind = 0; behind < 2; behind++) {
			struct charset_guess guess;
			struct buf in;

			buf_init(&in, 4 << 10);
			for (size_t i = 0; i < CHARSET_PRESCAN_MAX + before; i++)
				buf_add_char(&in, i % 7 ? 'm' : '<');
			buf_add_str(&in, "><b><MeTa charset=koi8-r>");
			for (size_t i = 0; i < 40 * behind; i++)
				buf_add_char(&in, 'x');
			guess = charset_guess(buf_slice(&in), SLICE(""), CHARSET_HTML);
			CHECK_STR(charset_name(guess.charset), "KOI8-R");
			CHECK_INT(guess.source, CHARSET_FROM_DOCUMENT);
			buf_release(&in);
		}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_labels);
	test_prescan();
	TAP_RUN(test_prescan_limit);
	test_guess();
	TAP_RUN(test_late_meta);
	TAP_RUN(test_sniff_limit);
	test_decode();
	test_single_bytes();
	test_all_open();
	TAP_RUN(test_media_type);
	return tap_done();
}
