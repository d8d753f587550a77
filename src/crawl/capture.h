/*
 * A capture under way: what the files of this room share. A crawl has one capture for each site,
 * on one or more lanes; src/store writes what they leave. The files:
 *
 *	sites.c      which seeds make one site
 *	captures.c   the captures of a crawl before they are on their lanes
 *	crawl.c      a crawl: the archive, its lanes and its clerk, how captures begin and end
 *	lane.c       a thread with any number of captures: the loop
 *	warcinfo.c   the warcinfo records of its WARC files
 *	settings.c   what a capture is asked to do; secrets.c: what of it is not stored
 *	contact.c    the user agent: how site owners reach the user
 *	gate.c       whether any request may start; budget.c: what sites under watch may spend
 *	robots_history.c  what earlier captures knew of hosts' robots.txt
 *	earlier_index.c   which earlier captures are of the same site
 *	names.c      addresses of servers, and the address guard
 *	robots_cache.c  the parsed robots.txt of a lane's hosts
 *
 * The others are steps of one capture:
 *
 *	capture.c    the capture as an object, its beginning and its resuming
 *	pages.c      its pages, by number
 *	reading.c    what is read out of a response
 *	counters.c   what it has done so far, in numbers
 *	limit.c      its limits and its progress
 *	request_headers.c  what its requests carry: cookies, passwords, extra fields
 *	sessions.c   where cookies are sent back
 *	slow.c       responses that hold up the others
 *	orders.c     asks the planner; pages before and after their fetch
 *	response.c   a page came back: records, outcome, links
 *	requests.c   the table of its requests; fetching.c: what happens to them
 *	rules.c      what the robots.txt of its hosts say; robots_fetch.c: fetching them
 *	sitemaps.c   sitemaps; sitemap_list.c: which are known; under watch polling.c asks for
 *	             them again, and asserted.c says what a 304 is worth
 *	capture_traps.c  parts of a site that have no end
 *	probe.c      soft 404s
 *	dust_*.c     URLs that show what another one shows; mirrors.c: hosts that do
 *	canaries.c   bulk changes that are noticed during the visits
 *	probing.c    further looks at some pages; learning.c: what they teach
 *	cloaking.c   some pages as a browser gets them
 *	form_queries.c  what its search forms are asked for
 *	earlier.c    what an earlier capture of its site knows
 *	discover.c   a URL was found: is it new, is it wanted, may it be fetched
 *	importance.c which pages come first, and what they are worth
 *	steering.c   which links promise pages about the topic
 *	unkept.c     links that are only counted
 *	looking.c    sites under watch, whose orders come from a refresh_run; looking_orders.c;
 *	             pings.c: what others say of their pages; look_weights.c: what they are worth
 *	page_links.c which pages a page links to: the link graph
 *	journal.c    the planner's calls, and their log
 *	replay.c     resume: all of this from the catalog
 */
#ifndef CRAWL_CAPTURE_H
#define CRAWL_CAPTURE_H

#include "crawl/canaries.h"
#include "crawl/capture_dust.h"
#include "crawl/cloaking.h"
#include "crawl/cookie_gate.h"
#include "crawl/counters.h"
#include "crawl/crawl.h"
#include "crawl/earlier.h"
#include "crawl/form_queries.h"
#include "crawl/importance.h"
#include "crawl/lane.h"
#include "crawl/login.h"
#include "crawl/looking.h"
#include "crawl/pages.h"
#include "crawl/polling.h"
#include "crawl/probing.h"
#include "crawl/reading.h"
#include "crawl/request_headers.h"
#include "crawl/requests.h"
#include "crawl/reread.h"
#include "crawl/rules.h"
#include "crawl/sessions.h"
#include "crawl/sitemap_list.h"
#include "crawl/steering.h"
#include "crawl/unkept.h"
#include "extract/robots.h"
#include "extract/robots_policy.h"
#include "frontier/hosts.h"
#include "frontier/window.h"
#include "import/rates.h"
#include "net/net.h"
#include "plan/plan.h"
#include "quality/clock_watch.h"
#include "rates/known.h"
#include "store/directory.h"
#include "store/store.h"
#include "url/scope.h"

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
	unsigned allowed;  /* set of address classes that requests may be sent to: names.h */

	struct plan_run *plan;   /* without pages, if it is under watch */
	struct looking *looking; /* it is under watch; or NULL */
	const struct plan_strategy *strategy;
	struct scope scope;
	struct pages pages;
	struct hosts hosts;
	struct request_headers headers;
	struct login login;
	struct capture_traps traps;
	struct capture_dust dust;
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

/* Puts it on a lane, in that slot, and makes the parts that need the lane. */
void capture_attach(struct capture *c, struct lane *lane, uint32_t slot);

/* The number of a URL's host, which is added with its rules if it is new. As hosts_find. */
int capture_find_host(struct capture *c, const struct url *url, uint32_t *ret) SP_MUST_CHECK;

/* A seed redirects there: its target is in the scope as well. As scope_add_seed. */
int capture_add_seed(struct capture *c, const struct url *seed, struct err *err) SP_MUST_CHECK;

/* Adds a row to the batch; fills in the number of the capture. */
int capture_store(struct capture *c, const struct catalog_row *row, struct err *err) SP_MUST_CHECK;

/* Adds the capture's own row, which has changed. */
int capture_store_row(struct capture *c, struct err *err) SP_MUST_CHECK;

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

/* ---- limit.c ---- */

/* Checks the limits of time and of bytes, and ends visits or all if needed. */
int limit_check(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Seconds until it must be called again; infinite without a limit. */
double limit_wait(const struct capture *c);

/* Its progress; alone: it is the only capture, so expected is computed before the revisits. */
struct crawl_progress limit_progress(struct capture *c, bool alone);

/* Whether the revisits must begin now, or there will be no time for them all. */
bool limit_wants_revisits(const struct capture *c);

/* ---- slow.c ---- */

/* Ends the fetches that hold up the others: NET_FAILURE_SLOW. */
void slow_check(struct capture *c);

/* Seconds until it must be called again; infinite when nothing is held up. */
double slow_wait(const struct capture *c);

/* The outcome of such a fetch for the planner. */
enum plan_outcome slow_outcome(const struct capture *c, const struct plan_order *order);

/* Ends all fetches under way: the time is up. */
void slow_cancel_all(struct capture *c);

/* ---- journal.c: each calls the planner and adds to the event log ---- */

int journal_discovered(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;
int journal_withdraw(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;
int journal_retry(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;
int journal_next(struct capture *c, enum plan_step *ret_step, struct plan_order *ret_order,
	struct err *err) SP_MUST_CHECK;
int journal_done(struct capture *c, const struct plan_order *order, enum plan_outcome outcome,
	double begin, double end, struct err *err) SP_MUST_CHECK;
/* A limit ends the visits, or everything. The first limit becomes the row's ended_by. */
int journal_end_visits(struct capture *c, enum catalog_end limit, struct err *err) SP_MUST_CHECK;
int journal_cancel(struct capture *c, enum catalog_end limit, struct err *err) SP_MUST_CHECK;

/*
 * Replays the log into a fresh planner and returns open orders to it. resumed: when processes
 * resumed the capture, on the planner's clock, in their order; the last is this one. What else the
 * log asks for goes to rest.
 */
int journal_replay(struct capture *c, struct catalog *catalog, const struct moments *resumed,
	struct reread *rest, struct err *err) SP_MUST_CHECK;

/* ---- discover.c ---- */

struct found {
	const struct url *url;
	const char *how; /* "seed", "link", "redirect", "seed redirect", "sitemap http://…",
			    "capture 3: link" */
	uint32_t via;    /* or CATALOG_NO_PAGE */
	uint8_t kind;
	bool is_redirect;
	bool is_seed;        /* or the target of one */
	bool is_told;        /* by an earlier capture: how and via are those of then */
	enum frequency word; /* of a sitemap's changefreq */
	int64_t lastmod;     /* of a sitemap, ns since 1970; 0: unknown */
	int64_t latest;      /* the last instant that this can mean */
	unsigned source;     /* under watch: what announces it (refresh/sources.h); 0: nothing */
	bool is_listed;      /* in a sitemap */
	double priority;     /* there, or NaN */
};

/* A URL was found. A new one is taken or refused, and stored. */
int discover(struct capture *c, const struct found *found, struct err *err) SP_MUST_CHECK;

/* A page was taken: the planner gets it when its robots.txt allows it. */
int discover_admit(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* Discovers all links of the page that was read last. */
int discover_links(struct capture *c, uint32_t page, const struct url *document,
	struct err *err) SP_MUST_CHECK;

/* What was just discovered is part of the page, if it is a requisite. */
int discover_requisite(
	struct capture *c, uint32_t page, const struct found *found, struct err *err) SP_MUST_CHECK;

/* Stores how many links were not kept, if that has changed. */
int discover_record_unkept(struct capture *c, struct err *err) SP_MUST_CHECK;

/* The host's robots.txt is known: decides the pages that waited for it. */
int discover_pending(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* It was visited and is spam: it is not revisited. */
int discover_skip_spam(
	struct capture *c, uint32_t page, double score, struct err *err) SP_MUST_CHECK;

/* It has changed: decides all pages of the host again. */
int discover_review(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* A page that was put off, or refused by --max-pages, may be taken now: decides it again. */
int discover_again(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* ---- capture_traps.c: all return 0 or ERR_NOMEM, or as their err says ---- */

/* Whether a URL may be taken. */
int traps_decide(struct capture *c, const struct found *f, struct trap_decision *ret) SP_MUST_CHECK;

/* Whether it may be taken without asking its budgets. */
bool traps_is_exempt(struct capture *c, const struct found *f);

/* Appends the rule that refuses it. */
int traps_explain(struct buf *out, const struct trap_decision *d) SP_MUST_CHECK;

/* The page of that URL is taken, or put off. */
int traps_note_decision(
	struct capture *c, uint32_t page, const struct trap_decision *d) SP_MUST_CHECK;

/* A page was put off by an earlier process. */
int traps_restore_page(struct capture *c, const struct url *url, uint32_t page,
	enum left_out reason) SP_MUST_CHECK;

/* A redirect led to a page that was taken. */
int traps_redirect_followed(struct capture *c, const struct url *document) SP_MUST_CHECK;

/* A page is about to be read; *ret_text: its text is wanted. */
int traps_page_arrived(
	struct capture *c, const struct net_fetch *f, uint32_t page, bool *ret_text) SP_MUST_CHECK;

/* The page was read; *ret_follow: its links may be followed. */
int traps_page_read(struct capture *c, const struct net_fetch *f, const struct state_result *result,
	bool has_text, bool *ret_follow, struct err *err) SP_MUST_CHECK;

/* Takes pages that were put off, as far as that page has raised their budgets. */
int traps_take_deferred(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- dust_pages.c ---- */

/* Whether a URL that was found is left out, and by which rule, which goes to the buffer. */
int dust_decide(struct capture *c, const struct found *f, struct buf *rule, bool *ret_saved,
	struct err *err) SP_MUST_CHECK;

/* Sets out to what the catalog says of a page that a rule leaves out. 0, ERR_NOMEM, ERR_LIMIT. */
int dust_write_rule(struct capture *c, uint32_t rule, struct buf *out) SP_MUST_CHECK;

/* A page is taken, or left out for another one. */
int dust_note(
	struct capture *c, uint32_t page, const struct url *url, struct err *err) SP_MUST_CHECK;

/* The form of a page, into the scratch of the lane. */
int dust_form_of_page(
	struct capture *c, uint32_t page, bool *ret_has, struct err *err) SP_MUST_CHECK;

/*
 * The rules by which the URL in the scratch differs from another page, into the scratch, with the
 * form of that. *ret_known: they have the same form, and few enough rules.
 */
int dust_between(struct capture *c, uint32_t other, bool *ret_known, struct err *err) SP_MUST_CHECK;

/* Forms have changed: finds all classes anew. */
int dust_rebuild(struct capture *c, struct err *err) SP_MUST_CHECK;

/* A rule is tried: leaves out the pages that it saves and that are not visited yet. */
int dust_sweep(struct capture *c, struct err *err) SP_MUST_CHECK;

/* A rule was withdrawn: decides again the pages that it left out. */
int dust_review(struct capture *c, uint32_t rule, struct err *err) SP_MUST_CHECK;

/* Takes a page that was left out after all. */
int dust_readmit(struct capture *c, uint32_t page, const char *why, struct err *err) SP_MUST_CHECK;

/* ---- dust_looks.c ---- */

enum dust_answer { DUST_UNKNOWN, DUST_AGREES, DUST_DISAGREES };

int dust_look_read(
	struct capture *c, uint32_t page, struct dust_look *ret, struct err *err) SP_MUST_CHECK;
int dust_look_write(struct capture *c, uint32_t page, const struct dust_look *look,
	struct err *err) SP_MUST_CHECK;

/* What the response that was read last shows; the form of its page is in the scratch. */
void dust_look_take(struct capture *c, const struct digest *payload, struct dust_look *look);

/* Whether two pages show the same; is_print: one of them is a print version. */
enum dust_answer dust_compare(const struct dust_look *a, const struct dust_look *b, bool is_print);

/* ---- dust_visits.c ---- */

/* Whether a page that is about to be read is to be compared with others by what it shows. */
int dust_wants_text(struct capture *c, uint32_t page, bool *ret, struct err *err) SP_MUST_CHECK;

/* A page was visited and its response read. */
int dust_visited(struct capture *c, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* Notes what a page shows; is_repeat tells whether another one shows the same. */
int dust_note_shown(struct capture *c, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* A page leads to another URL. */
int dust_redirected(
	struct capture *c, uint32_t page, const struct url *target, struct err *err) SP_MUST_CHECK;

/* What two pages say about the rules in the scratch. */
int dust_evidence(struct capture *c, enum dust_answer answer, struct err *err) SP_MUST_CHECK;

/* Withdraws a rule, and takes the pages that it left out. */
int dust_drop_rule(struct capture *c, uint32_t rule, struct err *err) SP_MUST_CHECK;

/* ---- dust_checks.c ---- */

/* Sends the checks that rules need now. */
int dust_check_due(struct capture *c, struct err *err) SP_MUST_CHECK;
int dust_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;
int dust_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/*
 * A page, whose look is stored, shows something else than the one that stands for its class. Asks
 * for the latter once more: a page that shows something else each time says nothing about rules.
 */
int dust_doubt(struct capture *c, uint32_t page, uint32_t standing, struct err *err) SP_MUST_CHECK;
int dust_doubt_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;
int dust_doubt_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/* All visits are done: takes what was left out without being confirmed. */
int dust_close(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- mirrors.c ---- */

/* Whether there are several hosts, and mirrors are of interest. */
bool mirrors_are_possible(const struct capture *c);

/* A page was taken: it is left out if its host mirrors another one that has it. */
int mirrors_known(
	struct capture *c, uint32_t page, const struct url *url, struct err *err) SP_MUST_CHECK;

/* A page was visited; its URL is in the scratch. */
int mirrors_visited(struct capture *c, uint32_t page, const struct dust_look *look,
	struct err *err) SP_MUST_CHECK;

/* The capture ends: stores which hosts are mirrors. */
int mirrors_conclude(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- dust_rows.c ---- */

/* Stores the rules that have changed. */
int dust_store_rules(struct capture *c, struct err *err) SP_MUST_CHECK;

/* The capture ends: counts what the rules saved or would have saved. */
int dust_conclude(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Restores a rule (0 or ERR_NOMEM), and that a page was visited. */
int dust_restore_rule(struct capture *c, const struct catalog_dust *row) SP_MUST_CHECK;
int dust_restore_visit(struct capture *c, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* ---- probe.c ---- */

/* The host answers something else than 404 to URLs that do not exist. */
bool probe_is_soft(const struct capture *c, uint32_t host);

/* The page has the text of such an answer. */
bool probe_matches(const struct capture *c, uint32_t page, const struct gist *gist);
int probe_mark(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* A page was visited: after some of them, sends a probe to its host. */
int probe_visited(
	struct capture *c, uint32_t page, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;
int probe_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;

/* ---- sessions.c ---- */

/* Whether a request carries cookies, and whether the cookies of its response are kept. */
bool sessions_send(struct capture *c, const struct request *r, slice url);
bool sessions_keep(const struct request *r);

/*
 * A look at a page was read: whether the page is to be asked for again, now with cookies.
 * is_as_before: the revisit shows what the visit did.
 */
bool sessions_retry(struct capture *c, const struct plan_order *order, const struct attempt *a,
	bool is_as_before);

/* The page will be asked for with cookies: whether it needs them, its answer tells. */
void sessions_try(struct capture *c, uint32_t page);

/* A page was visited: probes tell whether it is the same without cookies. */
int sessions_visited(struct capture *c, const struct plan_order *order, const struct attempt *a,
	const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* What the probe that is under way is compared with. */
int sessions_before(
	struct capture *c, struct page_visit *ret, bool *ret_has, struct err *err) SP_MUST_CHECK;
int sessions_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	struct err *err) SP_MUST_CHECK;
void sessions_dropped(struct capture *c);

/* ---- probing.c ---- */

/* A usable revisit was read and stored; is_same: it shows what the visit showed. */
int probing_revisited(
	struct capture *c, const struct attempt *a, bool is_same, struct err *err) SP_MUST_CHECK;

/* An attempt of an earlier process. */
void probing_restore(struct capture *c, const struct attempt *a);

/* Requests of these kinds: the functions that fetching.c calls. */
int probing_check(struct capture *c, size_t place, bool *ret_send, struct err *err) SP_MUST_CHECK;
int probing_finished(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;

/* For canaries: whether there may be one, urgent once a change was seen; and sending one. */
bool probing_has_room(const struct capture *c, bool urgent);
int probing_send_session(
	struct capture *c, uint32_t page, bool *ret_sent, struct err *err) SP_MUST_CHECK;
int probing_send_canary(
	struct capture *c, uint32_t page, bool *ret_sent, struct err *err) SP_MUST_CHECK;

/* ---- canaries.c ---- */

/* A usable visit was read and stored. */
int canaries_visited(struct capture *c, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* What a probe is compared with: the page's visit; of a second canary the first. */
int canaries_before(struct capture *c, const struct attempt *a, struct page_visit *ret,
	bool *ret_has, struct err *err) SP_MUST_CHECK;

/* A canary was looked at; as_visit: for comparing others with it; usable: it can be compared. */
int canaries_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	bool usable, struct err *err) SP_MUST_CHECK;

/* All visits are done: the last look, then the second visits; the barrier waits for both. */
int canaries_close(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- redirect.c ---- */

/* Discovers where the response that was read last leads. An invalid target is no error. */
int discover_redirect(struct capture *c, const struct plan_order *order, const struct url *document,
	struct err *err) SP_MUST_CHECK;

/* ---- cookie_gate.c ---- */

/* A redirect of a visit was read; its target is known as a page, if it is one. */
int cookie_gate_redirected(struct capture *c, const struct plan_order *order,
	const struct url *target, struct err *err) SP_MUST_CHECK;

/* Whether a second visit is still wanted: it is none behind a gate, or gates do open. */
bool cookie_gate_allows(const struct capture *c, const struct plan_order *order);

/* The purpose of a second visit behind a gate, borrowed from it; empty for other orders. */
slice cookie_gate_purpose(const struct capture *c, const struct plan_order *order);

/* ---- cloaking.c: all of it does nothing without --cloaking ---- */

/* A page is about to be read; true: its text is wanted. */
bool cloaking_page_arrives(struct capture *c, const struct plan_order *order, unsigned status);

/* It was read and is usable: it may be asked for once more. */
int cloaking_visited(
	struct capture *c, uint32_t page, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* The answer to that was read; false: nothing can be said. */
bool cloaking_compare(
	struct capture *c, const struct attempt *a, char ret_line[CLOAKING_LINE_SIZE]);

/* Requests of this kind: what fetching.c calls. */
int cloaking_finished(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;

/* An attempt of an earlier process. */
void cloaking_restore(struct capture *c, const struct attempt *a);

/* ---- form_queries.c: all of it does nothing unless the settings have a budget ---- */

bool form_queries_are_on(const struct capture *c);

/* A page was visited and read, its text and forms, too; its links were discovered. */
int form_queries_read(struct capture *c, const struct plan_order *order, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;

/* A page was added: is it one that a query led to? */
int form_queries_found(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* All visits are done: discovers the page of the next query, if there is one to be sent. */
int form_queries_next(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Resume: all pages are known; reads those that were visited again, from the archive. */
int form_queries_restore(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* ---- learning.c ---- */

/* Learns from the probes of a capture that ends, and looks again at pages that differ. */
int learning_conclude(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- fetching.c: requests of all kinds ---- */

/* Queues a request until its server is ready; its URL is taken over. 0, ERR_NOMEM, ERR_LIMIT. */
int fetch_hold(struct capture *c, const struct request *r) SP_MUST_CHECK;

/*
 * The same for a URL that is not a page of the plan; *request has all but host and URL. Nothing
 * happens if the URL is invalid or the capture is cancelled: then *ret_held is false.
 */
int fetch_url(struct capture *c, slice url, const struct request *request, bool *ret_held,
	struct err *err) SP_MUST_CHECK;

/* A request may be sent: its server is ready. */
int fetch_start(struct capture *c, size_t place, struct err *err) SP_MUST_CHECK;

/* A fetch has ended. */
int fetch_finished(struct capture *c, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* Drops all requests that have not been sent: the capture is cancelled. */
int fetch_drop_all(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Whether the host's server has stopped answering. */
bool fetch_is_down(const struct capture *c, uint32_t host);

/* The target of the redirect that was read last; false if it has no valid one. */
bool fetch_location(const struct capture *c, const struct request *r, struct url *ret);

/* ---- sitemaps.c ---- */

/*
 * The robots.txt of a host is known: asks for the sitemaps that it names, if they are wanted, and
 * for those of the host that have waited for it.
 */
int sitemaps_request(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* The same for all hosts: the process that did is gone. */
int sitemaps_request_all(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Under watch: asks for a feed, unless it was asked for before. */
int sitemaps_feed(struct capture *c, slice url, struct err *err) SP_MUST_CHECK;
int sitemaps_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;
int sitemaps_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;

/* ---- robots_fetch.c ---- */

/* Fetches the robots.txt of a host; first: before all other requests of its server. */
int robots_fetch(struct capture *c, uint32_t host, bool first, struct err *err) SP_MUST_CHECK;

/* result is that of the response, zeroed when there is none. */
int robots_fetch_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;

/* A request for it was dropped. */
int robots_fetch_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/* What the catalog says of it: a capture is restored. */
int robots_fetch_restore(struct capture *c, uint32_t host, const struct catalog_robots *row,
	struct err *err) SP_MUST_CHECK;

/* Whether it is too old to go by, and is not being fetched again yet. */
bool robots_fetch_is_stale(const struct capture *c, uint32_t host);

/* A request has failed: if that looks like the server's failure, its robots.txt will tell. */
int robots_fetch_if_failing(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* Fetches those whose time has come; seconds until the next, or infinite. */
int robots_fetch_due(struct capture *c, struct err *err) SP_MUST_CHECK;
double robots_fetch_wait(const struct capture *c);

/* ---- orders.c ---- */

/* Seconds until the planner may be asked for the first revisit; infinite when nothing waits. */
double orders_wait(const struct capture *c);

/* Asks the planner for as much as there is room for. */
int orders_dispatch(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Requests of the kind REQUEST_PAGE: the functions that fetching.c calls. */
int orders_check(struct capture *c, size_t place, bool *ret_send, struct err *err) SP_MUST_CHECK;
int orders_finished(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;
/* The same of REQUEST_AGAIN: a visit that the planner does not know of. */
int orders_visited_again(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;
int orders_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/* ---- response.c ---- */

/* What came of an order: records it, finds links, tells how it went. */
int response_finished(struct capture *c, const struct plan_order *order, const struct net_fetch *f,
	enum plan_outcome *ret_outcome, struct err *err) SP_MUST_CHECK;

/*
 * Discovers what the response of an earlier attempt links to, read again from its record: all of
 * the fetch but URL, status, head and body is left out.
 */
int response_read_again(struct capture *c, const struct attempt *a, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;

/* Records a further look at a page, for a purpose. */
int response_probed(struct capture *c, const struct plan_order *order, const char *purpose,
	const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* Records that an order was not carried out, since its server is down. */
int response_skipped(struct capture *c, const struct plan_order *order, const char *failure,
	struct err *err) SP_MUST_CHECK;

/* Records a request that is not part of the plan. */
int response_unplanned(struct capture *c, slice url, unsigned tries, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;

/* The same, without the response: it may contain a secret. */
int response_withheld(
	struct capture *c, slice url, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* Obeys the Retry-After of the response that was just read, if its status is 429 or 503. */
void response_obey_retry_after(struct capture *c, uint32_t host, unsigned status);

/* ---- replay.c ---- */

/* The stop flag is read after so many rows. */
enum { STOP_INTERVAL = 1024 };

/* Restores all of the capture from the catalog. */
int replay(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Repairs the WARC files after a crash: moves bytes that were not committed to other files. */
int replay_repair(
	struct catalog *catalog, const struct directory *d, struct err *err) SP_MUST_CHECK;

#endif
