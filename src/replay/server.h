/*
 * The replay server: collections behind two HTTP origins (docs/replay.md). The control origin has
 * our own pages, the Memento and CDX interfaces and raw mementos; the content origin has what
 * archived pages are made of, so that their scripts can neither read nor change our pages.
 */
#ifndef REPLAY_SERVER_H
#define REPLAY_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "net/httpd.h"

struct httpd_log;

struct server_params {
	const char *const *paths; /* of the collections */
	size_t path_count;
	const char *address; /* numeric */
	uint16_t port;       /* 0: any that is free */
	const char *content_address;
	bool has_content_port;    /* else it is the next one, or any that is free if port is 0 */
	uint16_t content_port;    /* 0: any that is free */
	bool any_port;            /* where a port is taken, another one is chosen */
	struct httpd_names names; /* by which it may be asked (net/httpd.h) */
	struct httpd_log *log;    /* of requests, or NULL */
	unsigned threads;         /* of each origin; 0 is 1 */
	const char *access;       /* file with access rules, or NULL */
	int64_t window_ns;        /* resources further away are refused; 0: none is */
	const char *temporary;    /* directory for temporary files */
};

struct server; /* opaque */

/*
 * Opens the collections and listens. Paths and addresses are borrowed for the call, names and log
 * until it stops. 0, or an error with one line that names what it is about.
 */
int server_start(
	const struct server_params *params, struct server **ret, struct err *err) SP_MUST_CHECK;

/* NULL is fine. False when an answer cannot be ended: leave the program without freeing more. */
bool server_stop(struct server *s);

uint16_t server_port(const struct server *s);
uint16_t server_content_port(const struct server *s);

#endif
