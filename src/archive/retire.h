/*
 * Gives up old versions of pages, by rules of retention (retention.h). A *version* is a run of
 * looks at a URL that show the same, by bytes or normalised. What is retired of it are the records:
 * responses, requests, revisits and compact looks. A *tombstone* of each look stays, in the WARC
 * files (warc/compact.h) and in the catalog: when it was, and the digests of what it showed.
 * Tombstones prove nothing (proof/intervals.h).
 *
 * Kept whatever the rules say: the newest version of each page; looks that wait in the catalog;
 * what is in a WARC file that is still being written; looks that failed, were cut short or blocked;
 * robots.txt, sitemaps and probes; the visits and revisits of a capture that is not finished.
 *
 * What is kept and refers to a retired response is *rebased* first (retire_rebase.c): it gets the
 * body, or refers to a kept record that has it, or becomes a patch against one that is alike. Only
 * for what cannot be written anew (it waits, or is in a file that is being written), and for bodies
 * over 8 MiB, the response stays.
 *
 * How it survives a crash:
 *
 *	(1) the catalog learns which files are to be replaced, and by which names (table replaced);
 *	(2) the new files are written, synced and named;
 *	(3) one commit: tombstones, the new files and places, verdicts; replaced says done;
 *	(4) the old files are unlinked, the index is written anew, and so is that of the full text
 *	    if there is one; then the rows of replaced go.
 *
 * Up to (3) the old files count, from then on the new ones. retire_repair removes those that do not
 * count. Readers that find rows in replaced pass over these files, too.
 *
 * The caller holds the archive's lock, and nothing else writes to the catalog meanwhile. Who keeps
 * places of records in memory (archive/duplicates.h) has to read them again.
 */
#ifndef ARCHIVE_RETIRE_H
#define ARCHIVE_RETIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/directory.h"
#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "catalog/catalog.h"
#include "warc/warc_writer.h"

/*
 * Which versions of a page are kept, by their age: rules as text, and their application. Pure.
 *
 *	all:30d,7d:1y,30d	every version for 30 days, then one for every 7 days up to a year,
 *				then one for every 30 days, for ever
 *
 * A rule is a list of steps. A step is `all` or a period, then a colon and the age up to which it
 * holds; the last may have no age. Behind the last age nothing is kept, except that the newest
 * version of a page is never given up. Durations are those of all options, and weeks (w) and years
 * of 365 days (y). Periods are counted from 1970, so that they are the same whenever this is done;
 * of each the version that was seen last is kept.
 */

enum { RETENTION_STEPS_MAX = 16 };

struct retention_step {
	int64_t period; /* ns; 0: all */
	int64_t until;  /* age, ns; INT64_MAX: for ever */
};

struct retention {
	struct retention_step steps[RETENTION_STEPS_MAX];
	size_t count;
};

/* 0, or ERR_SYNTAX with a sentence. */
int retention_parse(slice text, struct retention *ret, struct err *err) SP_MUST_CHECK;

/* seen: when each version of a page was seen last (ns), in this order; fills keep. */
void retention_choose(
	const struct retention *r, int64_t now, const int64_t *seen, size_t count, bool *keep);

/* What holds for the captures of a site; an empty one for all that have no rule before it. */
struct retire_rule {
	slice site; /* as the catalog has it */
	struct retention keep;
};

struct retire_params {
	const struct directory *directory;
	struct catalog *catalog;
	const struct retire_rule *rules;
	size_t rule_count;
	int64_t now; /* wall, ns */
	bool dry_run;
	const struct warc_io *io; /* NULL for the system's */
};

struct retire_counts {
	uint64_t versions; /* that the rules are about */
	uint64_t retired;  /* of them, at least in part */
	uint64_t looks;    /* that became tombstones */
	uint64_t rebased;  /* kept looks that referred to them, and refer to others now */
	uint64_t referred; /* responses that are kept since something kept must refer to them */
	uint64_t files;    /* that were replaced */
	uint64_t bytes_before, bytes_after; /* of these; unknown in a dry run: 0 */
};

/* 0; ERR_IO, ERR_UNSUPPORTED or as the catalog's functions: then all is as before. */
int retire_run(
	const struct retire_params *p, struct retire_counts *ret, struct err *err) SP_MUST_CHECK;

/* The same for an archive that nobody has open: opens it, and sets directory, catalog and now. */
int retire_archive(const char *archive, const struct retire_params *p, struct retire_counts *ret,
	struct err *err) SP_MUST_CHECK;

/* Ends what a process left that was killed: (4), or all files but the old ones. 0 or as above. */
int retire_repair(
	struct catalog *catalog, const struct directory *d, struct err *err) SP_MUST_CHECK;

#endif
