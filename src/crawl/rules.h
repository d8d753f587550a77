/*
 * What robots.txt says: of the hosts of a capture, kept by its lane, known from earlier captures,
 * fetched.
 */
#ifndef CRAWL_RULES_H
#define CRAWL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/slice.h"
#include "base/spill.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "crawl/requests.h"
#include "formats/robots.h"

struct answer;
struct capture;
struct net_fetch;
struct state_result;

/* ---- parsed robots.txt of a lane ---- */

/*
 * The parsed robots.txt of all hosts of a lane. There may be very many, of up to 1 MiB each. So
 * only those used last are in memory, ROBOTS_CACHE_MAX bytes of them; all are in the lane's file
 * (base/spill.h), in a form that is read back without parsing. Hosts with equal files share one.
 * None is dropped while a host uses it.
 */

enum { ROBOTS_CACHE_MAX = 16 << 20 }; /* bytes in memory, and the one that was used last */

struct robots_version; /* opaque: one file, for all hosts that have it */

VEC_DECLARE(robots_buckets, struct robots_version *);

/* Fields are its own. For one thread at a time. */
struct robots_cache {
	struct spill_pool *pool;
	slice agent;
	size_t max;
	struct hash_key keys[2];
	struct robots_buckets buckets; /* by hash; a power of two, or none */
	size_t count;
	struct robots_version *first, *last; /* of those in memory: used last, and longest ago */
	size_t bytes;                        /* of them */
};

/* Empty. The pool, and agent, the product token to read the files for, are borrowed. */
void robots_cache_init(struct robots_cache *c, struct spill_pool *pool, slice agent, size_t max);

/* All versions have been dropped. Safe on a zeroed struct. */
void robots_cache_release(struct robots_cache *c);

/* Parses a robots.txt for one more host. 0, ERR_NOMEM, ERR_LIMIT, ERR_IO. */
int robots_cache_add(struct robots_cache *c, slice body, struct robots_version **ret,
	struct err *err) SP_MUST_CHECK;

/* Its rules, valid until the cache is next called. 0, ERR_NOMEM, ERR_IO. */
int robots_cache_get(struct robots_cache *c, struct robots_version *v, const struct robots **ret,
	struct err *err) SP_MUST_CHECK;

/* A host no longer uses it; NULL is fine. */
void robots_cache_drop(struct robots_cache *c, struct robots_version *v);

/* ---- what earlier captures knew ---- */

/*
 * What earlier captures of an archive knew of hosts' robots.txt: a copy that may be used while the
 * host cannot be reached, and since when it cannot (RFC 9309 §2.3.1.4, §2.4).
 */

/* Bytes of all copies; more are not kept. */
#define ROBOTS_HISTORY_MAX ((size_t)64 << 20)

struct earlier_robots {
	char *body; /* NULL: there is no copy */
	size_t len;
	int64_t checked;     /* wall, ns: when it was last seen */
	int64_t unreachable; /* the same: since when it cannot be fetched; 0: it can */
};

VEC_DECLARE(earlier_robots_vec, struct earlier_robots);

/* Fields are its own. A zeroed struct is empty. */
struct robots_history {
	struct arena names;
	struct strmap by_origin;
	struct earlier_robots_vec list;
	size_t bytes;
};

/* Loads what captures before this one knew. As the catalog's functions; release in either case. */
int robots_history_load(struct robots_history *m, struct catalog *catalog, uint32_t capture,
	struct err *err) SP_MUST_CHECK;
void robots_history_release(struct robots_history *m);

/* NULL when nothing is known. */
const struct earlier_robots *robots_history_find(const struct robots_history *m, slice origin);

/* ---- rules of the hosts of a capture ---- */

/*
 * What the robots.txt of each host of a capture says, by the host's number, and when those that
 * could not be fetched are to be fetched again. robots_fetch fetches them.
 */

enum { RULES_WHY_SIZE = 320 };

/* There may be very many of them. */
struct host_rules {
	struct robots_version *robots; /* of ROBOTS_PARSE; else NULL */
	char *why;                     /* how it came to that, for reports; NULL for rules */
	uint64_t version;              /* hash of what was parsed; 0 for nothing */
	double checked;                /* on the planner's clock: when it was last known to be so */
	uint8_t policy;                /* enum robots_policy */
	uint8_t failures;              /* to fetch it, in a row */
	bool asking;                   /* a request for it is in line or under way */
	bool pages_wait;               /* it is to be fetched later, and the barrier waits for it */
	bool has_seed;                 /* or where one leads */
	bool sitemap_host;             /* has none, but sitemaps have led to it */
	bool wants_sitemaps;           /* a seed is there, and they have not been asked for */
	bool lies;                     /* its 304s: asserted.h */
	bool no_name;                  /* the DNS knows no such host: all its pages fail */
	bool http1;                    /* HTTP/2 proves too little there */
};

VEC_DECLARE(host_rules_vec, struct host_rules);

/* Fields are for the files of this room. */
struct rules {
	struct robots_cache *cache; /* of the lane; set before the first rules_set */
	struct host_rules_vec list; /* by host */
	struct heap later;          /* hosts whose robots.txt is to be fetched, by time */
	size_t waiting;             /* of them: those whose pages wait for it */
};

/* What a robots.txt came to. */
struct rules_text {
	enum robots_policy policy;
	slice body;      /* of ROBOTS_PARSE */
	const char *why; /* of the others, and of an old copy; may be NULL */
};

void rules_init(struct rules *r);
void rules_release(struct rules *r);

/* Makes room for so many hosts; before anything is known of them all is allowed. 0, ERR_NOMEM. */
int rules_reserve(struct rules *r, size_t hosts) SP_MUST_CHECK;

/*
 * Replaces the rules of a host. *ret_delay: its Crawl-delay in seconds, ≤ 0: none. 0, or as
 * robots_cache_add; on failure the old rules stay.
 */
int rules_set(struct rules *r, uint32_t host, const struct rules_text *text, double checked,
	double *ret_delay, struct err *err) SP_MUST_CHECK;

/* Whether these are the rules of the host already. */
bool rules_are(const struct rules *r, uint32_t host, const struct rules_text *text);

/*
 * Whether a path with its query may be fetched. 0, or as robots_cache_get. What cannot be decided
 * is not allowed.
 */
int rules_decide(struct rules *r, uint32_t host, slice path, struct robots_decision *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Has the host's robots.txt fetched at that time, unless it is being fetched or has a time already.
 * 0 or ERR_NOMEM.
 */
int rules_fetch_at(struct rules *r, uint32_t host, double time, bool pages_wait) SP_MUST_CHECK;

/* Takes a host whose time has come. */
bool rules_take_due(struct rules *r, double now, uint32_t *ret_host);

/* The time of the next; infinite when there is none. */
double rules_next_due(const struct rules *r);

/* Seconds to wait after so many failures; chance: from 0 to 1. */
double rules_pause(unsigned failures, double chance);

/* ---- fetching them ---- */

/* Fetches the robots.txt of a host; first: before all other requests of its server. */
int robots_fetch(struct capture *c, uint32_t host, bool first, struct err *err) SP_MUST_CHECK;

/* result is that of the response, zeroed when there is none. */
int robots_fetch_answered(struct capture *c, const struct answer *a, struct err *err) SP_MUST_CHECK;

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

#endif
