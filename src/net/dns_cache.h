/*
 * Names and what the DNS said of them: a hash table with a maximum, beyond which the answer that
 * nobody has asked for longest is forgotten. It knows no clock and asks nobody; dns.c does.
 */
#ifndef NET_DNS_CACHE_H
#define NET_DNS_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/hash.h"
#include "net/address.h"
#include "net/list.h"
#include "net/net.h"

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

/* 0 or ERR_NOMEM. */
int dns_cache_init(struct dns_cache *c, size_t max) SP_MUST_CHECK;
void dns_cache_release(struct dns_cache *c);

/* The name, or NULL. */
struct dns_name *dns_cache_find(const struct dns_cache *c, slice name);

/* Makes a name that is not there, in no list yet; NULL without memory. */
struct dns_name *dns_cache_add(struct dns_cache *c, slice name);

/* Moves a name to the end of a list; into known, the oldest go beyond the maximum. */
void dns_cache_move(struct dns_cache *c, struct dns_name *n, struct dns_list *to);

void dns_answer_release(struct dns_answer *a);

/* Puts this address before the others, if it is there. */
void dns_answer_prefer(struct dns_answer *a, const struct address *address);

#endif
