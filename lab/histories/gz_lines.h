/* The lines of a file, which may be compressed with gzip, for readers that can say which is bad. */
#ifndef HISTORIES_GZ_LINES_H
#define HISTORIES_GZ_LINES_H

#include <stddef.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum { GZ_LINE_MAX = 64 << 10 }; /* bytes of a line, its end included */

/* A line without its end, valid during the call. Not 0: reading ends with that. */
typedef int gz_lines_visit(void *context, slice line, struct err *err);

/*
 * Calls visit for each line. 0, or ERR_IO, ERR_LIMIT for a line that is too long or holds a NUL, or
 * what visit returned; err holds a sentence that begins with "FILE:LINE: ", or "FILE: " where no
 * line is to blame.
 */
int gz_lines_read(
	const char *file, gz_lines_visit *visit, void *context, struct err *err) SP_MUST_CHECK;

#endif
