/*
 * Noise: what differs from one response to the next though the content is the same. Each kind is
 * written as real frameworks and services write it. The kinds whose names begin with "x-" are known
 * to no built-in rule of a comparison; `clock`, `rendered` and `ad` can be seen by a reader.
 *
 * The set of kinds of a page is a set of bits, 1 << its place in the table of noise.c.
 */
#ifndef LIVING_NOISE_H
#define LIVING_NOISE_H

#include <stdint.h>

#include "living/markup.h"
#include "living/page.h"

enum { NOISE_KINDS = 25 };

/* Where in a page it stands. */
enum noise_place {
	NOISE_HEAD,   /* the end of the head */
	NOISE_NAV,    /* behind the links */
	NOISE_END,    /* before the footer */
	NOISE_FOOTER, /* in the text of the footer */
};

const char *noise_name(unsigned kind);

/* The kinds that a page has; 0 for what is no page. */
unsigned noise_of(const struct living_model *m, uint32_t resource);

/* Those of a set that stand in the head: all that a script shell has. */
unsigned noise_of_head(unsigned set);

/* Writes the noise of one place. */
void noise_put(struct markup *w, const struct page_view *v, enum noise_place place);

#endif
