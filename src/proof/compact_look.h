/* A compact look that the catalog knows, as the records that it stands for (warc/compact.h). */
#ifndef PROOF_COMPACT_LOOK_H
#define PROOF_COMPACT_LOOK_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "proof/look.h"
#include "warc/attempt.h"

/*
 * Appends the records of an attempt that is_compact: from the WARC file, or from the catalog if it
 * still waits there. 0, ERR_NOTFOUND when it is in neither, ERR_SYNTAX when it is damaged, ERR_IO,
 * ERR_NOMEM, or as the catalog's functions.
 */
int compact_look_read(const struct look_source *from, const struct attempt *a, struct buf *records,
	struct err *err) SP_MUST_CHECK;

#endif
