/*
 * The planner's log of a capture whose catalog was made anew from the WARC files (src/rebuild),
 * which have no log: what must have happened, from the attempts that were made. Orders that led to
 * no attempt are missing; the planner gives them again.
 */
#ifndef CRAWL_RELOG_H
#define CRAWL_RELOG_H

#include "base/api.h"
#include "base/err.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "crawl/capture.h"

VEC_DECLARE(relog_events, struct catalog_event);

/* Appends the events, in their order; none for a capture without attempts. 0, ERR_NOMEM, … */
int relog(const struct capture *c, struct catalog *catalog, struct relog_events *ret,
	struct err *err) SP_MUST_CHECK;

#endif
