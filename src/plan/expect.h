/*
 * A site as a file describes it: pages, how often each changes, what each is worth, how much is
 * known of its rate (plan/survival.h) and which pages it links to. CSV with the header
 * page,rate[,weight][,shape][,links][,requisites], columns in any order; links and requisites are
 * page names separated by blanks. The first may also be called url, as in the files of
 * archive/import_rates.h; other columns that `stillpoint rates --csv` writes are ignored.
 */
#ifndef PLAN_EXPECT_H
#define PLAN_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/rng.h"
#include "base/slice.h"
#include "plan/group.h"
#include "plan/measure.h"
#include "plan/plan.h"
#include "plan/survival.h"

/*
 * Pages are numbered in the order of their rows. A zeroed struct is a site without pages.
 * Read-only after loading.
 */
struct site {
	size_t n;
	slice *names;              /* valid as long as the site; NULL: a synthetic site */
	struct survival *survival; /* with the given rate; Poisson unless a shape is given */
	float *weights;            /* NULL: the file has none, all are 1 */
	size_t *link_from;         /* links of page i: links[link_from[i]] up to link_from[i + 1] */
	uint32_t *links;           /* page numbers, in the order of the page */
	struct group_edges requisites; /* without which a page is worth nothing */

	/* For site_find: every name that was mentioned has an id, which stands for a page. */
	struct strmap ids;
	uint32_t *page_of_id;
	struct arena text; /* the bytes of all names */
};

/*
 * Reads a site from a file, "-" being standard input. On failure ret_site is untouched and *err
 * holds one sentence that begins with "FILE:LINE: ", or "FILE: " where no line is to blame:
 *   ERR_IO         it cannot be opened or read
 *   ERR_SYNTAX     it is no such CSV: header, number of fields, quotes, what is no number
 *   ERR_RANGE      a rate, weight or shape that cannot be
 *   ERR_EXISTS     a page is there twice
 *   ERR_NOTFOUND   a link to a page that is not there
 *   ERR_LIMIT, ERR_NOMEM
 */
int site_load(const char *path, struct site *ret_site, struct err *err) SP_MUST_CHECK;

/* The same from an open file, which stays the caller's; name is how messages call it. */
int site_read(FILE *file, const char *name, struct site *ret_site, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void site_release(struct site *s);

/* The page of that name. */
bool site_find(const struct site *s, slice name, uint32_t *ret_page);

static inline float site_weight(const struct site *s, uint32_t page)
{
	return s->weights ? s->weights[page] : 1;
}

/*
 * Appends the pages that can be reached from the seeds to the list, each once, breadth first:
 * seeds, then their links, and so on; and to rest those that cannot, in their order. 0 or
 * ERR_NOMEM.
 */
int site_reach(const struct site *s, const uint32_t *seeds, size_t seed_count, struct u32_vec *list,
	struct u32_vec *rest) SP_MUST_CHECK;

/*
 * A capture in virtual time: a plan_run driven over a site that is known beforehand, by the same
 * calls that a crawler makes. A download takes no time and the next one begins a delay later; one
 * is under way at a time. None fails and no link comes late, unless that is asked for.
 *
 * Where the papers let one page hold both slots 0 (strategy->shared_slot), the first revisit begins
 * at the instant of the last visit; else a delay after it. With a limit of downloads
 * (plan_params.downloads) both count, and the capture ends when the last of them is made.
 *
 * With several servers (struct fleet) each has its own delay, and one of each is under way at a
 * time. Their first revisits begin together at the barrier.
 */

/* What may go wrong. Zeroed: nothing does. */
struct drive_faults {
	struct rng *rng; /* borrowed; may be NULL when nothing goes wrong */
	double failure;  /* probability that a download fails; plan_run then tries again */
	double late;     /* probability that a link is not there yet at the visit of its page */
};

enum { FLEET_MAX = 8 };

/* Servers with different pauses, and which page is on which. Zeroed: one server. */
struct fleet {
	size_t servers;
	double delays[FLEET_MAX];
	uint32_t *server_of; /* by page */
};

/* Borrows everything. */
struct drive_params {
	const struct site *site;
	const struct survival *told; /* what the strategy takes for true; NULL: the site's own */
	struct plan_params plan; /* delay > 0; size 0: the number of pages that can be reached */
	bool size_unknown;       /* strategies are told no size */
	const uint32_t *seeds;   /* NULL: all pages, in their order */
	size_t seed_count;
	struct drive_faults faults;
	const struct fleet *fleet; /* NULL, or 0 servers: one server, with the plan's delay */
};

/* By page: arrays of site->n. Times begin with 0 at the first visit; NAN: never downloaded. */
struct drive_result {
	struct u32_vec visits; /* in the order of the downloads */
	struct u32_vec revisits;
	struct u32_vec late;      /* found too late and downloaded once; visited_at has when */
	struct u32_vec unreached; /* from the seeds, in the order of the site */
	double *visited_at;
	double *revisited_at;
	bool *hopeless; /* according to the order for its visit */
	bool single;    /* the strategy has no revisits */
	double delay;
	double end; /* of the last download, good or not */
};

/*
 * Seeds are discovered first, and the links of a page at its visit, or at its revisit those that
 * were not there yet; so are its requisites. A strategy that wants all pages beforehand is given
 * those that can be reached, in breadth-first order. On success free with drive_release. 0, or
 * ERR_NOMEM or what plan_run_new says, in err too.
 */
int drive(const struct drive_params *params, struct drive_result *ret_result,
	struct err *err) SP_MUST_CHECK;

/* For whoever makes one: nothing was downloaded yet. 0 or ERR_NOMEM; release it in any case. */
int drive_result_init(struct drive_result *r, size_t n, bool single, double delay) SP_MUST_CHECK;

void drive_release(struct drive_result *r);

/*
 * Positions in units of the delay: with revisits the last visit is at 0, without them the first.
 * The page must have been downloaded in that leg.
 */
int64_t drive_visit_slot(const struct drive_result *r, uint32_t page);
int64_t drive_revisit_slot(const struct drive_result *r, uint32_t page);

/*
 * What a capture may be expected to yield: coherence (SHARC Definition 5, with weights) and blur
 * (eq. 3 and 20); and what it did yield when the changes are known (section 9.2, eq. 23 and 24).
 * The observation interval is the capture's own, from its first download to its last.
 */

/*
 * The exposure table: what a curator wants to know before a crawl. For each delay between two
 * downloads, how long the capture exposes the site and how many pages each strategy may be expected
 * to get sharp, when all pages and their rates are known.
 */

/* Above this many pages an exact plan for every row would try the reader's patience. */
enum { EXPOSURE_EXACT_MAX = 1000 };

/* Borrows everything. */
struct exposure_params {
	const struct site *site;
	const struct plan_strategy *const *strategies;
	size_t strategy_count;
	double tau; /* 0: PLAN_TAU */
	bool fast;  /* no exact plans, whatever the size */
};

/*
 * One row. Fills sharp, strategy_count entries of the caller's, with the expected (weighted)
 * number of sharp pages, NAN for single-visit strategies; *ret_bound is what no schedule can exceed
 * in expectation. 0, or an error with its text in err.
 */
int exposure_row(const struct exposure_params *params, double delay, double *sharp,
	double *ret_bound, struct err *err) SP_MUST_CHECK;

/* How long a capture of n pages lasts: 2n - 1 downloads and their delays, one page being shared. */
double exposure_duration(size_t n, double delay);

/*
 * How many downloads fit into a time, the one that the innermost page shares counted twice:
 * visits + revisits of plan_share.
 */
size_t exposure_downloads(double delay, double seconds);

/* How the default strategy spends them with an aim. 0 or ERR_NOMEM. */
int exposure_share(const struct exposure_params *params, double delay, size_t downloads,
	enum plan_aim aim, struct plan_share *ret_share) SP_MUST_CHECK;

/*
 * What hours make of a capture that begins with them (plan_hours). Either the visits end in time
 * for the revisits of what was visited, and the other pages are put off; or they go on, and some
 * intervals contain the time between the hours.
 */
struct exposure_hours {
	size_t visits;             /* in time; all pages: both legs fit into the hours */
	struct plan_limit in_time; /* weight expected sharp, and what no choice can exceed */
	struct plan_limit go_on;
};

/* hours: left and open are the same, and the pace is the delay. 0 or ERR_NOMEM. */
int exposure_hours(const struct exposure_params *params, const struct plan_hours *hours,
	struct exposure_hours *ret) SP_MUST_CHECK;

struct evaluation {
	double coherence; /* sum of w_i S_i(L_i), or of w_i; NAN for a single-visit strategy */
	double blur;      /* sum over the pages, without weights; 0 for one page */
};

/*
 * What is expected, or with histories, by page, what the changes that happened gave. Pages that
 * were not downloaded count for nothing; those without a revisit are never coherent, and their blur
 * is that of a single visit. O(n + changes).
 */
struct evaluation evaluate(const struct site *site, const struct drive_result *capture,
	const struct change_history *histories);

/*
 * The expected weight of whole groups (plan/group.h), pages in none being groups of one, and what
 * no schedule can exceed; NAN without revisits. 0 or ERR_NOMEM.
 */
struct group_evaluation {
	size_t groups; /* of more than one page */
	double expected, bound;
	double actual; /* that were whole, with histories by page; else NAN */
};

int evaluate_groups(const struct site *site, const struct drive_result *capture, bool fast,
	const struct change_history *histories, struct group_evaluation *ret) SP_MUST_CHECK;

/*
 * What no schedule can exceed in expectation (plan_limit), for a site all of whose pages are
 * captured. Where a schedule attains it, rounding may put the bound a little below: it is raised to
 * the largest of what was reached, as long as rounding explains the difference. 0 or ERR_NOMEM.
 */
int evaluate_bound(const struct site *site, double delay, bool fast, double reached,
	double *ret_bound) SP_MUST_CHECK;

#endif
