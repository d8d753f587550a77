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
#ifndef ARCHIVE_WARC_FILE_H
#define ARCHIVE_WARC_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "http/digest.h"

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

/* Takes back what there is of the record under way, now or before anything else is written. */
void warc_file_rollback(struct warc_file *f);

/* Nothing is gathered any more: all records can be read from the file. 0 or ERR_IO. */
int warc_file_flush(struct warc_file *f, struct err *err) SP_MUST_CHECK;

/* Now all records that were committed are on the disk: 0 or ERR_IO. */
int warc_file_sync(struct warc_file *f, struct err *err) SP_MUST_CHECK;

/* SHA-256 of the first bytes of a file: 0, ERR_IO with errno (0: it is shorter), ERR_NOMEM. */
int warc_file_sum(int fd, uint64_t size, struct digest *ret) SP_MUST_CHECK;

/*
 * Syncs, gives the file its name, computes its digest, closes it: 0 or ERR_IO, when it is closed
 * all the same but keeps the name NAME.open (or may get it back after a crash, when only the
 * directory was not synced).
 */
int warc_file_close(struct warc_file *f, struct err *err) SP_MUST_CHECK;

/* Closes and removes a file that has no records. */
void warc_file_discard(struct warc_file *f);

/* Closes it as it is, without what is gathered, under the name NAME.open: for warc_repair. */
void warc_file_abandon(struct warc_file *f);

#endif
