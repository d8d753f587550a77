/*
 * Learns which places of a site's templates vary by themselves: from pairs of downloads of a page
 * that lie so close together that its content has hardly changed. Pure.
 *
 *	learner_init(&l, mask_visible);
 *	for each page that was fetched twice in quick succession:
 *		rc = learner_add(&l, &url, &view_a, &view_b);
 *	rc = learner_finish(&l, &rules);
 *	learner_release(&l);
 *
 * A place is learned when
 *	(1) it varied on LEARNER_SUPPORT pages of one kind at least, and on at least half of those
 *	    that have it (a change of the content is rarely seen within seconds, and not on several
 *	    pages at once unless a commit touches them all: hence (3));
 *	(2) both downloads have it equally often, and all of it varied;
 *	(3) nothing that ever stood there reads like content (learnable.h);
 *	(4) an image, frame or medium is of another site, the only one at its place, and no other of
 *	    its host on pages of the kind stayed the same: hosts of advertisements serve only these.
 *
 * The order of the pages does not matter.
 */
#ifndef QUALITY_LEARNER_H
#define QUALITY_LEARNER_H

#include "quality/learned.h"

enum {
	LEARNER_SUPPORT = 2,
	LEARNER_PLACES_MAX = 1 << 16, /* further ones are not looked at */
};

struct learner_place {
	slice key;
	uint32_t seen, varied; /* pages */
	bool refused;          /* something there reads like content */
};

/* A place at which something of a host stood. */
struct learner_host {
	uint32_t place;
	slice host; /* with the kind of the page in front of it */
};

VEC_DECLARE(learner_places, struct learner_place);
VEC_DECLARE(learner_hosts, struct learner_host);

/* Fields are its own. */
struct learner {
	bool mask_visible;
	struct arena arena;
	struct strmap pages;
	struct strmap index;
	struct learner_places places;
	struct strmap steady; /* hosts of what did not vary */
	struct learner_hosts hosts;
};

/* mask_visible: lines of text may be learned, too. Allocates nothing. */
void learner_init(struct learner *l, bool mask_visible);
void learner_release(struct learner *l);

/*
 * Two finished views of a page under the built-in rules, which are borrowed. A second pair of the
 * same page, or views beyond the limits of the reader, are passed over. 0 or ERR_NOMEM.
 */
int learner_add(struct learner *l, const struct url *page, const struct view *a,
	const struct view *b) SP_MUST_CHECK;

/* Adds what was learned to an empty set. Nothing can be added then. 0 or ERR_NOMEM. */
int learner_finish(struct learner *l, struct learned *rules) SP_MUST_CHECK;

#endif
