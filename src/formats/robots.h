/*
 * robots.txt after RFC 9309, read for one crawler: which paths it may fetch and by which line, how
 * long it is asked to pause, which sitemaps the site names. What the RFC leaves open, and where
 * Google's parser differs, is listed in docs/robots.md.
 *
 *	struct robots r;
 *	struct robots_decision d;
 *	rc = robots_parse(&r, body, SLICE("stillpoint"), err);
 *	if (rc == 0)
 *		rc = robots_decide(&r, SLICE("/a?b"), &d);
 *	robots_release(&r);
 *
 * Invariants:
 * (1) Rules stand in the order of precedence (§2.2.2: most octets first, Allow before Disallow), so
 *     the first one that matches decides.
 * (2) Rules and paths are compared in one normal form, see robots_normalise.
 * (3) Memory is at most a small multiple of ROBOTS_PARSE_MAX, whatever the input; deciding takes
 *     time linear in the path for each rule, however many wildcards it has, and ends after
 *     ROBOTS_WORK_MAX steps: what is not decided by then is forbidden.
 */
#ifndef FORMATS_ROBOTS_H
#define FORMATS_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"

enum {
	ROBOTS_PARSE_MIN = 500 << 10, /* bytes that must be parsed (§2.5) */
	ROBOTS_PARSE_MAX = 1 << 20,   /* bytes that are; what follows is as if it were not there */
	ROBOTS_MEMORY_MAX = 16 << 20, /* of the normalised rules and the sitemaps' addresses */
	ROBOTS_PATH_MAX = 64 << 10,   /* bytes of a path and query that is asked about */
	/*
	 * Rules of a group; later ones are as if they were not there. No line of a rule has fewer
	 * than eight bytes, so that more than ROBOTS_PARSE_MIN are always parsed.
	 */
	ROBOTS_RULES_MAX = 64 << 10,
	ROBOTS_SITEMAPS_MAX = 1000,
	ROBOTS_WORK_MAX = 4 << 20, /* rules looked at and octets searched for one decision */
};

struct robots_rule {
	slice pattern;   /* normalised, without the final "$"; in the arena */
	uint32_t octets; /* precedence: length of the normalised rule with its "$" */
	uint32_t plain;  /* octets before the first "*" */
	uint32_t line;   /* from 1 */
	bool allow;
	bool anchored; /* it had a final "$" */
};

VEC_DECLARE(robots_rules, struct robots_rule);

/* Released by robots_release; to be read only. */
struct robots {
	struct robots_rules rules; /* of the groups that apply, in order of precedence */
	struct slice_vec sitemaps; /* as written, in their order; may be relative */
	double crawl_delay;        /* seconds, or -1 when none is asked for */
	bool named;                /* some group names the crawler; else "*" or none applies */
	bool truncated;            /* there was more than ROBOTS_PARSE_MAX or ROBOTS_RULES_MAX */
	struct arena arena;
};

struct robots_decision {
	bool allowed;
	uint32_t line;  /* of the rule that decided, 0 when no rule did */
	bool exhausted; /* not allowed, because ROBOTS_WORK_MAX was not enough */
	uint64_t work;  /* steps taken */
};

/*
 * Reads a robots.txt for the crawler of that name: a product token (§2.2.1), of which a version
 * behind a "/" is cut off. Any bytes will do. Neither is used after the return. 0, or
 * ERR_LIMIT when ROBOTS_MEMORY_MAX is not enough; nothing is to be released then.
 */
int robots_parse(struct robots *r, slice text, slice agent, struct err *err) SP_MUST_CHECK;

void robots_release(struct robots *r);

/*
 * Whether a path with its query (no fragment; "" is "/") may be fetched. 0, ERR_LIMIT for one over
 * ROBOTS_PATH_MAX. May be called by many threads at once.
 */
int robots_decide(const struct robots *r, slice path, struct robots_decision *ret) SP_MUST_CHECK;

/*
 * The product token of a User-Agent header, which is the name to read robots.txt for: that behind
 * "compatible;" where the header begins with "Mozilla/", else its first. Empty when it begins with
 * none: then only the rules for "*" apply. A slice of the argument.
 */
slice robots_agent(slice user_agent);

/*
 * A form for a file of this process, and back. robots_pack appends: 0, or as buf_add.
 * robots_unpack takes only what robots_pack made.
 */
int robots_pack(const struct robots *r, struct buf *out) SP_MUST_CHECK;
void robots_unpack(struct robots *r, slice packed);

/* Bytes of memory that it holds. */
size_t robots_size(const struct robots *r);

/*
 * Path and query of a URL, as robots_decide wants them: what stands between authority and fragment.
 * A slice of the argument; what is no URL with an authority is taken for a path. For URLs that
 * are in their WHATWG serialisation: nothing is resolved or encoded here.
 */
slice robots_url_path(slice url);

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

/*
 * The normal form in which rules and paths are compared (RFC 9309 §2.2.2), and the comparison.
 */

/*
 * Appends the normal form, at most three times as long: escapes of unreserved octets are undone,
 * other escapes get upper-case digits; octets that are neither unreserved nor reserved in RFC 3986,
 * and a "%" that starts no escape, are escaped. "$" and, in a path, "*" are escaped too: so "%24"
 * and "%2A" in a rule mean these characters themselves, and a "*" in a normalised rule is always a
 * wildcard. 0, ERR_LIMIT or ERR_NOMEM as for buf_add.
 */
int robots_normalise_rule(struct buf *out, slice rule) SP_MUST_CHECK;
int robots_normalise_path(struct buf *out, slice path) SP_MUST_CHECK;

/*
 * Whether the pattern, in which "*" stands for any octets, matches the path from its start: all of
 * it when anchored. Both are in normal form. Linear in path and pattern: no backtracking. Adds to
 * *work the pieces that were compared and the octets that were searched for them.
 */
bool robots_match(slice pattern, bool anchored, slice path, uint64_t *work);

#endif
