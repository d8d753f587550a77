/*
 * UTF-8 (Unicode 15, section 3.9, table 3-7). Cannot fail: what is broken is said to be, and the
 * lengths are those of U+FFFD substitution of maximal subparts, as browsers do it.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum { UTF8_MAX = 4 }; /* bytes of one character */

/* U+FFFD, what stands for anything that is no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * Length of the sequence at p, where left (> 0) bytes are, and whether it is whole and sound. When
 * it is not, the length is that of its longest sound beginning, at least 1: so many bytes make one
 * U+FFFD.
 */
size_t utf8_length(const unsigned char *p, size_t left, bool *ret_ok);

/*
 * Length of the character at p that a terminal obeys instead of showing it, or 0: controls (C0,
 * DEL, C1), and those that turn the direction of writing or break the line; also what is broken, in
 * which a terminal may see a control. For writers of text that others wrote.
 */
size_t utf8_control(const unsigned char *p, size_t left);

/* Number of bytes at the start that are sound UTF-8: s.len when all are. */
size_t utf8_valid_prefix(slice s);

/* Writes a code point (a surrogate or one above U+10FFFF as U+FFFD); returns its length. */
size_t utf8_put(uint32_t code, char out[UTF8_MAX]);

#endif
