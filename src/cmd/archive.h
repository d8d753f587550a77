/*
 * An archive that is only read: where its parts are, and its catalog. A WARC or WACZ file may stand
 * in its place: its catalog is made of it, in a temporary file.
 */
#ifndef CMD_ARCHIVE_H
#define CMD_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"

enum { ARCHIVE_PATH_SIZE = 4096 };

/*
 * From here on the process makes files that only the user can read, if there are secrets or the
 * path (an archive, a WARC or WACZ file) is the user's alone: what is written from it must not be
 * less protected. Before there are threads.
 */
void archive_guard_files(const char *path, bool has_secrets);

/* Whether there is such a directory: 0, ERR_NOTFOUND with what to do. Guards its files. */
int archive_check(const char *path, struct err *err) SP_MUST_CHECK;

/* Whether the path is a WARC or WACZ file, whoever wrote it. */
bool archive_is_file(const char *path);

/*
 * The directory of its WARC files; a WACZ file stands for itself (archive/record_body.h). 0,
 * ERR_NOTFOUND when the path is no archive, ERR_IO when it may not be looked into, ERR_LIMIT.
 */
int archive_warc_dir(
	const char *path, char ret_dir[ARCHIVE_PATH_SIZE], struct err *err) SP_MUST_CHECK;

/* Its index, which need not be there: 0 or ERR_LIMIT. */
int archive_index(
	const char *path, char ret_file[ARCHIVE_PATH_SIZE], struct err *err) SP_MUST_CHECK;

/*
 * Its catalog, for reading: 0, ERR_NOTFOUND when there is none, or as catalog_open. Of a file: its
 * captures, or if it is not ours, what the looks in it prove (judge/judge.h).
 */
int archive_open_catalog(const char *path, struct catalog **ret, struct err *err) SP_MUST_CHECK;

/* Bytes of all its files, as far as they can be seen. */
uint64_t archive_size(const char *path);

#endif
