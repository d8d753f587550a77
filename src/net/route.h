/*
 * Where a request may be sent: the host and port of its URL, the addresses that the DNS gave and
 * the guard lets through, and how libcurl is told of them. libcurl itself asks nobody.
 */
#ifndef NET_ROUTE_H
#define NET_ROUTE_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/api.h"
#include "base/slice.h"
#include "net/address.h"
#include "net/dns_cache.h"

struct route {
	char *host; /* as in the URL, without brackets */
	unsigned port;
	unsigned allowed; /* set of classes */
	bool is_literal;
	struct address literal;
	struct curl_slist *addresses;
	CURLSH *share; /* has nothing but these addresses in it */
};

/* Reads "http://host:port/" as request_split_url writes it. 0 or ERR_NOMEM; release anyway. */
int route_init(struct route *r, slice origin, unsigned allowed) SP_MUST_CHECK;

/* The handle must be gone. Safe on a zeroed struct. */
void route_release(struct route *r);

/*
 * Lets libcurl connect to those of the addresses that are allowed, and to no others. 0, ERR_NOMEM,
 * or ERR_STATE when none is: why has the sentence then.
 */
int route_set(struct route *r, CURL *easy, const struct dns_answer *answer, char *why,
	size_t size) SP_MUST_CHECK;

#endif
