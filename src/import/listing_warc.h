/* Captures in a WARC or WACZ file; used by import/listing.h alone. */
#ifndef IMPORT_LISTING_WARC_H
#define IMPORT_LISTING_WARC_H

#include "import/listing.h"

/*
 * Responses, resources and revisits, with the payload digest that their header states. One without
 * gets a digest of the payload's bytes, computed here. Last-Modified and Age are read, too. err may
 * have the file's name already.
 */
int listing_read_warc(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
