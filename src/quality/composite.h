/*
 * A page together with all its requisites: its composite verdict, and how each requisite stands to
 * the page (quality/coherence.h).
 *
 *	sharp		the page is sharp, and every requisite is, or is proven absent: what a
 *			reader would have been shown was the same throughout the still point
 *	blurred		the page or a requisite is known to have changed, come or gone
 *	incomplete	nothing is known to have changed, but not all of it is proven: a requisite
 *			failed, was refused, seen once, or not kept
 *
 * A composite has a page that was found as such (not as a requisite), answered with a document,
 * and is judged. All else has none.
 */
#ifndef QUALITY_COMPOSITE_H
#define QUALITY_COMPOSITE_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "quality/coherence.h"
#include "quality/verdict.h"

enum composite {
	COMPOSITE_NONE,
	COMPOSITE_SHARP,
	COMPOSITE_BLURRED,
	COMPOSITE_INCOMPLETE,
};

/* "sharp", "blurred", "incomplete", or NULL; constant. */
const char *composite_name(enum composite c);

/* The verdict of a composite so far, with one more part. Begin with COMPOSITE_SHARP. */
enum composite composite_with(enum composite c, enum verdict part);

struct report;
struct report_page;

/* Judges the composites of all pages of a report, and counts them. 0 or ERR_NOMEM. */
int composite_judge(struct report *r) SP_MUST_CHECK;

/* The state of a requisite of a page; false if one of them was not captured. */
bool composite_state(
	const struct report_page *page, const struct report_page *requisite, enum coherence *ret);

#endif
