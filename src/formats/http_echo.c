#include "formats/http_echo.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The value of the number there, of up to 8 digits; *ret_len is 0 if there is none. */
static uint32_t number_at(slice text, unsigned base, size_t digits, size_t *ret_len)
{
	uint32_t value = 0;
	size_t n = 0;

	while (n < digits && n < text.len) {
		int c = text.ptr[n] >= 'A' ? text.ptr[n] | 0x20 : text.ptr[n];
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;

		if (digit >= base)
			break;
		value = value * base + digit;
		n++;
	}
	*ret_len = n;
	return value;
}

/* %41 and %2541 (escaped twice, or more often) for a byte: their length, or 0. */
static size_t percent(slice text, unsigned char byte)
{
	size_t at = 1, len;

	for (;;) {
		uint32_t value = number_at(slice_sub(text, at, text.len), 16, 2, &len);

		if (len < 2)
			return 0;
		if (value == byte)
			return at + 2;
		if (value != '%')
			return 0;
		at += 2;
	}
}

/* What stands for one byte, whatever character it is of. */
static size_t byte_at(slice text, unsigned char byte)
{
	size_t len = text.len > 0 && text.ptr[0] == '%' ? percent(text, byte) : 0;

	if (len > 0 || text.len == 0)
		return len;
	return (unsigned char)text.ptr[0] == byte || (byte == ' ' && text.ptr[0] == '+');
}

/* &#65; &#x41; &amp; for a character: their length, or 0. */
static size_t reference(slice text, uint32_t code)
{
	static const struct {
		const char *name;
		uint32_t code;
	} NAMED[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
	bool is_hex = text.len > 2 && (text.ptr[2] | 0x20) == 'x';
	size_t at = is_hex ? 3 : 2, len;

	for (size_t i = 0; i < sizeof NAMED / sizeof NAMED[0]; i++)
		if (NAMED[i].code == code && slice_starts_with(text, slice_str(NAMED[i].name)))
			return strlen(NAMED[i].name);
	if (text.len < 3 || text.ptr[1] != '#' ||
		number_at(slice_sub(text, at, text.len), is_hex ? 16 : 10, 8, &len) != code ||
		len == 0)
		return 0;
	at += len;
	return at < text.len && text.ptr[at] == ';' ? at + 1 : at;
}

/* \" and \u0041 for a character: their length, or 0. */
static size_t backslash(slice text, uint32_t code)
{
	size_t len;

	if (text.len > 1 && code < 0x80 && text.ptr[1] == (char)code &&
		strchr("\"\\/'", text.ptr[1]))
		return 2;
	if (text.len < 6 || text.ptr[1] != 'u')
		return 0;
	return number_at(slice_sub(text, 2, 6), 16, 4, &len) == code && len == 4 ? 6 : 0;
}

static uint32_t code_of(slice character)
{
	static const unsigned char FIRST[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t code = (unsigned char)character.ptr[0] & FIRST[character.len];

	for (size_t i = 1; i < character.len; i++)
		code = code << 6 | ((unsigned char)character.ptr[i] & 0x3f);
	return code;
}

/* What stands for a character of the secret there: its length, or 0. */
static size_t character_at(slice text, slice character)
{
	size_t at = 0;

	if (text.len > 0 && text.ptr[0] == '&' && (at = reference(text, code_of(character))))
		return at;
	if (text.len > 0 && text.ptr[0] == '\\' && (at = backslash(text, code_of(character))))
		return at;
	for (size_t i = 0; i < character.len; i++) {
		size_t len =
			byte_at(slice_sub(text, at, text.len), (unsigned char)character.ptr[i]);

		if (len == 0)
			return 0;
		at += len;
	}
	return at;
}

static bool repeats(slice text, slice secret);

/* A percent sign may be escaped any number of times, and what follows it begin with 25, too. */
static bool repeats_percent(slice text, slice rest)
{
	enum { TIMES = 3 };
	size_t at = 1;

	for (int i = 0; i <= TIMES; i++) {
		if (repeats(slice_sub(text, at, text.len), rest))
			return true;
		if (!slice_starts_with(slice_sub(text, at, text.len), SLICE("25")))
			return false;
		at += 2;
	}
	return false;
}

static bool repeats(slice text, slice secret)
{
	while (secret.len > 0) {
		if (secret.ptr[0] == '%' && slice_starts_with(text, SLICE("%")))
			return repeats_percent(text, slice_sub(secret, 1, secret.len));
		bool is_sound;
		size_t len = utf8_length((const unsigned char *)secret.ptr, secret.len, &is_sound);
		size_t taken = character_at(text, slice_sub(secret, 0, is_sound ? len : 1));

		if (taken == 0)
			return false;
		text = slice_sub(text, taken, text.len);
		secret = slice_sub(secret, is_sound ? len : 1, secret.len);
	}
	return true;
}

bool echo_has(slice text, slice secret)
{
	if (secret.len == 0)
		return false;
	/* As it is: else its own % could be taken for an escape. */
	if (text.len >= secret.len && memmem(text.ptr, text.len, secret.ptr, secret.len))
		return true;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if ((c == secret.ptr[0] || c == '%' || c == '+' || c == '&' || c == '\\') &&
			repeats(slice_sub(text, i, text.len), secret))
			return true;
	}
	return false;
}
