/*
 * Keeps captures that others made in an archive's catalog, for the rates of its pages. Nothing is
 * kept twice. What is committed stays: an import that was stopped goes on behind it.
 */
#ifndef ARCHIVE_RATES_KEEP_H
#define ARCHIVE_RATES_KEEP_H

#include "archive/import_remote.h"
#include "archive/page_table.h"
#include "base/api.h"
#include "catalog/catalog.h"

/* The numbers may be read. Memory grows with pages. */
struct keep_totals {
	uint64_t added, known;
	struct strmap pages; /* pages.len of them */
	struct arena urls;
};

/* Does not move afterwards. */
void keep_totals_init(struct keep_totals *t);
void keep_totals_release(struct keep_totals *t);

/* All captures of a table, in one transaction, which is committed. As the catalog's functions. */
int keep_table(struct catalog *c, const struct page_table *table, struct keep_totals *totals,
	struct err *err) SP_MUST_CHECK;

/* Called after each part of a remote list. */
typedef void keep_on_part(void *context, const struct listing_counts *counts);

/* A server's list. All is borrowed. */
struct keep_source {
	enum remote_kind kind;
	const char *address;
	const struct download_params *download;
	keep_on_part *on_part;
	void *context; /* its */
};

/*
 * All captures that a server lists, part by part; with each goes how far it came. One that was
 * stopped goes on there. As remote_next.
 */
int keep_remote(struct catalog *c, const struct keep_source *source, struct keep_totals *totals,
	struct err *err) SP_MUST_CHECK;

#endif
