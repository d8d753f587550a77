/*
 * What a word looks like: random, a reading of a clock, a name for one of these. The questions are
 * asked in places where the answer "noise" is safe; none of them alone makes anything noise.
 */
#ifndef EXTRACT_NOISE_WORD_H
#define EXTRACT_NOISE_WORD_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * A word that no person wrote: a UUID; at least eight hexadecimal digits, figures and letters
 * among them; at least ten decimal digits; at least sixteen characters of base64 in which figures,
 * capitals and small letters take turns.
 */
bool noise_is_random(slice word);

/* The same, but at least sixteen characters: long enough to be unique in the world. */
bool noise_is_token(slice word);

/* One of the parts of a name between '-', '_', ':', '.' and '/' is random. */
bool noise_has_random(slice name);

/* Seconds, milliseconds or microseconds since 1970 in the years 2001 to 2100; ticks of .NET. */
bool noise_is_epoch(slice word);

/* A date with a time of day to the second, ISO 8601 or RFC 9110. */
bool noise_is_instant(slice word);

/* The name, in any spelling, contains one of the words of the list, which ends with NULL. */
bool noise_names(slice name, const char *const *words);

/* What a name says of the value under it, by the words in it; any number of these may hold. */
struct noise_name {
	bool token;       /* made for one download: csrf, nonce, viewstate and so on */
	bool content;     /* what a reader cares about: price, title, stock and so on */
	bool thing;       /* the same, or what identifies it: product, event, version, date */
	bool clock;       /* a reading of the server's clock */
	bool build;       /* software or machine that made the page */
	bool performance; /* figures of monitoring */
};

struct noise_name noise_name_of(slice name);

#endif
