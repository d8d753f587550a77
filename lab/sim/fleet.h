/*
 * Several servers with different pauses (struct fleet), and how the pages of a site are spread over
 * them, for trials of sites with more than one host.
 */
#ifndef SIM_FLEET_H
#define SIM_FLEET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect.h"

/* How pages are spread over the servers. */
enum fleet_spread {
	FLEET_RANDOM, /* every server has about as many */
	FLEET_LEAVES, /* pages with many links are on the second slowest, the others anywhere: as
		       * requisites on other hosts are */
	FLEET_TIMES,  /* so that all take about as long: the faster, the more */
};

/* A setting; 0 servers: there is one, with the delay of the capture. */
struct fleet_kind {
	size_t servers;
	double delays[FLEET_MAX]; /* ascending */
	enum fleet_spread spread;
};

/*
 * Spreads the pages of a site, and scales its rates, which are meant for a delay of 1 and one
 * server, to the time that the slowest server takes. Free with fleet_release in any case. 0 or
 * ERR_NOMEM.
 */
int fleet_init(struct fleet *f, const struct fleet_kind *kind, struct site *site,
	struct rng *rng) SP_MUST_CHECK;
void fleet_release(struct fleet *f);

/*
 * What no capture can expect: each server on its own, all its pages known beforehand and its visits
 * ending at the barrier. 0 or ERR_NOMEM.
 */
int fleet_bound(const struct fleet *f, const struct site *site, double *ret_bound) SP_MUST_CHECK;

#endif
