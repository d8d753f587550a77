/*
 * All that is known of pages, gathered by page (import/page_table.h): what archives have seen, what
 * was imported into them, and lists of captures that others made.
 */
#ifndef RATES_OBSERVED_H
#define RATES_OBSERVED_H

#include "base/api.h"
#include "base/lists.h"
#include "catalog/catalog.h"
#include "import/listing.h"
#include "import/page_table.h"
#include "rate/link_set.h"
#include "rates/change.h"

/* Bits of page_entry.sources: 1 << a format of import/listing.h, and: */
enum { RATES_FROM_ARCHIVE = 1 };

/* The last look at a page, and what its state is called: the digest of the first look that had it.
 */
struct rates_look {
	listed_digest payload, state;
	listed_digest class; /* archive/same.h; 0: there is none */
	uint64_t etag;       /* hash; 0: none */
};

VEC_DECLARE(rates_looks, struct rates_look);
VEC_DECLARE(link_unions, struct link_union);

struct rates_capture {
	uint32_t id;
	int64_t started; /* ns */
};

VEC_DECLARE(rates_captures, struct rates_capture);

/* Fields are its own but for the table, which may be read. */
struct rates_observed {
	struct page_table table;
	enum rates_change change;
	bool finished_only;             /* set by the caller: captures that run are left out */
	struct listing_counts counts;   /* of the list that was read last */
	struct rates_captures captures; /* of an archive */
	/* Of a capture. */
	int64_t started;
	struct u32_vec pages; /* its page numbers to ours, or CATALOG_NO_PAGE */
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
