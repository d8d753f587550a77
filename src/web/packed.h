/*
 * Data of a page in little space: what is written to the FILE of packed_begin becomes gzip in
 * base64, inside of a <script> of that id, which no browser runs. The page's script unpacks it
 * (web/src/capture/data.ts).
 *
 *	FILE *data = packed_begin(page, "data");
 *	...
 *	rc = packed_end(data);
 */
#ifndef WEB_PACKED_H
#define WEB_PACKED_H

#include <stdio.h>

#include "base/api.h"

/* The page is borrowed until packed_end. NULL when out of memory. */
FILE *packed_begin(FILE *page, const char *id) SP_MUST_CHECK;

/* 0 or ERR_NOMEM. Errors of writing stay in the page's FILE. */
int packed_end(FILE *data) SP_MUST_CHECK;

#endif
