#include "httpd/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/parse.h"
#include "httpd/httpd.h"

enum { BACKLOG = 4096 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* The length of the address, or 0 when it is none. */
static socklen_t read_address(const char *text, uint16_t port, union address *ret)
{
	memset(ret, 0, sizeof *ret);
	if (inet_pton(AF_INET, text, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons(port);
		return sizeof ret->v4;
	}
	memset(ret, 0, sizeof *ret);
	if (inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons(port);
		return sizeof ret->v6;
	}
	return 0;
}

int httpd_address_parse(const char *text, char *ret_address, uint16_t *ret_port, struct err *err)
{
	const char *colon = strrchr(text, ':');
	char address[HTTPD_ADDRESS_SIZE];
	slice host = {text, colon ? (size_t)(colon - text) : 0};
	union address parsed;
	uint64_t port;

	if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = slice_sub(host, 1, host.len - 1);
	if (host.len == 0 || host.len >= sizeof address)
		goto refuse;
	memcpy(address, host.ptr, host.len);
	address[host.len] = '\0';
	if (parse_u64(slice_str(colon + 1), &port) || port > UINT16_MAX ||
		read_address(address, 0, &parsed) == 0)
		goto refuse;
	memcpy(ret_address, address, host.len + 1);
	*ret_port = (uint16_t)port;
	return 0;
refuse:
	return err_set(err, ERR_SYNTAX,
		"'%.99s' is not an address to listen on (example: 127.0.0.1:8080 or [::1]:0)",
		text);
}

static int bind_and_listen(int fd, const union address *address, socklen_t len)
{
	int yes = 1;

	/* Or a restart would have to wait until the old connections are forgotten. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0)
		return -1;
	if (bind(fd, &address->any, len) != 0)
		return -1;
	return listen(fd, BACKLOG);
}

int listen_open(
	const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port, struct err *err)
{
	union address a;
	socklen_t len = read_address(address, port, &a);
	int fd, error;

	if (len == 0)
		return err_set(err, ERR_SYNTAX, "'%.99s' is not a numeric address", address);
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
	if (bind_and_listen(fd, &a, len) != 0 || getsockname(fd, &a.any, &len) != 0) {
		error = errno;
		(void)close(fd);
		return err_set(err, ERR_IO, "cannot listen on %s port %u: %s", address,
			(unsigned)port, strerror(error));
	}
	*ret_port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	*ret_fd = fd;
	return 0;
}
