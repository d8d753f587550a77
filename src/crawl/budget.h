/*
 * What all sites under watch may spend together: requests and bytes as paces (refresh/pace.h).
 * Every request counts when it is sent, whatever it is for: pages, robots.txt, sitemaps, tries.
 * Lanes ask before they start a request; two that ask at once may both start, and the pace makes up
 * for it. For any thread. Times are seconds on the monotonic clock, but for those of the count.
 */
#ifndef CRAWL_BUDGET_H
#define CRAWL_BUDGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "refresh/pace.h"

enum { BUDGET_MINUTES = 24 * 60 };

/* Fields are the budget's own. */
struct budget {
	pthread_mutex_t lock;
	struct refresh_pace requests, bytes;
	bool has_bytes;
	uint32_t spent[BUDGET_MINUTES]; /* requests, by minute since 1970, modulo its length */
	int64_t minute;                 /* the last one that is counted */
	int64_t last;                   /* seconds since 1970: the last request; 0: none */
};

/* Seconds since a request during which a budget has accrued: up to an hour. */
double budget_idle(int64_t last, int64_t now);

/* Per second; bytes 0: no limit. now as lane_now. */
void budget_init(struct budget *b, double requests, double bytes, double now);
void budget_release(struct budget *b);

/* Other limits from now on; what has accrued stays. */
void budget_change(struct budget *b, double requests, double bytes, double now);

/* Seconds until a request may be sent; 0: now. */
double budget_wait(struct budget *b, double now);

/* A request is sent, at that time since 1970. */
void budget_spend(struct budget *b, int64_t wall_seconds);

/* A request that an earlier process sent: only counted. */
void budget_count(struct budget *b, int64_t wall_seconds);

/* Earlier processes are counted: what has accrued since their last request is there. */
void budget_carry_over(struct budget *b, int64_t wall_seconds);

void budget_received(struct budget *b, uint64_t bytes);

/* Requests of the last 24 hours. */
uint64_t budget_spent(struct budget *b, int64_t wall_seconds);

#endif
