/* The directory tree above pages, as classes for priors (rate/grid.h). */
#ifndef HISTORIES_DIRECTORIES_H
#define HISTORIES_DIRECTORIES_H

#include "base/api.h"
#include "base/lists.h"
#include "base/slice.h"

struct directories {
	struct u32_vec parents; /* by class; class 0 is the root, parents come before children */
	struct u32_vec classes; /* by page, in the order of adding */
};

/* Adds all pages. 0 or ERR_NOMEM; release after both. */
int directories_make(const slice *paths, size_t count, struct directories *ret) SP_MUST_CHECK;
void directories_release(struct directories *d);

#endif
