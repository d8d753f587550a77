/*
 * What a living site is to be. Everything that happens on it follows from these and from the
 * instant it is started: the same parameters, the same pages, the same changes.
 */
#ifndef LIVING_PARAMS_H
#define LIVING_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	LIVING_PAGES_MAX = 10000000, /* resources of all hosts together */
	LIVING_HOSTS_MAX = 1000,
	LIVING_OUTDEGREE_MAX = 10000,
	LIVING_REQUISITES_MAX = 100,
	LIVING_RATE_MAX = 1000,      /* changes per second of one resource */
	LIVING_RATES_MAX = 1000000,  /* and of all together */
	LIVING_SITEMAP_MAX = 50000,  /* entries of one file, by the sitemaps protocol */
	LIVING_LISTED_MAX = 1000000, /* robots rules, and the like, that a user may give */
};

/* The mean of Zipf rates, which have no scale of their own, where none is asked for. */
#define LIVING_MEAN_RATE 0.01

enum living_theme {
	LIVING_PLAIN,
	LIVING_SHOP, /* with /prices and /terms, which always change together */
};

enum living_sitemap {
	LIVING_SITEMAP_NONE,
	LIVING_SITEMAP_FLAT,
	LIVING_SITEMAP_INDEX, /* one file for each section */
};

enum living_rate_order {
	LIVING_RATES_SHUFFLED,
	LIVING_RATES_HOT_FIRST, /* the root is the hottest */
	LIVING_RATES_HOT_LAST,  /* the leaves are */
};

/* What varies in the bytes of a page without being a change: some of living/noise.h. */
enum living_noise {
	LIVING_NOISE_NONCE = 1,
	LIVING_NOISE_CSRF = 2,
	LIVING_NOISE_CLOCK = 4,
	LIVING_NOISE_AD = 8,
	LIVING_NOISE_ASSETS = 1 << 9 | 1 << 10 | 1 << 17 | 1 << 22, /* buster, hash, build, x-ad */
};

/* What a resource is. Fonts and backgrounds are named in style sheets, the others in pages. */
enum living_kind {
	LIVING_PAGE,
	LIVING_STYLE,
	LIVING_IMAGE,
	LIVING_SCRIPT,
	LIVING_FONT,
	LIVING_FRAME,
	LIVING_BACKGROUND,
	LIVING_KINDS,
};

enum living_replicas_by {
	LIVING_BY_REQUEST,
	LIVING_BY_CONNECTION,
	LIVING_BY_ADDRESS, /* of those that the site listens on */
};

enum living_block {
	LIVING_BLOCK_FORBIDDEN, /* 403 */
	LIVING_BLOCK_TOO_MANY,  /* 429 with Retry-After */
	LIVING_BLOCK_CHALLENGE, /* 503, as content delivery networks do */
	LIVING_BLOCK_SOFT,      /* 200: only the text says so */
};

/* Bits of the kinds of variants, and of script shells. */
enum {
	LIVING_VARIANT_COOKIE = 1,
	LIVING_VARIANT_LANGUAGE = 2,
	LIVING_VARIANTS = 3,
	LIVING_SHELL_FETCH = 1,  /* loads its content from /data/PAGE.json */
	LIVING_SHELL_INLINE = 2, /* has it in a script */
	LIVING_SHELLS = 3,
};

enum living_rate_kind {
	LIVING_GIVEN,     /* those of the graph or history; of a tree zipf:1 */
	LIVING_ZIPF,      /* of the i-th page in proportion to 1 / i^a */
	LIVING_LOGNORMAL, /* exp of a normal number of mean a and deviation b */
	LIVING_CONSTANT,  /* a */
	LIVING_RATE_FILE, /* CSV: page or url, rate */
};

struct living_rates {
	enum living_rate_kind kind;
	double a, b;
	const char *file;
	double mean; /* scaled to this mean, which may be 0, */
	bool scaled; /* when this is set */
};

/* A share of the pages, [0, 1], and a set of bits that says what may happen to them. */
struct living_share {
	double share;
	unsigned kinds;
};

/* Behaviours of a resource, see living/behaviour.h; the sets above hold 1 << one of these. */
enum living_behaviour {
	LIVING_OK,
	LIVING_NOT_FOUND,
	LIVING_ERROR,
	LIVING_BUSY, /* 503 with Retry-After for the first LIVING_BUSY_REQUESTS */
	LIVING_RESET,
	LIVING_RESET_ONCE, /* the first request only */
	LIVING_TRUNCATED,
	LIVING_MOVED,     /* 301 to another page */
	LIVING_FOUND,     /* 302 to another page */
	LIVING_MOVING,    /* 302 to another page with each version */
	LIVING_SLOW,      /* waits before its first byte */
	LIVING_SLOW_BODY, /* waits in the middle of its body */
	LIVING_BEHAVIOURS,
};

enum {
	LIVING_ERRORS = 1 << LIVING_NOT_FOUND | 1 << LIVING_ERROR | 1 << LIVING_BUSY |
			1 << LIVING_RESET | 1 << LIVING_RESET_ONCE | 1 << LIVING_TRUNCATED,
	LIVING_REDIRECTS = 1 << LIVING_MOVED | 1 << LIVING_FOUND | 1 << LIVING_MOVING,
	LIVING_SLOWNESS = 1 << LIVING_SLOW | 1 << LIVING_SLOW_BODY,
	LIVING_BUSY_REQUESTS = 2,
	LIVING_BUSY_RETRY_SECONDS = 1,
};

/* What Last-Modified, ETag and the sitemap's lastmod say of a resource. */
enum living_validators {
	LIVING_HONEST,
	LIVING_ABSENT,
	LIVING_STALE, /* as if it had never changed */
	LIVING_NOW,   /* as if it changed with every request */
	LIVING_VALIDATORS,
};

enum { LIVING_LIES = 1 << LIVING_STALE | 1 << LIVING_NOW };

/* How a server misleads who looks at it; see living/lies.h. Zeroed: not at all. */
struct living_deceit {
	size_t replicas;    /* that answer by turns, the k-th of them k lags behind */
	double replica_lag; /* seconds */
	enum living_replicas_by replicas_by;
	double cache;       /* seconds for which a cache keeps each response */
	size_t block_after; /* requests after which */
	size_t block_for;   /* so many are answered with a block page [all that follow] */
	enum living_block block_kind;
	size_t session;               /* requests until a session expires */
	struct living_share variants; /* kinds: LIVING_VARIANT_… */
	struct living_share shells;   /* kinds: LIVING_SHELL_… */
};

/* Strings are borrowed for the life of the site. Zeroed fields have the meaning in brackets. */
struct living_params {
	uint64_t seed;
	size_t pages;     /* of each host */
	size_t outdegree; /* of the tree */
	enum living_theme theme;
	const char *graph;    /* CSV with page,rate,weight,links in place of the tree [none] */
	const char *history;  /* a recorded history in place of the tree [none] */
	double time_scale;    /* recorded seconds that pass in one second [1] */
	int64_t history_from; /* recorded time at the start, Unix seconds [0: the first event] */

	struct living_rates rates;           /* of pages [those given; see LIVING_GIVEN] */
	struct living_rates requisite_rates; /* [never] */
	enum living_rate_order rate_order;
	double pair_rate; /* of the shop's /prices and /terms [0.05] */
	double reverts;   /* share of changes that undo the one before */

	const char *const *hosts; /* names that the sites answer to [one, the address] */
	size_t host_count;
	size_t requisites;                  /* of each page */
	const char *cdn_host;               /* where they are [on the page's host] */
	const char *const *requisite_hosts; /* where they are by turns [cdn_host] */
	size_t requisite_host_count;
	uint8_t requisite_kinds[LIVING_KINDS]; /* of enum living_kind, by turns [style, image] */
	size_t requisite_kind_count;

	struct living_share errors;
	struct living_share redirects;
	struct living_share slow;
	double slow_seconds;
	struct living_share lying;
	double absent;         /* share without Last-Modified and ETag */
	unsigned noise;        /* bits of the kinds of living/noise.h */
	size_t noise_per_page; /* how many of these a page has [all] */
	unsigned details;      /* bits of enum living_detail: what changes [the text] */
	double vanishing;      /* share of the pages that come and go */
	double commits;        /* seconds between two commits, on average [none] */
	double commit_share;   /* of the pages that a commit changes */
	struct living_deceit deceit;
	enum living_sitemap sitemap;
	double robots_delay; /* Crawl-delay [none] */
	const char *const *disallow;
	size_t disallow_count;
};

/*
 * Reads zipf:SKEW, lognormal:MU,SIGMA or constant:R; anything else names a CSV file. Mean and
 * scaled are left alone. 0, or ERR_SYNTAX or ERR_RANGE with a sentence.
 */
int living_rates_parse(const char *text, struct living_rates *ret, struct err *err) SP_MUST_CHECK;

/*
 * Reads SHARE or SHARE:KIND,KIND…, the kinds being those of the set all, by the names of
 * living_behaviour_name (or, for lies, living_validators_name). Errors as above.
 */
int living_share_parse(
	const char *text, unsigned all, struct living_share *ret, struct err *err) SP_MUST_CHECK;
int living_lies_parse(const char *text, struct living_share *ret, struct err *err) SP_MUST_CHECK;

/* Reads KIND,KIND…, all or none into a set: kinds of noise, of changes. Errors as above. */
int living_noise_parse(const char *text, unsigned *ret, struct err *err) SP_MUST_CHECK;
int living_details_parse(const char *text, unsigned *ret, struct err *err) SP_MUST_CHECK;

/* Reads SHARE or SHARE:KIND,KIND…: cookie,language and fetch,inline. Errors as above. */
int living_variants_parse(
	const char *text, struct living_share *ret, struct err *err) SP_MUST_CHECK;
int living_shells_parse(const char *text, struct living_share *ret, struct err *err) SP_MUST_CHECK;

/* Reads style,script,… into the kinds of requisites, in this order. Errors as above. */
int living_requisites_parse(
	const char *text, struct living_params *params, struct err *err) SP_MUST_CHECK;

const char *living_kind_name(enum living_kind k);

const char *living_behaviour_name(enum living_behaviour b);
const char *living_validators_name(enum living_validators v);

#endif
