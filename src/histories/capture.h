/*
 * What a capture of a recorded history was: when each page was looked at, and which instant it was
 * meant to be sharp at. Whoever schedules it (histories/schedule.h) makes one of these; what it
 * proves is read off it by histories/evidence.h. Times are days of the history.
 */
#ifndef HISTORIES_CAPTURE_H
#define HISTORIES_CAPTURE_H

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

struct capture {
	size_t n;
	struct looks *looks; /* by page of the draw's site */
	double *still;       /* by page: the still point that its plan had; NAN: it had none */
	bool *hopeless;      /* by page: its plan had given it up */
	size_t requests;     /* downloads in all */
	double begin, end;   /* of the first and of the last */
};

/* No looks yet, no still points. 0 or ERR_NOMEM; free with capture_release. */
int capture_init(struct capture *c, size_t n) SP_MUST_CHECK;
int capture_copy(const struct capture *from, struct capture *ret_copy) SP_MUST_CHECK;
void capture_release(struct capture *c);

/* A download; times of a page must not run backwards. False when it has had all its looks. */
bool capture_look(struct capture *c, uint32_t page, double at);

static inline double looks_last(const struct looks *l)
{
	return l->at[l->count - 1];
}

#endif
