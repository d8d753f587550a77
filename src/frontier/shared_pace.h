/*
 * A server that several lanes ask is paced by one clock: how many requests are under way in the
 * whole process, and when the next may start. As long as one lane alone knows a server, its own
 * pace is all that counts. For any thread; every call takes one lock for an instant.
 */
#ifndef FRONTIER_SHARED_PACE_H
#define FRONTIER_SHARED_PACE_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

/* Seconds after which a lane looks again whether another's request has ended. */
#define SHARED_PACE_POLL 0.05

struct shared_paces; /* all servers of the process; opaque */
struct shared_pace;  /* one of them; opaque */

/* NULL without memory. Free when no lane is left; NULL is fine. */
struct shared_paces *shared_paces_new(void);
void shared_paces_free(struct shared_paces *all);

/* The entry of a server for one more lane; lasts as long as all of them do. 0 or ERR_NOMEM. */
int shared_paces_join(
	struct shared_paces *all, slice server, struct shared_pace **ret) SP_MUST_CHECK;

/*
 * A lane that may start a request by its own pace asks whether the others let it: true, and it is
 * counted as under way; or false, and *ret_when is when to ask again. jobs: requests at once.
 */
bool shared_pace_begin(struct shared_pace *p, double now, unsigned jobs, double *ret_when);

/* A request that was begun has ended; the next one, whoever's, starts no sooner than that. */
void shared_pace_end(struct shared_pace *p, double next);

/* Nobody's request starts before that: what the server asked for. */
void shared_pace_defer(struct shared_pace *p, double until);

#endif
