/*
 * Whether any request may start: allowed hours of the day, free space on the disk, bandwidth.
 * Requests under way continue. Called before each start, so it is cheap: clock and disk are checked
 * at most once a second.
 *
 * Bandwidth is accounted afterwards: each response takes its size divided by the bandwidth, from
 * its start, and no request starts before that time. So the average holds for any number of
 * requests at once. The net's max_speed limits a single one.
 */
#ifndef CRAWL_GATE_H
#define CRAWL_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "frontier/window.h"

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

#endif
