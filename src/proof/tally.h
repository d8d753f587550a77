/*
 * Where the requests of a capture went: by host, by media type or by status, most requests first.
 * Counted from the catalog's observations, robots.txt, sitemaps and probes included.
 */
#ifndef PROOF_TALLY_H
#define PROOF_TALLY_H

#include <stdint.h>

#include "base/api.h"
#include "proof/report.h"

/*
 * How well a crawl with a topic did (docs/topic.md): the harvest rate, that is the share of the
 * visited pages that are on the topic, after each tenth of the visits.
 */

enum { HARVEST_STEPS = 10 };

struct harvest {
	uint64_t judged;                                       /* pages whose text was read */
	uint64_t on_topic;                                     /* of these */
	uint64_t visited[HARVEST_STEPS], found[HARVEST_STEPS]; /* so far, at each step */
};

/* All 0 for a capture without a topic. */
struct harvest harvest_count(const struct report *r);

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

/* Of the report's capture, as report_load. To be released in any case. */
int tally_load(struct tally *t, struct catalog *catalog, const struct report *report,
	enum tally_by by, struct err *err) SP_MUST_CHECK;
void tally_release(struct tally *t);

/*
 * Where the looks that a verdict rests on are: file, offset and payload digest of the visit and the
 * revisit of each page that count (legs.h). Read from the catalog beside a report, for those who
 * show the evidence: 100 bytes a page.
 */

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
