/*
 * An endpoint for pings: others tell the watch which pages are new or have changed, as publishers
 * tell a hub of WebSub. It is a hint, never an order (crawl/pings.c), so nobody need be trusted.
 *
 *	POST /          hub.mode=publish&hub.url=URL, with any number of hub.url up to 64
 *	POST /ping      the same, or url=URL
 *	GET  /ping?url=URL
 *
 * Answers: 204 when a URL is in the scope of a site; 404 when none is; 400 for what cannot be read;
 * 405; 413 for more than 16 KiB or 64 URLs; 429 when too many came or wait.
 */
#ifndef WATCH_PING_H
#define WATCH_PING_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "crawl/looking.h"
#include "httpd/httpd.h"
#include "watch/watch_config.h"

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

/* Reads where to listen: HOST:PORT, or PORT alone on 127.0.0.1. As httpd_address_parse. */
int ping_address(const char *text, char ret_address[HTTPD_ADDRESS_SIZE], uint16_t *ret_port,
	struct err *err) SP_MUST_CHECK;

struct ping;

/*
 * Listens where the configuration says, for its sites, side by side with those of the lanes; both
 * are borrowed. 0, ERR_IO when it cannot listen there, ERR_NOMEM.
 */
int ping_start(const struct watch_config *c, struct look_site *sites,
	const struct httpd_names *names, struct ping **ret, struct err *err) SP_MUST_CHECK;
void ping_stop(struct ping *p); /* NULL is fine */

#endif
