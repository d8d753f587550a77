/*
 * Where a command writes what it was asked for: standard output, or a file. A regular file has
 * another name (NAME.new) until it is whole and on the disk; so a file of that name is never half
 * an output, and the old one stays if writing fails. Anything else of that name (a device, a FIFO)
 * is written to, never replaced. A link is followed.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

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
	bool is_direct;      /* not a regular file: new_path is path */
	char path[PATH_MAX]; /* as given */
	char new_path[PATH_MAX + 8];
	char end_path[PATH_MAX]; /* where links lead */
};

/* "-" is standard output. May wait for the reader of a FIFO. 0, ERR_IO, ERR_LIMIT for the path. */
int output_open(struct output *o, const char *path, struct err *err) SP_MUST_CHECK;

/* A file of an archive or package, which may be a stranger's: replaced, whatever it is. */
int output_open_inside(struct output *o, const char *path, struct err *err) SP_MUST_CHECK;

/* A zip_emit; the context is the output. 0 or ERR_IO. */
int output_write(void *output, slice bytes, struct err *err) SP_MUST_CHECK;

/* Says that a write to the file failed, by errno; returns ERR_IO. */
int output_fail(const struct output *o, struct err *err);

/* rc: how writing ended; a failure leaves no file. Returns it, or ERR_IO. */
int output_close(struct output *o, int rc, struct err *err) SP_MUST_CHECK;

#endif
