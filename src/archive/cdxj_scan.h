/*
 * Several sorted indexes read as one, from any key on: files in plain CDXJ, files in ZipNum, and
 * lines in memory. A line that is in several of them comes once.
 *
 *	rc = cdxj_scan_open(sources, count, SLICE("org,example)/ "), &scan, err);
 *	while (rc == 0 && (rc = cdxj_scan_next(scan, &line, err)) == 0)
 *		use(line);
 *	cdxj_scan_close(scan);
 */
#ifndef ARCHIVE_CDXJ_SCAN_H
#define ARCHIVE_CDXJ_SCAN_H

#include "archive/cdxj.h"
#include "archive/file_part.h"
#include "base/api.h"
#include "base/err.h"

enum cdxj_source_kind {
	CDXJ_PLAIN,
	CDXJ_ZIPNUM,
	CDXJ_MEMORY,
};

/* Everything is borrowed. */
struct cdxj_source {
	enum cdxj_source_kind kind;
	struct file_part data;
	struct file_part blocks; /* of ZipNum: the index of the blocks */
	const slice *lines;      /* in memory: sorted, without their ends */
	size_t count;
};

struct cdxj_scan; /* opaque */

/* Begins at the first line that is not below the bytes of from, which is copied. 0, ERR_IO, … */
int cdxj_scan_open(const struct cdxj_source *sources, size_t count, slice from,
	struct cdxj_scan **ret, struct err *err) SP_MUST_CHECK;
void cdxj_scan_close(struct cdxj_scan *s); /* NULL is fine */

/* The next line, valid until the next call: 0, ERR_END, ERR_SYNTAX (a damaged block), ERR_IO. */
int cdxj_scan_next(struct cdxj_scan *s, slice *ret, struct err *err) SP_MUST_CHECK;

#endif
