/*
 * Finding a document's encoding: HTML 13.2.3.2 and .3 (prescan, get an attribute, XML declaration),
 * 2.5.5 (meta), CSS Syntax 3.2 (@charset), Encoding 6 (byte order marks win over everything).
 */
#include <emmintrin.h>

#include "base/err.h"
#include "base/utf8.h"
#include "base/word.h"
#include "formats/charset.h"

/* Encoding, section 4.2; the usual ones first. */
static const struct {
	enum charset charset;
	const char *labels;
} LABELS[] = {
	{CHARSET_UTF_8, "utf-8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8"},
	{CHARSET_WINDOWS_1252,
		"ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
		"iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii "
		"windows-1252 x-cp1252"},
	{CHARSET_BIG5, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
	{CHARSET_EUC_JP, "cseucpkdfmtjapanese euc-jp x-euc-jp"},
	{CHARSET_EUC_KR,
		"cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
		"ksc5601 ksc_5601 windows-949"},
	{CHARSET_GB18030, "gb18030"},
	{CHARSET_GBK, "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 "
		      "x-gbk"},
	{CHARSET_IBM866, "866 cp866 csibm866 ibm866"},
	{CHARSET_ISO_2022_JP, "csiso2022jp iso-2022-jp"},
	{CHARSET_ISO_8859_10, "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
	{CHARSET_ISO_8859_13, "iso-8859-13 iso8859-13 iso885913"},
	{CHARSET_ISO_8859_14, "iso-8859-14 iso8859-14 iso885914"},
	{CHARSET_ISO_8859_15, "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"},
	{CHARSET_ISO_8859_16, "iso-8859-16"},
	{CHARSET_ISO_8859_2, "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 "
			     "iso_8859-2:1987 l2 latin2"},
	{CHARSET_ISO_8859_3, "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 "
			     "iso_8859-3:1988 l3 latin3"},
	{CHARSET_ISO_8859_4, "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 "
			     "iso_8859-4:1988 l4 latin4"},
	{CHARSET_ISO_8859_5, "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 "
			     "iso_8859-5 iso_8859-5:1988"},
	{CHARSET_ISO_8859_6,
		"arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 "
		"iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 "
		"iso_8859-6:1987"},
	{CHARSET_ISO_8859_7, "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 "
			     "iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
	{CHARSET_ISO_8859_8,
		"csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 "
		"iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual"},
	{CHARSET_ISO_8859_8_I, "csiso88598i iso-8859-8-i logical"},
	{CHARSET_KOI8_R, "cskoi8r koi koi8 koi8-r koi8_r"},
	{CHARSET_KOI8_U, "koi8-ru koi8-u"},
	{CHARSET_MACINTOSH, "csmacintosh mac macintosh x-mac-roman"},
	{CHARSET_REPLACEMENT,
		"csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"},
	{CHARSET_SHIFT_JIS,
		"csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
	{CHARSET_UTF_16BE, "unicodefffe utf-16be"},
	{CHARSET_UTF_16LE, "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
	{CHARSET_WINDOWS_1250, "cp1250 windows-1250 x-cp1250"},
	{CHARSET_WINDOWS_1251, "cp1251 windows-1251 x-cp1251"},
	{CHARSET_WINDOWS_1253, "cp1253 windows-1253 x-cp1253"},
	{CHARSET_WINDOWS_1254,
		"cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
		"iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"},
	{CHARSET_WINDOWS_1255, "cp1255 windows-1255 x-cp1255"},
	{CHARSET_WINDOWS_1256, "cp1256 windows-1256 x-cp1256"},
	{CHARSET_WINDOWS_1257, "cp1257 windows-1257 x-cp1257"},
	{CHARSET_WINDOWS_1258, "cp1258 windows-1258 x-cp1258"},
	{CHARSET_WINDOWS_874, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
	{CHARSET_X_MAC_CYRILLIC, "x-mac-cyrillic x-mac-ukrainian"},
	{CHARSET_X_USER_DEFINED, "x-user-defined"},
};

int charset_of_label(slice label, enum charset *ret_charset)
{
	label = word_trim(label);
	if (label.len == 0)
		return ERR_NOTFOUND;
	for (size_t i = 0; i < sizeof LABELS / sizeof LABELS[0]; i++) {
		slice rest = slice_str(LABELS[i].labels), word;

		while (word_next(&rest, ' ', &word))
			if (word_is(word, label)) {
				*ret_charset = LABELS[i].charset;
				return 0;
			}
	}
	return ERR_NOTFOUND;
}

const char *charset_name(enum charset charset)
{
	static const char *const NAMES[CHARSET_COUNT] = {
#define X(id, name, icu) [CHARSET_##id] = (name),
		CHARSETS(X)
#undef X
	};

	return NAMES[charset];
}

#ifdef __SSE2__
#endif

/* A byte order mark, if one is there. */
static bool find_bom(slice s, struct charset_guess *ret_guess)
{
	if (slice_starts_with(s, SLICE("\xef\xbb\xbf")))
		*ret_guess = (struct charset_guess){CHARSET_UTF_8, CHARSET_FROM_BOM, 3};
	else if (slice_starts_with(s, SLICE("\xfe\xff")))
		*ret_guess = (struct charset_guess){CHARSET_UTF_16BE, CHARSET_FROM_BOM, 2};
	else if (slice_starts_with(s, SLICE("\xff\xfe")))
		*ret_guess = (struct charset_guess){CHARSET_UTF_16LE, CHARSET_FROM_BOM, 2};
	else
		return false;
	return true;
}

/* The place of the word (in lower case) in s, from a place on; s.len when it is not there. */
static size_t find(slice s, size_t from, slice word)
{
	for (; from + word.len <= s.len; from++)
		if (word_is(slice_sub(s, from, from + word.len), word))
			return from;
	return s.len;
}

static size_t skip_space(slice s, size_t at)
{
	while (at < s.len && word_is_space(s.ptr[at]))
		at++;
	return at;
}

/* "Extract a character encoding from a meta element": the label in "text/html; charset=x". */
static slice charset_in_content(slice s)
{
	size_t at = 0, end;

	do {
		at = find(s, at, SLICE("charset"));
		if (at == s.len)
			return (slice){0};
		at = skip_space(s, at + 7);
	} while (at == s.len || s.ptr[at] != '=');
	at = skip_space(s, at + 1);
	if (at < s.len && (s.ptr[at] == '"' || s.ptr[at] == '\'')) {
		const char *quote = memchr(s.ptr + at + 1, s.ptr[at], s.len - at - 1);

		return quote ? slice_sub(s, at + 1, (size_t)(quote - s.ptr)) : (slice){0};
	}
	for (end = at; end < s.len && !word_is_space(s.ptr[end]) && s.ptr[end] != ';'; end++)
		;
	return slice_sub(s, at, end);
}

struct scan {
	slice in;
	size_t at;
};

static char peek(const struct scan *s)
{
	if (s->at < s->in.len)
		return s->in.ptr[s->at];
	return '\0';
}

static slice take_value(struct scan *s)
{
	char quote = peek(s);
	size_t from = s->at;

	if (quote == '"' || quote == '\'') {
		slice value;

		from = ++s->at;
		while (s->at < s->in.len && peek(s) != quote)
			s->at++;
		value = slice_sub(s->in, from, s->at);
		s->at += s->at < s->in.len;
		return value;
	}
	while (s->at < s->in.len && !word_is_space(peek(s)) && peek(s) != '>')
		s->at++;
	return slice_sub(s->in, from, s->at);
}

/* "Get an attribute"; false when there is none. */
static bool take_attribute(struct scan *s, slice *ret_name, slice *ret_value)
{
	size_t from;

	while (s->at < s->in.len && (word_is_space(peek(s)) || peek(s) == '/'))
		s->at++;
	if (s->at == s->in.len || peek(s) == '>')
		return false;
	from = s->at;
	do
		s->at++;
	while (s->at < s->in.len && !word_is_space(peek(s)) && !strchr("=/>", peek(s)));
	*ret_name = slice_sub(s->in, from, s->at);
	*ret_value = (slice){"", 0};
	if (peek(s) == '/' || peek(s) == '>')
		return true;
	s->at = skip_space(s->in, s->at);
	if (peek(s) != '=')
		return true;
	s->at = skip_space(s->in, s->at + 1);
	*ret_value = take_value(s);
	return true;
}

enum { SEEN_HTTP_EQUIV = 1, SEEN_CONTENT = 2, SEEN_CHARSET = 4 };

struct meta {
	unsigned seen;
	bool got_pragma;
	bool need_pragma;
	slice label; /* .ptr NULL for none */
};

static void meta_attribute(struct meta *m, slice name, slice value)
{
	if (word_is(name, SLICE("http-equiv")) && !(m->seen & SEEN_HTTP_EQUIV)) {
		m->seen |= SEEN_HTTP_EQUIV;
		m->got_pragma = word_is(value, SLICE("content-type"));
	} else if (word_is(name, SLICE("content")) && !(m->seen & SEEN_CONTENT)) {
		m->seen |= SEEN_CONTENT;
		if (!m->label.ptr) {
			m->label = charset_in_content(value);
			m->need_pragma = true;
		}
	} else if (word_is(name, SLICE("charset")) && !(m->seen & SEEN_CHARSET)) {
		m->seen |= SEEN_CHARSET;
		m->label = value;
		m->need_pragma = false;
	}
}

/* What a declaration that could be read as ASCII cannot mean. */
static enum charset believable(enum charset charset)
{
	if (charset == CHARSET_UTF_16BE || charset == CHARSET_UTF_16LE)
		return CHARSET_UTF_8;
	return charset == CHARSET_X_USER_DEFINED ? CHARSET_WINDOWS_1252 : charset;
}

/* Behind "<meta". */
static int read_meta(struct scan *s, enum charset *ret_charset)
{
	struct meta m = {0};
	enum charset charset;
	slice name, value;

	while (take_attribute(s, &name, &value))
		meta_attribute(&m, name, value);
	if (!m.label.ptr || (m.need_pragma && !m.got_pragma) || charset_of_label(m.label, &charset))
		return ERR_NOTFOUND;
	*ret_charset = believable(charset);
	return 0;
}

static bool starts_tag(const struct scan *s)
{
	size_t at = s->at + 1;

	at += at < s->in.len && s->in.ptr[at] == '/';
	return at < s->in.len && word_is_alpha(s->in.ptr[at]);
}

/* Steps over any other tag: its attributes may hold what looks like a tag. */
static void skip_tag(struct scan *s)
{
	slice name, value;

	while (s->at < s->in.len && !word_is_space(peek(s)) && peek(s) != '>')
		s->at++;
	while (take_attribute(s, &name, &value))
		;
}

static void skip_past(struct scan *s, size_t from, slice end)
{
	size_t at = find(s->in, from, end);

	s->at = at == s->in.len ? at : at + end.len;
}

/* One step of the prescan's loop, at a "<". */
static int prescan_step(struct scan *s, enum charset *ret_charset)
{
	slice rest = slice_sub(s->in, s->at, s->in.len);

	if (word_starts(rest, SLICE("<!--"))) {
		skip_past(s, s->at + 2, SLICE("-->"));
	} else if (rest.len > 5 && word_starts(rest, SLICE("<meta")) &&
		   (word_is_space(rest.ptr[5]) || rest.ptr[5] == '/')) {
		s->at += 5;
		return read_meta(s, ret_charset);
	} else if (starts_tag(s)) {
		skip_tag(s);
	} else if (rest.len > 1 && strchr("!/?", rest.ptr[1])) {
		skip_past(s, s->at, SLICE(">"));
	} else {
		s->at++;
	}
	return ERR_NOTFOUND;
}

/* "Get an XML encoding". */
static int xml_encoding(slice s, enum charset *ret_charset)
{
	enum charset charset;
	size_t end, at;
	struct scan scan;

	if (s.len < 5 || memcmp(s.ptr, "<?xml", 5) != 0)
		return ERR_NOTFOUND;
	end = find(s, 0, SLICE(">"));
	at = find(s, 0, SLICE("encoding"));
	if (end == s.len || at > end)
		return ERR_NOTFOUND;
	at += 8;
	while (at < end && (unsigned char)s.ptr[at] <= ' ')
		at++;
	if (s.ptr[at] != '=')
		return ERR_NOTFOUND;
	at++;
	while (at < end && (unsigned char)s.ptr[at] <= ' ')
		at++;
	if (s.ptr[at] != '"' && s.ptr[at] != '\'')
		return ERR_NOTFOUND;
	scan = (struct scan){slice_sub(s, 0, end), at};
	if (charset_of_label(take_value(&scan), &charset))
		return ERR_NOTFOUND;
	*ret_charset = believable(charset);
	return 0;
}

/* Elements whose text looks like tags, but is none. */
static void skip_raw_text(struct scan *s)
{
	static const slice NAMES[] = {SLICE_INIT("script"), SLICE_INIT("style"),
		SLICE_INIT("title"), SLICE_INIT("textarea"), SLICE_INIT("xmp")};
	slice name = slice_sub(s->in, s->at + 1, s->in.len);

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
		size_t at = s->at + 1 + NAMES[i].len;

		if (!word_starts(name, NAMES[i]) || at >= s->in.len || word_is_alnum(s->in.ptr[at]))
			continue;
		for (; at < s->in.len; at++)
			if (s->in.ptr[at] == '<' && at + 1 < s->in.len &&
				s->in.ptr[at + 1] == '/' &&
				word_starts(slice_sub(s->in, at + 2, s->in.len), NAMES[i]))
				break;
		s->at = at;
		return;
	}
}

/* The next "<m", sixteen bytes at a time: pages have hundreds of other tags. NULL: none. */
static const char *find_m_tag(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i sign = _mm_set1_epi8('<'), letter = _mm_set1_epi8('m');
	const __m128i case_bit = _mm_set1_epi8(0x20);

	for (; end - p >= 33; p += 32) {
		const __m128i *at = (const __m128i *)(const void *)p;
		const __m128i *next = (const __m128i *)(const void *)(p + 1);
		__m128i first = _mm_and_si128(_mm_cmpeq_epi8(_mm_loadu_si128(at), sign),
			_mm_cmpeq_epi8(_mm_or_si128(_mm_loadu_si128(next), case_bit), letter));
		__m128i second = _mm_and_si128(_mm_cmpeq_epi8(_mm_loadu_si128(at + 1), sign),
			_mm_cmpeq_epi8(_mm_or_si128(_mm_loadu_si128(next + 1), case_bit), letter));

		if (_mm_movemask_epi8(_mm_or_si128(first, second)))
			break;
	}
#endif
	for (; end - p >= 2; p++)
		if (p[0] == '<' && (p[1] | 0x20) == 'm')
			return p;
	return NULL;
}

/* "<meta" somewhere; most pages have none where they have not been searched yet. */
static bool has_meta(slice s)
{
	size_t from = 0;

	while (from < s.len) {
		const char *tag = find_m_tag(s.ptr + from, s.ptr + s.len);

		if (!tag)
			return false;
		from = (size_t)(tag - s.ptr) + 1;
		if (word_starts(slice_sub(s, from, s.len), SLICE("meta")))
			return true;
	}
	return false;
}

/*
 * Browsers begin anew when they meet a declaration later on ("change the encoding"); all we have
 * was kept for that.
 */
static int find_late(slice start, enum charset *ret_charset)
{
	struct scan s = {start, 0};

	if (!has_meta(start))
		return ERR_NOTFOUND;
	while (s.at < s.in.len) {
		const char *tag = memchr(s.in.ptr + s.at, '<', s.in.len - s.at);
		size_t from;

		if (!tag)
			break;
		from = s.at = (size_t)(tag - s.in.ptr);
		skip_raw_text(&s);
		if (s.at == from && prescan_step(&s, ret_charset) == 0)
			return 0;
	}
	return ERR_NOTFOUND;
}

int charset_prescan(slice start, enum charset *ret_charset)
{
	struct scan s = {slice_sub(start, 0, CHARSET_PRESCAN_MAX), 0};
	bool may_declare = has_meta(s.in);

	if (s.in.len >= 6 && memcmp(s.in.ptr, "<\0?\0x\0", 6) == 0) {
		*ret_charset = CHARSET_UTF_16LE;
		return 0;
	}
	if (s.in.len >= 6 && memcmp(s.in.ptr, "\0<\0?\0x", 6) == 0) {
		*ret_charset = CHARSET_UTF_16BE;
		return 0;
	}
	while (may_declare && s.at < s.in.len) {
		const char *tag = memchr(s.in.ptr + s.at, '<', s.in.len - s.at);

		if (!tag)
			break;
		s.at = (size_t)(tag - s.in.ptr);
		if (prescan_step(&s, ret_charset) == 0)
			return 0;
	}
	return xml_encoding(s.in, ret_charset);
}

/* @charset "…"; has to stand at the very start, in exactly these bytes. */
static int css_charset(slice s, enum charset *ret_charset)
{
	enum charset charset;
	size_t end;

	s = slice_sub(s, 0, CHARSET_PRESCAN_MAX);
	if (s.len < 10 || memcmp(s.ptr, "@charset \"", 10) != 0)
		return ERR_NOTFOUND;
	end = find(s, 10, SLICE("\";"));
	if (end == s.len || charset_of_label(slice_sub(s, 10, end), &charset))
		return ERR_NOTFOUND;
	*ret_charset = believable(charset);
	return 0;
}

/* Bytes are UTF-8 but for a character that is cut at their end. */
static bool is_utf8(slice s)
{
	size_t valid = utf8_valid_prefix(s);
	bool ok;

	return valid == s.len || utf8_length((const unsigned char *)s.ptr + valid, s.len - valid,
					 &ok) == s.len - valid;
}

struct charset_guess charset_guess(slice start, slice label, enum charset_format format)
{
	struct charset_guess guess = {.source = CHARSET_FROM_HEADER};
	int rc = ERR_NOTFOUND;

	start = slice_sub(start, 0, CHARSET_SNIFF_MAX);
	if (find_bom(start, &guess) || charset_of_label(label, &guess.charset) == 0)
		return guess;
	guess.source = CHARSET_FROM_DOCUMENT;
	if (format == CHARSET_HTML)
		rc = charset_prescan(start, &guess.charset);
	if (rc && format == CHARSET_HTML)
		rc = find_late(start, &guess.charset);
	else if (format == CHARSET_CSS)
		rc = css_charset(start, &guess.charset);
	if (rc == 0)
		return guess;
	guess.source = CHARSET_FROM_BYTES;
	guess.charset = is_utf8(start) ? CHARSET_UTF_8 : CHARSET_WINDOWS_1252;
	return guess;
}
