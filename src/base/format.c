#include "base/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 22 }; /* 10^22 is the last power of ten that a double holds exactly */

/* Integers up to here are doubles exactly. */
static const double EXACT_MAX = 9007199254740992.0;

/* Smaller numbers read better with an exponent. */
static const double PLAIN_MIN = 1e-5;

size_t format_u64(uint64_t value, char out[FORMAT_U64_SIZE])
{
	char digits[FORMAT_U64_SIZE];
	size_t at = sizeof digits, len;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	len = sizeof digits - at;
	memcpy(out, digits + at, len);
	out[len] = '\0';
	return len;
}

/* m / 10^places in plain notation. */
static size_t format_scaled(uint64_t m, unsigned places, char *out)
{
	char digits[FORMAT_U64_SIZE];
	size_t n = format_u64(m, digits);
	size_t whole = n > places ? n - places : 0;
	size_t at = 0;

	if (places == 0) {
		memcpy(out, digits, n + 1);
		return n;
	}
	memcpy(out, digits, whole);
	at = whole;
	if (whole == 0)
		out[at++] = '0';
	out[at++] = '.';
	for (size_t zeros = places - (n - whole); zeros > 0; zeros--)
		out[at++] = '0';
	memcpy(out + at, digits + whole, n - whole + 1);
	return at + n - whole;
}

static bool is_plain(double x)
{
	return x == 0 || (x >= PLAIN_MIN && x < EXACT_MAX);
}

/*
 * Most numbers that people write or count have few decimals: x = m / 10^p with m and 10^p exact.
 * The division rounds once, so if it gives x again these digits parse to x, and the first p to do
 * so gives the fewest. Finds all plain numbers of up to 15 digits; returns 0 for the others.
 */
static size_t format_short(double x, char *out)
{
	double power = 1;

	for (unsigned places = 0; places <= PLACES_MAX; places++, power *= 10) {
		double m = nearbyint(x * power);

		if (m >= EXACT_MAX)
			return 0;
		if (m / power == x)
			return format_scaled((uint64_t)m, places, out);
	}
	return 0;
}

/* The point of the locale, which may be several bytes, becomes ours. */
static size_t fix_point(char *text)
{
	static const char number[] = "+-0123456789e";
	size_t at = strspn(text, number);
	size_t skip = strcspn(text + at, number);
	size_t len = strlen(text);

	if (skip == 0)
		return len;
	text[at] = '.';
	memmove(text + at + 1, text + at + skip, len - at - skip + 1);
	return len - skip + 1;
}

static size_t format_long(double x, int least_digits, char out[FORMAT_DOUBLE_SIZE])
{
	for (int digits = least_digits; digits <= 17; digits++) {
		(void)snprintf(out, FORMAT_DOUBLE_SIZE, "%.*g", digits, x);
		if (strtod(out, NULL) == x)
			break;
	}
	return fix_point(out);
}

static size_t format_word(const char *word, char *out)
{
	size_t n = strlen(word);

	memcpy(out, word, n + 1);
	return n;
}

size_t format_double(double value, char out[FORMAT_DOUBLE_SIZE])
{
	size_t sign = signbit(value) && !isnan(value) ? 1 : 0;
	size_t n;

	if (!isfinite(value))
		return format_word(isnan(value) ? "nan" : sign ? "-inf" : "inf", out);
	if (!is_plain(fabs(value)))
		return format_long(value, 15, out);
	out[0] = '-';
	n = format_short(fabs(value), out + sign);
	return n ? n + sign : format_long(value, 16, out);
}
