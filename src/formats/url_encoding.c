/* WHATWG URL Standard, section 1.3: percent-encode after encoding; Encoding Standard by ICU. */
#include "formats/url_encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <unicode/ucnv.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "base/mem.h"
#include "base/utf8.h"

enum {
	CHARACTER_MAX = 16, /* bytes of one character in any encoding, shifts included */
	REFERENCE_SIZE = 24,
};

struct url_encoding {
	UConverter *converter;
};

/* "Get an output encoding" */
static bool is_utf8(const char *name)
{
	static const slice names[] = {SLICE_INIT("utf-8"), SLICE_INIT("utf8"),
		SLICE_INIT("utf-16le"), SLICE_INIT("utf-16be"), SLICE_INIT("utf-16"),
		SLICE_INIT("replacement")};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (url_equal_nocase(slice_str(name), names[i]))
			return true;
	return false;
}

static int open_converter(struct url_encoding *e, const char *name, struct err *err)
{
	UErrorCode code = U_ZERO_ERROR;

	e->converter = ucnv_open(name, &code);
	if (U_SUCCESS(code))
		ucnv_setFromUCallBack(
			e->converter, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL, &code);
	if (U_SUCCESS(code))
		return 0;
	if (code == U_MEMORY_ALLOCATION_ERROR)
		return err_set(err, ERR_NOMEM, "no memory for an encoding");
	return err_set(err, ERR_UNSUPPORTED, "unknown encoding '%.99s'", name);
}

int url_encoding_open(const char *name, struct url_encoding **ret, struct err *err)
{
	struct url_encoding *e;
	int rc;

	if (is_utf8(name)) {
		*ret = NULL;
		return 0;
	}
	e = mem_new(1, sizeof *e);
	rc = open_converter(e, name, err);
	if (rc) {
		url_encoding_close(e);
		return rc;
	}
	ucnv_setFallback(e->converter, false);
	*ret = e;
	return 0;
}

void url_encoding_close(struct url_encoding *e)
{
	if (!e)
		return;
	ucnv_close(e->converter);
	free(e);
}

static int add_byte(struct buf *out, char c, enum url_set set)
{
	char escape[4];

	if (!url_byte_is(c, set))
		return buf_add_char(out, c);
	(void)snprintf(escape, sizeof escape, "%%%02X", (unsigned char)c);
	return buf_add(out, (slice){escape, 3});
}

/* A character that the encoding lacks: "&#DECIMAL;", escaped by its own rule. */
static int add_reference(struct buf *out, UChar32 c)
{
	char text[REFERENCE_SIZE];
	int n = snprintf(text, sizeof text, "%%26%%23%d%%3B", (int)c);

	return buf_add(out, (slice){text, (size_t)n});
}

static int add_character(struct buf *out, UChar32 c, struct url_encoding *e, enum url_set set)
{
	UErrorCode code = U_ZERO_ERROR;
	char bytes[CHARACTER_MAX];
	UChar units[2];
	int32_t count = 0, len;
	int rc = 0;

	U16_APPEND_UNSAFE(units, count, c);
	len = ucnv_fromUChars(e->converter, bytes, sizeof bytes, units, count, &code);
	if (U_FAILURE(code))
		return add_reference(out, c);
	for (int32_t i = 0; i < len && rc == 0; i++)
		rc = add_byte(out, bytes[i], set);
	return rc;
}

/* The code point of a sequence that is sound; U+FFFD of any other. */
static UChar32 code_point(slice sequence, bool sound)
{
	UChar32 c = 0xfffd;
	int32_t at = 0;

	if (sound)
		U8_NEXT_UNSAFE(sequence.ptr, at, c);
	return c;
}

int url_encode_query(struct buf *out, slice s, struct url_encoding *e, enum url_set set)
{
	size_t at = 0;
	int rc = 0;

	while (at < s.len && rc == 0) {
		size_t n = 1;
		bool ok;

		if (url_byte_is(s.ptr[at], URL_NOT_ASCII)) {
			n = utf8_length((const unsigned char *)s.ptr + at, s.len - at, &ok);
			rc = add_character(out, code_point(slice_sub(s, at, at + n), ok), e, set);
		} else {
			rc = add_byte(out, s.ptr[at], set);
		}
		at += n;
	}
	return rc;
}
