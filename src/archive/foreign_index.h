/*
 * The index of WARC files that are no archive of ours: of a file, a WACZ package or a directory of
 * them. Plain CDXJ, or ZipNum (warc/zipnum.h): NAME.cdx.gz and NAME.idx.
 */
#ifndef ARCHIVE_FOREIGN_INDEX_H
#define ARCHIVE_FOREIGN_INDEX_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "warc/warc_index.h"

struct foreign_index_params {
	const char *path;
	const char *out; /* file to write, or "-" for standard output; ZipNum: NAME.cdx.gz */
	bool is_inside;  /* out was chosen by us, in the directory of the files */
	bool compressed;
	const char *temporary; /* directory for temporary files */
};

/*
 * Writes it, under another name first: an index is whole, or the old one. Files that are being
 * written (.open) are left out. 0, ERR_NOTFOUND when there are no WARC files, ERR_IO, …
 */
int foreign_index_write(const struct foreign_index_params *params, struct warc_index_counts *ret,
	struct err *err) SP_MUST_CHECK;

#endif
