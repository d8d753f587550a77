/*
 * The synthetic sites of the papers' experiments.
 *
 * SHARC section 9.3 and 9.6: n pages, the i-th hottest of which changes at rate 1/(i+1)^skew, on a
 * complete tree that is numbered breadth first. With cold leaves page i has the i-th largest rate,
 * so that the root is the hottest; with hot leaves the i-th smallest. Links stand in a random
 * order in their page, which is what breadth-first and depth-first orders depend on.
 *
 * SOLAR section 6: two other families of rates, on a tree whose root has 20 links and every other
 * page 10.
 */
#ifndef SIM_SYNTHETIC_H
#define SIM_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect.h"

enum synthetic_rates {
	SYNTHETIC_ZIPF,
	SYNTHETIC_SMOOTH,    /* SOLAR: confidence lengths 1, 2, 3, … at tau 0.7 */
	SYNTHETIC_SKEWED,    /* SOLAR: falling by 6 % three times, then by 0.1 % six times */
	SYNTHETIC_LOGNORMAL, /* quantiles of 0.1 e^(skew z), z normal: as pages of the web */
};

enum synthetic_leaves {
	SYNTHETIC_COLD,
	SYNTHETIC_HOT,
	SYNTHETIC_MIXED, /* rates in random order */
};

struct synthetic {
	uint32_t n;
	uint32_t outdegree;
	uint32_t root; /* links of the root; 0: outdegree */
	double skew;   /* of SYNTHETIC_ZIPF and SYNTHETIC_LOGNORMAL */
	enum synthetic_rates rates;
	enum synthetic_leaves leaves;
};

/* The defaults of SHARC section 9.3. */
#define SYNTHETIC_DEFAULTS .n = 10000, .outdegree = 400, .skew = 1.2

enum { SYNTHETIC_PAGES_MAX = 10000000 };

/*
 * Reads "synthetic:n=10000,skew=1.2,outdegree=400,root=400,rates=zipf,leaves=cold"; what is not
 * given keeps its default, and "synthetic" alone is all defaults. 0 or ERR_USAGE with one line in
 * err that names the key.
 */
int synthetic_parse(
	const char *spec, struct synthetic *ret_synthetic, struct err *err) SP_MUST_CHECK;

/* Fills rates, n entries of the caller's, from hot to cold. None is 0. */
void synthetic_fill_rates(const struct synthetic *s, double *rates);

/*
 * Makes the site. Its pages have no names. Without a generator the links stand in the order of
 * their numbers, and mixed leaves are cold ones. On success free with site_release. 0 or ERR_NOMEM.
 */
int synthetic_site(const struct synthetic *s, struct rng *rng, struct site *ret_site) SP_MUST_CHECK;

#endif
