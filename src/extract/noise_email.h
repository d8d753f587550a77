/*
 * E-mail addresses as Cloudflare hides them from robots: hexadecimal bytes, each XORed with the
 * first, which is drawn anew for every download.
 */
#ifndef EXTRACT_NOISE_EMAIL_H
#define EXTRACT_NOISE_EMAIL_H

#include <stdbool.h>

#include "base/buf.h"

enum { NOISE_EMAIL_MAX = 1024 }; /* bytes of an address with its query */

/* The encoded part of an address of a link that is one, else an empty slice. */
slice noise_email_in_url(slice ref);

/* Decodes and appends to out. False, with out as it was, when it is none or there is no memory. */
bool noise_email_decode(slice hex, struct buf *out);

#endif
