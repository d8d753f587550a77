/*
 * The WARC files that are exported: those of an archive, or whatever warc_set.h reads, but for
 * files that a crawl is still writing.
 */
#ifndef ARCHIVE_EXPORT_SET_H
#define ARCHIVE_EXPORT_SET_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/warc_input.h"

struct chosen;

/* What is exported, and with what help. All is borrowed. */
struct export_params {
	const char *path;      /* of the archive, file or directory */
	const char *temporary; /* directory for temporary files */
	bool text;             /* a WACZ's pages get their text */
	bool redact;           /* secrets are replaced (archive/export_copier.h) */
	bool compact; /* looks become compact ones, not records (archive/export_copier.h) */
	const struct chosen *chosen; /* records of one capture; NULL: all */
};

/* What came of it; added up over files. */
struct export_counts {
	uint64_t files;
	uint64_t open;     /* files of an unfinished capture, left out */
	uint64_t lines;    /* of the index */
	uint64_t damaged;  /* records and gaps that have none */
	uint64_t pages;    /* that a WACZ lists */
	uint64_t redacted; /* records in which secrets were replaced */
};

/* name: without directories, valid for the call. What it returns but 0 ends the walk. */
typedef int export_call(void *context, slice name, const struct warc_source *source, uint64_t size,
	struct err *err);

/*
 * Calls for each file, in the order of names. 0, what call returned, ERR_EXISTS when two files of
 * a directory share a name, or as warc_set_each.
 */
int export_each_file(const struct export_params *params, export_call *call, void *context,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;

/* Appends the directory of the files: 0 or as buf_add. */
int export_dir(const struct export_params *params, struct buf *out) SP_MUST_CHECK;

/* Hands the bytes of a source to emit, piece by piece. 0, ERR_IO, or what emit returned. */
typedef int export_emit(void *context, slice bytes, struct err *err);
int export_copy(const struct warc_source *source, uint64_t size, export_emit *emit, void *context,
	struct err *err) SP_MUST_CHECK;

#endif
