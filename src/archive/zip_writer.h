/*
 * Writes ZIP files (PKWARE APPNOTE 6.3) to where nothing can be sought: each entry is stored, its
 * size is known before, and its checksum follows it in a data descriptor. Entries and directories
 * that are too large for 32 bits get zip64 fields. The same entries give the same bytes: all carry
 * the first date that ZIP knows.
 *
 *	zip_writer_init(&z, emit, context);
 *	rc = zip_writer_begin(&z, SLICE("archive/a.warc.gz"), size, err);
 *	while (rc == 0 && there is more)
 *		rc = zip_writer_feed(&z, bytes, err);
 *	if (rc == 0)
 *		rc = zip_writer_end(&z, err);
 *	…
 *	if (rc == 0)
 *		rc = zip_writer_finish(&z, err);	// the directory
 *	zip_writer_release(&z);
 */
#ifndef ARCHIVE_ZIP_WRITER_H
#define ARCHIVE_ZIP_WRITER_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

enum { ZIP_DIRECTORY_MAX = 1 << 30 }; /* bytes; about ten million entries */

/* Takes bytes of the file in their order; 0 or an error, which ends the writing. */
typedef int zip_emit(void *context, slice bytes, struct err *err);

/* Fields are the writer's own. */
struct zip_writer {
	zip_emit *emit;
	void *context;
	uint64_t at;      /* bytes so far */
	uint64_t entries; /* that have ended */
	struct buf directory;
	struct buf head; /* the header being made */

	/* The entry under way. */
	uint64_t start; /* of its local header */
	uint64_t size;  /* as told */
	uint64_t left;  /* of it, to be fed */
	uint32_t crc;
	struct buf name;
};

/* Allocates nothing; context is borrowed. */
void zip_writer_init(struct zip_writer *z, zip_emit *emit, void *context);
void zip_writer_release(struct zip_writer *z);

/* Begins an entry of exactly size bytes. 0, what emit returned, ERR_LIMIT (name), ERR_NOMEM. */
int zip_writer_begin(
	struct zip_writer *z, slice name, uint64_t size, struct err *err) SP_MUST_CHECK;

/* 0, what emit returned; ERR_STATE for more bytes than were told. */
int zip_writer_feed(struct zip_writer *z, slice bytes, struct err *err) SP_MUST_CHECK;

/* 0, what emit returned; ERR_STATE for fewer bytes than were told, ERR_LIMIT, ERR_NOMEM. */
int zip_writer_end(struct zip_writer *z, struct err *err) SP_MUST_CHECK;

/* Writes the directory: nothing may follow. 0, what emit returned, ERR_NOMEM. */
int zip_writer_finish(struct zip_writer *z, struct err *err) SP_MUST_CHECK;

#endif
