/*
 * Verdicts from archives of any crawler (docs/judgement.md, "Archives of other crawlers"): reads
 * one or two of them and writes what they show into a catalog, as the one capture of it. The
 * report of that capture is what `stillpoint judge` prints.
 */
#ifndef PROOF_JUDGE_H
#define PROOF_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/progress.h"
#include "catalog/catalog.h"
#include "proof/rulebook.h"

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

/* The strategy of such a capture: nobody planned it. */
#define JUDGE_STRATEGY "judge"

enum { JUDGE_SLACK = 60 }; /* seconds, where the user gives none */

struct judge_params {
	const char *first;  /* archive, with the visits */
	const char *second; /* the same with the revisits; NULL: the first has both */
	int64_t slack;      /* ns: how far WARC-Date may be from the download */
	bool bytes_only;
	const struct rulebook *book; /* the rules against noise; borrowed */
	const char *tmp_dir;
	struct progress *progress; /* NULL for none */
};

/*
 * Fills a catalog that is empty; all is committed. 0, ERR_NOTFOUND when an archive has no looks at
 * pages, as warc_set_each and the catalog.
 */
int judge_run(const struct judge_params *params, struct catalog *catalog,
	struct judge_counts *ret_counts, struct err *err) SP_MUST_CHECK;

#endif
