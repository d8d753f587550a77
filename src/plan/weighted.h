/*
 * Waiting pages of different weight, and which of them is to be visited next: what
 * stillpoint-online does where pages differ in more than their rates.
 */
#ifndef PLAN_WEIGHTED_H
#define PLAN_WEIGHTED_H

#include "plan/order.h"
#include "plan/ranking.h"

enum {
	WEIGHTED_CLASSES = 32, /* of weights, a factor of the square root of two each */
	WEIGHTED_SAMPLE = 64,  /* pages that stand for all that wait, and as many intervals */
};

/* A page at the hot or the cold end of its class, and what it loses if it is visited next. */
struct weighted_end {
	uint32_t page;
	uint32_t round; /* of the prices; 0: unknown */
	double regret;
};

/* Zeroed is empty. */
struct weighted {
	struct ranking by_rate[WEIGHTED_CLASSES]; /* each from hot to cold */
	struct weighted_end hot[WEIGHTED_CLASSES], cold[WEIGHTED_CLASSES];
	size_t len;
	float first_weight; /* of the first page: the middle of the classes */
	bool begun, mixed;  /* whether there was a page, and one of another weight */

	double price[WEIGHTED_SAMPLE]; /* by interval, i intervals long */
	size_t prices;
	double interval;
	uint32_t round;
};

void weighted_release(struct weighted *w);

/* 0 or ERR_NOMEM. */
int weighted_insert(struct weighted *w, const struct plan_site *site, uint32_t page);

/* Takes a page out that was inserted with this weight; false when it is not there. O(len). */
bool weighted_remove(struct weighted *w, const struct plan_site *site, uint32_t page);

/* As long as they are not mixed: all pages, and taking one of them by its rank. */
const struct ranking *weighted_middle(const struct weighted *w);
uint32_t weighted_take_rank(struct weighted *w, size_t rank);

/* Prices the intervals for the left pages of the capture, len > 0 of which wait. 0 or ERR_NOMEM. */
int weighted_price(struct weighted *w, const struct plan_site *site, double left);

/*
 * Takes the page that loses least on the longest interval, by the last prices. exploring: pages are
 * not kept back for the very shortest intervals.
 */
void weighted_take(struct weighted *w, const struct plan_site *site, bool exploring,
	struct visit_choice *ret_choice);

#endif
