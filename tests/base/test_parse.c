#include "base/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "tap.h"

static void test_u64(void)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t want;
	} rows[] = {
		{"0", 0, 0},
		{"42", 0, 42},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", ERR_RANGE, 0},
		{"99999999999999999999999", ERR_RANGE, 0},
		{"99999999999999999999999x", ERR_SYNTAX, 0},
		{"", ERR_SYNTAX, 0},
		{"-1", ERR_SYNTAX, 0},
		{"+1", ERR_SYNTAX, 0},
		{" 1", ERR_SYNTAX, 0},
		{"1 ", ERR_SYNTAX, 0},
		{"1.0", ERR_SYNTAX, 0},
		{"0x10", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t got = 7777;

		tap_case("u64: '%s'", rows[i].text);
		CHECK_INT(parse_u64(slice_str(rows[i].text), &got), rows[i].rc);
		CHECK(got == (rows[i].rc ? 7777 : rows[i].want));
	}
}

static void test_i64(void)
{
	static const struct {
		const char *text;
		int rc;
		int64_t want;
	} rows[] = {
		{"-1", 0, -1},
		{"+1", 0, 1},
		{"9223372036854775807", 0, INT64_MAX},
		{"9223372036854775808", ERR_RANGE, 0},
		{"-9223372036854775808", 0, INT64_MIN},
		{"-9223372036854775809", ERR_RANGE, 0},
		{"-", ERR_SYNTAX, 0},
		{"+-1", ERR_SYNTAX, 0},
		{"--1", ERR_SYNTAX, 0},
		{"", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t got = 7777;

		tap_case("i64: '%s'", rows[i].text);
		CHECK_INT(parse_i64(slice_str(rows[i].text), &got), rows[i].rc);
		CHECK_INT(got, rows[i].rc ? 7777 : rows[i].want);
	}
}

static void test_double(void)
{
	static const struct {
		const char *text;
		int rc;
		double want;
	} rows[] = {
		{"0", 0, 0},
		{"1", 0, 1},
		{"-1.5e3", 0, -1500},
		{"+.5", 0, 0.5},
		{"2.", 0, 2},
		{"0.1", 0, 0.1},
		{"1e-3", 0, 1e-3},
		{"1E+22", 0, 1e22},
		{"1e23", 0, 1e23},
		{"9007199254740993", 0, 9007199254740992.0},
		{"9007199254740995", 0, 9007199254740996.0},
		{"123456789012345678901234567890", 0, 123456789012345678901234567890.0},
		{"2.2250738585072014e-308", 0, 2.2250738585072014e-308},
		{"4.9e-324", 0, 4.9e-324},
		{"1.7976931348623157e308", 0, 1.7976931348623157e308},
		{"1e-400", 0, 0},
		{"0e999999999999", 0, 0},
		{"1e309", ERR_RANGE, 0},
		{"-1e999999999999", ERR_RANGE, 0},
		{"", ERR_SYNTAX, 0},
		{".", ERR_SYNTAX, 0},
		{"-", ERR_SYNTAX, 0},
		{"e5", ERR_SYNTAX, 0},
		{"1e", ERR_SYNTAX, 0},
		{"1e+", ERR_SYNTAX, 0},
		{"1.2.3", ERR_SYNTAX, 0},
		{"1,5", ERR_SYNTAX, 0},
		{" 1", ERR_SYNTAX, 0},
		{"1 ", ERR_SYNTAX, 0},
		{"1x", ERR_SYNTAX, 0},
		{"nan", ERR_SYNTAX, 0},
		{"inf", ERR_SYNTAX, 0},
		{"-Infinity", ERR_SYNTAX, 0},
		{"0x1p3", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double got = 7777;

		tap_case("double: '%s'", rows[i].text);
		CHECK_INT(parse_double(slice_str(rows[i].text), &got), rows[i].rc);
		CHECK_NEAR(got, rows[i].rc ? 7777 : rows[i].want, 0);
	}
}

static void test_double_does_not_read_past_the_slice(void)
{
	double got = 0;

	CHECK_INT(parse_double((slice){"1.25e1", 4}, &got), 0);
	CHECK_NEAR(got, 1.25, 0);
	CHECK_INT(parse_double((slice){"1\0", 2}, &got), ERR_SYNTAX);
}

static void test_double_length(void)
{
	char text[PARSE_NUMBER_MAX + 2];
	double got = 0;

	memset(text, '1', sizeof text);
	text[1] = '.';
	CHECK_INT(parse_double((slice){text, PARSE_NUMBER_MAX}, &got), 0);
	CHECK_NEAR(got, 10.0 / 9, 1e-15);
	CHECK_INT(parse_double((slice){text, PARSE_NUMBER_MAX + 1}, &got), ERR_SYNTAX);
}

/* The fast way must round as the C library does. */
static void test_double_against_strtod(void)
{
	struct rng r;
	int wrong = 0;

	rng_init(&r, 2);
	for (int i = 0; i < 200000; i++) {
		char text[64];
		double got = 0;

		(void)snprintf(text, sizeof text, "%llu.%0*llue%d",
			(unsigned long long)(rng_u64(&r) >> rng_below(&r, 64)),
			(int)rng_below(&r, 8), (unsigned long long)rng_below(&r, 1000),
			(int)rng_below(&r, 60) - 30);
		wrong += parse_double(slice_str(text), &got) != 0 || got != strtod(text, NULL);
	}
	CHECK_INT(wrong, 0);
}

static void test_size(void)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t want;
	} rows[] = {
		{"512", 0, 512},
		{"64k", 0, 65536},
		{"64K", 0, 65536},
		{"2M", 0, 2097152},
		{"1G", 0, 1073741824},
		{"1t", 0, UINT64_C(1099511627776)},
		{"16777215T", 0, UINT64_C(16777215) << 40},
		{"16777216T", ERR_RANGE, 0},
		{"1.5G", ERR_SYNTAX, 0},
		{"k", ERR_SYNTAX, 0},
		{"1kk", ERR_SYNTAX, 0},
		{"1kB", ERR_SYNTAX, 0},
		{"-1k", ERR_SYNTAX, 0},
		{"", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t got = 7777;

		tap_case("size: '%s'", rows[i].text);
		CHECK_INT(parse_size(slice_str(rows[i].text), &got), rows[i].rc);
		CHECK(got == (rows[i].rc ? 7777 : rows[i].want));
	}
}

static void test_duration(void)
{
	static const struct {
		const char *text;
		int rc;
		double want;
	} rows[] = {
		{"0", 0, 0},
		{"1.5", 0, 1.5},
		{"30s", 0, 30},
		{"250ms", 0, 0.25},
		{"100ms", 0, 0.1},
		{"20m", 0, 1200},
		{"1.5h", 0, 5400},
		{"2d", 0, 172800},
		{"-1", ERR_RANGE, 0},
		{"-1s", ERR_RANGE, 0},
		{"1e308d", ERR_RANGE, 0},
		{"s", ERR_SYNTAX, 0},
		{"1 s", ERR_SYNTAX, 0},
		{"1w", ERR_SYNTAX, 0},
		{"1hh", ERR_SYNTAX, 0},
		{"", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double got = 7777;

		tap_case("duration: '%s'", rows[i].text);
		CHECK_INT(parse_duration(slice_str(rows[i].text), &got), rows[i].rc);
		CHECK_NEAR(got, rows[i].rc ? 7777 : rows[i].want, 0);
	}
}

static void test_rate(void)
{
	static const struct {
		const char *text;
		bool is_size;
		int rc;
		double amount, seconds;
	} rows[] = {
		{"20000/day", false, 0, 20000, 86400},
		{"5G/day", true, 0, 5.0 * (1 << 30), 86400},
		{"0/s", false, 0, 0, 1},
		{"3/minute", false, 0, 3, 60},
		{"3k/h", true, 0, 3072, 3600},
		{"1/week", true, 0, 1, 604800},
		{"3k/h", false, ERR_SYNTAX, 0, 0},
		{"3", false, ERR_SYNTAX, 0, 0},
		{"3/", false, ERR_SYNTAX, 0, 0},
		{"/day", false, ERR_SYNTAX, 0, 0},
		{"3/day/day", false, ERR_SYNTAX, 0, 0},
		{"-3/day", false, ERR_SYNTAX, 0, 0},
		{"99999999999999999999/day", false, ERR_RANGE, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double amount = 0, seconds = 0;

		tap_case("rate: '%s'", rows[i].text);
		CHECK_INT(parse_rate(slice_str(rows[i].text), rows[i].is_size, &amount, &seconds),
			rows[i].rc);
		CHECK(amount == rows[i].amount && seconds == rows[i].seconds);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_u64();
	test_i64();
	test_double();
	TAP_RUN(test_double_does_not_read_past_the_slice);
	TAP_RUN(test_double_length);
	TAP_RUN(test_double_against_strtod);
	test_size();
	test_duration();
	test_rate();
	return tap_done();
}
