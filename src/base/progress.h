/*
 * One line on a terminal that says how far long work has come:
 *
 *	simulate: 4200/10000 runs  42 %  1400/s  ETA 0:04  sharp 0.73
 *
 * It draws nothing when the file descriptor is no terminal, and at most ten times a second when it
 * is. Writing never fails as far as the caller can see: progress is not worth an error.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"

enum { PROGRESS_LINE_MAX = 256 };

/* What the line is about; strings and clock are borrowed for the life of the progress. */
struct progress_config {
	int fd;                    /* usually STDERR_FILENO; stays the caller's */
	const struct clock *clock; /* for the rate and the pace of drawing */
	const char *title;         /* "simulate" */
	const char *unit;          /* "runs"; may be NULL */
	uint64_t total;            /* 0 when unknown: no percentage, no ETA */
};

/* Fields are the progress's own. */
struct progress {
	struct progress_config config;
	bool on;          /* fd is a terminal */
	bool drawn;       /* a line stands on the terminal */
	int64_t rated_at; /* monotonic time of the last drawing, or of the beginning */
	uint64_t rated_done;
	double rate; /* units per second, smoothed; 0 until known */
};

/* Looks at the terminal and starts the time; draws nothing yet. */
void progress_init(struct progress *p, const struct progress_config *config);

/* The total may become known, or change, on the way. */
static inline void progress_set_total(struct progress *p, uint64_t total)
{
	p->config.total = total;
}

/*
 * Says that done units are finished; note (may be NULL) goes to the end of the line. Cheap when
 * it is not yet time to draw, so call it for every unit.
 */
void progress_update(struct progress *p, uint64_t done, const char *note);

/* Wipes the line, so that ordinary output can follow; a later update draws it again. */
void progress_clear(struct progress *p);

/* The text of the line as it would be drawn now, cut to size; for tests and logs. */
void progress_text(
	const struct progress *p, uint64_t done, const char *note, char *out, size_t size);

#endif
