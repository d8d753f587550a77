/*
 * A page's attempts in a capture, brought down to what it is judged by: the last usable attempt of
 * each leg, or its last one where none is usable. So a failed second attempt destroys no good one.
 * They may come in any order. Filled from the catalog by the report and from the WARC files by
 * verify, so that both judge by the same code.
 *
 * Why sharp stays sound when a failed attempt follows the one that counts: all attempts of the
 * visits, failed ones too, end before the still point, and all of the revisits begin behind it
 * (stillpoint.h). So the interval from the end of the visit that counts to the start of the
 * revisit that counts contains it. What was seen in between must not differ: of the visits the
 * last usable one counts, so there is none behind it; if usable revisits differ from each other,
 * the page is not sharp, whichever of them counts. Canaries look at a page between its visit and
 * its revisit: what shows something else then is `changed`, even if the two agree.
 */
#ifndef PROOF_LEGS_H
#define PROOF_LEGS_H

#include <stdbool.h>

#include "catalog/catalog.h"
#include "proof/quality_words.h"
#include "proof/stillpoint.h"
#include "proof/verdict.h"
#include "warc/attempt.h"

enum { LEGS_GLIMPSES = 2 };

/* What a canary showed between the legs. */
struct legs_glimpse {
	int64_t start;
	unsigned status;
	struct same_key key;
};

/* Zero-initialise. */
struct legs {
	struct observation visit;   /* or the late one */
	struct observation revisit; /* its failure is borrowed, as that of the visit */
	unsigned visit_number;      /* of the attempt that counts; 0 for none */
	unsigned revisit_number;
	unsigned visits; /* attempts */
	unsigned revisits;
	bool late;            /* what counts as its visit was made after the barrier, and was all */
	bool revisits_differ; /* usable ones */
	slice put_off;        /* of a page that was put off: the failure of its visit, borrowed */
	unsigned put_off_number;
	unsigned look_number;   /* of its last probe, or look of a watch; 0 for none */
	bool is_watched;        /* it has a usable look of a watch */
	unsigned glimpse_count; /* usable canaries; of more than LEGS_GLIMPSES the last are kept */
	struct legs_glimpse glimpses[LEGS_GLIMPSES];
};

/* How the capture stands, as far as a page's verdict goes. */
struct legs_terms {
	bool single;               /* it has no revisits */
	struct stillpoint window;  /* of the capture */
	enum catalog_state state;  /* these two for the reasons only */
	enum catalog_end ended_by; /* the limit that ended its visits, or all of it */
};

/* Which limit it was, for people: "time limit", "byte limit", "a limit"; constant. */
slice legs_limit(enum catalog_end limit);

/* What an attempt shows; borrows its failure and rules. */
struct observation legs_observe(const struct attempt *a);

/*
 * Keeps the texts of an observation but for its rules, as reasons: "blocked: " is put before what
 * stands in the page's place.
 */
void legs_keep_texts(struct observation *o, struct words *words);

/* Whether attempts of that leg are judged: visits, revisits and late ones. */
bool legs_has(enum attempt_leg leg);

/*
 * Adds an attempt that showed this. Those beside the legs have no part in the verdict: robots.txt,
 * probes, looks of a watch.
 */
void legs_add(struct legs *l, const struct attempt *a, const struct observation *shown);

struct judgement legs_judge(const struct legs *l, const struct legs_terms *terms);

#endif
