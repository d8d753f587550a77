/*
 * What lies between a transfer and its socket: proxies, the heads of HTTP/2, and the sockets
 * themselves.
 */
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"

/* ---- sockets ---- */

/*
 * The sockets that libcurl has open for a net. It does not tell which of them a request is about to
 * use, only the addresses at both ends.
 */

/* A socket, and what is known of its ends once it was asked for them: they stay while it is open.
 */
struct net_socket {
	curl_socket_t fd;
	int local_port; /* 0: not asked yet */
	int remote_port;
	char remote_ip[INET6_ADDRSTRLEN];
};

VEC_DECLARE(sockets, struct net_socket);

/* For CURLOPT_OPENSOCKETFUNCTION and CURLOPT_CLOSESOCKETFUNCTION; the data is a struct sockets. */
curl_socket_t sockets_open(void *data, curlsocktype purpose, struct curl_sockaddr *address);
int sockets_close(void *data, curl_socket_t fd);

/* The two ends of a connection, as CURLOPT_PREREQFUNCTION is told them. */
struct socket_ends {
	const char *remote_ip;
	int remote_port, local_port;
};

/* Whether something waits to be read from that connection. False when there is no such one. */
bool sockets_have_input(struct sockets *s, const struct socket_ends *ends);

/* Whether that errno speaks of this machine, and not of who was to be reached. */
bool sockets_error_is_local(int error);

/* Whether no socket can be opened at present. */
bool sockets_are_short(void);

/* ---- proxies ---- */

/* What of a proxy's URL matters besides what libcurl makes of it. */

/* Whether a request to that origin goes to the proxy whole, and not through it: http by http. */
bool proxy_asks_for_us(const char *proxy, slice origin);

/* Whether names are looked up there, and nobody here knows the addresses. */
bool proxy_resolves(const char *proxy);

/* ---- heads of HTTP/2 ---- */

/*
 * HTTP/2 as HTTP/1.1 text: what archives hold and their readers know. Field names and values are as
 * they came; a stream has no status line, no reason phrase and no transfer coding (RFC 9113,
 * section 8), so the first is made, and fields that are only about a connection are left out.
 */

/* Appends a line of a response's head, as libcurl hands it out: 0 or as buf_add. */
int h2_add_line(slice line, struct buf *out) SP_MUST_CHECK;

/* Makes the first line of a request's head, "GET / HTTP/2", one of HTTP/1.1: 0 or ERR_NOMEM. */
int h2_mend_request(struct buf *head) SP_MUST_CHECK;

#endif
