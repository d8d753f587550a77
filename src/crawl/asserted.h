/*
 * What "304 Not Modified" is worth. It is what a server says, not what we have seen: it is counted
 * apart and proves nothing. Some of these answers are held against a full download at once: the
 * first, one in two of the next, one in three, and in the long run one in ten, drawn at random; and
 * the next after a doubt. A host that was found to lie is not believed again.
 *
 * A full download that differs may also mean that the resource changed just then. So it is a lie if
 * the download shows that itself: it has the very ETag or Last-Modified that was confirmed, or a
 * Last-Modified from before the 304. Else it is a doubt, and two doubts in a row are a lie. Pure.
 */
#ifndef CRAWL_ASSERTED_H
#define CRAWL_ASSERTED_H

#include <stdbool.h>
#include <stdint.h>

struct asserted {
	uint64_t answers; /* 304 */
	uint64_t checked; /* of them: by a full download */
	uint64_t lies;    /* of these: found false */
	bool doubted;     /* the last check was a doubt */
};

/* A full download right after a 304. */
struct asserted_check {
	bool differs;         /* from what the 304 said is still so */
	bool same_validators; /* they are those that the 304 confirmed */
	bool is_older;        /* its Last-Modified is before the 304 */
};

/* A 304 came: counts it. Whether it is to be checked; chance: from 0 to 1. */
bool asserted_came(struct asserted *a, double chance);

/* It was checked. Whether it was a lie. */
bool asserted_judge(struct asserted *a, const struct asserted_check *check);

#endif
