/*
 * Update detection by sampling on a recorded history (Tan et al., Sampling-Based Update Detection):
 * in each cycle a share of the pages is downloaded, and what counts is how many of them changed.
 * Readings of the paper: docs/watching.md.
 */
#ifndef HISTORIES_SAMPLING_H
#define HISTORIES_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "histories/history.h"
#include "histories/history_links.h"

enum sampling_kind {
	SAMPLING_RNS,
	SAMPLING_RR,
	SAMPLING_GSB,
	SAMPLING_DB, /* neighbours by directories, */
	SAMPLING_LB, /* by links, */
	SAMPLING_CB, /* by clusters */
	SAMPLING_HYBRID,
	SAMPLING_CLAIRVOYANT,
};

/* When a sample makes its neighbours be downloaded. */
enum sampling_phi { SAMPLING_STATUS, SAMPLING_HA, SAMPLING_WHA, SAMPLING_PRA };

struct sampling_policy {
	enum sampling_kind kind;
	int depth; /* of neighbours */
	enum sampling_phi phi;
};

struct sampling_setup {
	const struct history *history;
	const struct history_links *links; /* NULL: not known */
	size_t clusters;                   /* 0: as many as clusters_make takes */
	double start, cycle;               /* days */
	size_t cycles;                     /* > 0 */
	double budget;                     /* share of the pages at the start, up to 1 */
	bool local;  /* changed since the last download; else: within the cycle */
	size_t runs; /* > 0 */
	uint64_t seed;
};

struct sampling_result {
	double change_ratio, se; /* mean over runs, its standard error (NAN for one run) */
	double first, last;      /* the same of the first and last quarter of the cycles */
	double weighted; /* change ratio by PageRank, whose mean counts 1; NAN without links */
	double found;    /* changed pages downloaded in a run */
};

/*
 * rns, rr, gsb, hybrid or clairvoyant; or db:D, lb:D, cb:D, each also with :ha, :wha or :pra. 0, or
 * ERR_USAGE.
 */
int sampling_policy_parse(slice text, struct sampling_policy *ret, struct err *err) SP_MUST_CHECK;

/* 0; ERR_USAGE where the policy needs links and there are none; ERR_RANGE where the history has no
 * pages at the start or ends too early; ERR_NOMEM. */
int sampling_run(const struct sampling_setup *setup, const struct sampling_policy *policy,
	struct sampling_result *ret, struct err *err) SP_MUST_CHECK;

#endif
