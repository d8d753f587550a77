/*
 * Where the looks that a verdict rests on are: file, offset and payload digest of the visit and the
 * revisit of each page that count (legs.h). Read from the catalog beside a report, for those who
 * show the evidence: 100 bytes a page.
 */
#ifndef PROOF_REPORT_RECORDS_H
#define PROOF_REPORT_RECORDS_H

#include "proof/report.h"
#include "proof/tally.h"

struct record_place {
	bool known; /* it has a record of its own */
	bool has_payload;
	uint32_t file; /* its number among the files */
	uint64_t offset;
	struct digest payload;
};

struct page_records {
	struct record_place visit, revisit;
};

VEC_DECLARE(page_records_vec, struct page_records);

/* Fields may be read, not written. */
struct records {
	struct page_records_vec pages; /* by number */
	struct words files;            /* names */
	struct arena arena;            /* of files */
};

/*
 * As report_load of the same capture; in the same reading requests are counted by host. Both are to
 * be released in any case.
 */
int records_load(struct records *r, struct tally *hosts, struct catalog *catalog,
	const struct report *report, struct err *err) SP_MUST_CHECK;
void records_release(struct records *r);

#endif
