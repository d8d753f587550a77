/*
 * Where the requests of a capture went: by host, by media type or by status, most requests first.
 * Counted from the catalog's observations, robots.txt, sitemaps and probes included.
 */
#ifndef PROOF_TALLY_H
#define PROOF_TALLY_H

#include "proof/report.h"

enum tally_by { TALLY_HOSTS, TALLY_TYPES, TALLY_STATUS };

struct tally_row {
	slice name;        /* "-": none */
	uint64_t pages;    /* with at least one of the requests */
	uint64_t requests; /* that were sent */
	uint64_t retries;  /* second and further attempts at a page in a leg */
	uint64_t errors;   /* no whole answer, or a status of 400 or more */
	uint64_t bytes;    /* of the records in the WARC files */
	int64_t busy;      /* ns from requests to the ends of their answers */
	uint32_t number;   /* in the order in which they were met */
	uint32_t page;     /* its own: the page that was counted last */
};

VEC_DECLARE(tally_rows, struct tally_row);

/* Fields may be read, not written. */
struct tally {
	struct tally_rows rows;
	struct words names;
	struct arena arena; /* of names */
	const struct report *report;
	enum tally_by by;
};

/* For who reads the observations of the report's capture anyway: all of them, then the order. */
void tally_init(struct tally *t, const struct report *report, enum tally_by by);
int tally_add(struct tally *t, const struct attempt *a) SP_MUST_CHECK; /* 0, ERR_NOMEM, ERR_LIMIT */
void tally_sort(struct tally *t);

/* Of the report's capture, as report_load. To be released in any case. */
int tally_load(struct tally *t, struct catalog *catalog, const struct report *report,
	enum tally_by by, struct err *err) SP_MUST_CHECK;
void tally_release(struct tally *t);

#endif
