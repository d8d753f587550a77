#include "net/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

curl_socket_t sockets_open(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct sockets *s = data;
	curl_socket_t fd =
		socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);

	(void)purpose;
	if (fd >= 0 && sockets_push(s, (struct net_socket){.fd = fd})) {
		(void)close(fd);
		return CURL_SOCKET_BAD;
	}
	return fd;
}

bool sockets_error_is_local(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
	       error == EADDRNOTAVAIL || error == ENETDOWN;
}

bool sockets_are_short(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return sockets_error_is_local(errno);
	(void)close(fd);
	return false;
}

int sockets_close(void *data, curl_socket_t fd)
{
	struct sockets *s = data;

	for (size_t i = 0; i < s->len; i++)
		if (s->ptr[i].fd == fd) {
			s->ptr[i] = s->ptr[--s->len];
			break;
		}
	return close(fd);
}

/* The port of an address, and the address itself as text; 0 for one that is not of the internet. */
static int read_address(const struct sockaddr_storage *a, char out[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	switch (a->ss_family) {
	case AF_INET:
		return inet_ntop(AF_INET, &v4->sin_addr, out, INET6_ADDRSTRLEN)
			       ? ntohs(v4->sin_port)
			       : 0;
	case AF_INET6:
		return inet_ntop(AF_INET6, &v6->sin6_addr, out, INET6_ADDRSTRLEN)
			       ? ntohs(v6->sin6_port)
			       : 0;
	default:
		return 0;
	}
}

/* Asks for the ends, unless it is not connected yet. */
static void learn_ends(struct net_socket *s)
{
	struct sockaddr_storage local = {0}, remote = {0};
	socklen_t local_size = sizeof local, remote_size = sizeof remote;
	char ip[INET6_ADDRSTRLEN];

	if (getpeername(s->fd, (struct sockaddr *)&remote, &remote_size) < 0 ||
		getsockname(s->fd, (struct sockaddr *)&local, &local_size) < 0)
		return;
	s->remote_port = read_address(&remote, s->remote_ip);
	s->local_port = read_address(&local, ip);
}

static bool is_between(struct net_socket *s, const struct socket_ends *ends)
{
	if (s->local_port == 0)
		learn_ends(s);
	return s->local_port != 0 && s->local_port == ends->local_port &&
	       s->remote_port == ends->remote_port && strcmp(s->remote_ip, ends->remote_ip) == 0;
}

bool sockets_have_input(struct sockets *s, const struct socket_ends *ends)
{
	char byte;

	for (size_t i = 0; i < s->len; i++)
		if (is_between(&s->ptr[i], ends))
			return recv(s->ptr[i].fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) > 0;
	return false;
}
