/*
 * What an operator asks of captures that are resumed: other settings, or another course. Settings
 * that change are kept in the catalog and in the record of the resumption.
 */
#ifndef CRAWL_CHANGES_H
#define CRAWL_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "crawl/settings.h"

/* Zeroed: nothing changes. */
struct crawl_changes {
	bool has_delay; /* automatic, or so many seconds */
	bool automatic_delay;
	double delay;
	double time_limit;  /* seconds of the whole capture; 0: as it was */
	uint64_t max_bytes; /* of the whole capture; 0: as it was */
	uint32_t max_pages; /* the same */
	bool has_max_depth; /* links from a seed */
	uint32_t max_depth;
	struct text_list includes, surts; /* also wanted, as in the settings; borrowed */
	bool revisit_now;                 /* the visits end */
	bool retry_failed;                /* pages whose visit failed are asked for once more */
};

/* NULL changes nothing. The second is 0 or ERR_NOMEM. */
bool crawl_changes_settings(const struct crawl_changes *x);
int crawl_changes_apply(const struct crawl_changes *x, struct crawl_settings *s) SP_MUST_CHECK;

struct capture;

/*
 * Does what is asked of a capture that was just restored. What cannot be done any more is said as a
 * warning. 0, ERR_STATE when there is nothing to revisit, or as the store's functions.
 */
int changes_carry_out(
	struct capture *c, const struct crawl_changes *x, struct err *err) SP_MUST_CHECK;

#endif
