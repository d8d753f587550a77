/*
 * Names to addresses: c-ares on the caller's epoll, and a cache. Answers live as long as the DNS
 * says, between DNS_TTL_MIN and DNS_TTL_MAX; that there is no such name is remembered as well.
 * Whoever asks for a name that is being asked for already shares the answer.
 */
#ifndef NET_DNS_H
#define NET_DNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "net/dns_cache.h"

/* Seconds. */
#define DNS_TTL_MIN      2.0     /* a server that says 0 would be asked for every page */
#define DNS_TTL_MAX      86400.0 /* of weeks nobody is sure */
#define DNS_TTL_NEGATIVE 60.0    /* no such name, or one without addresses */
#define DNS_TTL_FAILED   5.0     /* no answer at all */

enum { DNS_ASKED_MAX = 64 }; /* names at once */

struct dns_params {
	const struct clock *clock; /* for times to live; borrowed */
	const char *servers;       /* "HOST[:PORT],…", or NULL for the system's */
	int epoll;                 /* borrowed */
	uint64_t mark;             /* in the data of its events, above the descriptor */
	size_t cache_max;          /* 0: DNS_CACHE_MAX */
	bool keep_records;
};

struct dns; /* opaque */

/*
 * Somebody who waits. The caller's memory, which must stay until it was answered or has left.
 * answered may be called from within dns_ask; it must not ask itself.
 */
struct dns_waiter {
	void (*answered)(struct dns_waiter *w, const struct dns_answer *answer);
	struct dns_waiters *list; /* the rest is dns.c's own; NULL when not waiting */
	struct dns_waiter *prev, *next;
};

/* 0, ERR_NOMEM, ERR_USAGE for the servers, ERR_IO. */
int dns_new(const struct dns_params *params, struct dns **ret, struct err *err) SP_MUST_CHECK;

/* Nobody may be waiting. NULL is fine. */
void dns_free(struct dns *d);

/* 0 or ERR_NOMEM: it will not be answered then. */
int dns_ask(struct dns *d, slice name, struct dns_waiter *w) SP_MUST_CHECK;

/* Does not wait any more, if it did. */
void dns_leave(struct dns_waiter *w);

/* The address that answered, of several: it goes first as long as it is among them. */
void dns_prefer(struct dns *d, slice name, const struct address *address);

/* An event of epoll; and when, on the machine's monotonic clock, dns_run is to be called. */
void dns_ready(struct dns *d, int fd, uint32_t events);
int64_t dns_deadline(const struct dns *d); /* INT64_MAX: never */
void dns_run(struct dns *d);

#endif
