/*
 * index.cdxj: where each response of all captures is, by SURT and time. A crawl derives it from the
 * catalog, which is fast; `stillpoint index` from the WARC files, which are always there.
 */
#ifndef ARCHIVE_INDEX_H
#define ARCHIVE_INDEX_H

#include <stdint.h>

#include "archive/directory.h"
#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"

/*
 * Writes index.cdxj anew from the catalog. Of WARC files that the catalog does not know (imported
 * ones) the lines of the old index stay; files that have none there are read.
 */
int index_write(struct catalog *catalog, const struct directory *d, struct err *err) SP_MUST_CHECK;

/*
 * The same when captures from that number on are new (0: all are written anew): lines of others
 * stay as they are, which takes a fraction of the time. All is written anew where the old index may
 * lack some. The verdicts of the capture `judged` are stored as well (archive/judging.h), from the
 * same reading of its observations. Commits nothing.
 */
int index_add(struct catalog *catalog, const struct directory *d, uint32_t first, uint32_t judged,
	struct err *err) SP_MUST_CHECK;

/* What index_from_warc found. */
struct index_counts {
	uint64_t lines;   /* of the index */
	uint64_t damaged; /* records and gaps that have none */
	uint64_t files;
	uint64_t open; /* files that no process has completed, left out */
};

/*
 * Writes the index of an archive anew, from the records of its complete WARC files; it needs no
 * catalog. As directory_open, ERR_IO when a file cannot be read; the index is as before
 * then.
 */
int index_from_warc(const char *archive, struct index_counts *ret, struct err *err) SP_MUST_CHECK;

#endif
