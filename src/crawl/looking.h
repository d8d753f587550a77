/*
 * Sites under watch, whose orders come from a refresh_run, and pings; what their pages are worth.
 */
#ifndef CRAWL_LOOKING_H
#define CRAWL_LOOKING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "crawl/gate.h"
#include "crawl/polling.h"
#include "crawl/settings.h"
#include "formats/scope.h"
#include "plan/plan.h"
#include "plan/refresh_run.h"
#include "plan/site_rates.h"
#include "warc/attempt.h"

/* ---- what pages are worth ---- */

/*
 * What it is worth that the copy of a page is current, as the operator says: by patterns of URLs,
 * and by single URLs out of a file, of which there may be very many.
 *
 * The file has a line for each: a URL or a pattern, blanks, and a number from 0 on. A "*" makes it
 * a pattern. Empty lines and those that begin with "#" count for nothing.
 */

#define LOOK_WEIGHT_MAX 1e6

/* Pages whose URL matches have this weight: * stands for any text, ? for any character. */
struct look_pattern {
	slice pattern; /* borrowed */
	double weight;
};

VEC_DECLARE(look_patterns, struct look_pattern);

/* Fields may be read. */
struct look_weights {
	struct look_patterns patterns; /* the first that matches counts */
	struct strmap urls;            /* these go first; the value is a float */
};

/* URLs are copied to the arena. */
void look_weights_init(struct look_weights *w, struct arena *arena);
void look_weights_release(struct look_weights *w);

/* Adds what a file says, or its text; patterns go to the arena. 0, ERR_NOMEM, ERR_IO, ERR_LIMIT, or
 * ERR_SYNTAX with "FILE:LINE: what". */
int look_weights_parse(struct look_weights *w, const char *name, slice text, struct arena *arena,
	struct err *err) SP_MUST_CHECK;
int look_weights_load(struct look_weights *w, const char *path, struct arena *arena,
	struct err *err) SP_MUST_CHECK;

/* The weight of a URL, if something is said of it. */
bool look_weights_find(const struct look_weights *w, slice url, double *ret);

/* Whether the whole text matches the pattern. */
bool look_pattern_matches(slice pattern, slice text);

/* ---- looking ---- */

/*
 * A site under watch: a capture without an end. Its orders come from a refresh_run in place of a
 * plan_run (SCHEDULER_WATCH, scheduler.h).
 *
 * The lane has the refresh_run. Whoever started the watch has a struct look_site for each site:
 * terms go to the lane through it, and reports come back. Both are copied under its lock.
 *
 * Nothing is stored but facts: pages and looks. After a crash the scheduler's restored reads them,
 * and its discovered gives them to a fresh refresh_run, page by page.
 *
 * Times of the refresh_run are seconds since 1970, on the clock of the crawl, which is anchored:
 * setting the wall clock does not move it.
 */

/* Pings of a site that wait, at most. */
enum { LOOK_PINGS_MAX = 256 };

/* The name of pings among signals. */
#define LOOKING_PING "ping"

struct capture;

/* What a site is asked for. All is borrowed, until the lane reports a later version. */
struct look_terms {
	const struct refresh_policy *policy;
	struct refresh_aim aim;             /* in seconds */
	double budget;                      /* requests per second, while a window is open */
	struct windows windows;             /* without one: always */
	const struct look_weights *weights; /* its own; those that count for all sites */
	const struct look_weights *common;
	double delay; /* as crawl_settings */
	bool automatic_delay;
};

/* How it goes. */
struct look_report {
	unsigned version;  /* of the terms that it goes by */
	uint64_t requests; /* sent by this process */
	size_t looks, changes, due;
	bool failing; /* its server does not answer: it cannot use its budget */
	double budget;
	double fresh_expected, sharp_expected; /* NAN: not known */
	struct refresh_status status;
};

/* What announces changes of its pages, and what that was worth (plan/refresh_run.h). */
struct look_signal {
	slice name; /* URL of a sitemap or feed, those of an index under its URL; "ping" */
	double precision, recall;
	uint64_t polls, not_modified, checked, lies; /* as struct polled */
};

VEC_DECLARE(look_signals, struct look_signal);
VEC_DECLARE(look_pings, char *);

/* Fields behind lock for its holder. */
struct look_site {
	pthread_mutex_t lock;
	unsigned version; /* of the terms: counted up with every change */
	struct look_terms terms;
	struct look_report report;
	struct look_signals signals;
	struct arena names;      /* of the signals */
	struct scope scope;      /* its capture's, for pings */
	struct look_pings pings; /* URLs that wait for the lane; owned */
};

/* The scope is that of the settings. 0, or as crawl_settings_scope; to be released then, too. */
int look_site_init(struct look_site *site, const struct look_terms *terms,
	const struct crawl_settings *settings, struct err *err) SP_MUST_CHECK;
void look_site_release(struct look_site *site);

/* Other terms; another budget alone, which changes often. For any thread. */
void look_site_set(struct look_site *site, const struct look_terms *terms);
void look_site_set_budget(struct look_site *site, double budget);
void look_site_read(struct look_site *site, struct look_report *ret);

/*
 * Somebody says that this page, sitemap or feed is new or has changed. For any thread. 0, also if
 * that is known already and waits; ERR_NOTFOUND outside the scope; ERR_LIMIT when too many wait;
 * ERR_NOMEM.
 */
int look_site_ping(struct look_site *site, const struct url *url) SP_MUST_CHECK;

/* Appends its signals, their names copied to the arena. */
void look_site_signals(struct look_site *site, struct arena *arena, struct look_signals *ret);

/* What is known of a page, besides what all captures know. */
struct looked {
	struct rate_memory memory; /* of its changes */
	int64_t last;              /* end of its last usable look, wall, ns; 0: none */
	int64_t listed;            /* the latest date that sitemaps and feeds gave, ns; 0: none */
	uint32_t number;           /* of its last look */
	uint32_t group;            /* its directory */
	float enclosing;           /* seconds between the looks around the last instant; 0: none */
	uint8_t source;            /* that announces its changes (plan/refresh_run.h); 0: none */
	uint8_t gone;              /* looks in a row that found no page, up to 2 */
	uint8_t audits, fresh;     /* before this process began, while it is restored; up to 255 */
};

VEC_DECLARE(looked_vec, struct looked);

/* What is expected of the copies by all rates that their pages may have: weighted sums over the
 * pages that were weighed last. */
struct outlook {
	double weights, fresh, sharp;
	uint32_t page; /* the next one */
};

/* Fields are for the files of this room. */
struct looking {
	struct look_site *site; /* borrowed */
	struct look_terms terms;
	unsigned version;
	struct refresh_run *run;
	struct looked_vec pages;
	struct site_rates rates;
	struct polling polling;
	size_t weighed; /* links that were known when the run was last told of ranks */
	double pinged;  /* seconds since 1970: when a ping last gave a new page */
	struct arena names;
	struct strmap groups; /* directories */
	bool once;            /* ends when nothing is due */
	double drained;       /* seconds since 1970: what is under way then is given up; 0 */
	double next;          /* seconds since 1970: when the run is to be asked again */
	double reported;      /* the same: of the last report */
	struct outlook outlook;
	size_t out; /* orders */
	uint64_t requests;
	size_t looks, changes;

	enum refresh_outcome outcome; /* what the look showed whose response was read last */
};

/* A part for a capture. 0, ERR_NOMEM, or as refresh_run_new. Free with looking_free, NULL-safe. */
int looking_new(
	struct capture *c, struct look_site *site, bool once, struct err *err) SP_MUST_CHECK;
void looking_free(struct looking *l);

/* All captures are restored: what the site's budget has accrued since is there, and the site's part
 * of what has accrued for all of them, in seconds. */
void looking_carry_over(struct capture *c, int64_t wall_seconds, double surplus);

#endif
