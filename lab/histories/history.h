/*
 * The recorded history of a real site: for each page when it changed, and in how large a company.
 * Times are days since the first line of the file.
 *
 * A page is a path. Every line about it is a change: to be added, modified or deleted each makes an
 * earlier copy wrong. The first line of a path is its birth, not a change.
 */
#ifndef HISTORIES_HISTORY_H
#define HISTORIES_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "plan/measure.h"

/* Read-only after loading, and so for any thread. */
struct history {
	size_t n;          /* pages of all times */
	slice *paths;      /* valid as long as the history */
	size_t *from;      /* events of page i: from[i] up to from[i + 1], in the order of time */
	double *times;     /* by event, days */
	uint32_t *touched; /* by event: pages that its commit touched, this one included */
	bool *gone;        /* by event: the page was deleted */
	int64_t began_s;   /* Unix seconds of time 0 */
	double days;       /* time of the last event */
	struct arena text;
};

/*
 * Reads a file (histories/history_file.h), whose times must not run backwards. On failure
 * ret_history is untouched and err holds one sentence with file and line: ERR_IO, ERR_SYNTAX,
 * ERR_LIMIT, ERR_RANGE for a time that runs backwards, ERR_NOMEM.
 */
int history_load(const char *file, struct history *ret_history, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void history_release(struct history *h);

/* All events of a page, its birth included. */
static inline struct change_history history_events(const struct history *h, uint32_t page)
{
	return (struct change_history){h->times + h->from[page], h->from[page + 1] - h->from[page]};
}

/* Whether the page is there at time t; at the instant of a change it is as after it. */
bool history_alive(const struct history *h, uint32_t page, double t);

/* Time of the last event up to t; the page must have one. */
double history_last_change(const struct history *h, uint32_t page, double t);

/* Whether an event of a commit that touched fewer than `bulk` pages lies on [from, to]. */
bool history_changed(const struct history *h, uint32_t page, double from, double to, uint32_t bulk);

#endif
