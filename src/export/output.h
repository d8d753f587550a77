/*
 * Where an export goes: standard output, or a file that has another name (NAME.new) until it is
 * whole and on the disk. So a file of that name is never half an export.
 */
#ifndef EXPORT_OUTPUT_H
#define EXPORT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

/* Fields may be read. Zeroed, it is closed. */
struct output {
	FILE *file;
	bool is_standard;
	char path[PATH_MAX];
	char new_path[PATH_MAX + 8];
};

/* "-" is standard output. 0, ERR_IO, ERR_LIMIT for the path. */
int output_open(struct output *o, const char *path, struct err *err) SP_MUST_CHECK;

/* A zip_emit; the context is the output. 0 or ERR_IO. */
int output_write(void *output, slice bytes, struct err *err) SP_MUST_CHECK;

/* Says that a write to the file failed, by errno; returns ERR_IO. */
int output_fail(const struct output *o, struct err *err);

/* rc: how writing ended; a failure leaves no file. Returns it, or ERR_IO. */
int output_close(struct output *o, int rc, struct err *err) SP_MUST_CHECK;

#endif
