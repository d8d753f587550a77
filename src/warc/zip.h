/* ZIP files, read and written: WACZ files are such. */
#ifndef WARC_ZIP_H
#define WARC_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

/* ---- reading ---- */

/*
 * Reads ZIP files (PKWARE APPNOTE 6.3): the directory at their end, and the entries that it names,
 * stored or deflated, with zip64. What is needed for WACZ files of any producer:
 *
 *	rc = zip_reader_open(&z, fd, err);
 *	while (rc == 0 && (rc = zip_reader_next(&z, &entry, err)) == 0)
 *		use(&entry);				// ERR_END behind the last
 *	zip_reader_release(&z);
 *
 *	rc = zip_entry_find(&entry, fd, &start, err);	// where its bytes begin
 *	rc = zip_entry_read(&entry, fd, sink, context, err);
 *
 * The directory is read entry by entry, and memory grows by 16 bytes for each. A file may come from
 * anywhere: no size that it states is believed beyond the file, an entry never unpacks to more than
 * the directory says, all entries together to no more than ZIP_UNPACKED_MAX + ZIP_RATIO_MAX times
 * the file, and no two of them share bytes of it.
 */

enum zip_method {
	ZIP_STORED = 0,
	ZIP_DEFLATED = 8,
};

/* How much all entries of a file may hold unpacked: so many bytes, and times its own size. */
enum { ZIP_UNPACKED_MAX = 256 << 20, ZIP_RATIO_MAX = 100 };

struct zip_entry {
	slice name;      /* the reader's, valid until the next entry; "archive/a.warc.gz" */
	uint16_t method; /* enum zip_method, or another that cannot be read */
	bool encrypted;  /* cannot be read either */
	uint32_t crc;    /* of the unpacked bytes */
	uint64_t packed; /* bytes in the file */
	uint64_t size;   /* unpacked */
	uint64_t head;   /* offset of its local header */
};

/* Fields are its own, but for entries, the number that the directory states. */
struct zip_reader {
	int fd;
	uint64_t file_size;
	uint64_t entries;
	uint64_t taken; /* entries so far */
	uint64_t at;    /* of the next header of the directory */
	uint64_t end;   /* of the directory */
	struct buf row; /* the header that was read last */
};

/* Whether a file begins like a ZIP file; four bytes are enough to tell. */
bool zip_is_start(slice bytes);

/*
 * Finds the directory and reads through it. The descriptor is borrowed. 0, ERR_SYNTAX for what is
 * no ZIP file or has entries that overlap, ERR_LIMIT for one that unpacks to too much,
 * ERR_UNSUPPORTED for one in several parts, ERR_IO; to be released in any case.
 */
int zip_reader_open(struct zip_reader *z, int fd, struct err *err) SP_MUST_CHECK;
void zip_reader_release(struct zip_reader *z);

/* The next entry: 0, ERR_END, ERR_SYNTAX, ERR_IO. */
int zip_reader_next(struct zip_reader *z, struct zip_entry *ret, struct err *err) SP_MUST_CHECK;

/* Where the packed bytes of an entry begin: 0, ERR_SYNTAX, ERR_IO. */
int zip_entry_find(
	const struct zip_entry *entry, int fd, uint64_t *ret_start, struct err *err) SP_MUST_CHECK;

/* Takes unpacked bytes, piece by piece; what it returns but 0 ends the reading and is returned. */
typedef int zip_sink(void *context, slice bytes, struct err *err);

/*
 * Unpacks an entry: 0, ERR_SYNTAX for one that is damaged (sizes and checksum are compared),
 * ERR_UNSUPPORTED, ERR_IO.
 */
int zip_entry_read(const struct zip_entry *entry, int fd, zip_sink *sink, void *context,
	struct err *err) SP_MUST_CHECK;

/* ---- writing ---- */

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

/* Begins an entry of exactly size bytes. 0, what emit returned, ERR_LIMIT (name). */
int zip_writer_begin(
	struct zip_writer *z, slice name, uint64_t size, struct err *err) SP_MUST_CHECK;

/* 0, what emit returned; ERR_STATE for more bytes than were told. */
int zip_writer_feed(struct zip_writer *z, slice bytes, struct err *err) SP_MUST_CHECK;

/* 0, what emit returned; ERR_STATE for fewer bytes than were told, ERR_LIMIT. */
int zip_writer_end(struct zip_writer *z, struct err *err) SP_MUST_CHECK;

/* Writes the directory: nothing may follow. 0, what emit returned. */
int zip_writer_finish(struct zip_writer *z, struct err *err) SP_MUST_CHECK;

#endif
