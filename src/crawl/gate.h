/*
 * Whether requests may start at all, whatever their servers' pace says: the hours of the day, room
 * on the disk, and what comes in per second. What is under way goes on. Asked before each start, so
 * it must be cheap: clocks and disks are looked at once a second at most.
 *
 * Bytes are paid for afterwards: each response costs its size over the bandwidth, from when it
 * began, and no request starts until all is paid. So the average holds however many requests run at
 * once; that a single one does not exceed it meanwhile is for net's max_speed.
 */
#ifndef CRAWL_GATE_H
#define CRAWL_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "frontier/window.h"

#define GATE_MIN_FREE (UINT64_C(128) << 20) /* bytes; for callers without an opinion */

struct gate_params {
	const struct clock *clock; /* borrowed */
	const char *path;          /* something on the archive's file system; borrowed */
	const char *hours;         /* as window.h; NULL: always */
	uint64_t bandwidth;        /* bytes per second; 0: no limit */
	uint64_t min_free;         /* bytes; 0: the disk is not looked at */
	bool quiet;                /* another one tells the same */
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
	enum gate_state state;     /* of hours and disk, as of the last look */
	double wait;               /* seconds from then until it may change */
	int64_t looked;            /* monotonic, ns; 0: never */
	int64_t paid;              /* monotonic, ns: when all bytes are paid for */
	char text[GATE_TEXT_SIZE]; /* for people, while it is shut */
};

/* 0, or ERR_USAGE for hours that are none. */
int gate_parse_hours(struct windows *w, const char *hours, struct err *err) SP_MUST_CHECK;
int gate_init(struct gate *g, const struct gate_params *params, struct err *err) SP_MUST_CHECK;

/*
 * Seconds until a request may start, as far as is known: 0 for now. Whoever waits should ask again
 * after a second: the disk tells nobody when there is room. Logs when it shuts and opens, but not
 * for the bandwidth, where it always does.
 */
double gate_wait(struct gate *g);

/* A response of so many bytes has come; its request began at that time, monotonic. */
void gate_received(struct gate *g, uint64_t bytes, int64_t began);

/* "waiting until 22:00"; "" while it is open, and when it is the bandwidth that shuts it. */
const char *gate_text(const struct gate *g);

#endif
