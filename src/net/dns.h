/* Names to addresses: asking, and what is known of them. */
#ifndef NET_DNS_H
#define NET_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "net/address.h"
#include "net/list.h"
#include "net/net.h"

/* ---- what is known ---- */

/*
 * Names and what the DNS said of them: a hash table with a maximum, beyond which the answer that
 * nobody has asked for longest is forgotten. It knows no clock and asks nobody; dns.c does.
 */

enum {
	DNS_NAME_MAX = 255,
	DNS_ADDRESSES_MAX = 32,   /* of one name; more are ignored */
	DNS_CACHE_MAX = 64 << 10, /* answers */
	DNS_CACHE_BUCKETS = 16 << 10,
};

/* Owned by its name. */
struct dns_answer {
	enum net_failure failure; /* NET_FAILURE_NONE; _DNS: there is no address; _LOCAL: nobody
				   * could be asked */
	const char *detail;       /* of a failure, a sentence; constant */
	bool no_name;         /* of a failure: the DNS says so, it is not that it said nothing */
	struct address *list; /* the one to be tried first comes first */
	size_t count;
	char *records; /* as text, a line each; NULL when not kept */
	int64_t date;  /* when it came, on the wall clock, ns */
};

struct dns_waiter;
struct dns_name;
LIST_DECLARE(dns_waiters, struct dns_waiter);
LIST_DECLARE(dns_list, struct dns_name);

/* A name that has been asked for. It is in one of its cache's lists. */
struct dns_name {
	struct dns_name *chain; /* in its bucket */
	struct dns_list *list;
	struct dns_name *prev, *next;
	struct dns_waiters waiters; /* for the answer */
	int64_t expires;
	struct dns_answer answer; /* an old one while a new one is asked for */
	size_t bucket;
	struct dns *dns; /* dns.c's own */
	char text[];
};

LIST_DEFINE(dns_list, struct dns_name)

struct dns_cache {
	struct hash_key key;
	struct dns_name **buckets;
	size_t max;
	struct dns_list known;  /* answered; the last one asked for at the end */
	struct dns_list queued; /* to be asked, in turn */
	struct dns_list asked;  /* no answer yet */
};

void dns_cache_init(struct dns_cache *c, size_t max);
void dns_cache_release(struct dns_cache *c);

/* The name, or NULL. */
struct dns_name *dns_cache_find(const struct dns_cache *c, slice name);

/* Makes a name that is not there, in no list yet; NULL without memory. */
struct dns_name *dns_cache_add(struct dns_cache *c, slice name);

/* Moves a name to the end of a list; into known, the oldest go beyond the maximum. */
void dns_cache_move(struct dns_cache *c, struct dns_name *n, struct dns_list *to);

/* ---- asking ---- */

/*
 * Names to addresses: c-ares on the caller's epoll, and a cache. Answers live as long as the DNS
 * says, between DNS_TTL_MIN and DNS_TTL_MAX; that there is no such name is remembered as well.
 * Whoever asks for a name that is being asked for already shares the answer.
 */

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

/* 0, ERR_NOMEM of c-ares, ERR_USAGE for the servers, ERR_IO. */
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
