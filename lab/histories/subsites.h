/*
 * Subsites: the pages of a site divided by directory, from the paths alone.
 *
 * A directory with all that is below it is one subsite if it holds at most a tenth of the site
 * (SUBSITES_SHARE). A larger one is divided: each of its subdirectories is treated the same way,
 * and the files that lie directly in it are a subsite, together with those subdirectories that hold
 * less than a tenth of that tenth (SUBSITES_LEAST): too few to be called a site. A flat directory
 * is never divided, however large.
 */
#ifndef HISTORIES_SUBSITES_H
#define HISTORIES_SUBSITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "histories/draw.h"

#define SUBSITES_SHARE 0.1
#define SUBSITES_LEAST 0.1

struct subsites {
	uint32_t *of; /* by page of the draw's site */
	uint32_t count;
};

/* Numbered in the order of their paths. 0 or ERR_NOMEM; free with subsites_release. */
int subsites_divide(const struct draw *draw, struct subsites *ret_subsites) SP_MUST_CHECK;
void subsites_release(struct subsites *s);

#endif
