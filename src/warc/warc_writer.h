/* WARC files being written. */
#ifndef WARC_WARC_WRITER_H
#define WARC_WARC_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/slice.h"
#include "formats/http_digest.h"
#include "warc/warc_header.h"
#include "warc/warc_input.h"

/* ---- a file ---- */

/*
 * A WARC file being written: NAME.open until it is closed, NAME after. Small records are gathered,
 * so that many of them are one write. Invariants:
 *
 *	(1) bytes [0, size) are whole records: [0, written) in the file, the rest gathered. Only
 *	    while a large record is being added is written behind size, and nothing gathered.
 *	(2) A record that could not be written in full is taken back by truncating the file to whole
 *	    records; where even that fails, nothing is written or renamed until it has succeeded.
 *	    What is gathered stays when it cannot be written, for the next try.
 *	(3) The name without ".open" means: complete, and on the disk.
 */

enum { WARC_NAME_MAX = 200 }; /* bytes of a file's name without ".open" */

#define WARC_OPEN ".open" /* behind the name of a file that is being written */

/* The name without ".open", which may be none: that by which catalogs know the file. */
slice warc_closed_name(slice name);

/* Whether a complete WARC file is called so: "….warc", "….warc.gz", "….warc.zst". */
bool warc_is_name(slice name);

/* Whether it is called "PREFIX-TIME-NUMBER…", as the files of crawls are. */
bool warc_name_has_time(const char *name);

/*
 * The order in which files were begun, as far as their names "PREFIX-TIME-NUMBER…" tell; by name
 * where there is no time. As strcmp.
 */
int warc_name_compare(const char *x, const char *y);

/*
 * Files that the numbers of others show to be missing. Files of one process and lane have a word in
 * common and are numbered without gaps; those of a process begin with the number of files that the
 * archive had then. Calls for each loss. others: files that have no such names, and may have been
 * counted. 0, or what call returned. All names are borrowed, and end in a NUL.
 */
struct warc_gap {
	uint64_t count; /* of files */
	bool is_before; /* they were written before the one that is named; else it is the first */
	char name[WARC_NAME_MAX + 24]; /* "PREFIX-*-00003-…" */
};
typedef int warc_gap_call(void *context, const struct warc_gap *gap);
int warc_names_missing(const slice *names, size_t count, uint64_t others, warc_gap_call *call,
	void *context) SP_MUST_CHECK;

/* The system calls that fail on full or broken disks; tests make them fail. As pwrite(2) etc. */
struct warc_io {
	void *context;
	ssize_t (*write)(void *context, int fd, const void *bytes, size_t len, off_t at);
	int (*truncate)(void *context, int fd, off_t size);
	int (*sync)(void *context, int fd);
};

/* Writes all bytes there: 0, or -1 with errno. */
int warc_io_write(const struct warc_io *io, int fd, slice bytes, uint64_t at) SP_MUST_CHECK;

/* The real ones: constant, for any thread. */
const struct warc_io *warc_io_system(void);

/* Fields are the file's own. Zeroed, it is closed. */
struct warc_file {
	const struct warc_io *io;
	int dir; /* borrowed */
	int fd;
	bool is_open;
	bool is_entered; /* the directory has been synced since the file was created */
	bool is_torn;    /* there may be bytes behind size that are no record */
	uint64_t size;   /* of the whole records */
	uint64_t end;    /* size, and what there is of the record under way */
	uint64_t written;
	char *gathered; /* bytes [written, end), unless a large record is under way */
	char name[WARC_NAME_MAX + 1];
	struct digester sum; /* of all bytes that were added, … */
	bool is_sum_spoiled; /* … some of which were taken back, or could not be added up */
	bool has_digest;     /* may be read once the file is closed */
	struct digest digest;
};

/*
 * Creates NAME.open in the directory, which must not be closed before the file: 0, ERR_EXISTS when
 * it or NAME is there, ERR_IO. io is borrowed.
 */
int warc_file_create(struct warc_file *f, int dir, const char *name, const struct warc_io *io,
	struct err *err) SP_MUST_CHECK;

/* Adds bytes to the record under way: 0 or ERR_IO, upon which the record must be taken back. */
int warc_file_append(struct warc_file *f, slice bytes, struct err *err) SP_MUST_CHECK;

/* The record under way is whole. Cannot fail. */
void warc_file_commit(struct warc_file *f);

/* Nothing is gathered any more: all records can be read from the file. 0 or ERR_IO. */
int warc_file_flush(struct warc_file *f, struct err *err) SP_MUST_CHECK;

/* SHA-256 of the first bytes of a file: 0, ERR_IO with errno (0: it is shorter). */
int warc_file_sum(int fd, uint64_t size, struct digest *ret) SP_MUST_CHECK;

/*
 * Syncs, gives the file its name, computes its digest, closes it: 0 or ERR_IO, when it is closed
 * all the same but keeps the name NAME.open (or may get it back after a crash, when only the
 * directory was not synced).
 */
int warc_file_close(struct warc_file *f, struct err *err) SP_MUST_CHECK;

/* Closes it as it is, without what is gathered, under the name NAME.open: for warc_repair. */
void warc_file_abandon(struct warc_file *f);

/* ---- records ---- */

/*
 * Writes WARC 1.1 files (ISO 28500:2017), one gzip member or zstd frame for each record, into a
 * directory: opens the first file with the first record, goes on to another when one has reached
 * its size, and begins each with a warcinfo record. A file has the suffix ".open" until it is
 * complete (struct warc_file). A record that cannot be written leaves no trace: the file is as
 * before it, and writing may go on, if the disk allows. A process may have any number of writers;
 * each is for one thread at a time.
 */

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
 * ERR_RANGE for the level, ERR_IO for the directory.
 */
int warc_writer_open(const struct warc_writer_params *params, struct warc_writer **ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Writes a record. 0, ERR_IO, ERR_USAGE or ERR_SYNTAX for an entry that makes no record, ERR_LIMIT;
 * ret_place may be NULL. The record is on the disk after the next warc_writer_sync.
 */
int warc_writer_add(struct warc_writer *w, const struct warc_entry *entry,
	struct warc_place *ret_place, struct err *err) SP_MUST_CHECK;

/* Whether the next record begins another file, unless it has to follow the last one. */
bool warc_writer_is_full(const struct warc_writer *w);

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
