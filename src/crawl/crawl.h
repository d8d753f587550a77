/*
 * Captures from their first requests to their verdicts. A crawl has one capture for each of its
 * sites, all in one archive, on one or more lanes (threads). A process may run several crawls at
 * once, each with its own archive.
 */
#ifndef CRAWL_CRAWL_H
#define CRAWL_CRAWL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/crawl_log.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "crawl/gate.h"
#include "crawl/looking.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "plan/plan.h"

/* ---- which sites to show ---- */

/*
 * Which sites of a crawl to show: those that fail first, then those with most requests to come. A
 * short list, made anew for each look.
 */

enum { WORST_SITES_MAX = 5, WORST_SITE_NAME = 96 };

struct site_progress {
	bool preparing; /* robots.txt and sitemaps come first */
	enum plan_leg leg;
	size_t done, total; /* of the leg */
	size_t failed;
	size_t left;                /* requests to come, as far as is known */
	char site[WORST_SITE_NAME]; /* cut if need be */
};

/* The worst first. Zeroed: empty. */
struct worst_sites {
	struct site_progress list[WORST_SITES_MAX];
	size_t len;
};

/* Keeps it if it belongs among the worst. */
void worst_sites_add(struct worst_sites *w, const struct site_progress *site);

/* ---- a crawl ---- */

enum { CRAWL_LANES_MAX = 256 };

struct crawl_command;

/*
 * Progress, for a line on a terminal. With several sites known, failed, fetched, sharp, revisited,
 * expected, requests and left are sums; the others are 0, and worst has some of the sites.
 */
struct crawl_progress {
	size_t sites, ended; /* captures, and how many of them have ended */
	bool preparing;      /* robots.txt and sitemaps come first */
	enum plan_leg leg;
	size_t known;     /* pages of the capture so far */
	size_t done;      /* of the present leg */
	size_t total;     /* that the present leg will have, as far as is known */
	size_t failed;    /* given up */
	size_t fetched;   /* visits and revisits that succeeded */
	size_t sharp;     /* so far, of those revisited */
	size_t revisited; /* pages; expected is about the same ones */
	double expected;  /* sharp pages of those revisited; before the revisits: if they began now
			   */
	size_t requests;  /* for pages, ended in this process */
	size_t left;      /* still to come, as far as is known, revisits included */
	double time_left; /* seconds until the time limit; 0 without one */
	char waiting[64]; /* why no request starts at all, or "" */
	char site[128];   /* of a single capture; cut if need be */
	const struct worst_sites *worst; /* of several sites some, borrowed; NULL of a single one */
};

struct crawl_options {
	const struct clock *clock; /* NULL for the system's */
	int stop_fd;               /* the crawl stops cleanly when it is readable; -1 for none */
	unsigned lanes;            /* threads at most; 0: as many as there are processors */

	/* Called from the thread that called us, some ten times a second; or NULL. */
	void (*on_progress)(void *context, const struct crawl_progress *progress); /* or NULL */
	void *context;
	const struct crawl_secrets *secrets; /* borrowed; NULL for none */
	struct crawl_log *log;               /* the same */
	const struct crawl_command *changes; /* the same; by crawl_resume only */
};

enum crawl_end {
	CRAWL_FINISHED,     /* complete */
	CRAWL_CUT,          /* ended by a limit */
	CRAWL_STOPPED,      /* by stop_fd; can be resumed */
	CRAWL_WAS_FINISHED, /* there was nothing to resume */
	CRAWL_BROKEN,       /* cannot be resumed; its problem says why */
};

struct crawl_result {
	uint32_t capture;
	enum crawl_end end;
	size_t known; /* pages that were to be captured */
	size_t visited;
	bool watched;       /* of CRAWL_WAS_FINISHED: a site under watch */
	const char *cut_by; /* the limit that cut it; constant */
	char *problem;      /* the first failure, for when nothing could be visited; or NULL */
};

/* One for each capture, in their order. Release in any case, zeroed too. */
struct crawl_results {
	struct crawl_result *ptr;
	size_t len;
};

void crawl_results_release(struct crawl_results *r);

/*
 * Adds a capture for each site to the archive, which is created if needed. The settings of the
 * sites (at least one) and their strings are borrowed. Sites whose settings differ in more than
 * their own (crawl_setting_is_own) run on different lanes. 0, or an error with one line for people:
 * ERR_USAGE for invalid settings, ERR_IO, ERR_STATE, ERR_NOMEM, … What was captured before an error
 * is kept and can be resumed.
 */
int crawl_start(const char *archive, const struct crawl_settings *sites, size_t count,
	const struct crawl_options *options, struct crawl_results *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Resumes all unfinished captures of the archive. If there are none, the result is that of the last
 * one: CRAWL_WAS_FINISHED.
 */
int crawl_resume(const char *archive, const struct crawl_options *options,
	struct crawl_results *ret, struct err *err) SP_MUST_CHECK;

/* A watch: what its sites may spend together, and their terms and reports, site by site. */
struct crawl_watch {
	struct budget *budget;
	struct look_site *sites;
	bool once;             /* do what is due, then end */
	bool hears_pings;      /* sites may get pings */
	atomic_bool drain;     /* set by anybody: end when nothing is under way */
	atomic_bool clock_set; /* set by the lanes: the wall clock is another since they began */
};

/*
 * Watches sites until stop_fd is readable, with the captures of earlier runs; the archive is
 * created if needed. The settings have watch set; those that concern lanes are of the first. 0, or
 * as crawl_start.
 */
int crawl_watch(const char *archive, const struct crawl_settings *settings, size_t count,
	struct crawl_watch *watch, const struct crawl_options *options,
	struct err *err) SP_MUST_CHECK;

#endif
