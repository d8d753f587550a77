/*
 * Whether the values that were seen in one place of several pages are drawn anew for each response,
 * or may be content that changes fast. Two downloads in a row show another price, too, if it
 * changes often enough. So:
 *
 *	(1) no value was seen twice, on whichever page;
 *	(2) content that changes LEARNED_RATE times a second would show a new value each time with
 *	    a chance of LEARNED_CHANCE at most: the downloads must be many, and close together;
 *	(3) each is one word of a machine, with a digit, or random; others may be somebody's words;
 *	(4) numbers have four digits or more, go up as well as down, and jump: counters go one way,
 *	    prices and levels move by little;
 *	(5) other values share little from one to the next: "row-0117" and "row-0118" are counted.
 */
#ifndef PROOF_LEARNED_VALUES_H
#define PROOF_LEARNED_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define LEARNED_RATE   50.0
#define LEARNED_CHANCE 1e-3

enum { LEARNED_PAGES = 3 }; /* that must show the place */

/* One value, in the order in which the downloads of its page were made. */
struct learned_value {
	slice text;
	uint32_t page;
	double apart; /* seconds from the one before, of the same page, at most; 0: it is the first
		       */
};

bool learned_values_are_drawn(const struct learned_value *list, size_t len);

#endif
