/*
 * The directory tree above pages, as classes for priors (plan/rate_grid.h). A page is named by its
 * path: each slash ends the name of a directory.
 */
#ifndef PLAN_RATE_DIRECTORIES_H
#define PLAN_RATE_DIRECTORIES_H

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"

/* Classes; beyond them a page belongs to the nearest directory that is one. */
enum { DIRECTORIES_MAX = 1 << 16 };

/* parents and classes may be read. */
struct directories {
	struct u32_vec parents; /* by class; class 0 is the root, parents come before children */
	struct u32_vec classes; /* by page, in the order of adding */
	struct arena names;
	struct strmap known;
};

/* Does not move afterwards. 0 or ERR_NOMEM; release after both. */
int directories_init(struct directories *d) SP_MUST_CHECK;
void directories_release(struct directories *d);

/* Adds a page: its class is the last of classes then. 0 or ERR_NOMEM. */
int directories_add(struct directories *d, slice path) SP_MUST_CHECK;

/* The nearest class of a page that was not added. */
uint32_t directories_find(const struct directories *d, slice path);

#endif
