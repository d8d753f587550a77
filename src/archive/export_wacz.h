/*
 * WACZ 1.1.1 (Web Archive Collection Zipped): WARC files, a ZipNum index, a list of pages, and the
 * digests of all of them in one ZIP file. WARC files are copied as they are and stored, so that a
 * reader finds each record by its offset. The same archive gives the same bytes.
 */
#ifndef ARCHIVE_EXPORT_WACZ_H
#define ARCHIVE_EXPORT_WACZ_H

#include "archive/export.h"
#include "base/api.h"
#include "base/err.h"
#include "base/output.h"

/*
 * Writes it to the output, which needs no seeking. 0, ERR_IO, or as export_each_file;
 * counts are complete on success.
 */
int wacz_write(const struct export_params *params, struct output *out, struct export_counts *counts,
	struct err *err) SP_MUST_CHECK;

#endif
