/*
 * Writes WARC 1.1 files (ISO 28500:2017), one gzip member or zstd frame for each record, into a
 * directory: opens the first file with the first record, goes on to another when one has reached
 * its size, and begins each with a warcinfo record. A file has the suffix ".open" until it is
 * complete (warc_file.h). A record that cannot be written leaves no trace: the file is as before
 * it, and writing may go on, if the disk allows. A process may have any number of writers; each is
 * for one thread at a time.
 */
#ifndef ARCHIVE_WARC_WRITER_H
#define ARCHIVE_WARC_WRITER_H

#include "archive/warc_entry.h"
#include "archive/warc_file.h"
#include "archive/warc_input.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"

#define WARC_WRITER_NAME     "stillpoint-%t-%n"
#define WARC_WRITER_MAX_SIZE (UINT64_C(1) << 30)

enum {
	WARC_WRITER_TRIES_MAX = 10000,  /* names that may be taken before we give up */
	WARC_WRITER_INFO_MAX = 8 << 20, /* bytes of a warcinfo block */
};

struct warc_writer_params {
	const char *dir; /* must exist */

	/*
	 * Names of the files, without ".warc.gz": %t is the time of creation in fourteen digits, %n
	 * a serial number of at least five, which must be there, %% a percent sign. NULL for
	 * WARC_WRITER_NAME.
	 */
	const char *name;
	uint64_t serial; /* of the first file */
	enum warc_coding coding;
	int level;                /* of compression; 0 for the default */
	uint64_t max_size;        /* begin a new file at or above; 0 for WARC_WRITER_MAX_SIZE */
	const struct field *info; /* fields of the warcinfo records */
	size_t info_count;
	const struct clock *clock; /* NULL for the system's */
	uint64_t seed;             /* of record ids; 0 for a random one */
	const struct warc_io *io;  /* NULL for the system's */
};

/* Where a record went. */
struct warc_place {
	uint64_t offset;
	uint64_t length;
	struct warc_id id;
	struct digest payload; /* that the record states, if has_payload */
	bool has_payload;
	char file[WARC_NAME_MAX + 1]; /* without ".open" */
};

struct warc_writer; /* opaque */

/*
 * Strings, fields, clock and io are borrowed until the writer is closed. 0, ERR_USAGE for the name,
 * ERR_RANGE for the level, ERR_IO for the directory, ERR_NOMEM.
 */
int warc_writer_open(const struct warc_writer_params *params, struct warc_writer **ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Writes a record. 0, ERR_IO, ERR_USAGE or ERR_SYNTAX for an entry that makes no record, ERR_LIMIT,
 * ERR_NOMEM; ret_place may be NULL. The record is on the disk after the next warc_writer_sync.
 */
int warc_writer_add(struct warc_writer *w, const struct warc_entry *entry,
	struct warc_place *ret_place, struct err *err) SP_MUST_CHECK;

/* All records so far can be read from their files: 0 or ERR_IO. */
int warc_writer_flush(struct warc_writer *w, struct err *err) SP_MUST_CHECK;

/* All records so far are on the disk: 0 or ERR_IO. Blocks as long as the disk takes. */
int warc_writer_sync(struct warc_writer *w, struct err *err) SP_MUST_CHECK;

/* Completes the file; the next record begins another: 0 or ERR_IO. */
int warc_writer_complete(struct warc_writer *w, struct err *err) SP_MUST_CHECK;

/* SHA-256 of the file that was completed last; NULL when there is none. The writer's own. */
const struct digest *warc_writer_digest(const struct warc_writer *w);

/* Completes the file and frees the writer in any case: 0 or ERR_IO. NULL is fine. */
int warc_writer_close(struct warc_writer *w, struct err *err) SP_MUST_CHECK;

/*
 * Frees the writer and leaves the file as it is, under the name NAME.open: when it is not known how
 * much of it counts, for warc_repair to see to. NULL is fine.
 */
void warc_writer_abandon(struct warc_writer *w);

#endif
