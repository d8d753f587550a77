/*
 * A page's attempts in a capture, brought down to what it is judged by: the last attempt of each
 * leg. They may come in any order. Filled from the catalog by the report and from the WARC files by
 * verify, so that both judge by the same code.
 */
#ifndef QUALITY_LEGS_H
#define QUALITY_LEGS_H

#include <stdbool.h>

#include "archive/attempt.h"
#include "quality/stillpoint.h"
#include "quality/verdict.h"

/* Zero-initialise. */
struct legs {
	struct observation visit;   /* or the late one */
	struct observation revisit; /* its failure is borrowed, as that of the visit */
	unsigned visit_number;      /* of the attempt that counts; 0 for none */
	unsigned revisit_number;
	unsigned visits; /* attempts */
	unsigned revisits;
	bool late;     /* downloaded after the barrier, once: found then, or put off until then */
	slice put_off; /* of a page that was put off: the failure of its visit, borrowed */
	unsigned put_off_number;
};

/* How the capture stands, as far as a page's verdict goes. */
struct legs_terms {
	bool single;              /* it has no revisits */
	struct stillpoint window; /* of the capture */
};

/* What an attempt shows; borrows its failure. */
struct observation legs_observe(const struct attempt *a);

/* Adds an attempt that showed this. Those beside the legs (ATTEMPT_SIDE) are left out. */
void legs_add(struct legs *l, const struct attempt *a, const struct observation *shown);

struct judgement legs_judge(const struct legs *l, const struct legs_terms *terms);

#endif
