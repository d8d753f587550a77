/* The daemon that watches sites. */
#ifndef CRAWL_WATCH_DAEMON_H
#define CRAWL_WATCH_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/slice.h"
#include "crawl/looking.h"
#include "crawl/watch_config.h"
#include "net/httpd.h"
#include "plan/refresh_market.h"

/* ---- pings ---- */

/*
 * An endpoint for pings: others tell the watch which pages are new or have changed, as publishers
 * tell a hub of WebSub. It is a hint, never an order (crawl/looking.c), so nobody need be trusted.
 *
 *	POST /          hub.mode=publish&hub.url=URL, with any number of hub.url up to 64
 *	POST /ping      the same, or url=URL
 *	GET  /ping?url=URL
 *
 * Answers: 204 when a URL is in the scope of a site; 404 when none is; 400 for what cannot be read;
 * 405; 413 for more than 16 KiB or 64 URLs; 429 when too many came or wait.
 */

enum {
	PING_BODY_MAX = 16 << 10,
	PING_URLS_MAX = 64,
};

/*
 * The URLs of a form, escapes undone, a line each, in a buffer of at least PING_BODY_MAX bytes. 0;
 * ERR_SYNTAX if there is none, or one with a line break in it, or another hub.mode; ERR_LIMIT for
 * too many; ERR_NOMEM.
 */
int ping_parse(slice form, struct buf *ret) SP_MUST_CHECK;

/* URLs that pings may name, from all sides together. Zeroed: none came yet. */
struct ping_room {
	double room, at; /* how many may come, at a time in seconds */
	bool has_begun;
};

/* Whether so many more may come now, 500 at once and 50 per second; if so, they count. */
bool ping_room_take(struct ping_room *r, double now, size_t urls);

/* Reads where to listen: HOST:PORT, or PORT alone on 127.0.0.1. As httpd_address_parse. */
int ping_address(const char *text, char ret_address[HTTPD_ADDRESS_SIZE], uint16_t *ret_port,
	struct err *err) SP_MUST_CHECK;

/* ---- how sites share the budget ---- */

/*
 * Divides a budget among sites under watch. Each site has a refresh_run of its own, on whichever
 * lane it is; what its pages want, by the margin that a look must gain, is its curve
 * (plan/refresh_market.h). Sites of one policy get what they want at a common margin: then no
 * request would gain more elsewhere. Margins of different policies are in different units, so these
 * share by their numbers of pages, as do sites whose curve is not known.
 *
 * First copies come first: of pages that were never looked at the archive has nothing, whatever the
 * policy, and of their rates nothing is known. While there are such pages, up to
 * REFRESH_FIRST_SHARE of the budget goes to them. It is divided equally among their sites, but no
 * site gets more than it needs until the next call; so small sites are complete soon, and a large
 * one gets what is left.
 *
 * Called from time to time, since curves follow what is learned of the pages. Pure.
 */

struct balance_site {
	const struct refresh_policy *policy;
	double pages;              /* that are known */
	double unseen;             /* of these: never looked at, and may be now */
	struct market_curve curve; /* middle not above 0: not known */
	double limit;              /* of its own, infinite without one */
	double use;                /* what it can make use of; infinite where not known */

	/* Results. */
	double first;  /* for first copies */
	double budget; /* for further looks */
};

/* Budgets and limits are requests per second, as is the total; period: seconds within which
 * first copies are wanted, if the total allows it.
 * O(sites). */
void balance(struct balance_site *sites, size_t count, double total, double period);

/* ---- the daemon ---- */

/*
 * The daemon behind `stillpoint watch`: sites of a configuration, kept in one archive for as long
 * as nobody stops it. It owns the budget, divides it among the sites (crawl/watch_daemon.h),
 * writes the status, retires old versions once a day, and takes another configuration when it is
 * told to. The lanes of src/crawl do the rest.
 */

struct daemon_params {
	const char *config; /* path of the file */
	const struct clock *clock;
	int stop_fd;   /* readable: stop; -1 for none */
	int reload_fd; /* an eventfd, readable: read the configuration again; -1 for none */
	bool once;     /* do what is due, then end */
	struct httpd_names names; /* by which pings may be sent to us */
};

/*
 * Returns when it was stopped, or once all is done. A configuration that is bad when it is read
 * again is logged, and the one before counts. 0; ERR_USAGE with "FILE:LINE:COLUMN: what"; or as
 * crawl_watch.
 */
int daemon_run(const struct daemon_params *params, struct err *err) SP_MUST_CHECK;

#endif
