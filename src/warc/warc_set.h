/*
 * The WARC files under a path, whoever wrote them: a WARC file, a WACZ file (the WARC files in its
 * folder "archive"), or a directory with any of these, at any depth. Directories are read in the
 * order of names, so that the same set comes out alike everywhere.
 */
#ifndef WARC_WARC_SET_H
#define WARC_WARC_SET_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/warc_input.h"

enum {
	WARC_SET_PATH_MAX = 4096,
	WARC_SET_DEPTH_MAX = 16,      /* directories within each other */
	WARC_SET_FILES_MAX = 1 << 20, /* of one directory */
};

/* One of them, valid for the call. A part of a file is read by its source's start and length. */
struct warc_set_file {
	const char *path; /* of the file, or of the WACZ file that has it */
	slice inner;      /* its name in the WACZ file; ptr NULL for a file of its own */
	struct warc_source source;
	uint64_t size;
};

/* Its name without directories. */
slice warc_set_file_name(const struct warc_set_file *file);

/* What it returns but 0 ends the walk and is returned. */
typedef int warc_set_call(void *context, const struct warc_set_file *file, struct err *err);

/* Whether a file with this name is read in a directory: .warc, .warc.gz, .warc.zst (.open), .wacz.
 */
bool warc_set_is_name(slice name);

/*
 * Calls for each of them. Compressed entries of a WACZ file are unpacked into a file without a name
 * in tmp_dir. 0, ERR_NOTFOUND when there is none, ERR_IO, ERR_SYNTAX, ERR_UNSUPPORTED, ERR_LIMIT:
 * with the path in the sentence.
 */
int warc_set_each(const char *path, const char *tmp_dir, warc_set_call *call, void *context,
	struct err *err) SP_MUST_CHECK;

/* The same; of an archive only those in its directory warc, as it has other things beside it. */
int warc_set_each_of_archive(const char *path, const char *tmp_dir, warc_set_call *call,
	void *context, struct err *err) SP_MUST_CHECK;

#endif
