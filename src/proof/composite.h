/*
 * A page together with all its requisites: its composite verdict, and how each requisite stands to
 * the page (proof/coherence.h).
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
#ifndef PROOF_COMPOSITE_H
#define PROOF_COMPOSITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proof/coherence.h"
#include "proof/verdict.h"

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

/* Judges the composites of all pages of a report, and counts them. */
void composite_judge(struct report *r);

/* Whether it was found as a requisite, not as a page. */
bool composite_is_part(const struct report_page *p);

/* Whether no page can be sharp together with it. */
bool composite_spoils(const struct report_page *part);

/* The pages that spoil most others, the worst one first, at most max (> 0): how many. */
size_t composite_spoilers(const struct report *r, uint32_t *out, size_t max);

/* The state of a requisite of a page; false if one of them was not captured. */
bool composite_state(
	const struct report_page *page, const struct report_page *requisite, enum coherence *ret);

#endif
