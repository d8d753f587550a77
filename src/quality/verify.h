/*
 * Checks what an archive claims from its WARC files alone: digests of every record, the state of
 * every response, the still point and the verdict of every page are computed again, and whatever
 * the attempts in the WARC or the catalog say differently is a problem with a name and a place.
 * Memory is in proportion to the pages and records; no body is ever held.
 *
 *	rc = verify_run(&v, &params, err);
 *	if (rc == 0)
 *		use(v.problems.ptr[i]);
 *	verify_release(&v);
 */
#ifndef QUALITY_VERIFY_H
#define QUALITY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "quality/clock_watch.h"
#include "quality/evidence.h"
#include "quality/learned_pages.h"
#include "quality/legs.h"
#include "quality/verify_table.h"
#include "quality/words.h"

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
VEC_DECLARE(legs_vec, struct legs);

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

/* A look that can be read again. */
struct verify_look {
	uint32_t page, evidence; /* their numbers */
	uint32_t number;         /* of the attempt in its leg */
	uint8_t leg;             /* enum attempt_leg; of probes those for noise, and: */
	bool is_canary;
	int64_t sent; /* wall, ns */
};

VEC_DECLARE(verify_looks, struct verify_look);
VEC_DECLARE(verify_moments, struct verify_moment);
VEC_DECLARE(verify_offsets, struct verify_offset);

/* A look that later ones were compared with. */
struct verify_base {
	uint32_t evidence; /* 1 + its number; 0: none */
	struct same_key key;
};

VEC_DECLARE(verify_bases, struct verify_base);

/* A capture as the WARC files have it. */
struct verify_capture {
	slice uuid;
	uint32_t id;      /* in the catalog; 0 when it is not there */
	bool is_imported; /* all its attempts are in files that the catalog does not know */
	bool single;
	bool ended;                /* it has a record of its end */
	bool resumed;              /* at least once */
	enum catalog_end ended_by; /* as its records say */
	struct stillpoint window;
	struct words urls;
	struct legs_vec pages;         /* by the number of their URL */
	struct verify_moments moments; /* in their order */
	struct verify_offsets offsets;
	struct clock_watch watch;
	struct verify_looks looks;
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
	struct arena arena;
	struct words words;
	struct strmap by_uuid;  /* numbers of captures */
	struct strmap obsolete; /* files that do not count */
	struct evidence_table evidence;
	struct words file_names;
	struct verify_files files; /* by the number of their name */
	struct verify_books books; /* rules that are not the default */
	struct strmap causes;      /* by text: the first problem of each */
	uint32_t loss;             /* as that of the first file that has one */
	uint32_t cause;            /* 1 + that of the problems to come, if it is known; else 0 */
};

struct verify_params {
	const char *warc_dir;
	struct catalog *catalog;   /* NULL: the WARC files are all there is */
	const char *index;         /* path of index.cdxj; NULL: not to be checked */
	struct progress *progress; /* NULL for none; counts bytes */
};

/*
 * Verifies. 0, whatever the problems; ERR_IO when there is no directory to read, ERR_NOMEM, or as
 * the catalog's functions. To be released in any case.
 */
int verify_run(struct verify *v, const struct verify_params *params, struct err *err) SP_MUST_CHECK;

void verify_release(struct verify *v);

#endif
