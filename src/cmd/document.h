/*
 * A document in a file, for the commands that inspect one.
 */
#ifndef CMD_DOCUMENT_H
#define CMD_DOCUMENT_H

#include "base/err.h"
#include "cmd/option_row.h"
#include "formats/page.h"

/* The row for the member type, a string, of a command's options. */
#define DOCUMENT_TYPE_SPEC                                                                    \
	ROW(STRING, type, "type", 't',                                                        \
		"the document's media type, with its charset if it has one (default: by the " \
		"file's name, or text/html)",                                                 \
		.metavar = "MIME")

/*
 * Reads the file ("-" for standard input) as its type says (NULL: as its name does) into what
 * params ask for. 0, or ERR_IO or ERR_NOMEM with err set.
 */
int document_read(const char *path, const char *type, struct links *links, struct page_text *text,
	struct err *err) SP_MUST_CHECK;

#endif
