/*
 * Single-byte encodings (Encoding, section 9): bytes below 0x80 are ASCII, the others have a table.
 * Private to charset_decode.c.
 */
#ifndef EXTRACT_CHARSET_SINGLE_H
#define EXTRACT_CHARSET_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "extract/charset.h"

enum { CHARSET_HIGH = 128 }; /* bytes that are not ASCII */

/* Characters of the bytes from 0x80 on; U+FFFD for one that has none. */
struct charset_single {
	uint16_t high[CHARSET_HIGH];
};

/* Whether it is one of them; x-user-defined (section 14.5) is no different. */
bool charset_is_single(enum charset charset);

/* Fills the table of an encoding that ICU does not have: whether it is one. */
bool charset_single_own(enum charset charset, struct charset_single *ret);

/* Corrects the table where ICU's differs from the standard's. */
void charset_single_mend(enum charset charset, struct charset_single *s);

/* Appends the text in UTF-8. As buf_add. */
int charset_single_decode(const struct charset_single *s, slice in, struct buf *out) SP_MUST_CHECK;

#endif
