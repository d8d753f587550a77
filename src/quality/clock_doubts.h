/*
 * Which times of a watch are in doubt. A capture that lasts for years outlives many settings of the
 * wall clock; so it is judged by its processes. The times of a process are those of the wall clock
 * when it began, carried on by the monotonic clock. If the wall clock was set while it ran, or
 * between it and the next one, nobody knows what its times are worth; of the next one only if the
 * kernel did not call its clock synchronised. Processes before it that went by the same time are in
 * doubt as well, back to the last one that began with a synchronised clock, or to the start of the
 * machine; and so are those behind it. Looks of such processes prove nothing; all others stay as
 * they are.
 */
#ifndef QUALITY_CLOCK_DOUBTS_H
#define QUALITY_CLOCK_DOUBTS_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/attempt.h"
#include "base/api.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "quality/clock_watch.h"

struct clock_process {
	int64_t offset; /* its times minus the monotonic clock: the same throughout */
	int64_t begin;  /* in its time */
	bool synchronised;
	bool continues; /* goes by the time of the one before */
	bool doubtful;
};

VEC_DECLARE(clock_processes, struct clock_process);

/* Zero-initialise. Fields are its own. */
struct clock_doubts {
	struct clock_processes list;
	struct clock_watch watch;
	bool any;
};

void clock_doubts_release(struct clock_doubts *d);

/* Takes a reading into account, in the order in which they were made. 0 or ERR_NOMEM. */
int clock_doubts_add(struct clock_doubts *d, const struct catalog_clock *k) SP_MUST_CHECK;

/* Whether the times of a look are in doubt. */
bool clock_doubts_has(const struct clock_doubts *d, const struct attempt *a);

#endif
