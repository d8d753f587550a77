/*
 * Strict readers of numbers: the whole slice must be the number, with no blanks around it and
 * nothing after it, whatever the locale. All return 0, ERR_SYNTAX when it is no number, or
 * ERR_RANGE when it is one that does not fit; *ret is untouched on failure.
 */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

/* Longest spelling of a number that is read; anything longer is ERR_SYNTAX. */
enum { PARSE_NUMBER_MAX = 512 };

/* Decimal digits only. */
int parse_u64(slice s, uint64_t *ret) SP_MUST_CHECK;

/* Decimal digits after an optional sign. */
int parse_i64(slice s, int64_t *ret) SP_MUST_CHECK;

/*
 * Sign, digits with a point, exponent: "-1.5e3", ".5", "2." are numbers; "inf", "nan", "0x1" and
 * "1,5" are not. Correctly rounded; what is too small becomes 0, what is too large ERR_RANGE.
 */
int parse_double(slice s, double *ret) SP_MUST_CHECK;

/* Bytes: digits and optionally one of k, M, G, T (either case), which are powers of 1024. */
int parse_size(slice s, uint64_t *ret) SP_MUST_CHECK;

/* Seconds, at least 0: a number as for parse_double and optionally one of ms, s, m, h, d. */
int parse_duration(slice s, double *ret) SP_MUST_CHECK;

/*
 * So much in so many seconds: "20000/day", "5G/day". What stands before the slash is a number as
 * for parse_u64, or as for parse_size; behind it s, m, h, d, second, minute, hour, day or week.
 */
int parse_rate(slice s, bool is_size, double *ret_amount, double *ret_seconds) SP_MUST_CHECK;

#endif
