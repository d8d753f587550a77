/*
 * All WARC files of an archive in one file: gzip members one behind another, records as they are.
 * Files in another compression are compressed anew.
 */
#ifndef ARCHIVE_EXPORT_WARC_H
#define ARCHIVE_EXPORT_WARC_H

#include "archive/export_set.h"
#include "base/api.h"
#include "base/err.h"
#include "base/output.h"

/* 0, ERR_IO, ERR_NOMEM, or as export_each_file. */
int warc_export(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
