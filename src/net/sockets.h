/*
 * The sockets that libcurl has open for a net. It does not tell which of them a request is about to
 * use, only the addresses at both ends.
 */
#ifndef NET_SOCKETS_H
#define NET_SOCKETS_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/vec.h"

VEC_DECLARE(sockets, curl_socket_t);

/* For CURLOPT_OPENSOCKETFUNCTION and CURLOPT_CLOSESOCKETFUNCTION; the data is a struct sockets. */
curl_socket_t sockets_open(void *data, curlsocktype purpose, struct curl_sockaddr *address);
int sockets_close(void *data, curl_socket_t fd);

/* The two ends of a connection, as CURLOPT_PREREQFUNCTION is told them. */
struct socket_ends {
	const char *remote_ip;
	int remote_port, local_port;
};

/* Whether something waits to be read from that connection. False when there is no such one. */
bool sockets_have_input(const struct sockets *s, const struct socket_ends *ends);

#endif
