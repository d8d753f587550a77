/*
 * Bodies that the archive has already, under whatever URL and in whatever capture, so that the same
 * body becomes a revisit record that refers to its first response (docs/traps.md). Invariants:
 *
 *	(1) What is found is a response record, never a revisit, with exactly that payload: its
 *	    header is read from the WARC file each time, and its digest compared in full.
 *	(2) Only bodies are known that were committed before the crawl (re)started, or that the
 *	    same writer put into its WARC files since. So whatever a crash tears off, no record that
 *	    stays refers to it.
 *
 * Memory is bounded: some 30 bytes for each body, up to DUPLICATES_MAX of them; a newer one then
 * takes the place of another. What is not found costs space on the disk, nothing else. One object
 * belongs to one writer of WARC files.
 */
#ifndef ARCHIVE_DUPLICATES_H
#define ARCHIVE_DUPLICATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "formats/http_digest.h"
#include "warc/warc_header.h"

enum {
	DUPLICATES_MAX = 1 << 20, /* bodies; 24 MiB */
	/* Bytes of a payload from which a revisit record saves something (docs/traps.md). */
	DUPLICATES_SIZE_MIN = 512,
};

struct duplicates_slot {
	uint64_t key[2]; /* of payload and coding; all zero: free */
	uint64_t place;  /* number of the file << 40 | offset; all ones: expected */
};

VEC_DECLARE(duplicates_files, char *);

/* Fields are its own. */
struct duplicates {
	const char *dir; /* borrowed: the directory of the WARC files */
	struct duplicates_slot *slots;
	size_t count, cap; /* cap is a multiple of 8 */
	size_t max;        /* of cap */
	uint32_t turn;     /* whose place is taken next */
	struct duplicates_files files;
	struct buf url;        /* of what was found last */
	struct warc_id record; /* its id */
};

/* A body, and the response record that has it. */
struct duplicates_body {
	struct digest payload;
	uint64_t coding; /* how it is read (attempt.h) */
	slice file;      /* for duplicates_add only: the name of the WARC file, */
	uint64_t offset; /* and where in it the record begins */
};

/* Whether later attempts may refer to the body of this one. */
bool duplicates_is_original(const struct attempt *a);

/* max: a multiple of 8, as a rule DUPLICATES_MAX. Allocates nothing. */
void duplicates_init(struct duplicates *d, const char *warc_dir, size_t max);
void duplicates_release(struct duplicates *d);

/*
 * A response record with a whole body is being written; where it is, duplicates_add tells when it
 * can be read.
 */
void duplicates_expect(struct duplicates *d, const struct duplicates_body *body);

/* A response record with a whole body can be read from its file. */
void duplicates_add(struct duplicates *d, const struct duplicates_body *body);

enum duplicates_sight {
	DUPLICATES_NONE,
	DUPLICATES_EXPECTED,
	DUPLICATES_ADDED,
};

/* Whether one like it was added, or is expected: no file is read. */
enum duplicates_sight duplicates_look(
	const struct duplicates *d, const struct duplicates_body *body);

/*
 * Whether a body is there already. Whatever cannot be read is not there, and is forgotten. One that
 * is only expected is not there yet. The strings of *ret are valid until the next call.
 */
bool duplicates_find(
	struct duplicates *d, const struct duplicates_body *body, struct attempt_original *ret);

/*
 * Where a response record with that body is, as far as is known without reading it: the file's name
 * is valid until the next addition.
 */
bool duplicates_place(const struct duplicates *d, const struct duplicates_body *body, slice *file,
	uint64_t *offset);

/*
 * The bodies of a capture that has ended, saved in the catalog in the form of the table, so that
 * the next crawl need not read all its observations (CATALOG_SAVED_BODIES):
 *
 *	duplicates_saving_begin(&s, catalog, capture);
 *	for each observation: rc = duplicates_saving_add(&s, attempt);	// a catalog_on_observation
 *	rc = duplicates_saving_end(&s, rc);
 */
struct duplicates_saving {
	struct catalog *catalog;
	uint32_t capture, number; /* of the next part */
	struct duplicates bodies; /* of the part */
	struct err *err;
};

int duplicates_saving_begin(struct duplicates_saving *s, struct catalog *catalog, uint32_t capture,
	struct err *err) SP_MUST_CHECK;
int duplicates_saving_add(void *saving, const struct attempt *a) SP_MUST_CHECK;
/* rc: what came of it so far; returned, or as the catalog's functions. */
int duplicates_saving_end(struct duplicates_saving *s, int rc) SP_MUST_CHECK;

/*
 * Learns what the captures before that number have, the last ones first, as far as there is room
 * and not more than some millions of rows: 0, or as the catalog's functions. What was
 * saved is taken from there.
 */
int duplicates_learn(struct duplicates *d, struct catalog *catalog, uint32_t before,
	struct err *err) SP_MUST_CHECK;

#endif
