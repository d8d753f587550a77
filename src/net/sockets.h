/*
 * The sockets that libcurl has open for a net. It does not tell which of them a request is about to
 * use, only the addresses at both ends.
 */
#ifndef NET_SOCKETS_H
#define NET_SOCKETS_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>

#include "base/vec.h"

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

#endif
