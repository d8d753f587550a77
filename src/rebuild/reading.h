/*
 * Reads the records of an archive's WARC files into captures (rebuilt.h): attempts with what their
 * responses show, compact looks, moments, page tables, learned rules. Nothing is checked here but
 * that it can be read: `verify` holds the new catalog against the files.
 */
#ifndef REBUILD_READING_H
#define REBUILD_READING_H

#include "base/progress.h"
#include "extract/links.h"
#include "proof/rulebook.h"
#include "quality/response_reader.h"
#include "rebuild/bodies.h"
#include "rebuild/rebuilt.h"

/* The response whose attempt comes next. */
struct response {
	bool made;
	slice file;
	char id[64];
	char address[64];
	uint64_t offset, length;
	bool is_revisit;
	bool has_payload; /* its digest is known */
	struct digest payload;
	bool is_read; /* and what follows */
	struct state_result state;
	uint64_t coding;
	size_t links_size;
	uint8_t links[LINK_SET_SIZE_MAX];
};

/* Records of an attempt at the end of a file whose metadata is in the next one of its lane. */
struct unended {
	slice file, id;
	struct response response; /* made, unless nothing was answered */
	bool is_ended;            /* the metadata was found */
};

VEC_DECLARE(unended_vec, struct unended);

/* Fields are its own, but for damaged. It may not be moved. */
struct rebuild_reading {
	const char *dir; /* of the files */
	struct rebuilt_captures *captures;
	struct bodies *bodies;
	struct catalog *catalog;
	slice name; /* of the file that is read, without ".open" */
	struct warc_reader *reader;
	struct response_reader responses;
	struct links links;
	struct rulebook book; /* rules of the file */
	struct response response;
	char begun[64]; /* id of the first record of an attempt whose metadata has not come; or ""
			 */
	struct unended_vec unended;
	struct arena names; /* of files, and of those */
	struct buf block;
	struct arena texts; /* of one record */
	uint64_t batch;     /* number of the last batch of looks */
	uint64_t damaged;   /* records and gaps */
};

/* Where the last whole record of a file ends; and the last one that is not a part of an attempt
 * whose metadata has not come. */
struct rebuild_ends {
	uint64_t record, attempt;
};

/* All is borrowed; dir has the files. */
int rebuild_reading_init(struct rebuild_reading *r, const char *dir,
	struct rebuilt_captures *captures, struct bodies *bodies,
	struct catalog *catalog) SP_MUST_CHECK;
void rebuild_reading_release(struct rebuild_reading *r);

/*
 * Reads a file. 0, ERR_IO when it cannot be read, ERR_NOMEM, or as the catalog's functions.
 */
int rebuild_reading_file(struct rebuild_reading *r, int fd, slice name, struct progress *progress,
	struct rebuild_ends *ret_ends, struct err *err) SP_MUST_CHECK;

/* All files were read: whether the last attempt of this one has its metadata nowhere. */
bool rebuild_reading_is_cut(const struct rebuild_reading *r, slice name);

/*
 * Reads looks that wait in another catalog for their record: they wait in the new one. Rows are
 * those of one batch.
 */
int rebuild_reading_waiting(struct rebuild_reading *r, slice rows, struct err *err) SP_MUST_CHECK;

#endif
