/*
 * Divides a budget among sites under watch. Each site has a refresh_run of its own, on whichever
 * lane it is; what they gain from another request is their margin (refresh/market.h). Sites of one
 * policy get budgets at which their margins are equal: then no request would gain more elsewhere.
 * Margins of different policies are in different units, so these share by their numbers of pages.
 *
 * First copies come first: of pages that were never looked at the archive has nothing, whatever the
 * policy, and of their rates nothing is known. While there are such pages, up to
 * REFRESH_FIRST_SHARE of the budget goes to them. It is divided equally among their sites, but no
 * site gets more than it needs until the next call; so small sites are complete soon, and a large
 * one gets what is left.
 *
 * Called from time to time: each call moves budgets towards the balance, by a factor of two at
 * most, since margins are known only for the budgets that the sites have. Pure.
 */
#ifndef WATCH_BALANCE_H
#define WATCH_BALANCE_H

#include <stddef.h>

#include "refresh/policy.h"

struct balance_site {
	const struct refresh_policy *policy;
	double pages;  /* that are known */
	double unseen; /* of these: never looked at, and may be now */
	double margin; /* at its present budget; not above 0: not known */
	double budget; /* its present one for further looks, which is replaced; 0: none yet */
	double first;  /* for first copies, which is replaced */
	double limit;  /* of its own, infinite without one */
	double use;    /* what it can make use of; infinite where not known */
};

/* Budgets and limits are requests per second, as is the total; period: seconds within which
 * first copies are wanted, if the total allows it.
 * O(sites). */
void balance(struct balance_site *sites, size_t count, double total, double period);

#endif
