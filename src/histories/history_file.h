/*
 * The lines of a recorded history, as a version control system has it: when which file was added,
 * modified or deleted, and with which others.
 *
 *	UNIX_SECONDS <TAB> COMMIT <TAB> A|M|D <TAB> PATH
 *
 * And those of a file that says which page links to which, in the order in which a page has them:
 *
 *	FROM <TAB> TO
 */
#ifndef HISTORIES_HISTORY_FILE_H
#define HISTORIES_HISTORY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "histories/gz_lines.h"

enum {
	HISTORY_LINE_MAX = GZ_LINE_MAX,
	HISTORY_PATH_MAX = 4096, /* bytes of a path, its quotes undone */
};

struct history_line {
	int64_t at_s; /* Unix seconds */
	slice commit; /* both valid during the call */
	slice path;   /* as the file system has it */
	bool gone;    /* D; else A or M */
};

/* Not 0: reading ends with that; a sentence may be left in err. */
typedef int history_file_visit(void *context, const struct history_line *line, struct err *err);

/*
 * Reads a file, which may be compressed with gzip, and calls visit for each line. Paths that git
 * has quoted are unquoted. 0, or ERR_IO, ERR_SYNTAX, ERR_LIMIT, or what visit returned; err holds
 * a sentence that begins with "FILE:LINE: ", or "FILE: " where no line is to blame.
 */
int history_file_read(
	const char *file, history_file_visit *visit, void *context, struct err *err) SP_MUST_CHECK;

struct history_link {
	slice from, to; /* valid during the call */
};

typedef int history_link_visit(void *context, const struct history_link *link, struct err *err);

/* The same for a file of links. */
int history_file_read_links(
	const char *file, history_link_visit *visit, void *context, struct err *err) SP_MUST_CHECK;

/*
 * Reads one line without its end: 0, ERR_SYNTAX, or ERR_LIMIT for a path that is too long. path
 * needs HISTORY_LINE_MAX bytes of room. For tests too.
 */
int history_file_parse(
	slice line, char *path, struct history_line *ret, struct err *err) SP_MUST_CHECK;

/* The same for a link; room is twice as large. */
int history_file_parse_link(
	slice line, char *room, struct history_link *ret, struct err *err) SP_MUST_CHECK;

#endif
