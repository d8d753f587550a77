/* The lines of a file that `stillpoint-lab inspect` reads: JSON lines, one after another. */
#ifndef COMMANDS_INSPECT_LINES_H
#define COMMANDS_INSPECT_LINES_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

/* Reads a line, without its end and valid during the call only. On failure err says why. */
typedef int inspect_line(void *context, slice line, struct err *err);

/*
 * Calls read for every line that is not blank, up to the first that fails; "-" is standard input.
 * 0, or ERR_IO, ERR_LIMIT, ERR_NOMEM or what read returned, with file and line in err.
 */
int inspect_lines(
	const char *file, inspect_line *read, void *context, struct err *err) SP_MUST_CHECK;

#endif
