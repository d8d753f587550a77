/*
 * Captures as their records tell of them, written to a new catalog record by record.
 *
 * Records of an attempt may come before the page table has its page: both are of one commit. Such
 * attempts wait, until the next record of the table or the end. Memory: 25 bytes for each page of
 * captures that have not ended, besides those attempts.
 *
 * Invariants:
 *   (1) Every attempt of the files has its page. What the page table has lost (its last record was
 * not written, or is damaged) is added as far as the attempt tells.
 *   (2) The pages that an attempt's response links to are in the records of the table up to the
 * next one that ends a commit. If that is not there, or something between is damaged, the attempt
 * is noted as unread: resume reads its links again, from the archived response.
 */
#ifndef ARCHIVE_REBUILT_H
#define ARCHIVE_REBUILT_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/seen.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "proof/clock_watch.h"
#include "proof/moment.h"
#include "warc/attempt.h"

VEC_DECLARE(attempt_vec, struct attempt);

/* An attempt at a page. */
struct unread {
	uint32_t page;
	uint8_t leg; /* enum attempt_leg */
	uint8_t attempt;
};

VEC_DECLARE(unread_vec, struct unread);

/* One of them. Fields are rebuilt.c's own. */
struct rebuilt {
	struct catalog_capture row; /* strings are in the arena of all */
	struct clock_watch watch;
	struct seen pages;   /* numbers by URL; empty while it is not loaded */
	bool is_loaded;      /* pages has all of them */
	uint32_t page_count; /* in the catalog */
	bool has_table;      /* there are lines of its page table */
	bool has_start;      /* its first moment was read */
	bool is_cut;         /* settings are missing */
	bool has_end;
	struct attempt_vec waiting; /* for their pages */
	struct arena texts;         /* of those */
	struct unread_vec unread;   /* attempts whose links the table may lack */
	size_t unread_for_good;     /* of them: whatever records of the table follow */
	bool has_gap;               /* something is damaged since the last record of the table */
	uint32_t untabled;          /* pages from this number on are not in the table */
	uint32_t lost;              /* pages without a URL */
};

VEC_DECLARE(rebuilt_vec, struct rebuilt *);

/* What there is to tell in the end. */
struct rebuilt_counts {
	uint64_t captures, unfinished;
	uint64_t pages, attempts;
	uint64_t without_table; /* captures of earlier versions */
	uint64_t without_start; /* captures whose first record is missing */
	uint64_t missing;       /* captures of which there is no record */
	uint64_t lost_pages;    /* that the page table should have had */
	uint64_t unread;        /* attempts whose links resume reads again */
	uint64_t twice;         /* attempts that were there already */
	uint64_t malformed;     /* lines of page tables, and records about captures */
};

/* Fields are its own, but for counts. */
struct rebuilt_captures {
	struct catalog *catalog;
	struct arena arena;
	struct strmap by_name; /* numbers in list, by uuid */
	struct rebuilt_vec list;
	struct strmap known; /* names of captures that the catalog had before */
	bool is_import;      /* captures that follow get numbers that are free, not their own */
	struct rebuilt_counts counts;
	unsigned uncommitted; /* rows */
	uint32_t last;        /* number of the capture that was counted last */
	bool is_broken;       /* something could not be read, or files are missing */
};

/* The catalog is borrowed. Captures that it has already are left alone. 0, or as the catalog. */
int rebuilt_init(
	struct rebuilt_captures *s, struct catalog *catalog, struct err *err) SP_MUST_CHECK;
void rebuilt_release(struct rebuilt_captures *s);

/* A moment of the capture of that name; block has its settings. All return 0 or a failure. */
int rebuilt_moment(struct rebuilt_captures *s, slice uuid, const struct moment *m, slice block,
	struct err *err) SP_MUST_CHECK;

/* Something cannot be read here: nobody knows what it was. */
void rebuilt_gap(struct rebuilt_captures *s);

/* A record of page tables. */
int rebuilt_table(struct rebuilt_captures *s, slice block, struct err *err) SP_MUST_CHECK;

/* What it has learned: the lines behind the first one. */
int rebuilt_learned(
	struct rebuilt_captures *s, slice uuid, slice lines, struct err *err) SP_MUST_CHECK;

/* An attempt, complete but for its page. */
int rebuilt_attempt(
	struct rebuilt_captures *s, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* All was read: what waits is settled, captures that have ended are judged. Commits. */
int rebuilt_finish(struct rebuilt_captures *s, struct err *err) SP_MUST_CHECK;

#endif
