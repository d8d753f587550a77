/*
 * What all sites under watch may spend together: requests and bytes as paces (refresh/pace.h).
 * Every request counts when it is sent, whatever it is for: pages, robots.txt, sitemaps, tries.
 * Lanes ask before they start a request; two that ask at once may both start, and the pace makes up
 * for it. For any thread. Times are seconds on the monotonic clock, but for those of the wall.
 *
 * The account is kept in a file, which is written with every request: what was sent just before a
 * crash counts although nothing else remembers it, and what accrues until the next start is there.
 * The file has one line: requests and bytes that had accrued, and when (wall, ns).
 */
#ifndef CRAWL_BUDGET_H
#define CRAWL_BUDGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "refresh/pace.h"

#define BUDGET_NAME "watch.budget"

enum { BUDGET_MINUTES = 24 * 60 };

/* Fields are the budget's own. */
struct budget {
	pthread_mutex_t lock;
	struct refresh_pace requests, bytes;
	bool has_bytes;
	uint32_t spent[BUDGET_MINUTES]; /* requests, by minute since 1970, modulo its length */
	int64_t minute;                 /* the last one that is counted */
	bool hurried;                   /* the next request need not wait */
	struct u32_vec counted;         /* captures whose earlier requests are counted */
	int fd;                         /* of the file; -1: none */
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

/*
 * The account is kept in this file from now on, which is made if need be. The first time it goes on
 * where the file has it; one that cannot be read counts as new. Both times are the present. 0 or
 * ERR_IO.
 */
int budget_open(struct budget *b, const char *path, int64_t wall, double now,
	struct err *err) SP_MUST_CHECK;

/* The next request may be sent at once: it is spent in advance. */
void budget_hurry(struct budget *b);

/* Seconds that the requests which have accrued would last. */
double budget_surplus(struct budget *b);

/* A request is sent, at that time: wall, ns. */
void budget_spend(struct budget *b, int64_t wall);

/*
 * Requests of a capture that an earlier process sent are to be counted, by budget_count. That is
 * once, however often a process opens the capture: *ret false, they are counted already. 0 or
 * ERR_NOMEM.
 */
int budget_adopt(struct budget *b, uint32_t capture, bool *ret) SP_MUST_CHECK;

/* A request that an earlier process sent: only counted. */
void budget_count(struct budget *b, int64_t wall_seconds);

void budget_received(struct budget *b, uint64_t bytes);

/* Requests of the last 24 hours. */
uint64_t budget_spent(struct budget *b, int64_t wall_seconds);

#endif
