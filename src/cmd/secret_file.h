/* Files with passwords or keys, one in each line: argv is seen by every user of the machine. */
#ifndef CMD_SECRET_FILE_H
#define CMD_SECRET_FILE_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"

/* What a line says; it stays as long as the arena. 0, or an error that does not repeat it. */
typedef int secret_file_line(void *context, const char *line, struct err *err);

/*
 * Hands out the lines that are not empty, without their ends; all else counts, blanks and '#', too.
 * Warns on standard error of a file that other users can read. 0, ERR_NOMEM, ERR_USAGE, or what
 * add has returned, with the line's number before its sentence.
 */
int secret_file_read(const char *path, struct arena *arena, secret_file_line *add, void *context,
	struct err *err) SP_MUST_CHECK;

#endif
