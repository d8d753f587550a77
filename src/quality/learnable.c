#include "quality/learnable.h"

#include "base/word.h"
#include "extract/noise_word.h"
#include "extract/w3cdate.h"

enum {
	TEXT_WORDS = 3,    /* words from which a value reads like text */
	FIGURE_DIGITS = 6, /* at most so many: an amount, a price; more: a number of something */
};

/* ---- figures and days ---- */

static bool is_currency(slice word)
{
	static const slice CODES[] = {SLICE_INIT("eur"), SLICE_INIT("usd"), SLICE_INIT("gbp"),
		SLICE_INIT("chf"), SLICE_INIT("jpy"), SLICE_INIT("cny"), SLICE_INIT("inr"),
		SLICE_INIT("aud"), SLICE_INIT("cad"), SLICE_INIT("sek"), SLICE_INIT("nok"),
		SLICE_INIT("dkk"), SLICE_INIT("pln"), SLICE_INIT("czk"), SLICE_INIT("brl")};

	for (size_t i = 0; i < sizeof CODES / sizeof CODES[0]; i++)
		if (word_is(word, CODES[i]))
			return true;
	return false;
}

/* "$", "%" and the signs of UTF-8: pound, yen, euro and all of U+20A0 to U+20CF. */
static bool has_amount_sign(slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '$' || c == '%')
			return true;
		if (c == 0xc2 && i + 1 < text.len && strchr("\xa2\xa3\xa5", text.ptr[i + 1]))
			return true;
		if (c == 0xe2 && i + 2 < text.len &&
			((unsigned char)text.ptr[i + 1] == 0x82 ||
				(unsigned char)text.ptr[i + 1] == 0x83))
			return true;
	}
	return false;
}

/* Digits with points, commas, apostrophes and a sign: "12", "-3", "1,299.00", "0.5". */
static bool is_figure(slice word, size_t digits_max)
{
	size_t digits = 0;

	for (size_t i = 0; i < word.len; i++) {
		if (word_is_digit(word.ptr[i]))
			digits++;
		else if (!strchr(".,'+-", word.ptr[i]))
			return false;
	}
	return digits > 0 && digits <= digits_max;
}

static bool is_month(slice word)
{
	static const slice MONTHS[] = {SLICE_INIT("jan"), SLICE_INIT("feb"), SLICE_INIT("mar"),
		SLICE_INIT("apr"), SLICE_INIT("may"), SLICE_INIT("jun"), SLICE_INIT("jul"),
		SLICE_INIT("aug"), SLICE_INIT("sep"), SLICE_INIT("oct"), SLICE_INIT("nov"),
		SLICE_INIT("dec")};

	for (size_t i = 0; i < sizeof MONTHS / sizeof MONTHS[0]; i++)
		if (word_starts(word, MONTHS[i]))
			return true;
	return false;
}

/* A day, with or without a time that is not to the second: one of the content. */
static bool is_day(slice value)
{
	struct w3cdate date;

	if (noise_is_instant(value))
		return false;
	return w3cdate_parse_any(value, &date) == 0;
}

/* ---- values ---- */

/* Letters with what joins them, and nothing else: words, a name. */
static bool is_words(slice value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (!word_is_alpha(c) && !(c & 0x80) && !strchr(" .,'-_&", c))
			return false;
	}
	return value.len > 0;
}

static bool reads_like_text(slice value)
{
	size_t words = 0;
	slice word;

	while (word_next(&value, ' ', &word))
		words += word_is_alpha(word.ptr[0]) || (word.ptr[0] & 0x80);
	return words >= TEXT_WORDS;
}

static bool is_address(slice value)
{
	return (value.len && value.ptr[0] == '/') || memmem(value.ptr, value.len, "://", 3) ||
	       memchr(value.ptr, '@', value.len);
}

bool learnable_value_is_content(slice name, slice value)
{
	slice left, word;

	value = word_trim(value);
	if (noise_name_of(name).thing)
		return true;
	if (value.len == 0 || slice_eq(value, SLICE("*")))
		return false;
	if (is_figure(value, FIGURE_DIGITS) || is_day(value) || has_amount_sign(value) ||
		reads_like_text(value) || is_address(value))
		return true;
	left = value;
	while (word_next(&left, ' ', &word))
		if (is_currency(word))
			return true;
	return is_words(value) && !noise_is_token(value);
}

/* ---- visible words ---- */

/* "13:04:05", "13:04": digits and colons, at least one of each. */
static bool is_time(slice word)
{
	size_t colons = 0, digits = 0;

	for (size_t i = 0; i < word.len; i++) {
		colons += word.ptr[i] == ':';
		digits += word_is_digit(word.ptr[i]);
	}
	return colons > 0 && digits > 0 && colons + digits == word.len;
}

/* "0.03s", "12ms", "5 s": the unit may be the next word. */
static bool is_unit(slice word)
{
	static const slice UNITS[] = {SLICE_INIT("s"), SLICE_INIT("ms"), SLICE_INIT("sec"),
		SLICE_INIT("second"), SLICE_INIT("seconds"), SLICE_INIT("msec")};

	while (word.len && strchr(".,;)", word.ptr[word.len - 1]))
		word.len--;
	for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
		if (word_is(word, UNITS[i]))
			return true;
	return false;
}

static bool is_duration(slice word, slice rest)
{
	size_t n = 0;
	slice next;

	while (n < word.len && (word_is_digit(word.ptr[n]) || word.ptr[n] == '.'))
		n++;
	if (n == 0)
		return false;
	if (n < word.len)
		return is_unit(slice_sub(word, n, word.len));
	return word_next(&rest, ' ', &next) && is_unit(next);
}

static bool has_digit(slice word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word_is_digit(word.ptr[i]))
			return true;
	return false;
}

bool learnable_text_is_content(slice words)
{
	slice word;

	if (has_amount_sign(words))
		return true;
	while (word_next(&words, ' ', &word)) {
		bool small = word.ptr[0] >= 'a' && word.ptr[0] <= 'z';

		if (noise_is_token(word) || noise_is_instant(word) || is_time(word) ||
			is_duration(word, words))
			continue;
		if (has_digit(word) || is_month(word) || is_currency(word))
			return true;
		if (!small && !strchr("(-;:,.*", word.ptr[0]))
			return true;
	}
	return false;
}
