/*
 * Looking up in a sorted index by binary search over its bytes: about two reads for each doubling
 * of the file, and no memory that grows with it.
 */
#ifndef ARCHIVE_CDXJ_FIND_H
#define ARCHIVE_CDXJ_FIND_H

#include "archive/cdxj.h"
#include "archive/lines.h"
#include "base/api.h"
#include "base/err.h"

/*
 * Moves lines, whose file is sorted, to the first line that is not below the bytes of from; whether
 * there is one is for lines_next to tell. 0, ERR_IO, ERR_LIMIT, ERR_NOMEM.
 */
int cdxj_find(struct lines *lines, slice from, struct err *err) SP_MUST_CHECK;

/*
 * The same, but the line before that, if there is one: in an index of blocks, named by their first
 * lines, that is where a search has to begin.
 */
int cdxj_find_before(struct lines *lines, slice from, struct err *err) SP_MUST_CHECK;

/* Whether a line has this key: the key, and a blank behind it. */
bool cdxj_has_key(slice line, slice key);

#endif
