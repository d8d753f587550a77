/*
 * WARC files of others, copied into an archive: its directory warc/ then has them as they are, and
 * its index their records. The catalog does not know them; they prove nothing.
 */
#ifndef ARCHIVE_TAKE_IN_H
#define ARCHIVE_TAKE_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/directory.h"
#include "base/api.h"
#include "base/err.h"

struct take_in_counts {
	uint64_t files, bytes; /* copied */
	uint64_t known;        /* files that the archive had already */
};

/* Whether a path is a WARC file, a WACZ package or a directory: what can be taken in. */
bool take_in_is_content(const char *path);

/*
 * Whether all of it can be read: 0, or an error that names the file. temporary is a directory for
 * entries of packages that are compressed.
 */
int take_in_check(const char *path, const char *temporary, struct err *err) SP_MUST_CHECK;

/* Called with the path of each file that was copied. */
typedef int take_in_call(void *context, const char *path, struct err *err);

/*
 * Copies them into an archive that is open for writing. A file that is there already, under its
 * name or as NAME-2 and so on, is not copied again. The index is to be written afterwards. As
 * take_in_check, and ERR_IO.
 */
int take_in(const struct directory *d, const char *path, take_in_call *call, void *context,
	struct take_in_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
