/*
 * An archive is a directory:
 *
 *	catalog.sqlite   what is known of captures, pages and observations
 *	warc/            WARC files; NAME.open is being written, NAME.torn-N was set aside
 *	index.cdxj       derived from the above; may be written again at any time
 *	text.sqlite      a full text index, if the user wants one; the same (text/text_index.h)
 *	imported.txt     names of WARC files that were imported (archive/our_file.h)
 *	rates-N.csv      the rates that capture N was given
 *	rates.model      a model of `train` that captures use, if the user puts one there
 *	cacert-N.pem     the certificates that capture N was given
 *	spool/           bodies under way; removed in the end
 *	lock             held by the process that writes, which removes it in the end
 */
#ifndef ARCHIVE_DIRECTORY_H
#define ARCHIVE_DIRECTORY_H

#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"

enum { DIRECTORY_PATH_MAX = 4096 };

/* Fields may be read. Zeroed, with lock -1, it is closed. */
struct directory {
	char path[DIRECTORY_PATH_MAX]; /* of the archive; the others are below it */
	char catalog[DIRECTORY_PATH_MAX];
	char warc[DIRECTORY_PATH_MAX];
	char index[DIRECTORY_PATH_MAX];
	char spool[DIRECTORY_PATH_MAX];
	int lock;
};

/*
 * Opens an archive for writing and locks it; create makes what is missing (its parent must exist).
 * 0, ERR_NOTFOUND, ERR_STATE when another process writes to it, ERR_IO, ERR_LIMIT for the path.
 */
int directory_open(
	struct directory *d, const char *path, bool create, struct err *err) SP_MUST_CHECK;

/* The same for one that has WARC files and need not have a catalog. */
int directory_open_warc(struct directory *d, const char *path, struct err *err) SP_MUST_CHECK;

void directory_close(struct directory *d);

/* Closes it to all users but its owner: 0 or ERR_IO. */
int directory_restrict(const struct directory *d, struct err *err) SP_MUST_CHECK;

/* Puts a copy of a file into the archive under that name, synced: 0 or ERR_IO. */
int directory_copy_in(
	struct directory *d, const char *from, const char *name, struct err *err) SP_MUST_CHECK;

/* Replaces the name of a file in the archive by its path, in the arena: 0, ERR_LIMIT. */
int directory_path(const struct directory *d, const char **name, struct arena *arena,
	struct err *err) SP_MUST_CHECK;

#endif
