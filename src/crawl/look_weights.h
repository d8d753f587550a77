/*
 * What it is worth that the copy of a page is current, as the operator says: by patterns of URLs,
 * and by single URLs out of a file, of which there may be very many.
 *
 * The file has a line for each: a URL or a pattern, blanks, and a number from 0 on. A "*" makes it
 * a pattern. Empty lines and those that begin with "#" count for nothing.
 */
#ifndef CRAWL_LOOK_WEIGHTS_H
#define CRAWL_LOOK_WEIGHTS_H

#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"

#define LOOK_WEIGHT_MAX 1e6

/* Pages whose URL matches have this weight: * stands for any text, ? for any character. */
struct look_pattern {
	slice pattern; /* borrowed */
	double weight;
};

VEC_DECLARE(look_patterns, struct look_pattern);

/* Fields may be read. */
struct look_weights {
	struct look_patterns patterns; /* the first that matches counts */
	struct strmap urls;            /* these go first; the value is a float */
};

/* URLs are copied to the arena. */
void look_weights_init(struct look_weights *w, struct arena *arena);
void look_weights_release(struct look_weights *w);

/* Adds what a file says, or its text; patterns go to the arena. 0, ERR_NOMEM, ERR_IO, ERR_LIMIT, or
 * ERR_SYNTAX with "FILE:LINE: what". */
int look_weights_parse(struct look_weights *w, const char *name, slice text, struct arena *arena,
	struct err *err) SP_MUST_CHECK;
int look_weights_load(struct look_weights *w, const char *path, struct arena *arena,
	struct err *err) SP_MUST_CHECK;

/* The weight of a URL, if something is said of it. */
bool look_weights_find(const struct look_weights *w, slice url, double *ret);

/* Whether the whole text matches the pattern. */
bool look_pattern_matches(slice pattern, slice text);

#endif
