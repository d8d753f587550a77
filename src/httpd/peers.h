/*
 * The connections of a server. Whoever connects and sends no whole request, or sends it byte by
 * byte, must not keep others out: when there are too many, those go that have waited longest
 * without a request under way, of the same address first; and a request has to be there in time.
 */
#ifndef HTTPD_PEERS_H
#define HTTPD_PEERS_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

enum {
	PEERS_MAX = 3584,        /* in all; then those go whose request is oldest */
	PEERS_IDLE_MAX = 1024,   /* that idle or send a request */
	PEERS_ADDRESS_MAX = 512, /* of one address, of these */
	PEERS_HEAD_SECONDS = 30, /* in which a request has to come */
};

/* One connection. Fields are its owner's to read. */
struct peer {
	uint64_t number; /* from 0, in the order in which they came */
	int fd;
	struct in6_addr address;    /* IPv4 is mapped */
	struct peer *older, *newer; /* in its list */
	struct peer_list *list;     /* that it is in, or NULL when it was dropped */
	int64_t since;              /* it is in there; monotonic */
};

/* By age. */
struct peer_list {
	struct peer *oldest, *newest;
	size_t len;
};

/* Fields are its own. */
struct peers {
	pthread_mutex_t lock;
	struct peer_list idle, busy; /* without a request under way, and with one */
	size_t max;
	uint64_t count; /* so far */
};

/* max: how many there may be, at most PEERS_MAX. */
void peers_init(struct peers *p, size_t max);
void peers_release(struct peers *p);

/* A connection was made: NULL without memory. It idles until peers_begin. */
struct peer *peers_add(struct peers *p, int fd, const struct sockaddr *address);

/* A whole request is there; its answer has been given; the connection is closed and peer freed. */
void peers_begin(struct peers *p, struct peer *peer);
void peers_end(struct peers *p, struct peer *peer);
void peers_remove(struct peers *p, struct peer *peer);

#endif
