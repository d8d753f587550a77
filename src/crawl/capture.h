/*
 * A capture under way: what the files of this room share. A crawl has one capture for each site,
 * on one or more lanes; src/archive writes what they leave. The files:
 *
 *	seeds.c      seeds, and which of them make one site
 *	crawl_options.c  what users ask for: options, configuration files, secrets
 *	settings.c   what a capture is asked to do; secrets.c: what of it is not stored
 *	crawl.c      a crawl: the archive, its lanes and its clerk, how captures begin and end
 *	lane.c       a thread with any number of captures: the loop; names of servers, the address
 *	             guard, the warcinfo records of its WARC files
 *	gate.c       whether any request may start; what sites under watch may spend
 *	watch_*.c    the daemon that watches sites, its configuration, status and pings
 *
 * The others are steps of one capture:
 *
 *	capture.c    the capture as an object, its beginning and its resuming
 *	pages.c      its pages, by number, and the links between them
 *	discover.c   a URL was found: is it new, is it wanted, may it be fetched
 *	importance.c which pages come first, and what they are worth; links about the topic
 *	scheduler.h  who decides which page is next: orders.c asks a plan_run, looking.c a
 *	             refresh_run, for sites under watch, which have pings, too
 *	journal.c    the planner's calls, and their log
 *	requests.c   its requests, what happens to them, and those that hold up the others
 *	request_headers.c  what they carry: cookies, passwords, extra fields
 *	rules.c      what the robots.txt of its hosts say, and fetching them
 *	sitemaps.c   sitemaps; under watch polling.c asks for them again
 *	reading.c    what is read out of a response
 *	response.c   a page came back: comparing it, its records, outcome, links
 *	limit.c      what it has done so far, its limits and its progress
 *	restore.c    resume: all of this from the catalog
 *	earlier.c    what earlier captures of its site know
 *
 * And what may be asked of it beside, by the table of features.c:
 *
 *	sessions.c   where cookies are sent back, and gates that want one
 *	login.c      logging in
 *	probing.c    further looks at some pages, canaries, soft 404s; what they teach
 *	cloaking.c   some pages as a browser gets them
 *	views.c      views of documents, which come after them
 *	capture_traps.c  parts of a site that have no end (traps.c)
 *	capture_dust.c   URLs that show what another one shows (dust.c); dust_checks.c: checks of
 *	             these rules; mirrors.c: hosts that do
 *	form_queries.c  what its search forms are asked for
 */
#ifndef CRAWL_CAPTURE_H
#define CRAWL_CAPTURE_H

#include <stdbool.h>

#include "archive/directory.h"
#include "archive/import_rates.h"
#include "archive/rates_known.h"
#include "archive/store.h"
#include "base/api.h"
#include "base/err.h"
#include "crawl/capture_dust.h"
#include "crawl/cloaking.h"
#include "crawl/crawl.h"
#include "crawl/discover.h"
#include "crawl/earlier.h"
#include "crawl/features.h"
#include "crawl/form_queries.h"
#include "crawl/gate.h"
#include "crawl/importance.h"
#include "crawl/lane.h"
#include "crawl/limit.h"
#include "crawl/login.h"
#include "crawl/looking.h"
#include "crawl/pages.h"
#include "crawl/polling.h"
#include "crawl/probing.h"
#include "crawl/reading.h"
#include "crawl/request_headers.h"
#include "crawl/requests.h"
#include "crawl/rules.h"
#include "crawl/scheduler.h"
#include "crawl/sessions.h"
#include "crawl/sitemaps.h"
#include "crawl/views.h"
#include "formats/robots.h"
#include "formats/scope.h"
#include "net/net.h"
#include "net/servers.h"
#include "plan/plan.h"
#include "proof/clock_watch.h"

VEC_DECLARE(moments, double);

/* How far the plan is. */
struct stage {
	uint32_t visits_ordered, revisits_ordered; /* so far: positions in the plan */
	bool begun;                                /* the planner has been asked once */
	bool asleep;          /* the planner has no order until something happens */
	bool ended;           /* the planner will have no more orders */
	bool cut;             /* by a limit: row.ended_by */
	bool cancelled;       /* the time or the bytes are used up */
	bool visits_ended;    /* to leave time or bytes for the revisits */
	bool rest_put_off;    /* to revisit before the hours are over */
	bool held_by_barrier; /* the planner was not asked, since the still point needs a length */
	bool marked;          /* the still point has been recorded */
};

/* The one way to set a flag of a capture's stage: changes are logged at the level debug. */
#define STAGE_SET(c, flag, value) stage_set((c), &(c)->stage.flag, (value), #flag)

struct capture {
	const struct crawl_settings *settings;
	const struct clock *clock;
	const struct rates *rates;       /* of all captures of the crawl: what the user knows */
	const struct rates *weights;     /* the same: of --order weights */
	const struct known_rates *known; /* the same: what the archive knows; NULL: nothing yet */
	struct catalog_capture row;
	struct crawl_result *result; /* filled when it ends */

	struct lane *lane; /* its thread, shared with other captures */
	uint32_t slot;     /* in the lane */
	unsigned allowed;  /* set of address classes that requests may be sent to: lane.h */

	const struct scheduler *scheduler;
	struct plan_run *plan;   /* without pages, if it is under watch */
	struct looking *looking; /* of SCHEDULER_WATCH; else NULL */
	const struct plan_strategy *strategy;
	struct scope scope;
	struct pages pages;
	struct hosts hosts;
	struct request_headers headers;
	struct login login;
	struct capture_traps traps;
	struct capture_dust dust;
	struct views views;
	struct earlier earlier;
	struct requests requests;
	struct rules rules;   /* robots.txt of its hosts */
	struct rulebook book; /* by which its pages are compared */
	bool has_differing;   /* a revisit showed something else than its visit */
	struct sitemap_list sitemaps;
	struct unkept unkept;
	struct stage stage;
	struct counters counters;
	struct sessions sessions;
	struct probing probing;
	struct canaries canaries;
	struct cookie_gate gate;
	struct importance importance;
	struct steering steering; /* --topic */
	struct form_queries forms;
	struct cloaking cloaking;
	struct rng rng;

	int64_t epoch;            /* monotonic: zero of the planner's clock */
	struct clock_watch watch; /* of the wall clock */
	struct {
		struct windows windows;                  /* without one: always */
		int64_t closing, opening, closing_again; /* seconds since 1970; 0: not yet known */
	} hours;
	bool resumes;        /* there is a row of it */
	int64_t last_moment; /* capture time of the last reading */
	bool went_back;      /* the wall clock, between two processes */
	bool queued;         /* something happened to it: in the lane's queue */
	char *problem;       /* or NULL */
};

/*
 * Makes the parts that need no archive, and checks the settings before anything is written. All
 * parameters are borrowed. 0, ERR_USAGE, ERR_NOMEM, …
 */
int capture_new(const struct crawl_settings *settings, const struct rates *rates,
	const struct clock *clock, struct capture **ret, struct err *err) SP_MUST_CHECK;
void capture_free(struct capture *c); /* NULL is fine */

void stage_set(const struct capture *c, bool *flag, bool value, const char *name);

/* Puts it on a lane, in that slot, and makes the parts that need the lane. */
void capture_attach(struct capture *c, struct lane *lane, uint32_t slot);

/* The number of a URL's host, which is added with its rules if it is new. As hosts_find. */
int capture_find_host(struct capture *c, const struct url *url, uint32_t *ret) SP_MUST_CHECK;

/* A seed redirects there: its target is in the scope as well. As scope_add_seed. */
int capture_add_seed(struct capture *c, const struct url *seed, struct err *err) SP_MUST_CHECK;

/* Adds a row to the batch; fills in the number of the capture. */
void capture_store(struct capture *c, const struct catalog_row *row);

/* Adds the capture's own row, which has changed. */
void capture_store_row(struct capture *c);

/* The planner's clock, in seconds. */
double capture_now(const struct capture *c);
double capture_seconds(const struct capture *c, int64_t monotonic);

#define CAPTURE_RETRY_ADVICE "check the URL, or try again later"

/*
 * Keeps the first problem, as a message for people with an advice: the given one, or a better one
 * for a known reason.
 */
void capture_problem(struct capture *c, slice url, const char *reason, const char *advice);

/*
 * Updates the still point of its row for an attempt. True if that moved its end, or its beginning
 * although the end is known: then the row must be stored.
 */
bool capture_move_still_point(struct capture *c, const struct attempt *a);

/*
 * Records the clocks at that moment (store_moment). If the wall clock was set, the capture will
 * have no still point, and its row says so.
 */
int capture_moment(struct capture *c, const char *moment, struct err *err) SP_MUST_CHECK;

/* Its result so far. */
void capture_result(const struct capture *c, enum crawl_end end, struct crawl_result *ret);

/* Begins a new capture: records the start and discovers the seeds. */
int capture_begin(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Resumes a capture: restores it from the catalog. */
int capture_resume(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
