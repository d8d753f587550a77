/*
 * When a resource changes. Each has changes of its own, from a seeded Poisson process or from a
 * recorded history, that depend on nothing but the seed: whoever walks along them, at whatever
 * time, meets the same instants and the same versions.
 *
 * Versions name contents: the same version, the same content. They start at 1; a change leads to
 * the next number that was never used, or, where it undoes the one before, back to the version
 * before that (A-B-A). 0 means that the resource is not there.
 *
 * Times are nanoseconds since the start of the site. A change at t holds at t already.
 */
#ifndef LIVING_CHANGE_H
#define LIVING_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVING_GONE = 0 }; /* the version of what is not there */

#define CHANGE_NEVER INT64_MAX

/* A change of a recorded history. */
struct recorded_change {
	int64_t at_ns;
	bool gone; /* it was deleted; else it was added or modified */
};

/* What one resource's changes follow from. Borrows what was recorded. */
struct change_source {
	uint64_t stream;                        /* of the random numbers */
	double rate;                            /* changes per second */
	double reverts;                         /* share of the changes that undo the one before */
	const struct recorded_change *recorded; /* instead of all that; ascending */
	size_t recorded_len;
	bool is_recorded;
	bool vanishing;         /* every change takes the resource away, or brings it back */
	bool absent_first;      /* it is not there at the start; only of those */
	uint64_t commit_stream; /* of the changes that touch many resources at one instant */
	double commit_seconds;  /* between two of them, on average; 0: there are none */
	double commit_share;    /* of the resources that each touches */
};

/* A place on the way: the last change, and the next. */
struct change_cursor {
	int64_t at_ns;   /* of the last change; 0 while there was none */
	int64_t next_ns; /* CHANGE_NEVER when there is none */
	uint32_t count;  /* of changes so far */
	uint32_t version;
	uint32_t previous; /* version before the last change */
};

/* The state at the start, when all that was recorded up to time 0 has happened. */
struct change_cursor change_begin(const struct change_source *s);

/* Makes the next change, of which there must be one. */
void change_step(const struct change_source *s, struct change_cursor *c);

/* The state at a time, by walking there from the start. */
struct change_cursor change_at(const struct change_source *s, int64_t at_ns);

/* A number for a purpose and an id, as good as random, that depends on nothing else. */
uint64_t change_mix(uint64_t seed, uint64_t purpose, uint64_t id);

/* The same as a number in [0, 1). */
double change_uniform(uint64_t seed, uint64_t purpose, uint64_t id);

#endif
