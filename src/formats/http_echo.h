/*
 * Whether a text repeats a secret: as it is, or in the escapes of URLs and forms (%41, +, and
 * escaped once more), HTML (&amp;, &#65;, &#x41;) and JSON (\", \u0041), mixed in any way.
 */
#ifndef FORMATS_HTTP_ECHO_H
#define FORMATS_HTTP_ECHO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Bytes of a text, at most, that one byte of a secret may be repeated as. */
enum { ECHO_FACTOR = 12 };

/* An empty secret is repeated by nothing. */
bool echo_has(slice text, slice secret);

#endif
