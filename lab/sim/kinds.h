/*
 * Kinds of sites on which online strategies are compared: a link structure, a family of rates, how
 * much changes and how many pages. Page 0 is the home page; every page can be reached from it.
 */
#ifndef SIM_KINDS_H
#define SIM_KINDS_H

#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect.h"

enum kind_links {
	KIND_SECTIONS, /* home page, about sqrt(n) sections, their articles; some cross links */
	KIND_LISTS,    /* lists of ten entries, each list naming the next */
	KIND_COPIED,   /* a new page is linked where others are: few pages get most links */
	KIND_NARROW,   /* a random tree of two links a page */
	KIND_FLAT,     /* the home page links to all */
	KIND_RANDOM,   /* a random tree and as many links again from anywhere to anywhere */
};

enum kind_rates {
	KIND_PARETO,    /* 1.2 */
	KIND_GAMMA,     /* shape 1/2 */
	KIND_HOT_LISTS, /* pages that lead to several others are 20 times as hot */
	KIND_COLD_TOP,  /* rates grow threefold with each click from the home page */
	KIND_HOT_TOP,   /* and fall so */
};

struct kind {
	enum kind_links links;
	enum kind_rates rates;
	double changes; /* expected per page during a capture of two legs, on average */
	uint32_t n;     /* at least 1 */
};

/*
 * Draws a site of that kind whose capture has a delay of 1. Its pages have no names. On success
 * free with site_release. 0 or ERR_NOMEM.
 */
int kind_site(const struct kind *kind, struct rng *rng, struct site *ret_site) SP_MUST_CHECK;

#endif
