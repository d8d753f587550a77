/*
 * What the robots.txt of each host of a capture says, by the host's number, and when those that
 * could not be fetched are to be fetched again. robots_fetch.c fetches them.
 */
#ifndef CRAWL_RULES_H
#define CRAWL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/slice.h"
#include "base/vec.h"
#include "crawl/robots_cache.h"
#include "extract/robots.h"
#include "extract/robots_policy.h"

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

#endif
