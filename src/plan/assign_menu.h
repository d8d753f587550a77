/*
 * What a set of priced intervals offers a page: max_j (w S(L_j) - q_j), found without looking at
 * all of them.
 *
 * Over a segment of intervals from a to b a convex function lies below its chord, and the prices
 * lie above theirs less some sag, so
 *
 *	w S(L_j) - q_j  <=  max(w S(L_a) - q_a, w S(L_b) - q_b) + sag   for every j in the segment.
 *
 * Segments are halved from the whole down; those whose limit cannot beat the best offer so far are
 * skipped. Good prices are convex, or nearly so: their sag falls with the square of the segment's
 * width, and a look costs some log n values. Bad prices, and pages for which many intervals are
 * nearly as good, cost time or tolerance, never correctness.
 */
#ifndef PLAN_ASSIGN_MENU_H
#define PLAN_ASSIGN_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/survival.h"

/* Every interval but the first and the last is the middle of exactly one segment. */
struct menu {
	size_t n;
	const double *length; /* borrowed; ascending */
	const double *price;  /* borrowed; may rise after menu_price, but not fall */
	double *low;          /* the prices as they were at menu_price */
	double *sag;          /* by middle of the segment */
	uint32_t *open;       /* by middle: intervals strictly inside that are not closed */
	bool *closed;
};

struct menu_offer {
	uint32_t interval; /* UINT32_MAX when all are closed */
	double surplus;    /* what the page gains there */
	double limit;      /* no open interval offers more */
	uint32_t values;   /* effort: how many values were computed */
};

struct menu_page {
	struct survival survival;
	double weight;
	uint32_t hint;    /* an interval to begin with: it also wins ties */
	double tolerance; /* > 0: what does not matter */
	uint32_t
		patience; /* > 0: each time so many values are computed, that grows a hundredfold */
};

/* n > 0. Returns 0 or ERR_NOMEM. Release with menu_release in either case. */
int menu_init(struct menu *m, const double *length, const double *price, size_t n);
void menu_release(struct menu *m);

/* Takes note of the prices, O(n). */
void menu_price(struct menu *m);

struct menu_offer menu_look(const struct menu *m, const struct menu_page *page);

/*
 * Sites have many pages about which the same is known: what was last offered to some of them.
 * Zero-initialise; worth nothing once prices have changed.
 */
enum { MENU_MEMO_SLOTS = 1024 };

struct menu_memo {
	struct {
		struct survival survival;
		double weight;
		struct menu_offer offer;
		bool used;
	} slots[MENU_MEMO_SLOTS];
};

/* menu_look, unless the memo knows an interval that is still open. */
struct menu_offer menu_recall(
	const struct menu *m, const struct menu_page *page, struct menu_memo *memo);

/* Takes an interval off the menu and puts it back, O(log n). */
void menu_close(struct menu *m, uint32_t interval);
void menu_reopen(struct menu *m, uint32_t interval);

#endif
