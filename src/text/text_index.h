/*
 * Writes a full text index (text/text_db.h) of the HTML pages in WARC files. One that is there
 * already is copied, and only files that it does not know are read; it is made anew when a file has
 * changed or is gone. The new one takes the place of the old one at the end, whole.
 */
#ifndef TEXT_TEXT_INDEX_H
#define TEXT_TEXT_INDEX_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"

struct text_index_params {
	const char *path;      /* WARC files: archive/warc_set.h */
	const char *directory; /* where text.sqlite goes */
	const char *temporary; /* directory for temporary files */
};

struct text_index_counts {
	uint64_t files; /* read now */
	uint64_t known; /* files that were in the index already */
	uint64_t open;  /* files that a crawl is writing: left out */
	uint64_t docs;  /* added */
	uint64_t bytes; /* of their text */
};

/* 0, ERR_NOTFOUND, ERR_STATE when another process is at it, ERR_IO, ERR_SYNTAX, ERR_NOMEM. */
int text_index_write(const struct text_index_params *params, struct text_index_counts *ret,
	struct err *err) SP_MUST_CHECK;

#endif
