/* The least HTTP client that tests need: one request, one connection, all that comes back. */
#ifndef TESTS_HTTPD_CLIENT_H
#define TESTS_HTTPD_CLIENT_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"

enum { CLIENT_RESPONSE_MAX = 1 << 20 };

static inline int client_connect(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* Sends the text and reads to the end into response: 0, or the errno of the failure. */
static inline int client_exchange(uint16_t port, const char *text, struct buf *response)
{
	int fd = client_connect(port), rc = 0;
	char block[4096];
	ssize_t n;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = errno;
	while (rc == 0 && (n = read(fd, block, sizeof block)) != 0)
		if (n < 0 || buf_add(response, (slice){block, (size_t)n}))
			rc = n < 0 ? errno : ENOMEM;
	(void)close(fd);
	return rc;
}

static inline int client_get(uint16_t port, const char *path, struct buf *response)
{
	char text[1024];

	(void)snprintf(text, sizeof text,
		"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", path,
		(unsigned)port);
	return client_exchange(port, text, response);
}

#endif
