/* The lines of a recorded history, see living/history.h. */
#ifndef LIVING_HISTORY_READ_H
#define LIVING_HISTORY_READ_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum { HISTORY_LINE_MAX = 64 << 10 };

struct history_event {
	int64_t at_s; /* Unix seconds */
	bool gone;    /* D; else A or M */
	slice path;   /* as the file system has it; valid during the call */
};

/* Not 0: reading ends with that. */
typedef int history_visit(void *context, const struct history_event *event);

/*
 * Reads a file, which may be compressed with gzip, and calls visit for each line. Paths that git
 * has quoted are unquoted. 0, or ERR_IO, ERR_SYNTAX, ERR_LIMIT, or what visit returned; err holds
 * a sentence with file and line.
 */
int history_read(
	const char *file, history_visit *visit, void *context, struct err *err) SP_MUST_CHECK;

/* Reads one line without its end; path needs HISTORY_LINE_MAX bytes of room. For tests too. */
int history_parse(slice line, char *path, struct history_event *ret, struct err *err) SP_MUST_CHECK;

#endif
