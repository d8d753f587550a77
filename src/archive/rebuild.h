/*
 * Makes the catalog and the index of an archive anew from its WARC files (docs/archive.md,
 * "Rebuilding").
 *
 * Invariants:
 *   (1) At any moment one whole catalog is there: the new one is written beside the old one,
 * synced, and then takes its name.
 *   (2) Nothing is removed from a WARC file but what follows the last whole attempt at its end, and
 * that is set aside (warc/warc_repair.h).
 *   (3) Files that others wrote are in the index and not in the catalog. Imported files of ours are
 * read behind the archive's own, and stay as they are.
 */
#ifndef ARCHIVE_REBUILD_H
#define ARCHIVE_REBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/directory.h"
#include "archive/rebuilt.h"
#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/progress.h"

/* What came of it. */
struct rebuild_counts {
	struct rebuilt_counts captures;
	uint64_t files, foreign;
	uint64_t missing;  /* files, by the numbers of the others */
	uint64_t damaged;  /* records and gaps */
	uint64_t waiting;  /* compact looks that only the old catalog had: they were taken over */
	uint64_t imported; /* captures of others, the same */
	bool has_old;      /* there was a catalog that could be read */
	char problem[512]; /* why it could not, if there was one */
};

/*
 * Rebuilds. The progress, which may be NULL, counts bytes. 0; ERR_NOTFOUND when there is no
 * archive, or no WARC file of ours in it; ERR_STATE when another process writes to it; ERR_IO,
 * ERR_NOMEM. If it fails, the catalog is as before.
 */
int rebuild(const char *archive, struct progress *progress, struct rebuild_counts *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Adds the captures of WARC files that were imported into an archive (store/take_in.h), by their
 * names there, to its catalog, which is open for writing, and commits. Captures that it has already
 * are left alone, and so are files of other programs. As rebuild.
 */
int rebuild_import(const struct directory *d, struct catalog *catalog,
	const struct text_list *names, struct rebuild_counts *ret, struct err *err) SP_MUST_CHECK;

/*
 * Reads the captures of WARC and WACZ files that are no archive into an empty catalog, and commits.
 * There may be none: files of other programs are counted. As rebuild, and as warc_set_each.
 */
struct rebuild_set {
	const char *path;     /* archive/warc_set.h */
	const char *warc_dir; /* where a record of theirs is found (archive/record_body.h) */
	const char *tmp_dir;
};
int rebuild_read(const struct rebuild_set *set, struct catalog *catalog, struct rebuild_counts *ret,
	struct err *err) SP_MUST_CHECK;

#endif
