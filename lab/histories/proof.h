/*
 * What a capture proves, held against the recorded truth.
 *
 * Two looks that show the same copy prove it for the time between them: a page is known at an
 * instant when looks before and after it (or at it) have no change on the closed interval between
 * them. That is sharpness; for visit, still point and revisit it is coherence_actual_page.
 *
 * Gain "last-modified": evidence from one side. When a look at t finds the page, its Last-Modified
 * c is the time of its last change, so the page is known on (c, t]: at a still point z it is known
 * if c < z <= t, whatever it was at its visit. Servers are taken to be honest and to send the
 * header with every page, so this is the most that can be gained; what is gained is asserted, not
 * proven. A page that is gone has no Last-Modified. No extra requests: the same downloads are read
 * again.
 *
 * Gain "best-instant": the still point is chosen afterwards, as the instant that most known
 * intervals contain. Where two serve alike the earlier one is taken. In a plain capture every
 * interval contains the planned still point (all visits come before all revisits), so there is
 * nothing to choose: it counts only together with another gain. No extra requests.
 *
 * A page that was gone at both looks is proven absent. That is knowledge too and counts as sharp;
 * how many they were is told apart.
 */
#ifndef HISTORIES_PROOF_H
#define HISTORIES_PROOF_H

#include <stdbool.h>

#include "base/api.h"
#include "histories/draw.h"
#include "histories/past_capture.h"

/* Commits that touch so many pages are called bulk changes, and large ones. */
enum { PROOF_BULK = 10, PROOF_LARGE = 100 };

struct proof_params {
	bool last_modified;
	bool best_instant;
};

/* Shares of the draw's pages, but for requests: downloads per page. */
struct proof {
	double sharp;      /* known at their still point */
	double absent;     /* of these: known to be missing */
	double joint;      /* known at the one instant that most pages are known at */
	double blur;       /* actual blur per page; each query gets the nearest look */
	double lost_bulk;  /* lost, and known if there had been no bulk changes */
	double lost_large; /* the same for large ones */
	double requests;
};

/*
 * sharp, absent and the losses are NAN where the capture has no still point (a single visit). 0 or
 * ERR_NOMEM.
 */
int proof_weigh(const struct draw *draw, const struct past_capture *capture,
	const struct proof_params *params, struct proof *ret_proof) SP_MUST_CHECK;

#endif
