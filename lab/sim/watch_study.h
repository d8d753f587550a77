/*
 * Policies compared under watch: all see the same sites and changes, run by run. Means over runs,
 * their standard errors, and differences from the first policy, run by run, with theirs.
 */
#ifndef SIM_WATCH_STUDY_H
#define SIM_WATCH_STUDY_H

#include "sim/study.h"
#include "sim/watch.h"

/* A policy with its settings; its name is borrowed. */
struct watch_contender {
	const char *name;
	const struct refresh_policy *policy; /* NULL: captures */
	struct refresh_params more;
};

/* The site of one run. */
struct watch_world {
	struct watch_site site;
	double start; /* the watch begins; it ends at start + days */
	void *owned;  /* the maker's */
};

/* Borrows everything. */
struct watch_study_params {
	const struct watch_contender *contenders;
	size_t contender_count;
	size_t runs;
	unsigned threads; /* 0: one for each processor */
	uint64_t seed;
	double budget; /* looks per page and unit of time */
	double days;   /* length of a watch; its second half is measured */
	double grid;
	bool learned;
	double past, past_period;
	/* Makes the site of a run, in any thread; release frees what it owns. 0 or an error. */
	int (*make)(void *context, size_t run, struct watch_world *ret);
	void (*release)(struct watch_world *world);
	void *context;
	void (*report)(void *report_context, size_t runs_done); /* may be NULL */
	void *report_context;
};

struct watch_study_row {
	struct estimate of[WATCH_MEASURES];
	struct estimate ahead[WATCH_MEASURES]; /* of the first contender, run by run */
	struct estimate claimed; /* by audits; its error is what the watch itself states */
};

struct watch_study {
	double pages;                          /* mean */
	struct watch_study_row *rows;          /* by contender; free with watch_study_release */
	struct estimate bound[WATCH_MEASURES]; /* nobody can exceed it */
	struct estimate optimum; /* freshness of the best periodic looks; NAN without true rates */
};

/* 0, or an error with its text in err. */
int watch_study_run(const struct watch_study_params *params, struct watch_study *ret,
	struct err *err) SP_MUST_CHECK;
void watch_study_release(struct watch_study *s);

#endif
