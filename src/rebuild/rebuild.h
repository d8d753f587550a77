/*
 * Makes the catalog and the index of an archive anew from its WARC files (docs/archive.md,
 * "Rebuilding").
 *
 * Invariants:
 *   (1) At any moment one whole catalog is there: the new one is written beside the old one,
 * synced, and then takes its name.
 *   (2) Nothing is removed from a WARC file but what follows the last whole attempt at its end, and
 * that is set aside (archive/warc_repair.h).
 *   (3) Files that others wrote, or that were imported, are in the index and not in the catalog.
 */
#ifndef REBUILD_REBUILD_H
#define REBUILD_REBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/progress.h"
#include "rebuild/rebuilt.h"

/* What came of it. */
struct rebuild_counts {
	struct rebuilt_counts captures;
	uint64_t files, foreign;
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

#endif
