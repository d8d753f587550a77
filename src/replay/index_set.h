/*
 * The indexes of a collection at one moment. A set never changes once it is in use; a collection
 * that grows makes another one, and requests that still read the old one keep it.
 */
#ifndef REPLAY_INDEX_SET_H
#define REPLAY_INDEX_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "archive/cdxj_scan.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/vec.h"

VEC_DECLARE(cdxj_source_vec, struct cdxj_source);
VEC_DECLARE(fd_vec, int);

struct index_set {
	atomic_uint users;
	struct cdxj_source_vec sources; /* may be read */
	struct fd_vec fds;              /* closed with the set */
	struct slice_vec lines;         /* of the source in memory, if there is one */
	struct arena arena;             /* its bytes */
};

/* An empty set with one user, or NULL. */
struct index_set *index_set_new(void);
struct index_set *index_set_hold(struct index_set *s);
void index_set_drop(struct index_set *s); /* NULL is fine */

/* Before it is in use. The set closes fd, also on failure. 0 or ERR_NOMEM. */
int index_set_add_file(struct index_set *s, int fd) SP_MUST_CHECK;

/* The same for parts of files that stay open as long as the collection does. */
int index_set_add_part(struct index_set *s, const struct file_part *part) SP_MUST_CHECK;
int index_set_add_zipnum(struct index_set *s, const struct file_part *data,
	const struct file_part *blocks) SP_MUST_CHECK;

/* Lets the set close a file. 0 or ERR_NOMEM, when it is closed at once. */
int index_set_own(struct index_set *s, int fd) SP_MUST_CHECK;

/* Sorts the lines, each once, and makes them a source. 0 or ERR_NOMEM. */
int index_set_add_lines(struct index_set *s) SP_MUST_CHECK;

#endif
