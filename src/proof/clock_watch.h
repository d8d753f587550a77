/*
 * Whether the wall clock was set during a capture. The times of a capture are those of the wall
 * clock when its process began, carried on by the monotonic clock. If the wall clock says something
 * else later on, either the earlier or the later reading is wrong, and nobody knows which.
 *
 * As long as one process made the whole capture, its times are as far from each other as the
 * monotonic clock says, whatever happened to the wall clock. So the proof holds, and only the date
 * is in doubt: all times are right, or wrong by what the wall clock was set, or anything in between
 * (adjusted, early, late). Where another process went on, no clock joins the two if the wall clock
 * was set: then the capture has no still point (set).
 *
 * Found from the capture's readings of the clock alone, so that report and verify come to the same
 * result.
 *
 * What cannot be seen: a clock that is wrong all the time, and one that is set while the machine is
 * off or before a capture goes on on another machine, unless it goes back behind an earlier
 * reading.
 */
#ifndef PROOF_CLOCK_WATCH_H
#define PROOF_CLOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "warc/attempt.h"

/*
 * How far wall clock and capture time may differ, ns. NTP's slewing moves both, and programs that
 * keep the time step the clock only by more than this (ntpd, chrony: 128 ms; systemd-timesyncd:
 * 400 ms).
 */
#define CLOCK_WATCH_TOLERANCE (CLOCK_NS_PER_SECOND / 10)

/* Zero-initialise. */
struct clock_watch {
	bool set;      /* it was, and no clock joins the times of the capture */
	bool adjusted; /* it was, while the process ran */
	int64_t early,
		late;   /* then: wall clock minus capture time, least and most; with 0 between */
	bool has_begun; /* a process has; the rest is of the last one */
	int64_t offset; /* capture time minus monotonic clock */
	int64_t wall;   /* wall clock minus monotonic clock, when last read */
	int64_t last;   /* latest capture time of a reading, of all processes */
	char boot[CLOCK_BOOT_SIZE];
};

/* A reading begins a process: "start", "resume". */
bool clock_watch_begins(const struct catalog_clock *k);

/* Takes a reading into account, in the order in which they were made. */
void clock_watch_add(struct clock_watch *w, const struct catalog_clock *k);

/*
 * Whether a reading says more about the doubt than those before: is to be recorded. wall: wall
 * clock minus monotonic clock. The range grows by steps of a quarter, so that a clock that drifts
 * all the time is not recorded all the time.
 */
bool clock_watch_is_news(const struct clock_watch *w, int64_t wall);

/* By how many seconds the true times may be earlier and later than those of the capture. */
double clock_watch_earlier(const struct clock_watch *w);
double clock_watch_later(const struct clock_watch *w);

/* Two offsets differ by more than the tolerance. */
bool clock_watch_differs(int64_t a, int64_t b);

/* a minus b, for numbers from a file: wraps around. */
int64_t clock_watch_minus(int64_t a, int64_t b);

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

/* Takes a reading into account, in the order in which they were made. */
void clock_doubts_add(struct clock_doubts *d, const struct catalog_clock *k);

/* Whether the times of a look are in doubt. */
bool clock_doubts_has(const struct clock_doubts *d, const struct attempt *a);

#endif
