/*
 * What a capture is asked to do, and how its settings are kept; strategies by their names; who the
 * user is.
 */
#ifndef CRAWL_SETTINGS_H
#define CRAWL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "formats/scope.h"
#include "plan/plan.h"

/* ---- settings ---- */

/*
 * The settings of a capture. They are in the catalog, as lines "name value", for resume, and in the
 * warcinfo records, for readers of the archive. A list has a line for each element. Unknown names
 * are ignored; a missing one has its default.
 */

/* What is done about URLs that show what others show (docs/duplicates.md). */
enum crawl_dust { CRAWL_DUST_LEARN, CRAWL_DUST_APPLY, CRAWL_DUST_OFF, CRAWL_DUST_COUNT };

/* What is done about hosts that mirror others. */
enum crawl_mirrors {
	CRAWL_MIRRORS_FLAG,
	CRAWL_MIRRORS_SKIP,
	CRAWL_MIRRORS_OFF,
	CRAWL_MIRRORS_COUNT
};

/* What the plan is told of an earlier capture of the site (earlier.h). */
enum crawl_earlier {
	CRAWL_EARLIER_PAGES,
	CRAWL_EARLIER_SIZE,
	CRAWL_EARLIER_OFF,
	CRAWL_EARLIER_COUNT
};

enum { CRAWL_PREFIX_MAX = 64 };

/* What is done with pages that are flagged as spam (docs/deceit.md). */
enum crawl_spam {
	CRAWL_SPAM_FLAG, /* the report says so */
	CRAWL_SPAM_SKIP, /* their links are not followed, and they are not revisited */
	CRAWL_SPAM_OFF,  /* nobody looks */
};

/* Of host_budget: by what the hosts give. */
#define CRAWL_BUDGET_AUTO UINT32_MAX

/* Of delay: by how long answers take. */
#define CRAWL_DELAY_AUTO (-1.0)

/*
 * Strings are borrowed, or in the arena that they were read into. Those that users may give are
 * rows of the one table, crawl/crawl_options.c, which has their types, ranges and defaults.
 */
struct crawl_settings {
	struct text_list seeds; /* absolute http or https URLs */
	struct text_list surts, includes, excludes;
	const char *strategy; /* name without suffix is fine */
	const char *rates; /* CSV file, within the archive once the capture has begun; NULL: none */
	const char *topic; /* as text/topic.h has it; NULL: none */
	const char *weights;       /* CSV file of RANK_WEIGHTS, the same */
	const char *user_agent;    /* NULL: the default */
	const char *contact;       /* URL or mail address, as contact_is_valid; NULL: none */
	const char *operator;      /* who answers for the capture, in one line; NULL: unknown */
	const char *software;      /* that began it, "stillpoint/VERSION"; NULL: unknown */
	const char *hours;         /* as crawl/gate.h; NULL: always */
	struct text_list headers;  /* "Name: value", of every request */
	struct text_list withheld; /* which secrets are needed (secrets.h) */
	const char *proxy;         /* URL without a password; NULL: none, or one withheld */
	const char *ca_file;       /* PEM; as rates: within the archive; NULL: none */
	const char *warc_prefix;   /* of file names, as crawl_prefix_is_valid; NULL: the default */
	const char *dns;           /* servers, as net_params; NULL: the system's */

	double delay;      /* seconds, or CRAWL_DELAY_AUTO */
	double time_limit; /* seconds; 0: none */
	double timeout;    /* of a request */
	uint64_t max_body;
	uint64_t max_bytes;   /* of the whole capture; 0: no limit */
	double robots_age;    /* seconds that a robots.txt is trusted; 0: 24 h */
	double down_after;    /* seconds without an answer; 0: PACE_DOWN_AFTER */
	uint64_t bandwidth;   /* bytes per second; 0: no limit */
	uint64_t memory;      /* bytes for what grows with known URLs: docs/scale.md */
	uint64_t min_free;    /* free bytes on the disk below which no request starts */
	uint64_t warc_size;   /* begin a new WARC file at that size; 0: the default */
	uint32_t warc_coding; /* enum warc_coding */

	enum scope_kind scope;
	uint32_t aim;         /* enum plan_aim: what a limit that is too small is spent on */
	uint32_t order;       /* enum rank_order_kind: which pages first */
	uint32_t host_budget; /* pages of a host; 0: no limit; or CRAWL_BUDGET_AUTO */
	uint32_t max_pages;   /* 0: no limit */
	uint32_t max_depth;   /* links from a seed; UINT32_MAX: no limit */
	uint32_t size;        /* estimate of the number of pages; 0: none */
	unsigned jobs;        /* requests to a host at once */
	unsigned attempts;    /* per leg; 0: the planner's default */

	uint32_t max_outside; /* URLs outside the scope that are kept; others are counted */
	uint32_t spam;        /* enum crawl_spam */
	uint32_t forms;       /* queries of search forms; 0: none are sent (form_queries.h) */
	uint32_t trap_budget; /* URLs of a shape that need no new content (crawl/traps.h) */

	uint32_t dust;    /* enum crawl_dust */
	uint32_t mirrors; /* enum crawl_mirrors */
	uint32_t earlier; /* enum crawl_earlier */

	bool watch;      /* a capture without an end: looks at a site under watch */
	bool unweighted; /* the order is no weight for the planner */
	bool single;
	bool plan_apart;    /* every server and every requisite for itself */
	bool no_requisites; /* take nothing outside the scope, needed by a page or not */
	bool no_sitemaps;
	bool ignore_robots;
	bool http2;
	bool insecure;      /* certificates are not checked */
	bool no_cookies;    /* neither taken nor sent */
	bool keep_secrets;  /* in the request records */
	bool allow_private; /* no address guard */
	bool dns_records;   /* archive what the DNS said */
	bool no_traps;      /* endless parts of a site are followed */
	bool all_views;     /* views are pages like all others (views.h) */
	bool cloaking;      /* some pages are fetched as a browser would, too */
	bool no_probes;     /* no further looks at pages (probing.h) */
	bool compact;       /* looks that found nothing new are compact (warc/compact.h) */
	bool bytes_only;    /* no rules against noise: pages are compared by their bytes */
	struct text_list without_rules; /* built-in rules that are off */
	struct text_list ignore;        /* lines of the user's rules (proof/rulebook.h) */
};

void crawl_settings_init(struct crawl_settings *s);
void crawl_settings_release(struct crawl_settings *s);

/* Of WARC files: up to CRAWL_PREFIX_MAX letters, digits and . _ -, the first a letter or digit. */
bool crawl_prefix_is_valid(slice prefix);

/* The prefix that settings as text have, or {0}. */
slice crawl_settings_prefix(slice text);

/*
 * Whether a setting concerns the capture alone: neither the lane that it runs on nor what the
 * lane's WARC files say of themselves. The name is as crawl_settings_each passes it.
 */
bool crawl_setting_is_own(const char *name);

/* Calls back for each value that is not the default, as text, until a call returns not 0. */
typedef int crawl_on_setting(void *context, const char *name, slice value);
int crawl_settings_each(const struct crawl_settings *s, crawl_on_setting *call, void *context);

/* Appends the lines: 0, ERR_SYNTAX for a string with a line break in it, or as buf_add. */
int crawl_settings_write(const struct crawl_settings *s, struct buf *out) SP_MUST_CHECK;

/* Reads them; strings go into the arena. 0, ERR_SYNTAX, ERR_NOMEM; release in either case. */
int crawl_settings_read(
	struct crawl_settings *s, slice text, struct arena *arena, struct err *err) SP_MUST_CHECK;

/* The scope that they say. 0, or as scope_add_seed; release it in any case. */
int crawl_settings_scope(
	const struct crawl_settings *s, struct scope *ret, struct err *err) SP_MUST_CHECK;

/* How long connecting and silence may last, by the time that a whole request may take. */
double crawl_connect_timeout(const struct crawl_settings *s);
double crawl_stall_timeout(const struct crawl_settings *s);

/* Makes them those of a site under watch: what has no effect there is the default. */
void crawl_settings_for_watch(struct crawl_settings *s);

/* Seconds between two instants of a watch's grid, at least. */
#define CRAWL_GRID_MIN 10.0

struct crawl_command;

/* Copies what a resumption changes, lists added to those that are there. 0 or ERR_NOMEM. */
void crawl_settings_change(struct crawl_settings *s, const struct crawl_command *to);

/* ---- strategies by name ---- */

/* Strategies by the names that users write. */

/* Finds a strategy; else NULL and an error that proposes one. */
const struct plan_strategy *strategy_named(const char *name, bool all_known, struct err *err);

/* ---- how site owners reach the user ---- */

/*
 * How site owners can reach the user: the user agent says it, in the usual form "Mozilla/5.0
 * (compatible; stillpoint/VERSION +https://example.org/crawl)".
 */

/* Whether it is an http or https URL, or a mail address, that fits into a user agent. */
bool contact_is_valid(slice contact);

/* The user agent for these settings; the caller frees it. NULL: out of memory. */
char *contact_user_agent(const struct crawl_settings *settings);

#endif
