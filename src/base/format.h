/*
 * Numbers as text, the counterpart of parse.h: the same bytes in every locale. Cannot fail.
 */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum {
	FORMAT_U64_SIZE = 21,    /* 20 digits and the NUL */
	FORMAT_DOUBLE_SIZE = 32, /* sign, 17 digits, point, zeros, exponent and the NUL */
};

/* Decimal digits; returns the length without the NUL. */
size_t format_u64(uint64_t value, char out[FORMAT_U64_SIZE]);

/*
 * The fewest digits that parse back to the same double; no point when it is a whole number.
 * "nan", "inf" and "-inf" for what is no number. Returns the length without the NUL.
 */
size_t format_double(double value, char out[FORMAT_DOUBLE_SIZE]);

#endif
