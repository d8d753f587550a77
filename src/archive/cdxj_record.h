/*
 * Lines of an archive's index.cdxj, from the records themselves: what `stillpoint index` writes and
 * `stillpoint verify` expects. The crawler writes the same lines from its catalog.
 */
#ifndef ARCHIVE_CDXJ_RECORD_H
#define ARCHIVE_CDXJ_RECORD_H

#include "archive/attempt.h"
#include "archive/cdxj.h"

/* Key of a URL, its SURT, into out, which is emptied first: 0, ERR_NOMEM, or another when none. */
int cdxj_key(struct buf *out, slice url) SP_MUST_CHECK;

/*
 * Puts the line of a record that is complete into out, without its end; key is for scratch. 0,
 * ERR_NOMEM, ERR_NOTFOUND for what is not indexed: as cdxj_from_record says, what the DNS said, and
 * URLs that cannot be parsed.
 */
int cdxj_record_line(struct buf *out, struct buf *key, const struct warc_record *record,
	slice filename) SP_MUST_CHECK;

/*
 * The same line from an attempt that has a record: 0, ERR_NOMEM, ERR_NOTFOUND for one without a
 * response, or whose URL cannot be parsed.
 */
int cdxj_attempt_line(struct buf *out, struct buf *key, const struct attempt *a) SP_MUST_CHECK;

#endif
