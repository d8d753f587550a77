/*
 * All that is known of pages, gathered by page (archive/page_table.h): what archives have seen,
 * what was imported into them, and lists of captures that others made.
 */
#ifndef ARCHIVE_RATES_OBSERVED_H
#define ARCHIVE_RATES_OBSERVED_H

#include "archive/listing.h"
#include "archive/page_table.h"
#include "base/api.h"
#include "base/lists.h"
#include "catalog/catalog.h"
#include "plan/link_set.h"

/* What counts as a change of a page, for its rate. */

enum rates_change {
	RATES_CHANGE_CONTENT, /* bytes differ, and not only by noise (docs/judgement.md) */
	RATES_CHANGE_PAYLOAD, /* bytes differ */
	RATES_CHANGE_LINKS,   /* there are links that were not there before (HACS) */
};

/* By number, "content", …, with NULL at the end. */
extern const char *const RATES_CHANGES[];

/* Bits of page_entry.sources: 1 << a format of archive/listing.h, and: */
enum { RATES_FROM_ARCHIVE = 1 };

/* The last look at a page, and what its state is called: the digest of the first look that had it.
 */
struct rates_look {
	listed_digest payload, state;
	listed_digest class; /* warc/attempt.h; 0: there is none */
	uint64_t etag;       /* hash; 0: none */
};

VEC_DECLARE(rates_looks, struct rates_look);
VEC_DECLARE(link_unions, struct link_union);

struct rates_capture {
	uint32_t id;
	int64_t started; /* ns */
	bool is_other;   /* its site is of none of the owners */
};

VEC_DECLARE(rates_captures, struct rates_capture);

/*
 * With owners, captures of sites that belong to others (url_owner) tell only what pages are like in
 * general. That needs a sample of so many pages, from all over them: so what is read for a small
 * capture does not grow with the archive that it goes into.
 */
enum { RATES_SAMPLE = 128 };

/* Fields are its own but for the table, which may be read. */
struct rates_observed {
	struct page_table table;
	enum rates_change change;
	bool finished_only;             /* set by the caller: captures that run are left out */
	const struct strmap *owners;    /* the same; NULL, or see RATES_SAMPLE */
	struct listing_counts counts;   /* of the list that was read last */
	struct rates_captures captures; /* of an archive */
	/* Of a capture. */
	int64_t started;
	struct u32_vec pages; /* its page numbers from first on to ours, or CATALOG_NO_PAGE */
	uint32_t first;
	/* Of an archive, by our page numbers. */
	struct rates_looks looks;
	struct link_unions links; /* with RATES_CHANGE_LINKS only */
	uint64_t states;          /* names that were given to sets of links */
};

/* Does not move afterwards. */
void rates_observed_init(struct rates_observed *o, enum rates_change change);
void rates_observed_release(struct rates_observed *o);

/* Adds the captures of a list. As listing_read; counts has what could not be read. */
int rates_observed_list(struct rates_observed *o, const char *path, struct err *err) SP_MUST_CHECK;

/* Adds what an archive has seen, and what was imported into it. As the catalog's functions. */
int rates_observed_catalog(
	struct rates_observed *o, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
