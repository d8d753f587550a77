/*
 * A collection: what one argument of `stillpoint serve` names, with an index to look up in and the
 * WARC files that it points to.
 *
 *	archive		a Stillpoint archive; also one that is being written (replay/live_archive.h)
 *	directory	WARC files and WACZ packages below it, and their index if there is one
 *	WARC file
 *	WACZ package	of any producer, read in place
 *
 * Any thread may look up; opening and closing belong to one.
 */
#ifndef REPLAY_COLLECTION_H
#define REPLAY_COLLECTION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/vec.h"
#include "warc/cdxj.h"
#include "warc/warc_input.h"
#include "warc/zipnum.h"

/*
 * The indexes of a collection at one moment. A set never changes once it is in use; a collection
 * that grows makes another one, and requests that still read the old one keep it.
 */

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
void index_set_drop(struct index_set *s); /* NULL is fine */

/* Before it is in use. The set closes fd. */
void index_set_add_file(struct index_set *s, int fd);

/* Sorts the lines, each once, and makes them a source. */
void index_set_add_lines(struct index_set *s);

enum {
	COLLECTION_FILES_MAX = 1 << 20, /* WARC files */
	COLLECTION_DEPTH_MAX = 4,       /* directories below a directory that are looked through */
};

/* A WARC file: a file of its own, or a part of a package. */
struct collection_file {
	const char *path;      /* NULL: the part */
	struct file_part part; /* its file stays open as long as the collection */
};

VEC_DECLARE(collection_files, struct collection_file);

/* Fields may be read, not written; what lock guards only under it. */
struct collection {
	const char *name; /* in URLs, before escaping */
	const char *path; /* as given */
	bool is_archive;
	const struct access *access; /* rules; NULL: all is allowed */
	struct arena arena;
	struct strmap files; /* name of a WARC file → number of its place */
	struct collection_files places;
	struct fd_vec fds;         /* of packages and temporary files */
	char *warc_dir;            /* of an archive */
	struct live_archive *live; /* of an archive */
	pthread_mutex_t lock;      /* guards set */
	struct index_set *set;
};

struct collection_terms {
	const char *temporary; /* directory for indexes that have to be made */
	const struct access *access;
};

/*
 * Opens what path names. Reading WARC files without an index takes as long as reading them. 0,
 * ERR_NOTFOUND, ERR_SYNTAX when it is nothing that can be served, ERR_IO, ERR_NOMEM; err names
 * path.
 */
int collection_open(const char *path, const struct collection_terms *terms, struct collection **ret,
	struct err *err) SP_MUST_CHECK;
void collection_close(struct collection *c); /* NULL is fine */

/* The indexes of this moment; the caller drops them. */
struct index_set *collection_indexes(struct collection *c);

/*
 * Whether access rules let anything of it be shown, as far as the first lines of its index tell. In
 * doubt it does.
 */
bool collection_is_shown(struct collection *c);

/* Puts other indexes in place of these, which it takes over. */
void collection_replace(struct collection *c, struct index_set *set);

/*
 * Opens the WARC file of that name, as index lines give it. *ret_fd is -1 or to be closed by the
 * caller when he is done with the source. 0, ERR_NOTFOUND, ERR_IO.
 */
int collection_open_warc(const struct collection *c, slice filename, struct warc_source *ret,
	int *ret_fd, struct err *err) SP_MUST_CHECK;

#endif
