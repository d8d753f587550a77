/* What an archive shows of a page: the record of its visit, read back from the WARC file. */
#ifndef DEMO_EXHIBIT_H
#define DEMO_EXHIBIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

enum { EXHIBIT_MAX = 1 << 20 }; /* bytes of a record's block that are read */

struct exhibit {
	struct buf block; /* head and body of the response */
	char file[4096];
	uint64_t offset, length; /* of the record in the file */
	bool sharp;
};

/* 0, ERR_NOTFOUND when there is no visit of that URL, or as what reads it. Release in any case. */
int exhibit_load(struct exhibit *e, const char *archive, slice url, struct err *err) SP_MUST_CHECK;
void exhibit_release(struct exhibit *e);

/* Turns one bit of a byte in the middle of the record, and back when called again: 0 or ERR_IO. */
int exhibit_flip(const struct exhibit *e, struct err *err) SP_MUST_CHECK;

#endif
