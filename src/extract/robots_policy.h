/*
 * What the answer to a request for robots.txt means (RFC 9309 §2.3.1, §2.4). Only rules about
 * numbers: who fetches, follows and remembers is the crawler.
 *
 *	2xx                   its body is parsed
 *	301 302 303 307 308   followed up to five times, to other hosts too (§2.3.1.2); then 4xx;
 *	                      those that go round in a circle will never lead anywhere: unreachable
 *	304                   the copy at hand stays good; without one: unreachable
 *	4xx, other 3xx        unavailable: everything is allowed (§2.3.1.3), also for 429
 *	5xx, anything else    unreachable: nothing is allowed (§2.3.1.4) unless a copy is at hand;
 *	                      after 30 days of it as 4xx
 *
 * That 429 and Retry-After ask for less traffic is for the crawler to heed, robots.txt or not.
 */
#ifndef EXTRACT_ROBOTS_POLICY_H
#define EXTRACT_ROBOTS_POLICY_H

#include <stdbool.h>

enum {
	ROBOTS_REDIRECTS_MAX = 5,                   /* §2.3.1.2 */
	ROBOTS_FRESH_SECONDS = 24 * 3600,           /* §2.4: how long a copy may be used */
	ROBOTS_GIVE_UP_SECONDS = 30 * 24 * 3600,    /* §2.3.1.4: "for example, 30 days" */
	ROBOTS_UNREACHABLE_RETRY_SECONDS = 15 * 60, /* ours: when to ask again */
};

enum robots_policy {
	ROBOTS_PARSE,  /* read the body with robots_parse */
	ROBOTS_FOLLOW, /* ask the redirect's target */
	ROBOTS_KEEP,   /* go on with the copy at hand */
	ROBOTS_ALLOW_ALL,
	ROBOTS_DISALLOW_ALL, /* for now; ask again later */
};

struct robots_answer {
	int status; /* HTTP status; 0 when there was no answer: DNS, TCP, TLS, timeout, cut off */
	bool location;              /* a Location header was there and could be resolved */
	bool loop;                  /* it leads to where we have been on the way here */
	int redirects;              /* followed already to get this answer */
	bool copy;                  /* an earlier robots.txt of the host is at hand */
	double unreachable_seconds; /* since when the host has been unreachable; 0 for the first */
};

/* Cannot fail: every answer means something. */
enum robots_policy robots_policy(const struct robots_answer *answer);

#endif
