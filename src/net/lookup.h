/* A lookup of its own: a name's addresses are wanted, but no connection yet. */
#ifndef NET_LOOKUP_H
#define NET_LOOKUP_H

#include "base/api.h"
#include "net/dns.h"
#include "net/list.h"
#include "net/net.h"

struct lookup;
LIST_DECLARE(lookup_list, struct lookup);

struct lookup {
	struct net_lookup result; /* first: it is what net_next_lookup hands out */
	struct dns_waiter waiter;
	struct lookups *lookups;
	struct lookup *prev, *next;
	struct lookup_list *list;
	char *records;
};

LIST_DEFINE(lookup_list, struct lookup)

/* Zero-initialise. */
struct lookups {
	struct lookup_list open, finished;
};

/* Asks for the host of a URL, or knows it by itself. 0 or ERR_NOMEM. */
int lookup_start(struct lookups *l, struct dns *dns, slice host, uint64_t tag) SP_MUST_CHECK;

/* One that knows nothing, since a proxy would do the asking. */
int lookup_skip(struct lookups *l, uint64_t tag) SP_MUST_CHECK;

/* The next finished one, the caller's then, or NULL. */
struct lookup *lookups_next(struct lookups *l);

void lookup_free(struct lookup *l);

/* Ends all that are open and frees all. */
void lookups_release(struct lookups *l);

#endif
