/*
 * The WARC files of a lane, and the records of attempts, lookups and clocks in them. Records are
 * written in the order of the calls. The batch of each call gets the rows about the files. Compact
 * looks wait (look_batch.h) until there are enough of them for a record.
 * Invariant:
 *
 *	(1) The size of a WARC file in a batch ends after a whole attempt: its response, request
 *	    and metadata, or its one revisit record.
 *	(2) The form of a request stands in the file of the revisit record that has its number, and
 *	    before it.
 *
 * For one thread: that of the lane's press (press.h).
 */
#ifndef ARCHIVE_RECORDS_H
#define ARCHIVE_RECORDS_H

#include <stdint.h>

#include "archive/batch.h"
#include "archive/directory.h"
#include "archive/duplicates.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "net/net.h"
#include "warc/attempt.h"
#include "warc/compact.h"
#include "warc/warc_writer.h"

/*
 * Looks that wait to be written to a WARC file as one record (warc/compact.h). Until then they
 * wait in the catalog: those that a commit finds here go with it (look_batch_keep). So a look is,
 * at any moment, in a row of the catalog or in a WARC file that the catalog knows, and a crash
 * loses nothing that was committed.
 *
 * For one thread: that of the lane's press.
 */

/* Numbers of batches: those of one press are this far apart, so that presses share none. */
enum { LOOK_BATCH_STEP = 1 << 16 };

/* Fields may be read. */
struct look_batch {
	uint64_t batch;   /* number of the batch that is being filled */
	struct buf block; /* of its record: empty when no look waits */
	uint32_t count;
	uint32_t kept;      /* of them, in the catalog already, or handed to it */
	size_t kept_length; /* bytes of the block up to these */
	int64_t date;       /* of the last one */
};

/* Adds the looks that the catalog does not know to the batch. */
void look_batch_keep(struct look_batch *l, struct batch *batch);

/* Their files' names are valid until the records are closed or abandoned. */
VEC_DECLARE(records_bodies, struct duplicates_body);

enum { RECORDS_FORMS_MAX = 16 };

/* Fields are its own, but for fresh. */
struct records {
	struct warc_writer *warc;
	char name[WARC_NAME_MAX + 1]; /* of the files, as a pattern */
	struct arena files;           /* names of them */
	slice file;                   /* being written; empty before the first record */
	uint64_t end;                 /* of its last record */
	uint64_t whole;               /* of its last whole attempt */
	struct buf metadata;          /* block of the last attempt's */
	struct buf request;           /* head of the last one, without secrets */
	struct buf redacted;          /* what was left out of it */
	struct buf form;              /* of it (warc/request_form.h) */
	struct arena form_texts;
	slice forms[RECORDS_FORMS_MAX]; /* the last ones of the file, by their number */
	unsigned form_number;           /* of the last one of the file */
	const slice *secret;            /* names of fields whose values are left out */
	size_t secret_count;
	struct batch *batch; /* of the call */
	const char *dir;     /* of the files */
	struct look_batch looks;
	struct patch_maker patches;
	struct buf body, patch; /* scratch */
	struct records_bodies
		fresh; /* written since the last flush or sync, whose caller takes them */
};

#define RECORDS_PREFIX "stillpoint"

struct records_params {
	const struct directory *directory;
	const struct clock *clock;
	const char *prefix; /* of the files' names; NULL: RECORDS_PREFIX */
	slice host;         /* of the first site, for the same; may be empty */
	unsigned lane;      /* from 1; 0 when there is one only */
	uint64_t serial;    /* of the first file */
	uint64_t looks;     /* number of the first batch of looks, from 1 (look_batch.h) */
	enum warc_coding coding;
	uint64_t max_size;        /* begin a new file at that size; 0: the default */
	const struct field *info; /* of every warcinfo record */
	size_t info_count;
	const slice *secret; /* names of request fields whose values are not archived */
	size_t secret_count;
};

/* All is borrowed. 0 or as warc_writer_open. */
int records_open(
	struct records *r, const struct records_params *params, struct err *err) SP_MUST_CHECK;

/* Completes the WARC file and closes, in any case: 0, ERR_IO. */
int records_close(struct records *r, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* Closes, and leaves the file as it is. */
void records_abandon(struct records *r);

/*
 * Writes the records of an attempt, which is in the batch and learns where the response is; fetch
 * is NULL when nothing was sent. 0, ERR_IO, or as attempt_format and warc_writer_add.
 */
int records_attempt(struct records *r, struct batch *batch, struct attempt *a,
	const struct net_fetch *fetch, struct err *err) SP_MUST_CHECK;

/* Writes the looks that wait, if there are any: 0, ERR_IO, or as warc_writer_add. */
int records_looks(struct records *r, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* Writes the block of a batch of looks that an earlier process left in the catalog: the same. */
int records_adopt(struct records *r, struct batch *batch, uint64_t looks,
	const struct warc_entry *entry, struct err *err) SP_MUST_CHECK;

/* Writes a record of its own: the same. */
int records_note(struct records *r, struct batch *batch, const struct warc_entry *entry,
	struct err *err) SP_MUST_CHECK;

/* All records can be read from their files: 0 or ERR_IO. */
int records_flush(struct records *r, struct err *err) SP_MUST_CHECK;

/*
 * All records are on the disk, and the batch says so; looks that wait are in it. 0, ERR_IO,
 * ERR_NOMEM.
 */
int records_sync(struct records *r, struct batch *batch, struct err *err) SP_MUST_CHECK;

#endif
