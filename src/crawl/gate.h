/*
 * Whether any request may start: the hours of the day, disk and bandwidth, and what sites under
 * watch may spend.
 */
#ifndef CRAWL_GATE_H
#define CRAWL_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/slice.h"
#include "plan/refresh_pace.h"

/* ---- hours of the day ---- */

/*
 * The hours in which a crawl may run ("22-06", "22:30-06:00,12-13"), in local time: whoever asks
 * for the night means the night of the people there. Pure but for the zone, which is the system's
 * (TZ).
 *
 * Invariant: what counts is the time a wall clock shows. So a window is an hour shorter or longer
 * in the nights when the clocks are set, and one that falls into the hour that is left out does not
 * open that day.
 */

enum { WINDOWS_MAX = 16 };

/* Minutes of the day; to is not part of it, and may be smaller than from: over midnight. */
struct window {
	uint16_t from, to;
};

/* A zeroed struct has none, and is always open. */
struct windows {
	struct window list[WINDOWS_MAX];
	size_t count;
};

/* 0, or ERR_USAGE with a sentence; *w is untouched then. */
int windows_parse(struct windows *w, slice text, struct err *err) SP_MUST_CHECK;

/* The first second (since 1970) from this one on in which they are open; INT64_MAX when there is
 * none. */
int64_t windows_opening(const struct windows *w, int64_t seconds);

/* The first from this one on in which they are not open; INT64_MAX when there is none. */
int64_t windows_closing(const struct windows *w, int64_t seconds);

/* ---- the gate ---- */

/*
 * Whether any request may start: allowed hours of the day, free space on the disk, bandwidth.
 * Requests under way continue. Called before each start, so it is cheap: clock and disk are checked
 * at most once a second.
 *
 * Bandwidth is accounted afterwards: each response takes its size divided by the bandwidth, from
 * its start, and no request starts before that time. So the average holds for any number of
 * requests at once. The net's max_speed limits a single one.
 */

#define GATE_MIN_FREE (UINT64_C(128) << 20) /* bytes; the default */

struct gate_params {
	const struct clock *clock; /* borrowed */
	const char *path;          /* something on the archive's file system; borrowed */
	const char *hours;         /* as window.h; NULL: always */
	uint64_t bandwidth;        /* bytes per second; 0: no limit */
	uint64_t min_free;         /* bytes; 0: the disk is not checked */
	bool quiet;                /* does not log: another lane logs the same */
};

enum gate_state {
	GATE_OPEN,
	GATE_HOURS,
	GATE_DISK,
};

enum { GATE_TEXT_SIZE = 64 };

/* Fields are the gate's own. A zeroed struct is open. */
struct gate {
	struct gate_params params;
	struct windows windows;
	enum gate_state state;     /* of hours and disk, when last checked */
	double wait;               /* seconds from then until it may change */
	int64_t looked;            /* monotonic, ns; 0: never */
	int64_t paid;              /* monotonic, ns: when all bytes are paid for */
	char text[GATE_TEXT_SIZE]; /* for people, while it is shut */
};

/* 0, or ERR_USAGE for invalid hours. */
int gate_parse_hours(struct windows *w, const char *hours, struct err *err) SP_MUST_CHECK;
int gate_init(struct gate *g, const struct gate_params *params, struct err *err) SP_MUST_CHECK;

/*
 * Seconds until a request may start; 0: now. Call it again after a second, since free space can
 * change at any time. Logs when hours or disk close and open the gate, not for the bandwidth.
 */
double gate_wait(struct gate *g);

/* A response of so many bytes has come; its request began at that time, monotonic. */
void gate_received(struct gate *g, uint64_t bytes, int64_t began);

/* "waiting until 22:00"; "" while it is open, and when it is the bandwidth that shuts it. */
const char *gate_text(const struct gate *g);

/* ---- the budget of sites under watch ---- */

/*
 * What all sites under watch may spend together: requests and bytes as paces (plan/refresh_pace.h).
 * Every request counts when it is sent, whatever it is for: pages, robots.txt, sitemaps, tries.
 * Lanes ask before they start a request; two that ask at once may both start, and the pace makes up
 * for it. For any thread. Times are seconds on the monotonic clock, but for those of the wall.
 *
 * The account is kept in a file, which is written with every request: what was sent just before a
 * crash counts although nothing else remembers it, and what accrues until the next start is there.
 * Its first line has requests and bytes that had accrued, and when (wall, ns). A line for each
 * minute of a day follows: the minute since 1970, and the requests that were sent in it.
 */

#define BUDGET_NAME "watch.budget"

enum { BUDGET_MINUTES = 24 * 60 };

/* Fields are the budget's own. */
struct budget {
	pthread_mutex_t lock;
	struct refresh_pace requests, bytes;
	bool has_bytes;
	uint32_t spent[BUDGET_MINUTES]; /* requests, by minute since 1970, modulo its length */
	int64_t minute;                 /* the last one that is counted */
	bool hurried;                   /* the next request need not wait */
	int fd;                         /* of the file; -1: none */
};

/* Seconds since a request during which a budget has accrued: up to an hour. */
double budget_idle(int64_t last, int64_t now);

/* Per second; bytes 0: no limit. now as lane_now. */
void budget_init(struct budget *b, double requests, double bytes, double now);
void budget_release(struct budget *b);

/* Other limits from now on; what has accrued stays. */
void budget_change(struct budget *b, double requests, double bytes, double now);

/* Seconds until a request may be sent; 0: now. */
double budget_wait(struct budget *b, double now);

/*
 * The account is kept in this file from now on, which is made if need be. The first time it goes on
 * where the file has it; one that cannot be read counts as new. Both times are the present. 0 or
 * ERR_IO.
 */
int budget_open(struct budget *b, const char *path, int64_t wall, double now,
	struct err *err) SP_MUST_CHECK;

/* The next request may be sent at once: it is spent in advance. */
void budget_hurry(struct budget *b);

/* Seconds that the requests which have accrued would last. */
double budget_surplus(struct budget *b);

/* A request is sent, at that time: wall, ns. */
void budget_spend(struct budget *b, int64_t wall);

void budget_received(struct budget *b, uint64_t bytes);

/* Requests of the last 24 hours. */
uint64_t budget_spent(struct budget *b, int64_t wall_seconds);

#endif
