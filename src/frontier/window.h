/*
 * The hours in which a crawl may run ("22-06", "22:30-06:00,12-13"), in local time: whoever asks
 * for the night means the night of the people there. Pure but for the zone, which is the system's
 * (TZ).
 *
 * Invariant: what counts is the time a wall clock shows. So a window is an hour shorter or longer
 * in the nights when the clocks are set, and one that falls into the hour that is left out does not
 * open that day.
 */
#ifndef FRONTIER_WINDOW_H
#define FRONTIER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

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

#endif
