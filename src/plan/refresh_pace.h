/*
 * A budget of requests as a pace: it accrues evenly, what is not used is kept for an hour, and at
 * most a minute's share or REFRESH_BURST requests, whichever is more, go out at once. A surplus
 * leaves at no more than twice the pace.
 */
#ifndef PLAN_REFRESH_PACE_H
#define PLAN_REFRESH_PACE_H

#include <stdbool.h>

enum { REFRESH_BURST = 60 };

/* Fields are the pace's own. */
struct refresh_pace {
	double budget;       /* requests per unit of time */
	double minute, hour; /* in that unit */
	double credit;       /* requests that have accrued; negative: spent in advance */
	double burst;        /* of these, what may go out at once */
	double at;           /* time up to which both are counted */
};

/* A pace that begins with a credit of one request. budget >= 0; minute > 0. */
void refresh_pace_init(struct refresh_pace *p, double budget, double minute, double now);

/* Another budget from now on; what has accrued stays, cut to an hour of the new one. */
void refresh_pace_change(struct refresh_pace *p, double budget, double now);

/* Whether a request may go out now; else *ret_until is when, infinite without a budget. Times that
 * run backwards count as no time. */
bool refresh_pace_ready(struct refresh_pace *p, double now, double *ret_until);

/* Whether the reserve has accrued, or half an hour's share: more is not kept for later. Else
 * *ret_until is when. */
bool refresh_pace_surplus(
	const struct refresh_pace *p, double now, double reserve, double *ret_until);

/* Goes on with what had accrued some time before now, by an account that was kept elsewhere. */
void refresh_pace_restore(struct refresh_pace *p, double credit, double passed, double now);

/* Requests have gone out, whether the pace allowed them or not: each counts. */
void refresh_pace_spend(struct refresh_pace *p, double requests);

#endif
