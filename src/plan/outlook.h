/*
 * What is left of a capture, in small: the waiting pages and those still hidden, assigned to the
 * intervals that are left. The prices of that assignment tell what a page would lose on the longest
 * interval, which is the next one, against the interval that suits it best.
 */
#ifndef PLAN_OUTLOOK_H
#define PLAN_OUTLOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/survival.h"

enum { OUTLOOK_SAMPLE = 64 }; /* pages that stand for all that are left, and as many intervals */

struct outlook_page {
	struct survival survival;
	float weight;
};

static inline bool outlook_page_eq(struct outlook_page a, struct outlook_page b)
{
	return a.survival.rate == b.survival.rate && a.survival.shape == b.survival.shape &&
	       a.weight == b.weight;
}

/* Every so many-th page that was found, in the order of their discovery. Zeroed: none yet. */
struct outlook_found {
	uint32_t page[OUTLOOK_SAMPLE];
	size_t n;
	uint32_t every, skip;
};

void outlook_find(struct outlook_found *f, uint32_t page);

/* Zeroed: nothing is known, and every page loses the same. */
struct outlook {
	size_t n;
	double step;                  /* as in the params */
	double first, spacing;        /* the shortest interval; each is so much longer */
	double price[OUTLOOK_SAMPLE]; /* by interval, from short to long */
	double lead[OUTLOOK_SAMPLE];  /* worth of finding a page on this interval */
};

/*
 * Of a capture in which hidden pages are still to be found beside those waiting: n > 0 of these, in
 * any order, stand for all of them, which are `waiting`. step: how much longer each interval is
 * than the one inside it. 0, or ERR_NOMEM and the outlook is as it was.
 */
struct outlook_params {
	struct outlook_page *page; /* is sorted */
	size_t n;
	double waiting, hidden;
	double step;
	const struct outlook_page *found; /* some of all found, in the order of discovery; */
	size_t found_n;                   /* > 0 */
};

int outlook_price(struct outlook *o, const struct outlook_params *params);

/*
 * What a page loses on the longest interval against the best other; below 0 when none is better.
 * yield: new pages that it leads to beyond what others do; behind: all that are probably found
 * through it, sooner or later.
 */
double outlook_regret(
	const struct outlook *o, struct outlook_page page, double yield, double behind);

#endif
