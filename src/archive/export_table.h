/*
 * The index of an archive, written anew from its WARC files, for other programs: as CDXJ lines, or
 * as CSV (RFC 4180) with a header, in the same order.
 */
#ifndef ARCHIVE_EXPORT_TABLE_H
#define ARCHIVE_EXPORT_TABLE_H

#include "archive/export_set.h"
#include "base/api.h"
#include "base/err.h"
#include "base/output.h"

/* Both: 0, ERR_IO, ERR_NOMEM, or as export_each_file. */
int table_write_cdxj(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;
int table_write_csv(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
