/*
 * What a capture of a recorded history was: when each page was looked at, and which instant it was
 * meant to be sharp at. Whoever schedules it (histories/schedule.h) makes one of these; what it
 * proves is read off it by histories/proof.h. Times are days of the history.
 */
#ifndef HISTORIES_PAST_CAPTURE_H
#define HISTORIES_PAST_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

enum { CAPTURE_LOOKS_MAX = 8 };

/* Downloads of one page, in the order of time. */
struct looks {
	unsigned count;
	double at[CAPTURE_LOOKS_MAX];
};

struct past_capture {
	size_t n;
	struct looks *looks; /* by page of the draw's site */
	double *still;       /* by page: the still point that its plan had; NAN: it had none */
	bool *hopeless;      /* by page: its plan had given it up */
	size_t requests;     /* downloads in all */
	double begin, end;   /* of the first and of the last */
};

/* No looks yet, no still points. 0 or ERR_NOMEM; free with past_capture_release. */
int past_capture_init(struct past_capture *c, size_t n) SP_MUST_CHECK;
int past_capture_copy(const struct past_capture *from, struct past_capture *ret_copy) SP_MUST_CHECK;
void past_capture_release(struct past_capture *c);

/* A download; times of a page must not run backwards. False when it has had all its looks. */
bool past_capture_look(struct past_capture *c, uint32_t page, double at);

static inline double looks_last(const struct looks *l)
{
	return l->at[l->count - 1];
}

#endif
