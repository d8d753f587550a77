/*
 * Change rates of one page from what visits to it saw: the estimators of HACS (Jayawardana et al.,
 * "Modeling Updates of Scholarly Webpages Using Archived Data", 2020), equations 3 to 5, and its
 * interpolated updates.
 *
 * An interval lies between two visits. All that is known is whether the page differed at its end:
 * several changes look like one. Any unit of time will do; rates are per that unit.
 *
 * Everything here is total: intervals that cannot be (a length that is not above 0, as from equal
 * or decreasing times, or no number) are ignored, lengths are cut at RATE_LENGTH_MAX, and where an
 * estimate does not exist the function returns false, "unknown", and leaves *ret_rate as it was.
 * What it does return is finite and at least 0.
 */
#ifndef PLAN_RATE_ESTIMATE_H
#define PLAN_RATE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"

struct rate_interval {
	double length;
	bool changed;
	/* The time of the change is known: `length` before the end of the interval, and nothing
	 * changed since. Only posteriors and priors make use of it. */
	bool exact;
};

VEC_DECLARE(rate_intervals, struct rate_interval);

/* Lengths outside are ignored or cut; rates stay far from what a double cannot hold. */
#define RATE_LENGTH_MIN 1e-15
#define RATE_LENGTH_MAX 1e15

/* The length that counts; 0: the interval is to be ignored. */
double rate_length(double length);

/* What the estimators without eq. 5 need to know. */
struct rate_tally {
	uint64_t n, m;          /* intervals, and those with a change */
	double changed, steady; /* sums of their lengths */
};

struct rate_tally rate_tally_of(const struct rate_interval *intervals, size_t count);

/* X/T (eq. 3). Unknown without intervals. Low, most of all when pages change between visits. */
bool rate_naive(const struct rate_tally *t, double *ret_rate);

/* Eq. 4 with f = n/T: (n/T) ln((n+0.5)/(n-m+0.5)). Unknown without intervals. */
bool rate_bias_reduced(const struct rate_tally *t, double *ret_rate);

/*
 * Eq. 5, the maximum likelihood for intervals of any lengths, by Brent's method; 0 where no
 * interval saw a change. Unknown without intervals, and where all saw one: it is infinite then.
 */
bool rate_mle(const struct rate_interval *intervals, size_t count, double *ret_rate);

/* HACS's choice: eq. 5, or eq. 4 where all intervals saw a change. Unknown without intervals. */
bool rate_hacs(const struct rate_interval *intervals, size_t count, double *ret_rate);

/* A visit of a page; `changed` since the visit before, which means nothing for the first. */
struct rate_visit {
	double time;
	bool changed;
};

/*
 * HACS section II-B2: a visit that saw a change moves to the midpoint between it and the one
 * before; the others stay. Writes the intervals between consecutive points to out, which has room
 * for count - 1, and returns their number. *ret_last is the last of the moved points, if any moved;
 * else it stays as it was.
 */
size_t rate_interpolate(
	const struct rate_visit *visits, size_t count, struct rate_interval *out, double *ret_last);

/*
 * What a sitemap's <changefreq> is worth as a change rate. These are priors, not measurements: they
 * are the webmaster's word, which the protocol itself calls a hint and which is often a default of
 * his software. Whoever has observed a page knows better.
 */

/* The words of https://www.sitemaps.org/protocol.html. Numbers are stored. */
enum frequency {
	FREQUENCY_NONE = 0,
	FREQUENCY_ALWAYS = 1,
	FREQUENCY_HOURLY = 2,
	FREQUENCY_DAILY = 3,
	FREQUENCY_WEEKLY = 4,
	FREQUENCY_MONTHLY = 5,
	FREQUENCY_YEARLY = 6,
	FREQUENCY_NEVER = 7,
	FREQUENCIES,
};

/* In any case; FREQUENCY_NONE for any other word. */
enum frequency frequency_parse(slice word);

/* "daily", …; NULL for none; constant. */
const char *frequency_name(enum frequency f);

/*
 * Its rate in changes per second; 0 for FREQUENCY_NONE. "always" is once a minute ("change each
 * time they are accessed", but a rate must be finite), "monthly" once in 30 days, "yearly" in 365,
 * "never" once in 10 years ("archived URLs").
 */
double frequency_value(enum frequency f);

/* The rate of a word; false for what is none. */
bool frequency_rate(slice word, double *ret_rate);

/*
 * Change rates as classes (SHARC section 8.2): up to ten bins that hold as nearly the same number
 * of pages as equal rates allow, which are never parted. Few different rates give fewer bins. Where
 * most pages never change, these fill the first bin and the others share the rest.
 */

enum { RATE_BINS_MAX = 10 };

struct rate_bins {
	size_t count;                /* 0 without rates */
	double upper[RATE_BINS_MAX]; /* the largest rate in each, ascending */
	double mean[RATE_BINS_MAX];  /* what a page of the bin is predicted to have */
};

/* Rates that are no finite number or below 0 are ignored. 0 or ERR_NOMEM. */
int rate_bins_make(const double *rates, size_t count, struct rate_bins *ret) SP_MUST_CHECK;

/* The bin of a rate; what lies above the last edge is in the last. There must be a bin. */
size_t rate_bins_find(const struct rate_bins *b, double rate);

/*
 * The directory tree above pages, as classes for priors (plan/rate_grid.h). A page is named by its
 * path: each slash ends the name of a directory.
 */

/* Classes; beyond them a page belongs to the nearest directory that is one. */
enum { DIRECTORIES_MAX = 1 << 16 };

/* parents and classes may be read. */
struct directories {
	struct u32_vec parents; /* by class; class 0 is the root, parents come before children */
	struct u32_vec classes; /* by page, in the order of adding */
	struct arena names;
	struct strmap known;
};

/* Does not move afterwards. 0 or ERR_NOMEM; release after both. */
int directories_init(struct directories *d) SP_MUST_CHECK;
void directories_release(struct directories *d);

/* Adds a page: its class is the last of classes then. 0 or ERR_NOMEM. */
int directories_add(struct directories *d, slice path) SP_MUST_CHECK;

/* The nearest class of a page that was not added. */
uint32_t directories_find(const struct directories *d, slice path);

#endif
