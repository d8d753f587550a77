/*
 * Names of places: what the name of a field, key, parameter or attribute says of the value that it
 * holds. A name is read as words (camelCase, snake_case, kebab-case).
 */
#ifndef PROOF_NAMES_H
#define PROOF_NAMES_H

#include <stdbool.h>

#include "base/slice.h"

enum name_kind {
	NAME_SECRET = 1 << 0,    /* csrf, nonce, form_build_id: nothing else lives there */
	NAME_ID = 1 << 1,        /* of a request, a session, a visitor */
	NAME_LONG_ID = 1 << 2,   /* of the visitor, or a parcel's: only a long one is noise */
	NAME_SIGNATURE = 1 << 3, /* of an address */
	NAME_TIME = 1 << 4,      /* of this answer: generated, now */
	NAME_END = 1 << 5,       /* of what the answer gives: expires */
	NAME_RENEWAL = 1 << 6,   /* of an answer that may be kept for a while: generated at */
	NAME_DAY = 1 << 11,      /* of this answer: current date */
	NAME_MEASURE = 1 << 7,   /* how long the server took */
	NAME_BUILD = 1 << 8,     /* of the program that serves the page */
	NAME_RELEASE = 1 << 9,   /* "shop-web@1.449.0" of the program that serves the page */
	NAME_NEUTRAL = 1 << 12,  /* of no event and no amount: the time of the look itself may be */
	NAME_STATE = 1 << 10,    /* ASP.NET's encoded state of a page */
};

/* Bits of enum name_kind. */
unsigned name_kinds(slice name);

/* A query parameter by which files are fetched anew: v, ver, cb, t, hash. */
bool name_is_buster(slice name);

/* Ids that are made by these words name things that people wrote: post-123, product_77. */
bool name_is_content(slice name);

#endif
