#include "base/format.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/rng.h"
#include "tap.h"

static void test_u64(void)
{
	static const struct {
		uint64_t value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{9, "9"},
		{10, "10"},
		{UINT64_MAX, "18446744073709551615"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[FORMAT_U64_SIZE];

		tap_case("u64: %s", rows[i].want);
		CHECK_INT((int64_t)format_u64(rows[i].value, text), (int64_t)strlen(rows[i].want));
		CHECK_STR(text, rows[i].want);
	}
}

static void test_double(void)
{
	static const struct {
		double value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-17, "-17"},
		{0.1, "0.1"},
		{0.5, "0.5"},
		{-0.05, "-0.05"},
		{0.1 + 0.2, "0.30000000000000004"},
		{731.559, "731.559"},
		{1.0 / 3, "0.3333333333333333"},
		{0.00012, "0.00012"},
		{1e-7, "1e-07"},
		{9007199254740991, "9007199254740991"},
		{1e15, "1000000000000000"},
		{1e22, "1e+22"},
		{1.5e300, "1.5e+300"},
		{DBL_MAX, "1.7976931348623157e+308"},
		{-DBL_MIN, "-2.2250738585072014e-308"},
		{4.9e-324, "4.94065645841247e-324"},
		{NAN, "nan"},
		{-NAN, "nan"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[FORMAT_DOUBLE_SIZE];

		tap_case("double: %s", rows[i].want);
		CHECK_INT(
			(int64_t)format_double(rows[i].value, text), (int64_t)strlen(rows[i].want));
		CHECK_STR(text, rows[i].want);
	}
}

static double random_double(struct rng *r)
{
	uint64_t bits = rng_u64(r);
	double x;

	switch (rng_below(r, 4)) {
	case 0:
		memcpy(&x, &bits, sizeof x);
		return x;
	case 1:
		return rng_double(r) * 1000;
	case 2:
		return (double)rng_below(r, 1000000) / 1000;
	default:
		return -rng_exponential(r, 1e-6);
	}
}

/* Digits from the first that is not 0 to the last that is not 0. */
static size_t significant(const char *text)
{
	size_t n = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
			continue;
		zeros = *text == '0' ? zeros + 1 : 0;
		n++;
	}
	return n - zeros;
}

/* No fewer digits would do: of that length none but the nearest decimal could parse back. */
static bool is_shortest(double x, const char *text)
{
	size_t digits = significant(text);
	char shorter[64];

	if (digits <= 15) /* 15 digits always survive; printf then drops the zeros */
		return true;
	(void)snprintf(shorter, sizeof shorter, "%.*g", (int)digits - 1, x);
	return strtod(shorter, NULL) != x;
}

static void test_round_trip(void)
{
	struct rng r;
	int lost = 0, longer = 0;

	rng_init(&r, 3);
	for (int i = 0; i < 200000; i++) {
		char text[FORMAT_DOUBLE_SIZE];
		double x = random_double(&r);

		if (!isfinite(x))
			continue;
		(void)format_double(x, text);
		lost += strtod(text, NULL) != x;
		longer += !is_shortest(x, text);
	}
	CHECK_INT(lost, 0);
	CHECK_INT(longer, 0);
}

/* Compiles a locale of our own, whatever the machine has; false when it has not even the means. */
static bool set_german_locale(void)
{
	const char *dir = tap_tempdir();
	char path[4096];
	pid_t pid;

	(void)snprintf(path, sizeof path, "%s/de_DE.UTF-8", dir);
	pid = fork();
	if (pid == 0) {
		(void)execlp(
			"localedef", "localedef", "-i", "de_DE", "-f", "UTF-8", path, (char *)NULL);
		_exit(1);
	}
	(void)waitpid(pid, NULL, 0); /* setlocale tells how it went */
	(void)setenv("LOCPATH", dir, 1);
	return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void test_decimal_comma(void)
{
	char ours[FORMAT_DOUBLE_SIZE], theirs[FORMAT_DOUBLE_SIZE];
	double back = 0;
	int rc;

	if (!set_german_locale()) {
		tap_skip("cannot compile a locale with a decimal comma");
		return;
	}
	(void)format_double(1.5e300, ours);
	(void)snprintf(theirs, sizeof theirs, "%.1f", 1.5);
	rc = parse_double(SLICE("1.5e300"), &back);
	(void)setlocale(LC_ALL, "C");
	CHECK_STR(theirs, "1,5"); /* or the locale proves nothing */
	CHECK_STR(ours, "1.5e+300");
	CHECK_INT(rc, 0);
	CHECK_NEAR(back, 1.5e300, 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_u64();
	test_double();
	TAP_RUN(test_round_trip);
	TAP_RUN(test_decimal_comma);
	return tap_done();
}
