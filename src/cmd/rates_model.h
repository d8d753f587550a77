/*
 * How often pages change, from all captures of them that are known: the prior of a page's class,
 * its directory, times the page's own evidence. A Gamma prior for each directory is fitted to all
 * pages (rate/grid.h); the posterior of a page is exact (rate/posterior.h). Rates are per second.
 */
#ifndef CMD_RATES_MODEL_H
#define CMD_RATES_MODEL_H

#include "base/api.h"
#include "histories/directories.h"
#include "import/page_table.h"
#include "rate/gamma_poisson.h"
#include "rate/posterior.h"

enum { RATES_DIRECTORIES_MAX = 4 }; /* that are told apart below a host; deeper ones are one */

/* Fields may be read, not written. */
struct rates_model {
	const struct page_table *table; /* borrowed */
	struct directories directories;
	struct rate_gamma *priors;       /* by class */
	uint32_t *evidence;              /* by class: pages in and below it with an interval */
	struct rate_intervals intervals; /* scratch */
	struct rate_posterior posterior; /* scratch: of the last page answered */
};

/* One answer. */
struct rates_answer {
	slice url;              /* of a site: its first page's origin */
	double rate, low, high; /* mean, and 95 % credible interval */
	double variance;
	uint64_t captures;
	uint64_t compared,
		changes;     /* intervals that say whether it changed, and those where it did */
	int64_t last_change; /* ns; 0: none known */
	unsigned sources;
	double changed; /* probability of a change between the last capture and a given time */
};

VEC_DECLARE(rates_answers, struct rates_answer);

/* Fits the priors. 0 or ERR_NOMEM; release after both. The table must not change any more. */
int rates_model_init(struct rates_model *m, const struct page_table *table) SP_MUST_CHECK;
void rates_model_release(struct rates_model *m);

/*
 * What is known of a page; m->posterior and m->intervals are left for who wants to know more.
 * `by`, in ns, is for rates_answer.changed. 0 or ERR_NOMEM.
 */
int rates_model_answer(
	struct rates_model *m, uint32_t page, int64_t by, struct rates_answer *ret) SP_MUST_CHECK;

/* A page's name in the tree of directories: host, path, no query. */
slice rates_model_path(slice url);

/*
 * Joins answers of pages, sorted by URL, into one for each site, in place: the rate at which any of
 * its pages changes.
 */
void rates_join_sites(struct rates_answers *answers);

#endif
