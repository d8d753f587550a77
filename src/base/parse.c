#include "base/parse.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/word.h"

enum {
	EXPONENT_MAX = 100000, /* more than any number that fits; keeps the sum from overflowing */
	EXACT_POWERS = 22,     /* 10^22 is the last power of ten that a double holds exactly */
};

/* Integers up to here are doubles exactly. */
static const uint64_t EXACT_MAX = UINT64_C(1) << 53;

static const double POWERS[EXACT_POWERS + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool take_char(slice *s, char a, char b)
{
	if (s->len == 0 || (s->ptr[0] != a && s->ptr[0] != b))
		return false;
	*s = slice_sub(*s, 1, s->len);
	return true;
}

int parse_u64(slice s, uint64_t *ret)
{
	uint64_t value = 0;
	bool fits = true;

	if (s.len == 0)
		return ERR_SYNTAX;
	for (size_t i = 0; i < s.len; i++) {
		if (!word_is_digit(s.ptr[i]))
			return ERR_SYNTAX;
		fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
		       !__builtin_add_overflow(value, (uint64_t)(s.ptr[i] - '0'), &value);
	}
	if (!fits)
		return ERR_RANGE;
	*ret = value;
	return 0;
}

int parse_i64(slice s, int64_t *ret)
{
	bool negative = take_char(&s, '-', '-');
	uint64_t value;

	if (!negative)
		(void)take_char(&s, '+', '+');
	TRY(parse_u64(s, &value));
	if (value > (uint64_t)INT64_MAX + negative)
		return ERR_RANGE;
	*ret = negative ? (int64_t)(0 - value) : (int64_t)value;
	return 0;
}

/* A number as written: digits × 10^exponent. */
struct decimal {
	uint64_t digits;
	int exponent;
	bool negative;
	bool exact; /* digits holds all of them */
};

/* Reads a run of digits into d; each of them moves the exponent by step. Returns how many. */
static size_t take_digits(slice *s, struct decimal *d, int step)
{
	size_t n = 0;

	for (; n < s->len && word_is_digit(s->ptr[n]); n++) {
		d->exact = d->exact && d->digits < EXACT_MAX / 10;
		if (d->exact)
			d->digits = d->digits * 10 + (uint64_t)(s->ptr[n] - '0');
		d->exponent += step;
	}
	*s = slice_sub(*s, n, s->len);
	return n;
}

static int take_exponent(slice *s, int *exponent)
{
	bool negative = take_char(s, '-', '-');
	int value = 0;
	size_t n = 0;

	if (!negative)
		(void)take_char(s, '+', '+');
	for (; n < s->len && word_is_digit(s->ptr[n]); n++)
		if (value < EXPONENT_MAX)
			value = value * 10 + (s->ptr[n] - '0');
	*s = slice_sub(*s, n, s->len);
	*exponent += negative ? -value : value;
	return n > 0 ? 0 : ERR_SYNTAX;
}

/* Reads the longest number that s begins with and leaves the rest in s. */
static int take_decimal(slice *s, struct decimal *ret)
{
	struct decimal d = {.exact = true};
	size_t n;

	d.negative = take_char(s, '-', '-');
	if (!d.negative)
		(void)take_char(s, '+', '+');
	n = take_digits(s, &d, 0);
	if (take_char(s, '.', '.'))
		n += take_digits(s, &d, -1);
	if (n == 0)
		return ERR_SYNTAX;
	if (take_char(s, 'e', 'E') && take_exponent(s, &d.exponent))
		return ERR_SYNTAX;
	*ret = d;
	return 0;
}

/*
 * Clinger's fast path: with digits and power both exact, one operation rounds once, so the result
 * is the nearest double.
 */
static bool small_decimal(const struct decimal *d, double *ret)
{
	double x = (double)d->digits;

	if (!d->exact || d->exponent < -EXACT_POWERS || d->exponent > EXACT_POWERS)
		return false;
	x = d->exponent < 0 ? x / POWERS[-d->exponent] : x * POWERS[d->exponent];
	*ret = d->negative ? -x : x;
	return true;
}

/* The C library rounds right for any length; its "C" locale object is constant in practice. */
static int any_decimal(slice s, double *ret)
{
	char text[PARSE_NUMBER_MAX + 1];
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double x;

	if (!c)
		return ERR_NOMEM;
	memcpy(text, s.ptr, s.len);
	text[s.len] = '\0';
	x = strtod_l(text, NULL, c);
	freelocale(c);
	if (!isfinite(x))
		return ERR_RANGE;
	*ret = x;
	return 0;
}

int parse_double(slice s, double *ret)
{
	struct decimal d;
	slice rest = s;

	if (s.len > PARSE_NUMBER_MAX || take_decimal(&rest, &d) || rest.len)
		return ERR_SYNTAX;
	return small_decimal(&d, ret) ? 0 : any_decimal(s, ret);
}

static bool is_suffix(char c, const char *suffixes, unsigned *ret_index)
{
	const char *at = c ? strchr(suffixes, c) : NULL;

	if (at)
		*ret_index = (unsigned)(at - suffixes);
	return at != NULL;
}

int parse_size(slice s, uint64_t *ret)
{
	unsigned index = 0;
	bool scaled = s.len && is_suffix(s.ptr[s.len - 1], "kKmMgGtT", &index);
	unsigned shift = scaled ? 10 * (index / 2 + 1) : 0;
	uint64_t value;

	TRY(parse_u64(slice_sub(s, 0, s.len - scaled), &value));
	if (value > UINT64_MAX >> shift)
		return ERR_RANGE;
	*ret = value << shift;
	return 0;
}

int parse_duration(slice s, double *ret)
{
	static const struct {
		slice suffix;
		double times, over; /* two, because 1e-3 is no double and 1000 is */
	} units[] = {
		{SLICE_INIT("ms"), 1, 1000},
		{SLICE_INIT("s"), 1, 1},
		{SLICE_INIT("m"), 60, 1},
		{SLICE_INIT("h"), 3600, 1},
		{SLICE_INIT("d"), 86400, 1},
	};
	double times = 1, over = 1, value;

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		slice suffix = units[i].suffix;

		if (s.len < suffix.len ||
			!slice_eq(slice_sub(s, s.len - suffix.len, s.len), suffix))
			continue;
		times = units[i].times;
		over = units[i].over;
		s = slice_sub(s, 0, s.len - suffix.len);
		break;
	}
	TRY(parse_double(s, &value));
	value = value * times / over;
	if (value < 0 || !isfinite(value))
		return ERR_RANGE;
	*ret = value;
	return 0;
}

static bool read_period(slice word, double *ret)
{
	static const struct {
		slice word;
		double seconds;
	} PERIODS[] = {
		{SLICE_INIT("s"), 1},
		{SLICE_INIT("second"), 1},
		{SLICE_INIT("m"), 60},
		{SLICE_INIT("minute"), 60},
		{SLICE_INIT("h"), 3600},
		{SLICE_INIT("hour"), 3600},
		{SLICE_INIT("d"), 86400},
		{SLICE_INIT("day"), 86400},
		{SLICE_INIT("week"), 604800},
	};

	for (size_t i = 0; i < sizeof PERIODS / sizeof PERIODS[0]; i++) {
		if (slice_eq(PERIODS[i].word, word)) {
			*ret = PERIODS[i].seconds;
			return true;
		}
	}
	return false;
}

int parse_rate(slice s, bool is_size, double *ret_amount, double *ret_seconds)
{
	slice period = s, number = slice_take(&period, '/');
	uint64_t amount;
	double seconds;

	TRY(is_size ? parse_size(number, &amount) : parse_u64(number, &amount));
	if (!read_period(period, &seconds))
		return ERR_SYNTAX;
	*ret_amount = (double)amount;
	*ret_seconds = seconds;
	return 0;
}
