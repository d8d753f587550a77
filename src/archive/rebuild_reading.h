/*
 * Reads the records of an archive's WARC files into captures (rebuilt.h): attempts with what their
 * responses show, compact looks, moments, page tables, learned rules. Nothing is checked here but
 * that it can be read: `verify` holds the new catalog against the files.
 */
#ifndef ARCHIVE_REBUILD_READING_H
#define ARCHIVE_REBUILD_READING_H

#include "archive/rebuilt.h"
#include "base/progress.h"
#include "formats/links.h"
#include "plan/link_set.h"
#include "proof/evidence.h"
#include "proof/rulebook.h"
#include "warc/warc_input.h"

/* Where the last whole record of a file ends; and the last one that is not a part of an attempt
 * whose metadata has not come. */
struct rebuild_ends {
	uint64_t record, attempt;
};

/* The response whose attempt comes next. */
struct response {
	bool made;
	slice file;
	char id[64];
	char address[64];
	uint64_t length;
	bool has_payload; /* its digest is known */
	struct digest payload;
	struct evidence evidence;
};

/* Records of an attempt at the end of a file whose metadata is in the next one of its lane. */
struct unended {
	slice file, id;
	struct response response; /* made, unless nothing was answered */
	bool is_ended;            /* the metadata was found */
};

VEC_DECLARE(unended_vec, struct unended);

/* Fields are its own, but for batch and damaged. It may not be moved. */
struct rebuild_reading {
	struct rebuilt_captures *captures;
	struct catalog *catalog;
	struct evidence_table table;
	struct evidence_reader reader;
	struct words words; /* of the table */
	slice name;         /* of the file that is read, without ".open" */
	struct links links;
	struct rulebook book; /* rules of the file */
	struct response response;
	char begun[64]; /* id of the first record of an attempt whose metadata has not come; or ""
			 */
	struct rebuild_ends *ends;
	struct unended_vec unended;
	struct arena names; /* of files, and of those */
	uint8_t sketch[LINK_SET_SIZE_MAX];
	uint64_t batch;   /* number of the last batch of looks */
	uint64_t damaged; /* records and gaps */
};

/* All is borrowed; dir, or a WACZ file, has the files, tmp_dir is for what does not fit. */
int rebuild_reading_init(struct rebuild_reading *r, const char *dir, const char *tmp_dir,
	struct rebuilt_captures *captures, struct catalog *catalog) SP_MUST_CHECK;
void rebuild_reading_release(struct rebuild_reading *r);

/*
 * Reads a file. 0, ERR_IO when it cannot be read, ERR_NOMEM, or as the catalog's functions.
 */
int rebuild_reading_file(struct rebuild_reading *r, const struct warc_source *source, slice name,
	struct progress *progress, struct rebuild_ends *ret_ends, struct err *err) SP_MUST_CHECK;

/* All files were read: whether the last attempt of this one has its metadata nowhere. */
bool rebuild_reading_is_cut(const struct rebuild_reading *r, slice name);

/*
 * Reads looks that wait in another catalog for their record: they wait in the new one. Rows are
 * those of one batch.
 */
int rebuild_reading_waiting(struct rebuild_reading *r, slice rows, struct err *err) SP_MUST_CHECK;

#endif
