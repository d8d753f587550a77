/*
 * Inside the room: what a retirement is about (retire.h). retire.c chooses looks by the catalog,
 * retire_scan.c reads in the WARC files what refers to them, retire_files.c writes these anew,
 * retire_rebase.c gives what stays another record to refer to, retire_commit.c tells the catalog.
 */
#ifndef ARCHIVE_RETIRE_PLAN_H
#define ARCHIVE_RETIRE_PLAN_H

#include "archive/retire.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/vec.h"
#include "proof/quality_words.h"
#include "warc/attempt.h"
#include "warc/warc_header.h"

#define RETIRE_NONE    UINT32_MAX
#define RETIRE_DAMAGED "it is damaged; run 'stillpoint verify' first. Nothing was retired"

/* A look that is to be retired, unless kept. */
struct retire_entry {
	uint32_t capture, page, version;
	uint32_t url;          /* in plan->urls */
	uint32_t file;         /* of its response record, if that has a body of its own, … */
	uint64_t offset, size; /* … its place there, and the bytes of its block */
	uint32_t home;         /* in plan->homes, once something kept needs its body */
	unsigned number;
	enum attempt_leg leg;
	bool kept;
	bool has_record, has_metadata; /* found in a complete file; a compact look is both */
	bool has_state;
	struct digest state, payload;
};

/* A record of an entry, or of none, that refers to the response of an entry. */
struct retire_reference {
	uint32_t from, to;
	uint32_t file; /* it is in; RETIRE_NONE for one that cannot be written anew */
};

/*
 * A kept record that took over from a retired response: what referred to that one, and comes
 * behind, refers to this one.
 */
struct retire_home {
	unsigned char id[WARC_ID_BYTES];
	slice url;
	int64_t date;
	uint32_t file;
	uint64_t offset; /* in the new file */
	bool is_same;    /* its body is that of the retired one; else it is only alike */
};

/* A response record of a page that has entries. */
struct retire_version {
	unsigned char id[WARC_ID_BYTES];
	uint32_t url, file;
	uint64_t offset; /* in the old file */
	int64_t date;
};

/* A kept compact look whose row has another length, or that got records of its own. */
struct retire_change {
	slice capture; /* its name */
	uint32_t url;
	enum attempt_leg leg;
	unsigned number;
	uint32_t file; /* RETIRE_NONE: it is a row still */
	uint64_t offset, length;
	struct digest state, payload; /* of one with records: rows of the catalog may be short */
};

VEC_DECLARE(retire_entries, struct retire_entry);
VEC_DECLARE(retire_references, struct retire_reference);
VEC_DECLARE(retire_homes, struct retire_home);
VEC_DECLARE(retire_versions, struct retire_version);
VEC_DECLARE(retire_changes, struct retire_change);
VEC_DECLARE(retire_moves, struct catalog_move);

struct retire_file {
	const char *name;
	bool complete;
	bool fixed;                /* cannot be written anew */
	bool affected;             /* has to be written anew */
	struct u32_vec entries;    /* that have records in it */
	struct u32_vec patched;    /* files that its patches are against */
	struct retire_moves moves; /* by the old offset */
	uint64_t size;
	bool has_sum; /* the catalog knows that of the old one */
	struct digest sum;
	char new_name[WARC_NAME_MAX + 1];
	uint64_t new_size;
	struct digest digest; /* of the new one */
};

VEC_DECLARE(retire_files, struct retire_file);

struct retire_plan {
	const struct retire_params *p;
	struct arena arena;
	struct retire_entries entries;
	struct strmap by_id; /* record → entry */
	struct words urls;   /* of the pages that rules are about */
	bool *has_entries;   /* by number of the URL */
	struct retire_references references;
	struct retire_versions versions; /* of pages with entries */
	struct retire_homes homes;
	struct retire_changes changes;
	struct retire_files files; /* in the order in which they were written */
	struct strmap by_name;     /* → file */
	struct err *err;
};

/* The entry of a record by its name, with angle brackets, if it is retired indeed; else NULL. */
struct retire_entry *retire_find_retired(const struct retire_plan *plan, slice id);

/* Reads all files: what is where, and what refers to it. */
int retire_scan(struct retire_plan *plan) SP_MUST_CHECK;

/* When all were read: finds versions by their URL from now on. */
void retire_sort_versions(struct retire_plan *plan);

/* Writes a file anew, under new_name, synced; those before it come first. */
int retire_write(struct retire_plan *plan, struct retire_file *file) SP_MUST_CHECK;

/* Tells the catalog of it, in one commit. finished: captures whose verdicts may change. */
int retire_commit(struct retire_plan *plan, const struct u32_vec *finished) SP_MUST_CHECK;

#endif
