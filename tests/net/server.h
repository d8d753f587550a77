/*
 * A server on loopback that says exactly what a test wants it to, however wrong: one thread for
 * each connection, real sockets, a port of the system's choice.
 *
 *	struct server *s = server_start(SERVER_IPV4, ANSWERS, ARRAY_LEN(ANSWERS));
 *	... "http://127.0.0.1:%u/path", server_port(s) ...
 *	server_stop(s);
 *
 * A path that no answer names is answered with the request itself, every byte of it, as the body.
 */
#ifndef TESTS_NET_SERVER_H
#define TESTS_NET_SERVER_H

#include <stdbool.h>

#include "base/slice.h"

enum server_family { SERVER_IPV4, SERVER_IPV6 };

/* What the connection does when the bytes are out. */
enum server_then {
	SERVER_KEEP,  /* waits for the next request */
	SERVER_CLOSE, /* ends it in order */
	SERVER_RESET, /* ends it by RST */
	SERVER_HANG,  /* neither says anything nor ends, until the client does */
};

struct server_answer {
	const char *path;  /* request target up to a '?' */
	slice head;        /* the bytes to send; may be anything */
	slice body;        /* then these, … */
	size_t body_times; /* … so many times (0 is 1), … */
	unsigned drip_ms;  /* … one byte in that many ms, unless 0 */
	enum server_then then;
	bool once; /* for a connection's first request; further ones find it closed */
};

struct server; /* opaque */

/* answers are borrowed until server_stop. NULL when there is no such address here. */
struct server *server_start(
	enum server_family family, const struct server_answer *answers, size_t count);

/* Ends all connections; returns when all threads have ended. NULL is fine. */
void server_stop(struct server *s);

unsigned server_port(const struct server *s);

/* "http://127.0.0.1:PORT" or "http://[::1]:PORT"; the server's own. */
const char *server_origin(const struct server *s);

/* From now on answers go out one byte at a time, each in a packet of its own. */
void server_split(struct server *s, bool split);

/* Connections accepted, and requests read, so far. */
unsigned server_connections(struct server *s);
unsigned server_requests(struct server *s);

/* Heads of answers that were sent: a client can read them by now. */
unsigned server_heads(struct server *s);

/* A port of 127.0.0.1 at which nobody listens, until the descriptor is closed; or -1. */
int server_keep_port(unsigned *ret_port);

#endif
