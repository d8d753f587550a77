/*
 * What can be said of a page after its two observations (DESIGN's table of verdicts). Pure.
 */
#ifndef QUALITY_VERDICT_H
#define QUALITY_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/digest.h"
#include "base/slice.h"

#define VERDICTS(X)                           \
	X(VERDICT_SHARP, "sharp")             \
	X(VERDICT_ABSENT, "absent")           \
	X(VERDICT_CHANGED, "changed")         \
	X(VERDICT_APPEARED, "appeared")       \
	X(VERDICT_GONE, "gone")               \
	X(VERDICT_UNCONFIRMED, "unconfirmed") \
	X(VERDICT_FAILED, "failed")           \
	X(VERDICT_EXCLUDED, "excluded")       \
	X(VERDICT_BLOCKED, "blocked")         \
	X(VERDICT_SINGLE, "single")

enum verdict {
#define X(name, word) name,
	VERDICTS(X)
#undef X
		VERDICT_COUNT
};

/* The word; constant. */
const char *verdict_name(enum verdict v);

/* The last attempt of a leg. */
struct observation {
	bool made;       /* there was an attempt */
	unsigned status; /* 0: no answer */
	bool whole;      /* answered, and the body is whole */
	bool has_state;
	struct digest state;
	int64_t start, end; /* wall, ns: request sent, last byte */
	slice failure;      /* for the reason, when there was no whole answer */
};

struct judgement {
	enum verdict verdict;
	const char *evidence; /* "bytes", or NULL */
	slice reason; /* of failed, unconfirmed, blocked; else ptr NULL; borrowed or constant */
};

/* How the page stands in its capture. */
enum judged_as {
	JUDGED_PAIR,   /* visit and revisit */
	JUDGED_SINGLE, /* one visit was all that was meant: single strategy, late discovery */
};

struct judgement judge(
	const struct observation *visit, const struct observation *revisit, enum judged_as as);

/* Whether a visit is worth a revisit, and a retry: what the crawler tells the planner. */
bool observation_is_usable(const struct observation *o); /* 2xx, 3xx, 404, 410, whole */

#endif
