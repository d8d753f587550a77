/*
 * What can be said of a page after its two observations (docs/quality.md, the table of verdicts).
 * Pure. Invariants:
 *
 *	(1) sharp means: both observations whole, present, with states that are equal, or of one
 *	    class (warc/attempt.h);
 *	(2) neither is a block, challenge or login page, or a page that only scripts fill;
 *	(3) sharp or absent in a capture (judge_in_window) means besides: the interval from the end
 *	    of the visit to the start of the revisit contains the whole still point.
 */
#ifndef PROOF_VERDICT_H
#define PROOF_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "formats/http_digest.h"
#include "formats/http_state.h"
#include "proof/stillpoint.h"
#include "warc/attempt.h"

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
	X(VERDICT_SINGLE, "single")           \
	X(VERDICT_UNVISITED, "unvisited")     \
	X(VERDICT_SHELL, "shell")

enum verdict {
#define X(name, word) name,
	VERDICTS(X)
#undef X
		VERDICT_COUNT
};

/* The word; constant. */
const char *verdict_name(enum verdict v);

/* The page was seen: all but excluded, unvisited, failed, blocked. Percentages are of these. */
bool verdict_is_captured(enum verdict v);

/*
 * What an attempt showed (legs_observe). What counts of a leg is its last usable attempt or, where
 * none is usable, its last one (legs.h); all looks in a row prove intervals (intervals.h).
 */
struct observation {
	bool made;       /* there was an attempt */
	unsigned status; /* 0: no answer */
	bool whole;      /* answered, and the body is whole */
	struct same_key key;
	int64_t start, end; /* wall, ns: request sent, last byte */
	slice failure;      /* for the reason, when there was no whole answer */

	int64_t modified;  /* Last-Modified, ns; 0: none */
	slice etag;        /* with quotes and W/; borrowed; ptr NULL for none */
	bool not_modified; /* a 304 to a look of a watch, with the validator of the last usable one
			    */
	/*
	 * What stands in the page's place, "blocked: login: …" or "shell: …" (formats/blocked.h);
	 * ptr NULL when it is the page.
	 */
	slice stand_in;
	bool login_box; /* it is the page, with a login box and little else */

	bool retired; /* its response is gone (archive/retire.h): not whole, and without a state */
	bool foreign_times; /* start and end are estimates, from the date of a WARC record */

	bool is_html;           /* the body */
	bool cached;            /* a cache says that it answered */
	struct attempt_age age; /* of the response */

	/* As in struct attempt. */
	bool close_delimited;
	unsigned rule_set, masked;
	slice rules;
};

struct judgement {
	enum verdict verdict;
	enum same_by evidence; /* of sharp, and of what was retired */
	slice reason; /* of failed, unconfirmed, blocked, unvisited, shell, and of single that was
		       * put off; else ptr NULL; constant, the failure or the stand-in */
};

/* How the page stands in its capture. */
enum judged_as {
	JUDGED_PAIR,   /* visit and revisit */
	JUDGED_SINGLE, /* one visit was all that was meant: single strategy, late discovery */
};

struct judgement judge(
	const struct observation *visit, const struct observation *revisit, enum judged_as as);

/*
 * The same as part of a capture with that still point: what would be sharp or absent, but whose
 * interval does not contain the still point (a clock that was set back between stop and resume),
 * or that has none to contain, is unconfirmed.
 */
struct judgement judge_in_window(const struct observation *visit, const struct observation *revisit,
	enum judged_as as, const struct stillpoint *window);

/*
 * Whether a visit is worth a revisit: whole, and 2xx, 3xx, 404 or 410. Not 206, 304: parts and
 * assertions that nobody asked for; nor a block, challenge or login page in the page's place.
 */
bool observation_is_usable(const struct observation *o);

/* It shows its content only by scripts: usable, but nothing is known of what a reader sees. */
/* Takes the text of formats/blocked.h, borrowed, which may be empty. */
void observation_set_stand_in(struct observation *o, slice text);

bool observation_is_shell(const struct observation *o);

/* By what two usable, present observations show the same: bytes or rules; or it is not known. */
enum same_by observation_same(const struct observation *a, const struct observation *b);

/*
 * How the body of a response is read, as a number: equal numbers, and equal bodies show the same.
 * What decides is the Content-Type with its charset, the content coding, and the elements that the
 * user requires of the page. A revisit record refers only to a body that is read in the same way,
 * so that what it shows can be found again from the two records.
 */

/* By its head and the number of the requirements that hold for the page; 0: none. */
uint64_t manner_of(const struct fields *head, uint64_t requirements);

/* The same with the names of its content codings (attempt.coding). */
uint64_t manner_coding(slice coding, uint64_t manner);

/* Whether all of the body passed by, so that what was read of it counts. */
static inline bool manner_is_read(const struct state_result *result)
{
	return result->whole && result->decoded && result->readable;
}

#endif
