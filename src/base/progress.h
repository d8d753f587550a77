/*
 * One line on a terminal that says how far long work has come:
 *
 *	simulate: 4200/10000 runs  42 %  1400/s  ETA 0:04  sharp 0.73
 *
 * or several: a heading above it, a bar and lines of notes below it. It draws nothing when the file
 * descriptor is no terminal, and at most ten times a second when it is (see live.h); what is no
 * terminal may get the text as a line every few minutes instead. Writing never fails as far as the
 * caller can see: progress is not worth an error.
 *
 * The rate is that of the last minute, or of the last units when they are few, counted from the
 * first unit that this process has finished. There is no rate, and so no ETA, until some seconds
 * and some units have passed, nor while nothing gets finished.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/live.h"

enum {
	PROGRESS_LINE_MAX = 1024, /* bytes of all lines */
	PROGRESS_MARKS = 64,
};

/* What the line is about; strings and clock are borrowed for the life of the progress. */
struct progress_config {
	int fd;                    /* usually STDERR_FILENO; stays the caller's */
	const struct clock *clock; /* for the rate and the pace of drawing */
	const char *title;         /* "simulate" */
	const char *unit;          /* "runs"; may be NULL */
	uint64_t total;            /* 0 when unknown: no percentage, no ETA */
	const char *heading;       /* a line above; NULL or empty for none */
	bool bar;                  /* a line below that shows the share of the total */
	double log_interval;       /* seconds between lines where there is no terminal; 0: none */
};

/*
 * What the time is measured by, where that is not the units of the line: a crawl counts the pages
 * of a leg, but takes time for all requests that are still to come.
 */
struct progress_work {
	uint64_t done;    /* by this process */
	uint64_t left;    /* 0: unknown */
	double time_left; /* seconds until the work ends in any case; 0 for no such limit */
};

/* How much was done at some time. */
struct progress_mark {
	int64_t time; /* monotonic */
	uint64_t done;
};

/* Fields are the progress's own. */
struct progress {
	struct progress_config config;
	struct live live;
	uint64_t done;                              /* units of the line */
	int64_t measured_at;                        /* monotonic; or of the beginning */
	struct progress_mark marks[PROGRESS_MARKS]; /* what the rate is made of, oldest first */
	size_t marks_len;
	struct progress_mark last; /* when something was finished for the last time */
	double rate;               /* units of work per second; 0: unknown */
	double time_left;          /* seconds; 0: unknown */
	int64_t logged_at;         /* monotonic; or of the beginning */
};

/* Looks at the terminal and starts the time; draws nothing yet. Needs no release. */
void progress_init(struct progress *p, const struct progress_config *config);

/* A cell of a bar, as the terminal can show it. */
const char *progress_cell(bool is_done);

/* The total may become known, or change, on the way. */
static inline void progress_set_total(struct progress *p, uint64_t total)
{
	p->config.total = total;
}

/*
 * Says that done units are finished; note (may be NULL) goes to the end of the line, and what
 * stands behind a line feed in it to lines of its own. Cheap when it is not yet time to draw, so
 * call it for every unit.
 */
void progress_update(struct progress *p, uint64_t done, const char *note);

/* The same where the time is measured by other work. */
void progress_update_work(
	struct progress *p, uint64_t done, const struct progress_work *work, const char *note);

/* Wipes the line, so that ordinary output can follow; a later update draws it again. */
void progress_clear(struct progress *p);

/* The text of the line as it would be drawn now, cut to size; for tests and logs. */
void progress_text(
	const struct progress *p, uint64_t done, const char *note, char *out, size_t size);

#endif
