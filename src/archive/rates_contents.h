/*
 * What HTML pages hold, from the WARC files of archives: features for classifiers that the URL does
 * not tell (SHARC section 8.2). Of a page that was captured several times the first version counts.
 */
#ifndef ARCHIVE_RATES_CONTENTS_H
#define ARCHIVE_RATES_CONTENTS_H

#include "archive/page_table.h"
#include "base/api.h"
#include "base/vec.h"

struct page_contents {
	bool known; /* its body was read; in_links are those of bodies that were */
	uint32_t images, tables;
	uint32_t out_links, in_links; /* to and from other pages, each once */
};

VEC_DECLARE(pages_contents, struct page_contents);

/* Fields are its own. */
struct rates_contents {
	const struct page_table *table; /* borrowed */
	struct pages_contents pages;    /* by page of the table */
};

/* For a table that gets no more pages. */
void rates_contents_init(struct rates_contents *c, const struct page_table *table);
void rates_contents_release(struct rates_contents *c);

/*
 * Adds the pages of a WARC or WACZ file, or of an archive; pages that the table does not have are
 * passed over. 0, or as warc_set_each.
 */
int rates_contents_read(struct rates_contents *c, const char *path, struct err *err) SP_MUST_CHECK;

/* NULL for a page whose body was not read. */
const struct page_contents *rates_contents_find(const struct rates_contents *c, slice url);

#endif
