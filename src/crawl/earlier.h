/*
 * What an earlier capture of the same site knows (docs/planning.md, "Second captures"). Chosen is
 * the last one that no limit cut, or else the last one; those to which no page answered do not
 * count.
 */
#ifndef CRAWL_EARLIER_H
#define CRAWL_EARLIER_H

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "crawl/earlier_index.h"

struct capture;

/*
 * Tells the planner how many pages the site has, unless the settings say it or do not want that.
 * Before the planner gets its first page.
 */
int earlier_tell_size(struct capture *c, const struct earlier_index *x, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

#endif
