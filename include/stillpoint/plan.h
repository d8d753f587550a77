/*
 * The planner: in which order to visit and revisit the pages of a site, so that as many as possible
 * are proven unchanged around one instant. It does no I/O and has no clock. Three calls drive it:
 *
 *	sp_plan_found   a page was found: seeds first, then the links of each page
 *	sp_plan_next    what to download now: an order, nothing yet, or the end
 *	sp_plan_done    how an order went, and when
 *
 * Several orders may be out at once. Report the links of a page before its sp_plan_done or right
 * after it. First all pages are visited; when all visits are done or given up, the revisits begin;
 * pages found after that are downloaded once, at the end (SP_LATE).
 *
 * Which pages are sharp afterwards, you decide: those whose visit and revisit both succeeded and
 * showed the same. The end of the last visit and the start of the first revisit bound the instant
 * that they have in common; late pages and pages without a revisit are not among them. The planner
 * never sees what a page shows, so it cannot tell.
 *
 * What is not here, since it needs the clocks and files of a crawler: servers with a pace of their
 * own, and hours without downloads (hold an order until its server may be asked, or report it as
 * SP_RETURNED); retries (report SP_RETRY: the page is ordered again behind the others, as often as
 * the parameters say). After a crash, make all calls again that were made before, sp_plan_next with
 * its times included, on a new plan: the same calls give the same orders, in one version of the
 * library.
 *
 * Set the size member of every struct to its sizeof before a call. Times are in a unit of your
 * choice, the same for all calls; rates are changes per unit. Numbers are finite and at most 1e100.
 */
#ifndef STILLPOINT_PLAN_H
#define STILLPOINT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <stillpoint/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_plan;

enum {
	SP_PLAN_SINGLE = 1,   /* visits only, also of a strategy with revisits */
	SP_PLAN_FAST = 2,     /* no exact assignment, whatever the size */
	SP_PLAN_ALL_KNOWN = 4 /* all pages are found before the first sp_plan_next */
};

/* What a limit is spent on when it is too small for two downloads of every page. */
enum sp_aim {
	SP_BALANCED, /* a revisit rather than another visit for what is more likely sharp than not
		      */
	SP_SHARP,    /* as many sharp pages as possible */
	SP_COMPLETE  /* as many pages as possible, revisits with what is left */
};

/* The largest number of pages of a plan, unless its parameters say otherwise. */
#define SP_MAX_PAGES ((uint32_t)1 << 24)

/* Zero means the default of each member. */
struct sp_plan_params {
	size_t size;
	/*
	 * NULL: "stillpoint". A name that exists only with a suffix gets -offline with
	 * SP_PLAN_ALL_KNOWN and -online without. Borrowed during the call.
	 */
	const char *strategy;
	double delay;       /* expected time between two downloads; 0: learned from sp_plan_done */
	double tau;         /* confidence for SOLAR and sharc-threshold, up to 1; 0: 0.7 */
	uint32_t pages;     /* estimated number of pages; 0: unknown */
	uint32_t max_pages; /* page numbers are below this; 0: SP_MAX_PAGES */
	uint32_t attempts;  /* downloads of a page in each leg, at most 255; 0: 3 */
	uint32_t flags;     /* SP_PLAN_… */
	uint32_t aim;       /* enum sp_aim: what sp_plan_budget is spent on */
};

/* What is known of a page. SP_PAGE(rate) initialises it with weight 1. */
struct sp_page {
	size_t size;
	double rate;   /* >= 0 */
	double shape;  /* 0: the rate is exact (<stillpoint/survival.h>) */
	double weight; /* >= 0: how much the page counts */
};

#define SP_PAGE(rate)                                    \
	{                                                \
		sizeof(struct sp_page), (rate), 0.0, 1.0 \
	}

enum sp_leg {
	SP_VISIT,
	SP_REVISIT,
	SP_LATE /* found, or put off, too late for a visit and a revisit */
};

struct sp_order {
	size_t size;
	uint32_t page;
	uint32_t leg;      /* enum sp_leg */
	uint32_t attempt;  /* 1 for the first */
	uint32_t hopeless; /* 1: the plan has given this page up for the sake of the others */
};

enum sp_step {
	SP_ORDER, /* carry *ret_order out and report it by sp_plan_done */
	SP_WAIT,  /* nothing to do until an order that is out is done */
	SP_END    /* the capture is complete */
};

enum sp_outcome {
	SP_DONE,     /* observed (a 404 is an observation too) */
	SP_RETRY,    /* failed for now: tried again after the other pages of its leg */
	SP_FAILED,   /* failed for good */
	SP_RETURNED, /* not carried out: ordered again, and no attempt is counted */
	SP_PUT_OFF   /* a visit that would hold up the revisits: downloaded once, in SP_LATE */
};

/* Pages are counted once, whatever the number of attempts. */
struct sp_progress {
	size_t size;
	uint64_t known;
	uint64_t visited;
	uint64_t revisited;
	uint64_t late;
	uint64_t failed; /* given up in their first leg, or put off and not downloaded since */
	uint64_t out;    /* orders that are not done yet */
	double pages;    /* the present estimate of the number of pages */
	uint32_t leg;    /* enum sp_leg */
	int32_t error;   /* SP_ERROR_MEMORY: some planning was skipped; the order is still valid */
};

/* Free the plan with sp_plan_free, which accepts NULL. */
SP_API int sp_plan_new(const struct sp_plan_params *params, struct sp_plan **ret_plan);
SP_API void sp_plan_free(struct sp_plan *plan);

/*
 * A page was found. Page numbers are yours, dense from 0: memory is taken for all numbers up to the
 * largest. A page that is known already is left as it is. Borrows info during the call.
 */
SP_API int sp_plan_found(struct sp_plan *plan, uint32_t page, const struct sp_page *info);

/*
 * A rate or weight was learned later. A page that waits for its visit gets another place in the
 * order, unless its strategy has planned all visits already (-offline); revisits are planned with
 * what is known when they begin. Cost: O(pages) at most.
 */
SP_API int sp_plan_update(struct sp_plan *plan, uint32_t page, const struct sp_page *info);

/*
 * A page is no longer wanted, because robots.txt has changed for instance. It gets no further
 * orders; one that waits for its first download counts as failed. Report an order that is out as
 * ever: it is not repeated.
 */
SP_API int sp_plan_withdraw(struct sp_plan *plan, uint32_t page);

/*
 * A page is worth its weight only together with these requisites: pages too, known or not, with
 * numbers below max_pages. Several calls for a page add up. The strategy stillpoint then maximises
 * the expected weight of whole groups; online it orders visits by what pages are worth for the
 * groups that were told so far. A requisite of more than 16 pages stands for itself, with its own
 * weight; others count through their pages only. Without groups nothing changes. Borrows the array
 * during the call.
 */
SP_API int sp_plan_group(
	struct sp_plan *plan, uint32_t page, const uint32_t *requisites, size_t count);

/*
 * At most so many downloads may still begin, because of a time limit for instance. *ret_end is 1
 * when the aim of the parameters wants the visits to end for it: call sp_plan_end_visits. If there
 * are more revisits than that, those that are worth most come first. Call it before sp_plan_next.
 */
SP_API int sp_plan_budget(struct sp_plan *plan, double now, double downloads, int *ret_end);

/* What to do at time now, which never runs backwards. ret_order is filled for SP_ORDER only. */
SP_API int sp_plan_next(
	struct sp_plan *plan, double now, int *ret_step, struct sp_order *ret_order);

/* Reports an order with its outcome (enum sp_outcome) and the times of request and last byte. */
SP_API int sp_plan_done(
	struct sp_plan *plan, const struct sp_order *order, int outcome, double begin, double end);

/* The visits end here, because of a time limit for instance: the revisits begin. */
SP_API int sp_plan_end_visits(struct sp_plan *plan);

/* No further orders; those that are out should still be reported. */
SP_API int sp_plan_cancel(struct sp_plan *plan);

SP_API int sp_plan_progress(const struct sp_plan *plan, struct sp_progress *ret_progress);

/*
 * The weight that would be sharp if the visits ended now and the pages were revisited in reverse
 * order at the same pace; 0 after the visits. Cost: O(pages).
 */
SP_API int sp_plan_expected(const struct sp_plan *plan, double now, double *ret_weight);

/* A site of which all pages are known. Arrays have `pages` elements and are borrowed. */
struct sp_site {
	size_t size;
	size_t pages;
	const double *rates;
	const double *shapes;  /* NULL: all 0 */
	const double *weights; /* NULL: all 1 */
};

/* The revisit of a page that has none. */
#define SP_NO_REVISIT INT64_MIN

/*
 * A whole schedule. The arrays are yours, have site->pages elements each, and may be NULL if you do
 * not need them. Positions are in delays: with revisits the last visit is at 0, else the first.
 */
struct sp_schedule {
	size_t size;
	int64_t *visits;
	int64_t *revisits;  /* SP_NO_REVISIT where there is none */
	uint8_t *hopeless;  /* 0 or 1 */
	double coherence;   /* result: the weight expected sharp; NaN without revisits */
	double upper_bound; /* result: no schedule can expect more; NaN without revisits */
};

/*
 * Plans a capture of known pages in one call, as `stillpoint plan` does. params may be NULL; their
 * delay is 1 when 0, and SP_PLAN_ALL_KNOWN is implied. On failure nothing is written.
 */
SP_API int sp_plan_schedule(const struct sp_plan_params *params, const struct sp_site *site,
	struct sp_schedule *schedule);

/* All strategies, in the order of the documentation. NULL for i >= sp_strategy_count(). */
SP_API size_t sp_strategy_count(void);
SP_API const char *sp_strategy_name(size_t i);
SP_API const char *sp_strategy_summary(size_t i);

#ifdef __cplusplus
}
#endif

#endif
