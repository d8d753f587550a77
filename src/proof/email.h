/*
 * E-mail addresses that Cloudflare encodes anew at each download: an encoding, which is undone
 * before anything is compared.
 */
#ifndef PROOF_EMAIL_H
#define PROOF_EMAIL_H

#include "base/arena.h"
#include "base/slice.h"

/* The value of an attribute, with the address in it decoded; itself when there is none. */
slice email_decode(struct arena *arena, slice attr, slice value);

#endif
