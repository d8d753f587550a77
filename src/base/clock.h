/*
 * Time is passed in, so that tests and the simulator make their own. A clock is a small object
 * with two readings: a monotonic one to measure with, and the realtime one to tell people. Both are
 * nanoseconds; the realtime one counts from 1970-01-01T00:00:00Z.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_SECOND INT64_C(1000000000)

struct clock {
	int64_t (*monotonic)(const struct clock *);
	int64_t (*realtime)(const struct clock *);
};

/*
 * The machine's clock: constant, never freed, for any thread. Its monotonic reading counts the time
 * that the machine is suspended (CLOCK_BOOTTIME), where the system can.
 */
const struct clock *clock_system(void);

/*
 * A clock whose realtime is that of another one when it was anchored, and goes on with its
 * monotonic reading: setting the wall clock does not change it. Caller-owned. Pass &a.clock on; any
 * thread may read it.
 */
struct clock_anchored {
	struct clock clock; /* first, so that the readings find the rest */
	const struct clock *source;
	int64_t offset; /* realtime minus monotonic */
};

/* Borrows the source. */
void clock_anchor(struct clock_anchored *a, const struct clock *source);

/*
 * Realtime minus monotonic, at present. NTP's slewing changes both readings alike, so this changes
 * only when the wall clock is set. Exact for an anchored and for a manual clock.
 */
int64_t clock_offset(const struct clock *c);

enum { CLOCK_BOOT_SIZE = 37 }; /* a UUID and the NUL */

/*
 * Which run of the machine this is: monotonic readings can be compared within one. "" if unknown.
 */
void clock_boot_id(char out[CLOCK_BOOT_SIZE]);

/* A clock that moves only when told; caller-owned. Pass &m.clock on. */
struct clock_manual {
	struct clock clock; /* first, so that the readings find the rest */
	int64_t monotonic_ns;
	int64_t realtime_ns;
};

void clock_manual_init(struct clock_manual *m, int64_t realtime_ns);

/* Moves both readings; seconds may be a fraction, but not negative. */
void clock_manual_advance(struct clock_manual *m, double seconds);

static inline int64_t clock_monotonic(const struct clock *c)
{
	return c->monotonic(c);
}

static inline int64_t clock_realtime(const struct clock *c)
{
	return c->realtime(c);
}

static inline double clock_seconds(int64_t ns)
{
	return (double)ns / (double)CLOCK_NS_PER_SECOND;
}

/*
 * Which way a time goes that is no whole millisecond: starts go down and ends go up, so that the
 * printed interval contains the true one.
 */
enum clock_round {
	CLOCK_ROUND_DOWN,
	CLOCK_ROUND_UP,
};

enum { CLOCK_TEXT_SIZE = 25 }; /* "2011-02-11T09:30:00.125Z" and the NUL */

/* RFC 3339 in UTC with milliseconds. Cannot fail: every int64_t is a date from 1677 to 2262. */
void clock_format(int64_t realtime_ns, enum clock_round round, char out[CLOCK_TEXT_SIZE]);

#endif
