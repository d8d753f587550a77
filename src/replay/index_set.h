/*
 * The indexes of a collection at one moment. A set never changes once it is in use; a collection
 * that grows makes another one, and requests that still read the old one keep it.
 */
#ifndef REPLAY_INDEX_SET_H
#define REPLAY_INDEX_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/vec.h"
#include "warc/zipnum.h"

VEC_DECLARE(cdxj_source_vec, struct cdxj_source);
VEC_DECLARE(fd_vec, int);

struct index_set {
	atomic_uint users;
	struct cdxj_source_vec sources; /* may be read */
	struct fd_vec fds;              /* closed with the set */
	struct slice_vec lines;         /* of the source in memory, if there is one */
	struct arena arena;             /* its bytes */
};

/* An empty set with one user. */
struct index_set *index_set_new(void);
struct index_set *index_set_hold(struct index_set *s);
void index_set_drop(struct index_set *s); /* NULL is fine */

/* Before it is in use. The set closes fd. */
void index_set_add_file(struct index_set *s, int fd);

/* The same for parts of files that stay open as long as the collection does. */
void index_set_add_part(struct index_set *s, const struct file_part *part);
void index_set_add_zipnum(
	struct index_set *s, const struct file_part *data, const struct file_part *blocks);

/* Sorts the lines, each once, and makes them a source. */
void index_set_add_lines(struct index_set *s);

#endif
