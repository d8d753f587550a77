/*
 * What a request may still cost. Whatever takes many steps asks before each of them, and ends when
 * the answer is no: the client has left, the server stops, or the request has had its share.
 *
 *	while (work_step(q->work) && …)
 *		…
 *
 * The time that counts is what was spent for the request, not what it waited for its turn or for
 * the client to take what there is. One thread at a time.
 */
#ifndef HTTPD_WORK_H
#define HTTPD_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum work_end {
	WORK_GOES_ON,
	WORK_SPENT,     /* the time is over */
	WORK_CANCELLED, /* nobody waits for it any more */
};

/* Fields are its own, but for limit_ns. */
struct work {
	const atomic_bool *stopping;
	int fd; /* of the client, or -1 */
	int64_t limit_ns;
	int64_t spent_ns;   /* in turns that are over */
	int64_t turn_began; /* monotonic */
	int64_t looked;     /* at client and server, last */
	uint64_t steps;
	enum work_end end;
};

/* A turn of the request begins or ends. */
void work_turn_begin(struct work *w);
void work_turn_end(struct work *w);

/* Counts one step: whether to go on. w may be NULL: there is no limit then. */
bool work_step(struct work *w);

/* Whether this turn has taken so long that others should have theirs. */
bool work_turn_is_long(const struct work *w);

/* Something came of it: the time counts anew. */
void work_refresh(struct work *w);

#endif
