/* Character references: HTML 13.2.5.72 to .80. */
#include <stdint.h>

#include "base/utf8.h"
#include "formats/html_state.h"

struct entity {
	uint16_t name; /* place in NAMES */
	uint8_t name_len;
	uint8_t value_len;
	char value[HTML_ENTITY_VALUE_MAX + 1];
};

#include "formats/html_entities.inc"

/* Byte of the name at this depth; a name that has ended sorts before all others. */
static int byte_at(size_t i, size_t depth)
{
	const struct entity *e = &ENTITIES[i];

	return depth < e->name_len ? (unsigned char)NAMES[e->name + depth] : -1;
}

/* First of the entries [low, high) whose byte at this depth is at least c. */
static size_t lower_bound(size_t low, size_t high, size_t depth, int c)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (byte_at(middle, depth) < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The names that begin with the bytes read so far are a range, which each byte narrows. */
size_t html_entity_match(slice text, slice *ret_value)
{
	int first = text.len ? (unsigned char)text.ptr[0] : 0;
	size_t low, high, best = 0;

	if (first < FIRST_LETTER || first > LAST_LETTER)
		return 0;
	low = STARTS[first - FIRST_LETTER];
	high = STARTS[first - FIRST_LETTER + 1];
	for (size_t depth = 1; depth < text.len; depth++) {
		int c = (unsigned char)text.ptr[depth];

		low = lower_bound(low, high, depth, c);
		high = lower_bound(low, high, depth, c + 1);
		if (low == high)
			break;
		if (ENTITIES[low].name_len == depth + 1) {
			best = depth + 1;
			*ret_value = (slice){ENTITIES[low].value, ENTITIES[low].value_len};
		}
	}
	return best;
}

enum { CODE_TOO_LARGE = 0x110000 };

void html_begin_reference(struct html_tokenizer *t)
{
	t->ref_back = t->state;
	t->temp_len = 0;
	html_temp_add(t, '&');
	t->state = HTML_STATE_CHARACTER_REFERENCE;
}

static bool in_attribute(const struct html_tokenizer *t)
{
	return t->ref_back != HTML_STATE_DATA && t->ref_back != HTML_STATE_RCDATA;
}

/* Gives what is in temp, which the reference stands for, and returns. */
static void flush_temp(struct html_tokenizer *t)
{
	t->state = t->ref_back;
	if (in_attribute(t))
		html_put(t, t->temp, t->temp_len);
	else
		html_emit_text(t, (slice){t->temp, t->temp_len});
}

/* The same for what is no reference. */
static void flush_odd(struct html_tokenizer *t)
{
	t->is_odd = true;
	flush_temp(t);
}

static bool is_xml_name(slice name)
{
	static const slice names[] = {SLICE_INIT("amp;"), SLICE_INIT("lt;"), SLICE_INIT("gt;"),
		SLICE_INIT("quot;"), SLICE_INIT("apos;")};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (slice_eq(name, names[i]))
			return true;
	return false;
}

void html_character_reference_state(struct html_tokenizer *t)
{
	if (word_is_alnum(*t->at)) {
		t->state = HTML_STATE_NAMED_CHARACTER_REFERENCE;
	} else if (*t->at == '#') {
		html_temp_add(t, *t->at++);
		t->code = 0;
		t->state = HTML_STATE_NUMERIC_CHARACTER_REFERENCE;
	} else {
		flush_odd(t);
	}
}

/*
 * Replaces the longest name in temp; what stands behind it there are letters and digits, which mean
 * nothing. next is the byte after temp, 0 at the end. In an attribute a name without semicolon
 * counts only where it does not look like a part of a query ("?a=1&copy=2").
 */
static void end_named(struct html_tokenizer *t, char next)
{
	slice text = {t->temp + 1, t->temp_len - 1U}, value = {0};
	size_t n = html_entity_match(text, &value);
	char after = next;

	if (n < text.len)
		after = text.ptr[n];
	if (n == 0 ||
		(in_attribute(t) && text.ptr[n - 1] != ';' &&
			(after == '=' || word_is_alnum(after))) ||
		((t->flags & HTML_XML_REFERENCES) && !is_xml_name(text))) {
		flush_odd(t);
		return;
	}
	/* temp has room for the longest name and the longest value together. */
	memmove(t->temp + value.len, text.ptr + n, text.len - n);
	memcpy(t->temp, value.ptr, value.len);
	t->temp_len = (uint8_t)(value.len + text.len - n);
	flush_temp(t);
}

void html_named_character_reference_state(struct html_tokenizer *t)
{
	for (; t->at != t->end; t->at++) {
		char c = *t->at;
		bool full = t->temp_len > HTML_ENTITY_NAME_MAX;

		if (!full && c == ';') {
			html_temp_add(t, c);
			t->at++;
			end_named(t, 0);
			return;
		}
		if (full || !word_is_alnum(c)) {
			end_named(t, c);
			return;
		}
		html_temp_add(t, c);
	}
}

void html_numeric_character_reference_state(struct html_tokenizer *t)
{
	t->state = HTML_STATE_DECIMAL_START;
	if (*t->at == 'x' || *t->at == 'X') {
		html_temp_add(t, *t->at++);
		t->state = HTML_STATE_HEXADECIMAL_START;
	}
}

static int digit_value(char c, unsigned base)
{
	if (word_is_digit(c))
		return c - '0';
	if (base == 16 && word_is_alpha(c) && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

void html_hexadecimal_start_state(struct html_tokenizer *t)
{
	if (digit_value(*t->at, 16) >= 0)
		t->state = HTML_STATE_HEXADECIMAL;
	else
		flush_odd(t);
}

void html_decimal_start_state(struct html_tokenizer *t)
{
	if (digit_value(*t->at, 10) >= 0)
		t->state = HTML_STATE_DECIMAL;
	else
		flush_odd(t);
}

/* Numeric character reference end state: the C1 controls stand for what windows-1252 has there. */
static void end_numeric(struct html_tokenizer *t)
{
	static const uint16_t C1[32] = {0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020,
		0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018,
		0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
		0x0153, 0x9d, 0x017e, 0x0178};
	uint32_t code = t->code;

	if (code == 0)
		code = 0xfffd;
	else if (code >= 0x80 && code < 0xa0)
		code = C1[code - 0x80];
	t->temp_len = (uint8_t)utf8_put(code, t->temp);
	flush_temp(t);
}

static void read_digits(struct html_tokenizer *t, unsigned base)
{
	for (; t->at != t->end; t->at++) {
		int digit = digit_value(*t->at, base);

		if (digit < 0) {
			t->at += *t->at == ';';
			end_numeric(t);
			return;
		}
		t->code = t->code * base + (unsigned)digit;
		if (t->code > CODE_TOO_LARGE)
			t->code = CODE_TOO_LARGE;
	}
}

void html_hexadecimal_state(struct html_tokenizer *t)
{
	read_digits(t, 16);
}

void html_decimal_state(struct html_tokenizer *t)
{
	read_digits(t, 10);
}

void html_reference_end_of_file(struct html_tokenizer *t)
{
	switch (t->state) {
	case HTML_STATE_NAMED_CHARACTER_REFERENCE:
		end_named(t, 0);
		break;
	case HTML_STATE_HEXADECIMAL:
	case HTML_STATE_DECIMAL:
		end_numeric(t);
		break;
	default:
		flush_odd(t);
	}
}
