/* What sitemaps and feeds say of pages; used by import/listing.h alone. */
#ifndef IMPORT_LISTING_SITEMAP_H
#define IMPORT_LISTING_SITEMAP_H

#include "import/listing.h"

/*
 * Hands out the pages of the file, as of its time of modification, with their lastmod and
 * changefreq; other sitemaps that an index names are passed over. err has no file name.
 */
int listing_read_sitemap(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
