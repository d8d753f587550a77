/*
 * Which WARC files of an archive were written by a crawl into it, and which were imported. A file
 * that `import` takes from another archive of ours looks like one of this archive; so the names of
 * all that it copies are in imported.txt, a line for each, before the files are in warc/.
 */
#ifndef ARCHIVE_OUR_FILE_H
#define ARCHIVE_OUR_FILE_H

#include <stdbool.h>

#include "archive/directory.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "warc/warc_input.h"

/* Names of imported files. Fields are its own. */
struct imported_files {
	struct arena arena;
	struct strmap names;
};

/* Reads the list; there need not be one. 0, ERR_IO. To be released in any case. */
int imported_files_load(
	struct imported_files *i, const char *archive, struct err *err) SP_MUST_CHECK;
void imported_files_release(struct imported_files *i);
bool imported_files_has(const struct imported_files *i, slice name);

/* Its place in the order in which they came; files of the archive's own come before them: 0. */
uint32_t imported_files_rank(const struct imported_files *i, slice name);

/* Adds a name to the list, and syncs it: 0 or ERR_IO. */
int imported_files_add(const struct directory *d, slice name, struct err *err) SP_MUST_CHECK;

/* Whether its first record says that Stillpoint wrote the file. What cannot be read is not ours. */
bool our_file_is_source(const struct warc_source *source);

#endif
