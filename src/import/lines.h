/* Text files with one item in each line: lists of URLs, files with passwords. */
#ifndef IMPORT_LINES_H
#define IMPORT_LINES_H

#include <stddef.h>

#include "base/api.h"
#include "base/err.h"

enum lines_form {
	/* Blanks around an item are cut off, and so is a comment: '#' at the start of a line or
	 * after a blank. "-" is standard input. */
	LINES_LIST,
	LINES_WHOLE, /* everything but the line's end is the item */
};

/* An item, valid during the call. 0, or an error with its sentence. */
typedef int lines_item(void *context, const char *item, struct err *err);

/*
 * Hands out the items that are not empty. 0; ERR_USAGE when the file cannot be read; or what add
 * returned, with "FILE:LINE: " before its sentence. *ret_count (not NULL) is the number of items.
 */
int lines_read(const char *path, enum lines_form form, lines_item *add, void *context,
	size_t *ret_count, struct err *err) SP_MUST_CHECK;

#endif
