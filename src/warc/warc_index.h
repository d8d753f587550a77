/*
 * Index lines of whole WARC files, whoever wrote them: what `stillpoint index` writes, and what
 * `stillpoint serve` makes for files that have no index.
 *
 * Responses to POST, PUT and the like have a key of their own, as cdxj-indexer and pywb make it:
 * the URL with the method and the body of the request behind it, as `__wb_method=POST&a=1`. The
 * request is the record before or behind that has the same URI.
 */
#ifndef WARC_WARC_INDEX_H
#define WARC_WARC_INDEX_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/cdxj.h"
#include "warc/warc_input.h"

/* What was found; added up over files. */
struct warc_index_counts {
	uint64_t lines;
	uint64_t damaged; /* records and gaps that have none */
	uint64_t files;
};

/* Adds the lines of a file to sort, under that name. 0, ERR_IO, or as warc_reader_open.
 */
int warc_index_file(const struct warc_source *source, slice filename, struct cdxj_sort *sort,
	struct warc_index_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
