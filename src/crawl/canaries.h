/*
 * Canaries: pages that are looked at again during the visits, to notice a change that touches many
 * pages at once while something can still be done about it. The simulated version is in
 * src/histories/canaries.h.
 *
 *  (1) Now and then a page that was visited, and by its rate should not have changed since, is
 *      looked at again; once more when the visits are over.
 *  (2) If it differs, it is fetched again at once: if those two differ, too, it is noise.
 *  (3) After a change other pages of its group are looked at. When at least two have changed, and
 *      half of those that were looked at, the group is alarmed: a bulk change.
 *  (4) Before the barrier all pages of alarmed groups whose visits are older than the alarm are
 *      visited again. Of the visits the last usable one counts, so a failed one destroys nothing.
 *
 * A group is a directory, as rules are learned of (quality/place.h). Looks are probes, and count in
 * their budget; second visits are visits. The planner does not know of either: the barrier waits
 * for them as it does for robots.txt. There are no canaries under a limit of time or bytes.
 */
#ifndef CRAWL_CANARIES_H
#define CRAWL_CANARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lists.h"
#include "base/vec.h"
#include "crawl/pages.h"

enum { CANARIES_GROUPS_MAX = 256 };

struct canary_group {
	uint64_t key; /* hash of its directory */
	uint32_t seen, changed;
	double changed_at; /* when the first change was seen, on the planner's clock */
	bool alarmed;
};

VEC_DECLARE(canary_groups, struct canary_group);

/* Zero-initialise. Fields are those of canaries.c. */
struct canaries {
	struct u32_vec visited; /* pages that may be canaries */
	struct u32_vec looked;  /* pages that were */
	struct canary_groups groups;
	bool is_out;             /* one is being looked at */
	bool is_again;           /* the second time */
	struct page_visit first; /* what the first time showed */
	uint64_t suspect;        /* group to look at next; 0: any */
	bool had_last;           /* the look at the end of the visits was begun */
	bool was_closed;         /* the second visits were sent */
};

void canaries_release(struct canaries *k);

#endif
