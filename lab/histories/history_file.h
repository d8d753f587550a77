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

enum { HISTORY_PATH_MAX = 4096 }; /* bytes of a path, its quotes undone */

/* Slices lie in the line or in the caller's room. */
struct history_line {
	int64_t at_s; /* Unix seconds */
	slice commit;
	slice path; /* as the file system has it */
	bool gone;  /* D; else A or M */
};

struct history_link {
	slice from, to;
};

/*
 * Both read one line without its end (histories/gz_lines.h has them). Paths that git has quoted are
 * unquoted into room. 0, ERR_SYNTAX, or ERR_LIMIT for a path that is too long.
 */
int history_file_parse(slice line, char room[HISTORY_PATH_MAX], struct history_line *ret,
	struct err *err) SP_MUST_CHECK;
int history_file_parse_link(slice line, char room[2 * HISTORY_PATH_MAX], struct history_link *ret,
	struct err *err) SP_MUST_CHECK;

#endif
