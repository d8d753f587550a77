/*
 * The catalog: the database of an archive (SQLite, WAL). Sites, captures, pages, observations, the
 * event log that resume replays, WARC files and how much of each is committed, verdicts.
 * docs/archive.md has its tables.
 *
 * Invariants:
 *   (1) What a committed row says of a WARC is on the disk: callers sync the WARC first, then
 *       commit the catalog (group commit).
 *   (2) Pages of a capture are numbered from 0 without gaps, in the order of their discovery;
 *       those that were refused have numbers too, and no part in the plan.
 *   (3) Events of a capture, replayed in their order into a fresh plan_run, restore it.
 *   (4) A catalog of a newer schema is refused, one of an older schema is migrated in one
 *       transaction, for readers in a temporary copy; a file that is no catalog, or a damaged one,
 * is refused with one line.
 *
 * All functions return 0 or a negative code with a sentence in err: ERR_IO (disk, damage),
 * ERR_NOMEM, ERR_STATE (locked by another process, or open for reading), ERR_UNSUPPORTED (newer
 * schema), or as said. Those that add a row also ERR_EXISTS (it is there), ERR_RANGE (NaN, a size
 * beyond 63 bits), ERR_USAGE (a text that must be there is not), ERR_LIMIT (a row beyond 16 MiB):
 * then the transaction goes on without that row. One catalog belongs to one thread; any number of
 * readers may have the file open besides one writer.
 */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "catalog/left_out.h"
#include "formats/http_digest.h"
#include "warc/attempt.h"

struct catalog; /* opaque */

enum catalog_mode {
	CATALOG_CREATE, /* write; created when it is not there */
	CATALOG_WRITE,  /* write; ERR_NOTFOUND when it is not there */
	CATALOG_READ,   /* read only; changes nothing in the file */
};

/*
 * A reader may leave an empty "-wal" and a "-shm" beside the file: SQLite's, for the next one to
 * use. Where nothing can be written it does without; a file with a log that is not empty is refused
 * there.
 */
int catalog_open(const char *path, enum catalog_mode mode, struct catalog **ret,
	struct err *err) SP_MUST_CHECK;

/* An empty one without a name, for this process alone: on the disk as far as memory is short. */
int catalog_open_temporary(struct catalog **ret, struct err *err) SP_MUST_CHECK;

/*
 * All that is read from now on is of this moment, until the catalog is closed: a writer goes on
 * beside it. For a catalog that is open for reading.
 */
int catalog_snapshot(struct catalog *c, struct err *err) SP_MUST_CHECK;

/* Rolls back what is not committed. NULL is fine. */
void catalog_close(struct catalog *c);

/*
 * Writes belong to a transaction, which the first of them begins. When it is committed it is on the
 * disk. A commit that fails has rolled it back; only if the disk fails for good, and then the
 * process ends, may the transaction turn out to be there: never a part of it.
 */
int catalog_commit(struct catalog *c, struct err *err) SP_MUST_CHECK;
void catalog_rollback(struct catalog *c);
bool catalog_is_dirty(const struct catalog *c); /* something is not committed */

/* ---- captures ---- */

enum catalog_state {
	CATALOG_RUNNING = 0,  /* or cut off: what resume goes on with */
	CATALOG_FINISHED = 1, /* complete */
	CATALOG_CUT = 2,      /* ended by a limit (catalog_end): complete, too */
};

/* Which limit ended a capture, or its visits. Numbers are stored. */
enum catalog_end {
	CATALOG_END_NONE = 0, /* none, or written by a version that did not say */
	CATALOG_END_TIME = 1,
	CATALOG_END_BYTES = 2,
	CATALOG_END_OPERATOR = 3, /* who asked for the revisits */
	CATALOG_END_LAST = CATALOG_END_OPERATOR,
};

/* "time", "bytes", "operator", or NULL for CATALOG_END_NONE; constant. */
const char *catalog_end_name(enum catalog_end end);

/* What limits the claims of a capture: a set, of powers of two. Numbers are stored. */
enum catalog_caveat {
	CATALOG_CAVEAT_CLOCK = 1, /* the wall clock was set meanwhile: no still point is known */
	/* Nobody planned it: archives of others were judged, and still_from and still_to were
	 * chosen afterwards. */
	CATALOG_CAVEAT_AFTERWARDS = 2,
	CATALOG_CAVEAT_DATE = 4, /* the wall clock was set, in one process: its date is in doubt */
};

/* Address classes of a capture that has not looked up its seeds yet. */
#define CATALOG_NO_ADDRESSES (-1)

struct catalog_capture {
	uint32_t id;    /* from 1 */
	slice uuid;     /* "urn:uuid:…" */
	slice site;     /* the first seed */
	slice strategy; /* full name, as plan_strategy_find knows it */
	slice settings; /* what resume needs to go on alike; the crawler's own business */
	bool single;
	enum catalog_state state;
	int64_t started, finished;    /* wall, ns; finished is 0 until it is */
	int64_t still_from, still_to; /* the still point, wall, ns; 0 until known */
	enum catalog_end ended_by;    /* of CATALOG_CUT */
	unsigned caveats;             /* set of enum catalog_caveat */
	int64_t addresses; /* set of address classes open to it, or CATALOG_NO_ADDRESSES */
};

/* Adds one under its id, or under the next number when that is 0, and tells it. */
int catalog_add_capture(struct catalog *c, const struct catalog_capture *capture, uint32_t *ret_id,
	struct err *err) SP_MUST_CHECK;

/* Its settings alone: ERR_NOTFOUND. */
int catalog_set_settings(
	struct catalog *c, uint32_t capture, slice settings, struct err *err) SP_MUST_CHECK;

/* id 0 is the last one. Strings are copied into the arena. ERR_NOTFOUND. */
int catalog_get_capture(struct catalog *c, uint32_t id, struct arena *arena,
	struct catalog_capture *ret, struct err *err) SP_MUST_CHECK;

/* ---- pages ---- */

/* What a page that was taken turned out to be. Numbers are stored. */
enum catalog_content {
	CATALOG_CONTENT_USUAL = 0,
	CATALOG_CONTENT_SOFT_404 = 1, /* says "not found", whatever its status */
	CATALOG_CONTENT_ON_TOPIC = 2,
	CATALOG_CONTENT_OFF_TOPIC = 3,
};

struct catalog_page {
	uint32_t number; /* dense from 0 within the capture */
	slice url;
	slice kind;   /* a link kind (formats/links.h) */
	uint32_t via; /* page number of the referrer; CATALOG_NO_PAGE for seeds and sitemaps */
	slice found;  /* how, for people: "seed", "link", "redirect", "seed redirect", "sitemap
			 http://…", "capture 3: link" */
	uint32_t depth;
	uint32_t hops_out;
	bool taken;             /* part of the capture; else refused by rule */
	slice rule;             /* which rule took or refused it, for people: "host example.org" */
	enum left_out left_out; /* why it was refused; LEFT_OUT_NOT when it was taken */
	enum catalog_content content;
	double rate;  /* mean changes per second */
	double shape; /* of its survival function; 0: Poisson */
	float weight;
	int64_t lastmod;    /* as its sitemap says, wall, ns; 0: unknown */
	unsigned frequency; /* changefreq of its sitemap: enum frequency (plan/rate_estimate.h) */
};

#define CATALOG_NO_PAGE UINT32_MAX

/* How pages are found that an earlier capture knows begins with this. */
#define CATALOG_TOLD "capture "

static inline bool catalog_is_told(slice found)
{
	return slice_starts_with(found, SLICE(CATALOG_TOLD));
}

enum { CATALOG_FREQUENCY_MAX = 7 };

/*
 * Links that were left out and have no page of their own, for want of room: how often they were
 * found so far. Replaces what is known.
 */
struct catalog_unkept {
	enum left_out reason;
	uint64_t links;
};

/* Where the plan put it: positions in the order of visits and revisits from 0, -1 for none. */
struct catalog_plan {
	uint32_t page;
	int64_t visit, revisit;
	bool hopeless;
};

/* Looks a page up by its URL: ERR_NOTFOUND. Costs a scan of the capture's pages. */
int catalog_find_page(struct catalog *c, uint32_t capture, slice url, uint32_t *ret_number,
	struct err *err) SP_MUST_CHECK;

/* ---- observations ---- */

/*
 * An attempt, as far as OBSERVATION (catalog_sql.c) has columns for it. Page, leg and
 * number tell attempts apart; those without a page (CATALOG_NO_PAGE) are all kept. The url of one
 * with a page is that of the page.
 */
int catalog_add_observation(struct catalog *c, uint32_t capture, const struct attempt *a,
	struct err *err) SP_MUST_CHECK;

/* ---- requisites ---- */

/*
 * A resource that a page is made of: style, script, image, font, frame. Both are pages; requisite
 * is CATALOG_NO_PAGE for those that were found but not kept.
 */
struct catalog_requisite {
	uint32_t page, requisite;
};

/* ---- links ---- */

/* The pages that a page links to, as plan/rank_graph.h packs their numbers. */
struct catalog_links {
	uint32_t page;
	slice targets;
};

/* ---- rules about URLs that show the same ---- */

/* What is known of such a rule (crawl/dust.h), or of a host that mirrors another one. */
struct catalog_dust {
	uint32_t number;            /* in its capture, from 0 */
	slice rule;                 /* for people */
	unsigned kind;              /* enum dust_kind */
	slice site;                 /* where it holds */
	slice detail;               /* name of the parameter; host that is mirrored; may be empty */
	unsigned state;             /* enum dust_state */
	uint32_t agreed, disagreed; /* pairs of pages that showed the same, or not */
	uint32_t passed;            /* requests that confirmed it */
	uint64_t urls;              /* that it saved or would save */
	bool applied;
};

/* Of the kinds and states, what readers of reports need to tell apart. */
enum { CATALOG_DUST_MIRROR = 12, CATALOG_DUST_WITHDRAWN = 3 };

/* ---- what announces changes ---- */

/* What a watch knows of a sitemap or feed that it polls, or of the pings that it gets. */
struct catalog_poll {
	uint32_t number; /* in its capture, from 0 */
	slice url;       /* empty: pings */
	bool is_feed;
	unsigned source;        /* of plan/refresh_run.h; several may share one */
	uint64_t polls;         /* answers */
	uint64_t not_modified;  /* of them: 304 */
	uint64_t checked, lies; /* of these: held against a full download, and found false */
	double announced_changed, announced_same, silent_changed; /* of the source */
};

/* ---- learned rules ---- */

/* A rule against noise that was learned from the site, in a line of text; whoever learns it says
 * how it reads. */
struct catalog_learned {
	slice rule;
};

/* ---- events ---- */

enum catalog_event_kind {
	CATALOG_EVENT_DISCOVERED =
		0,              /* plan_discovered: page (survival and weight are the page's) */
	CATALOG_EVENT_NEXT = 1, /* plan_next gave an order: page, leg, attempt, begin = now */
	CATALOG_EVENT_DONE = 2, /* plan_done: page, leg, attempt, outcome, begin, end */
	CATALOG_EVENT_END_VISITS = 3, /* plan_end_visits */
	CATALOG_EVENT_STEP = 4,   /* plan_next gave no order but may have changed the run: begin */
	CATALOG_EVENT_CANCEL = 5, /* plan_cancel: the time is up */
	CATALOG_EVENT_WITHDRAW = 6, /* plan_withdraw: page */
	CATALOG_EVENT_RETRY = 7,    /* plan_retry: page */

	/* Not of the planner: what a catalog that was made anew leaves to do for resume. */
	CATALOG_EVENT_UNREAD = 8,   /* the links of an attempt: page, leg (attempt.h), attempt */
	CATALOG_EVENT_UNTABLED = 9, /* lines of the page table, from that of this page on: page */
	CATALOG_EVENT_SETTLED = 10, /* all of this was done */
};

struct catalog_event {
	enum catalog_event_kind kind;
	uint32_t page;
	uint8_t leg, attempt, outcome;
	bool hopeless;
	double begin, end;
};

int catalog_add_event(struct catalog *c, uint32_t capture, const struct catalog_event *e,
	struct err *err) SP_MUST_CHECK;

/* ---- WARC files, robots.txt, clocks ---- */

struct catalog_warc {
	slice name;    /* without ".open" */
	uint64_t size; /* of the whole records that are committed */
	bool complete; /* closed */
	bool has_digest;
	struct digest digest; /* SHA-256 of a complete file */
};

/* ---- what is retired (archive/retire.h) ---- */

/*
 * Calls with all observations of a page, by leg and number, and writes them again as they are then.
 * Leg and number must stay, strings must last until the return. ERR_… of the call, or as
 * catalog_add_observation.
 */
typedef int catalog_edit(void *context, struct attempt *a);
int catalog_edit_page(struct catalog *c, uint32_t capture, uint32_t page, catalog_edit *call,
	void *context, struct err *err) SP_MUST_CHECK;

/* A WARC file and the one that takes its place. done: the catalog knows the new one only. */
struct catalog_replaced {
	slice name, new_name;
	bool done;
};

/* Where a record of the old file is in the new one. */
struct catalog_move {
	uint64_t from, to, length;
	bool is_whole; /* it was a revisit record perhaps, and is a response with a body now */
};

/* Says that the file is about to be replaced, so that its successor can be recognised. */
int catalog_add_replaced(
	struct catalog *c, slice name, slice new_name, struct err *err) SP_MUST_CHECK;

/*
 * The new file takes the place of the old one: observations, looks and the file's row. Records that
 * are not among the moves must not be referred to. warc has the new name, its size and digest.
 */
int catalog_replace_warc(struct catalog *c, slice name, const struct catalog_warc *warc,
	const struct catalog_move *moves, size_t count, struct err *err) SP_MUST_CHECK;

/* The old file, or a new one that was never used, is gone. */
int catalog_drop_replaced(struct catalog *c, slice name, struct err *err) SP_MUST_CHECK;

typedef int catalog_on_replaced(void *context, const struct catalog_replaced *r);
int catalog_each_replaced(
	struct catalog *c, catalog_on_replaced *call, void *context, struct err *err) SP_MUST_CHECK;

/*
 * What a host's robots.txt came to; body is empty unless it was parsed. One that changes has a row
 * for each version, of which the last counts.
 */
struct catalog_robots {
	slice origin;    /* "http://host:port" */
	uint8_t policy;  /* enum robots_policy */
	int64_t fetched; /* wall, ns */
	int64_t checked; /* the same: when it was last seen to be so; fetched when it is added */
	slice why;       /* how it came to that, for reports */
	slice body;
};

/*
 * What the kernel says of its clock (adjtimex), at "start", "stillpoint", "end", "resume", and when
 * the wall clock turns out to have been set: "clock-set".
 */
struct catalog_clock {
	slice moment;
	int64_t wall, monotonic; /* ns */
	int64_t capture_time;    /* what the times of the capture make of that instant; 0: wall */
	slice boot;              /* clock_boot_id; empty if unknown */
	int64_t estimated_error, maximum_error; /* ns; -1 unknown */
	bool synchronised;
};

/* ---- compact looks ---- */

enum { CATALOG_LOOK_NUMBER_MAX = 4095 };

/* The largest number of a batch. */
#define CATALOG_LOOKS_MAX (INT64_MAX >> 13)

/* Looks of a batch (warc/compact.h) that no WARC file has yet: those of one commit. */
struct catalog_look {
	uint64_t batch;  /* from 1 to CATALOG_LOOKS_MAX */
	uint32_t number; /* of the first in it, up to CATALOG_LOOK_NUMBER_MAX */
	slice rows;
};

/* A batch of looks, and where its record is. */
struct catalog_looks {
	uint64_t batch;
	slice warc;
	uint64_t offset, length;
};

/* Where a batch is: ERR_NOTFOUND as long as it waits. warc is copied into the arena. */
int catalog_get_looks(struct catalog *c, uint64_t batch, struct arena *arena,
	struct catalog_looks *ret, struct err *err) SP_MUST_CHECK;

/* The number of the last batch, 0 when there is none. */
int catalog_last_looks(struct catalog *c, uint64_t *ret, struct err *err) SP_MUST_CHECK;

/* ---- verdicts ---- */

/* Words as in proof/verdict.h; the catalog knows nothing of their meaning. */
struct catalog_verdict {
	uint32_t page;
	slice verdict;
	slice evidence; /* ptr NULL for none */
	slice reason;   /* the same */
};

/* ---- captures of others ---- */

/* A capture of a page that somebody else made. The meaning of digest and source is the caller's. */
struct catalog_imported {
	slice url;       /* url_page */
	int64_t time;    /* wall, ns */
	uint64_t digest; /* 0: unknown */
	unsigned source;
};

/*
 * Adds it unless the page has one of that time. *ret_added also if only its digest was missing;
 * untouched on failure.
 */
int catalog_add_imported(struct catalog *c, const struct catalog_imported *i, bool *ret_added,
	struct err *err) SP_MUST_CHECK;

/*
 * How far an import from that source came: any text, empty at its end, which forgets it. Reading
 * sets the buffer, to nothing where there is none; ERR_LIMIT when it has no room.
 */
int catalog_set_progress(
	struct catalog *c, slice source, slice progress, struct err *err) SP_MUST_CHECK;
int catalog_get_progress(
	struct catalog *c, slice source, struct buf *ret, struct err *err) SP_MUST_CHECK;

/* ---- rows ---- */

/*
 * What can be written, and what it does. A capture's page that is not there, or an origin, is
 * ERR_NOTFOUND. Of a page that is changed only the fields that are named count.
 */
enum catalog_row_kind {
	CATALOG_ROW_ADD_PAGE, /* all but content */
	/* A page that was refused is wanted after all: what is known of it now, but for its URL. */
	CATALOG_ROW_TAKE_PAGE,
	/* It was taken and turns out to be refused, or the other way round, as robots.txt says. */
	CATALOG_ROW_REFUSE_PAGE, /* number, left_out, rule */
	CATALOG_ROW_ADMIT_PAGE,  /* number, rule */
	CATALOG_ROW_MARK_PAGE,   /* number, content */
	CATALOG_ROW_WEIGH_PAGE,  /* number, weight: now that more is known */
	CATALOG_ROW_LIST_PAGE,   /* number, lastmod, frequency: of a sitemap; 0 changes nothing */
	CATALOG_ROW_UNKEPT,      /* replaces what is known, as all below that are not "added" */
	CATALOG_ROW_PLAN,
	CATALOG_ROW_OBSERVATION, /* catalog_add_observation */
	CATALOG_ROW_EVENT,       /* catalog_add_event */
	CATALOG_ROW_WARC,
	CATALOG_ROW_ADD_ROBOTS,     /* added, checked when it was fetched */
	CATALOG_ROW_CONFIRM_ROBOTS, /* origin, checked: its last version is still so */
	CATALOG_ROW_CLOCK,          /* added */
	CATALOG_ROW_REQUISITE,      /* added unless it is there */
	CATALOG_ROW_DUST,
	CATALOG_ROW_LINKS,
	CATALOG_ROW_LEARNED, /* added */
	CATALOG_ROW_POLL,
	CATALOG_ROW_LOOK,  /* added */
	CATALOG_ROW_LOOKS, /* added: the batch was written, none of its looks waits any longer */
	CATALOG_ROW_VERDICT,
	CATALOG_ROW_SAVED,   /* added */
	CATALOG_ROW_CAPTURE, /* all from state on, but for started, of the one with that id */
	CATALOG_ROW_KINDS,
};

/* Writes one, whose body is the struct of its kind. */
int catalog_put(struct catalog *c, enum catalog_row_kind kind, uint32_t capture, const void *body,
	struct err *err) SP_MUST_CHECK;

/* A change that one thread notes and another makes. All is borrowed. */
struct catalog_row {
	enum catalog_row_kind kind;
	uint32_t capture; /* not of CATALOG_ROW_WARC, _LOOK, _LOOKS and _CAPTURE */
	union {
		const void *body; /* whichever it is */
		const struct catalog_page *page;
		const struct catalog_unkept *unkept;
		const struct catalog_plan *plan;
		const struct attempt *observation;
		const struct catalog_event *event;
		const struct catalog_warc *warc;
		const struct catalog_robots *robots;
		const struct catalog_clock *clock;
		const struct catalog_requisite *requisite;
		const struct catalog_dust *dust;
		const struct catalog_links *links;
		const struct catalog_learned *learned;
		const struct catalog_poll *poll;
		const struct catalog_look *look;
		const struct catalog_looks *looks;
		const struct catalog_capture *state;
	};
};

static inline SP_MUST_CHECK int catalog_write(
	struct catalog *c, const struct catalog_row *row, struct err *err)
{
	return catalog_put(c, row->kind, row->capture, row->body, err);
}

/*
 * A copy of a row's body in the arena, with the texts of those fields that count; of attempts with
 * all. The program ends if there is no room.
 */
void *catalog_row_copy(const struct catalog_row *row, struct arena *arena) SP_NONNULL_RESULT;

/*
 * ---- reading ----
 * Each calls back for every row in a fixed order, with slices that are valid for the call; what the
 * callback returns but 0 ends the reading and is returned. The callback may read the catalog and
 * write to it, but not end the transaction.
 */
typedef int catalog_on_capture(void *context, const struct catalog_capture *capture);
typedef int catalog_on_page(void *context, const struct catalog_page *page);
typedef int catalog_on_unkept(void *context, const struct catalog_unkept *u);
typedef int catalog_on_observation(void *context, const struct attempt *a);
typedef int catalog_on_event(void *context, const struct catalog_event *e);
typedef int catalog_on_warc(void *context, const struct catalog_warc *w);
typedef int catalog_on_robots(void *context, const struct catalog_robots *r);
typedef int catalog_on_clock(void *context, const struct catalog_clock *k);
typedef int catalog_on_requisite(void *context, const struct catalog_requisite *r);
typedef int catalog_on_dust(void *context, const struct catalog_dust *d);
typedef int catalog_on_links(void *context, const struct catalog_links *l);
typedef int catalog_on_learned(void *context, const struct catalog_learned *l);
typedef int catalog_on_poll(void *context, const struct catalog_poll *p);
typedef int catalog_on_verdict(void *context, const struct catalog_verdict *v);
typedef int catalog_on_look(void *context, const struct catalog_look *look);

int catalog_each_capture(
	struct catalog *c, catalog_on_capture *call, void *context, struct err *err) SP_MUST_CHECK;

/* By number. */
int catalog_each_page(struct catalog *c, uint32_t capture, catalog_on_page *call, void *context,
	struct err *err) SP_MUST_CHECK;

/* By reason. */
int catalog_each_unkept(struct catalog *c, uint32_t capture, catalog_on_unkept *call, void *context,
	struct err *err) SP_MUST_CHECK;

/* By page number, leg and attempt; the side ones last. */
int catalog_each_observation(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err) SP_MUST_CHECK;

/* The same at a third of the cost, with some fields only: page, and its body (catalog_sql.c). */
int catalog_each_body(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err) SP_MUST_CHECK;

/* In the order they were added. */
int catalog_each_event(struct catalog *c, uint32_t capture, catalog_on_event *call, void *context,
	struct err *err) SP_MUST_CHECK;
int catalog_each_warc(
	struct catalog *c, catalog_on_warc *call, void *context, struct err *err) SP_MUST_CHECK;
int catalog_each_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call, void *context,
	struct err *err) SP_MUST_CHECK;
/* Those of all captures before that one. */
int catalog_earlier_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call,
	void *context, struct err *err) SP_MUST_CHECK;
int catalog_each_clock(struct catalog *c, uint32_t capture, catalog_on_clock *call, void *context,
	struct err *err) SP_MUST_CHECK;
/* By page and requisite. */
int catalog_each_requisite(struct catalog *c, uint32_t capture, catalog_on_requisite *call,
	void *context, struct err *err) SP_MUST_CHECK;
/* By page. */
int catalog_each_dust(struct catalog *c, uint32_t capture, catalog_on_dust *call, void *context,
	struct err *err) SP_MUST_CHECK;
int catalog_each_poll(struct catalog *c, uint32_t capture, catalog_on_poll *call, void *context,
	struct err *err) SP_MUST_CHECK;
int catalog_each_links(struct catalog *c, uint32_t capture, catalog_on_links *call, void *context,
	struct err *err) SP_MUST_CHECK;
/* In the order they were added. */
int catalog_each_learned(struct catalog *c, uint32_t capture, catalog_on_learned *call,
	void *context, struct err *err) SP_MUST_CHECK;
int catalog_each_verdict(struct catalog *c, uint32_t capture, catalog_on_verdict *call,
	void *context, struct err *err) SP_MUST_CHECK;

/* Looks that wait, by batch and number: all, or those of a batch. */
int catalog_each_look(
	struct catalog *c, catalog_on_look *call, void *context, struct err *err) SP_MUST_CHECK;
int catalog_looks_rows(struct catalog *c, uint64_t batch, catalog_on_look *call, void *context,
	struct err *err) SP_MUST_CHECK;

/* In the order they were added. */
typedef int catalog_on_imported(void *context, const struct catalog_imported *i);
int catalog_each_imported(
	struct catalog *c, catalog_on_imported *call, void *context, struct err *err) SP_MUST_CHECK;

/*
 * For readers that go on where they were, or know which page they want: all from a number on, and
 * what belongs to one page, each by its key.
 */
typedef int catalog_on_url(void *context, uint32_t number, slice url);
int catalog_urls_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_url *call,
	void *context, struct err *err) SP_MUST_CHECK;
int catalog_events_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_event *call,
	void *context, struct err *err) SP_MUST_CHECK;
int catalog_page_observations(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_observation *call, void *context, struct err *err) SP_MUST_CHECK;

/* Those without a page, which are counted from 0 in the order of their coming. */
int catalog_side_observations(struct catalog *c, uint32_t capture, uint32_t first,
	catalog_on_observation *call, void *context, struct err *err) SP_MUST_CHECK;
int catalog_page_requisites(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_requisite *call, void *context, struct err *err) SP_MUST_CHECK;

int catalog_page_verdict(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_verdict *call, void *context, struct err *err) SP_MUST_CHECK;

/* One page by its number: ERR_NOTFOUND. */
int catalog_get_page(struct catalog *c, uint32_t capture, uint32_t number, catalog_on_page *call,
	void *context, struct err *err) SP_MUST_CHECK;

/* How many pages a capture knows: from the number of the last one. */
int catalog_count_pages(
	struct catalog *c, uint32_t capture, uint32_t *ret, struct err *err) SP_MUST_CHECK;

/*
 * Parts of what is saved of a finished capture, so that nobody need compute it again
 * (proof/report_saved.h). Those of a kind are replaced as a whole: first dropped, then added.
 */
enum catalog_saved_kind {
	CATALOG_SAVED_TOTALS,
	CATALOG_SAVED_PAGES,  /* from the page of that number on */
	CATALOG_SAVED_URLS,   /* hashes of URLs from that number on */
	CATALOG_SAVED_BODIES, /* archive/duplicates.h; numbered from 0 */
};

struct catalog_saved {
	enum catalog_saved_kind kind;
	uint32_t number;
	slice bytes;
};

int catalog_drop_saved(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	struct err *err) SP_MUST_CHECK;

/* Parts of a kind by their numbers; bytes are valid during the call. */
typedef int catalog_on_saved(void *context, const struct catalog_saved *part);
int catalog_each_saved(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	catalog_on_saved *call, void *context, struct err *err) SP_MUST_CHECK;

/* The last part whose number is not above this one; 0 without a call when there is none. */
int catalog_saved_around(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	uint32_t number, catalog_on_saved *call, void *context, struct err *err) SP_MUST_CHECK;

/* How many pages of a capture were answered with 2xx so far. */
int catalog_count_seen(
	struct catalog *c, uint32_t capture, uint64_t *ret, struct err *err) SP_MUST_CHECK;

typedef int catalog_on_plan(void *context, const struct catalog_plan *p);
int catalog_each_plan(struct catalog *c, uint32_t capture, catalog_on_plan *call, void *context,
	struct err *err) SP_MUST_CHECK;

#endif
