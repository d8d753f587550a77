/*
 * The WARC files that are exported: those of an archive, or whatever warc_set.h reads, but for
 * files that a crawl is still writing.
 */
#ifndef ARCHIVE_EXPORT_H
#define ARCHIVE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/output.h"
#include "base/slice.h"
#include "catalog/catalog.h"
#include "warc/warc_header.h"
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

/*
 * Which records belong to one capture, as the catalog knows them: its responses, the requests and
 * metadata that go with them, and the responses of earlier captures that its revisit records refer
 * to, so that nothing is without its body.
 */

enum { CHOSEN_LOOK_MAX = 4096 }; /* bytes of a metadata block that are looked at */

struct chosen; /* opaque */

/* 0, ERR_NOTFOUND when there is no such capture, ERR_STATE when it is not finished, … */
int chosen_open(struct catalog *catalog, uint32_t capture, struct chosen **ret,
	struct err *err) SP_MUST_CHECK;
void chosen_close(struct chosen *c); /* NULL is fine */

/* Reads the files for what its revisit records refer to; needed once, before chosen_has. */
int chosen_complete(
	struct chosen *c, const struct export_params *params, struct err *err) SP_MUST_CHECK;

/* Whether a record does. start: the first bytes of its block, up to CHOSEN_LOOK_MAX. */
bool chosen_has(const struct chosen *c, const struct warc_header *h, slice start);

/*
 * All WARC files of an archive in one file: gzip members one behind another, records as they are.
 * Files in another compression are compressed anew.
 */

/* 0, ERR_IO, or as export_each_file. */
int warc_export(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;

/*
 * The index of an archive, written anew from its WARC files, for other programs: as CDXJ lines, or
 * as CSV (RFC 4180) with a header, in the same order.
 */

/* Both: 0, ERR_IO, or as export_each_file. */
int table_write_cdxj(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;
int table_write_csv(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
