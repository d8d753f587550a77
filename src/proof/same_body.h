/*
 * One body at many URLs, in place of others: so a block page that answers 200 shows itself. Two
 * passes over the pages of a capture, by the looks that count (legs.h); the report and verify find
 * the same:
 *
 *	for each page:	same_bodies_add(&s, url, &legs);
 *	same_bodies_find(&s);
 *	for each page:	same_bodies_mark(&s, &legs);
 *
 * A body counts as one that stands in the pages' place when SAME_BODY_PATHS paths or more show it,
 * at least one in SAME_BODY_SHARE of all, and SAME_BODY_REPLACED of them showed something else at
 * their other look: pages that are merely equal, such as empty ones, are what they are. Queries do
 * not count: one page under many of them is the same page. A body with a login box and little else
 * needs no other look: at SAME_BODY_LOGINS paths it is what stands before all of them.
 */
#ifndef PROOF_SAME_BODY_H
#define PROOF_SAME_BODY_H

#include "base/lists.h"
#include "base/vec.h"
#include "proof/legs.h"

enum {
	SAME_BODY_PATHS = 8,
	SAME_BODY_SHARE = 20,
	SAME_BODY_REPLACED = 2,
	SAME_BODY_LOGINS = 3,
};

struct same_body_look {
	uint64_t body, path;
	bool replaces;  /* the page's other look showed something else */
	bool login_box; /* it has a login box and little else */
};

VEC_DECLARE(same_body_looks, struct same_body_look);

/* Zero-initialise. Fields are its own. */
struct same_bodies {
	struct same_body_looks looks; /* then those of bodies at many paths, one each */
	uint64_t pages;
};

void same_bodies_release(struct same_bodies *s);

/* Takes the looks of a page into account. */
void same_bodies_add(struct same_bodies *s, slice url, const struct legs *legs);

void same_bodies_find(struct same_bodies *s);

/*
 * Says of looks that show such a body that it stands in the page's place; whether there are any.
 */
bool same_bodies_mark(const struct same_bodies *s, struct legs *legs);

#endif
