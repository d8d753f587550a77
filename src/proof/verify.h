/*
 * Checks what an archive claims from its WARC files alone: digests of every record, the state of
 * every response, the still point and the verdict of every page are computed again, and whatever
 * the attempts in the WARC or the catalog say differently is a problem with a name and a place.
 * A few dozen bytes are held of each page and record, the rest is in a file; no body is ever held.
 *
 *	rc = verify_run(&v, &params, err);
 *	if (rc == 0)
 *		use(v.problems.ptr[i]);
 *	verify_release(&v);
 */
#ifndef PROOF_VERIFY_H
#define PROOF_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/progress.h"
#include "base/seen.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "proof/clock_watch.h"
#include "proof/evidence.h"
#include "proof/learned_lines.h"
#include "proof/learned_pages.h"
#include "proof/legs.h"
#include "proof/quality_words.h"

/*
 * The page tables of the WARC files (docs/archive.md) against the catalog. A few dozen bytes for
 * each page, and eight for each requisite.
 */

/* A page, in hashes of what its lines say. */
struct verify_row {
	uint64_t found;    /* URL, kind, how and where it was found, rate */
	uint64_t decision; /* whether it was taken, and the rule */
	uint64_t plan;
	float weight;
	uint8_t content;
	bool known;   /* it has a line */
	bool planned; /* the same of the plan */
};

VEC_DECLARE(verify_rows, struct verify_row);
VEC_DECLARE(verify_edges, uint64_t); /* page << 32 | requisite */

/* That of one capture. Zero-initialise. */
struct verify_table {
	struct verify_rows rows; /* by page */
	struct verify_edges edges;
};

/* Strings are the verification's; those whose ptr is NULL are not known. */
struct verify_problem {
	slice url;
	slice file; /* "warc/NAME"; ptr NULL when it is about no file */
	slice text;
	uint64_t offset;
	bool has_offset; /* in the file */

	/*
	 * Problems with the same one have the same cause, and are told in one line: that of the
	 * problem whose number in the list it is, which is the first of them.
	 */
	uint32_t cause;
};

VEC_DECLARE(verify_problems, struct verify_problem);

/* A reading of the clock; strings are the verification's. */
struct verify_moment {
	struct catalog_clock clock;
	bool is_exact; /* to the nanosecond; those of earlier versions are not */
};

/* An offset between the two clocks that attempts have, and the first such attempt. */
struct verify_offset {
	int64_t offset;
	slice url, file;
	uint64_t place;
};

VEC_DECLARE(verify_moments, struct verify_moment);
VEC_DECLARE(verify_offsets, struct verify_offset);

/* A look that later ones were compared with. */
struct verify_base {
	uint32_t evidence; /* 1 + its number; 0: none */
	struct same_key key;
};

VEC_DECLARE(verify_bases, struct verify_base);

/* A page: what counts of it, and where its URL is. */
struct verify_page {
	struct legs legs;
	uint64_t url_at;
	uint64_t url_len;
};

/* A capture as the WARC files have it. */
struct verify_capture {
	slice uuid;
	uint32_t id;      /* in the catalog; 0 when it is not there */
	bool is_imported; /* all its attempts are in files that the catalog does not know */
	bool has_attempt;
	uint32_t number; /* that it says it has in its archive; 0: it does not say */
	bool is_here;    /* it was captured into this archive, not imported */
	bool single;
	bool ended;                /* it has a record of its end */
	bool resumed;              /* at least once */
	enum catalog_end ended_by; /* as its records say */
	struct stillpoint window;
	struct seen urls;              /* numbers of pages */
	struct u32_vec pages;          /* by that number: where they are among all */
	struct verify_moments moments; /* in their order */
	struct verify_offsets offsets;
	struct clock_watch watch;
	struct learned_pages learned;
	const struct rulebook *book; /* its rules */
	bool old_learned;            /* its learned rules are of version 1 */
	struct verify_bases
		bases; /* by page: what looks of rule set version 1 were compared with */
	struct verify_table table;
	uint64_t sharp;
};

VEC_DECLARE(verify_captures, struct verify_capture);

/* A WARC file as the catalog has it. */
struct verify_file {
	uint64_t size;
	bool complete;
	bool seen;
	bool has_digest;
	struct digest digest; /* SHA-256 of a complete file */
	uint32_t loss; /* 1 + number of the problem that it is missing or cut; 0: it is not */
};

VEC_DECLARE(verify_files, struct verify_file);
VEC_DECLARE(verify_books, struct rulebook *);

/* Fields may be read, not written. */
struct verify {
	uint64_t records;
	uint64_t pages;    /* with an attempt in the WARC files, of all captures */
	uint64_t sharp;    /* of those */
	uint64_t redacted; /* records in which an export replaced secrets */
	/* Claims that a look shows the same but for noise, by rule set version 1: how they stand
	 * under the current version. */
	struct {
		uint64_t claims, hold, do_not_hold, not_recomputed;
	} rule_set_1;
	uint64_t not_recomputed; /* claims of a later version of the rules */
	struct verify_problems problems;
	struct verify_problems notes; /* worth knowing, but nothing is wrong */
	struct verify_captures captures;

	/* What follows is the verification's own. */
	const char *warc_dir;      /* borrowed */
	struct progress *progress; /* the same */
	struct err failure;        /* the first one that ends the verification */
	struct arena arena;
	struct words words;
	struct strmap by_uuid;  /* numbers of captures */
	struct strmap obsolete; /* files that do not count */
	struct evidence_table evidence;
	struct spill_pool pool;
	struct spill page_rows; /* struct verify_page of all captures, … */
	struct spill page_urls; /* … and their URLs */
	uint32_t page_count;
	struct buf url; /* that was asked for last */
	struct words file_names;
	struct verify_files files; /* by the number of their name */
	struct verify_books books; /* rules that are not the default */
	struct strmap causes;      /* by text: the first problem of each */
	uint32_t loss;             /* as that of the first file that has one */
	uint32_t cause;            /* 1 + that of the problems to come, if it is known; else 0 */
};

struct verify_params {
	const char *warc_dir;
	const char *file;    /* a WARC or WACZ file there, in place of all of it; NULL for none */
	const char *tmp_dir; /* for what does not fit into memory; NULL: the usual one */
	struct catalog *catalog;       /* NULL: the WARC files are all there is */
	const char *index;             /* path of index.cdxj; NULL: not to be checked */
	const struct strmap *imported; /* names of files that came from elsewhere; NULL: none */
	struct progress *progress;     /* NULL for none; counts bytes */
};

/*
 * Verifies. 0, whatever the problems; ERR_IO when there is no directory to read, ERR_NOMEM, or as
 * the catalog's functions. To be released in any case.
 */
int verify_run(struct verify *v, const struct verify_params *params, struct err *err) SP_MUST_CHECK;

void verify_release(struct verify *v);

#endif
