/* Reads WARC files of any producer into looks. */
#ifndef PROOF_JUDGE_READ_H
#define PROOF_JUDGE_READ_H

#include "base/api.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/spill.h"
#include "proof/judge_looks.h"
#include "warc/warc_set.h"

/* What was passed over, and one example of what is damaged. */
struct judge_counts {
	uint64_t records;
	uint64_t damaged;    /* records and gaps that could not be read, or whose digests differ */
	uint64_t repeated;   /* records that were there already */
	uint64_t not_http;   /* records of other things than HTTP responses */
	uint64_t not_get;    /* answers to other requests than GET */
	uint64_t unresolved; /* revisit records whose body is not there */
	char example[ERR_TEXT_MAX];
};

struct judge_reading {
	struct judge_looks *looks;
	struct judge_counts *counts;
	enum judge_side side;
	int64_t slack;               /* ns */
	const struct rulebook *book; /* the rules against noise; borrowed */
	bool resolving;              /* the second pass: only revisit records that are unresolved */
	struct spill *bodies;        /* the third pass: bodies that are wanted go here; else NULL */
	struct progress *progress;   /* NULL for none */
};

/* One file: 0, ERR_NOMEM, ERR_LIMIT, ERR_IO. Damage is counted. As warc_set_call, of that context.
 */
int judge_read_file(void *reading, const struct warc_set_file *file, struct err *err) SP_MUST_CHECK;

#endif
