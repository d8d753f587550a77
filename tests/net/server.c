#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"

enum { REQUEST_MAX = 256 << 10 };

VEC_DECLARE(thread_vec, pthread_t);

struct server {
	const struct server_answer *answers;
	size_t count;
	int listener;
	int stop; /* an eventfd: readable when all shall end */
	unsigned port;
	char origin[64];
	atomic_bool split;
	atomic_uint connections, requests, heads;
	pthread_t accepting;
	struct thread_vec threads; /* of the accepting thread, until it has ended */
};

struct connection {
	struct server *server;
	int fd;
	struct buf request; /* and perhaps what comes behind it */
	unsigned requests;
};

/* Waits until fd is ready or the time is over (-1: none); false when the server is to stop. */
static bool wait_for(const struct server *s, int fd, short events, int ms)
{
	struct pollfd fds[2] = {{.fd = s->stop, .events = POLLIN}, {.fd = fd, .events = events}};

	while (poll(fds, 2, ms) < 0 && errno == EINTR)
		;
	return fds[0].revents == 0;
}

static bool send_all(const struct connection *c, slice bytes)
{
	while (bytes.len > 0) {
		ssize_t n = send(c->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN) {
			if (!wait_for(c->server, c->fd, POLLOUT, -1))
				return false;
			continue;
		}
		if (n <= 0)
			return false;
		bytes = slice_sub(bytes, (size_t)n, bytes.len);
	}
	return true;
}

static bool send_slowly(const struct connection *c, slice bytes, unsigned ms)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (!send_all(c, slice_sub(bytes, i, i + 1)))
			return false;
		/* A pace, not a wait for something: only the end of the server cuts it short. */
		if (ms && !wait_for(c->server, -1, 0, (int)ms))
			return false;
	}
	return true;
}

static bool send_part(const struct connection *c, slice bytes, unsigned drip_ms)
{
	if (drip_ms || atomic_load(&c->server->split))
		return send_slowly(c, bytes, drip_ms);
	return send_all(c, bytes);
}

/* Reads one more time; false at the end. */
static bool receive(struct connection *c)
{
	char block[4096];
	ssize_t n;

	if (!wait_for(c->server, c->fd, POLLIN, -1))
		return false;
	n = recv(c->fd, block, sizeof block, 0);
	return n > 0 && buf_add(&c->request, (slice){block, (size_t)n}) == 0;
}

/* Length of the whole request's head that has been read, or 0. */
static size_t request_length(const struct connection *c)
{
	const char *end;

	if (c->request.len == 0)
		return 0;
	end = memmem(c->request.ptr, c->request.len, "\r\n\r\n", 4);
	return end ? (size_t)(end - c->request.ptr) + 4 : 0;
}

/* The same, or 0 when the connection has ended or speaks no HTTP. */
static size_t read_request(struct connection *c)
{
	size_t len;

	while ((len = request_length(c)) == 0) {
		if (!receive(c))
			return 0;
		if (c->request.ptr[0] != 'G') {
			(void)send_all(c, SLICE("HTTP/1.1 400 Bad Request\r\n\r\n"));
			return 0;
		}
	}
	return len;
}

static const struct server_answer *find_answer(const struct server *s, slice request)
{
	slice target = slice_sub(request, 4, request.len); /* behind "GET " */
	size_t len = strcspn(target.ptr, " ?");

	for (size_t i = 0; i < s->count; i++) {
		if (slice_eq(slice_str(s->answers[i].path), (slice){target.ptr, len}))
			return &s->answers[i];
	}
	return NULL;
}

static enum server_then echo(const struct connection *c, slice request)
{
	char head[128];
	int n = snprintf(
		head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", request.len);

	if (!send_part(c, (slice){head, (size_t)n}, 0) || !send_part(c, request, 0))
		return SERVER_CLOSE;
	return SERVER_KEEP;
}

static enum server_then answer(const struct connection *c, slice request)
{
	const struct server_answer *a = find_answer(c->server, request);

	if (!a)
		return echo(c, request);
	if (a->once && c->requests > 1)
		return SERVER_CLOSE;
	if (!send_part(c, a->head, 0))
		return SERVER_CLOSE;
	(void)atomic_fetch_add(&c->server->heads, 1);
	for (size_t i = 0; i < (a->body_times ? a->body_times : 1); i++) {
		if (!send_part(c, a->body, a->drip_ms))
			return SERVER_CLOSE;
	}
	return a->then;
}

/* What came behind the head belongs to the next request. */
static void drop_request(struct connection *c, size_t len)
{
	memmove(c->request.ptr, c->request.ptr + len, c->request.len - len);
	buf_truncate(&c->request, c->request.len - len);
}

static void end_connection(struct connection *c, enum server_then then)
{
	struct linger now = {.l_onoff = 1};

	if (then == SERVER_RESET)
		(void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	if (then == SERVER_HANG) {
		while (receive(c))
			;
	}
	(void)close(c->fd);
	buf_release(&c->request);
	free(c);
}

static void *serve(void *argument)
{
	struct connection *c = argument;
	enum server_then then = SERVER_KEEP;
	size_t len;

	while (then == SERVER_KEEP && (len = read_request(c)) > 0) {
		c->requests++;
		(void)atomic_fetch_add(&c->server->requests, 1);
		then = answer(c, (slice){c->request.ptr, len});
		drop_request(c, len);
	}
	end_connection(c, then);
	return NULL;
}

static void start_connection(struct server *s, int fd)
{
	struct connection *c = calloc(1, sizeof *c);
	pthread_t thread;
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (!c || thread_vec_reserve(&s->threads, 1)) {
		free(c);
		(void)close(fd);
		return;
	}
	*c = (struct connection){.server = s, .fd = fd};
	buf_init(&c->request, REQUEST_MAX);
	if (pthread_create(&thread, NULL, serve, c))
		end_connection(c, SERVER_CLOSE);
	else
		(void)!thread_vec_push(&s->threads, thread);
}

static void *accept_all(void *argument)
{
	struct server *s = argument;

	while (wait_for(s, s->listener, POLLIN, -1)) {
		int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			continue;
		(void)atomic_fetch_add(&s->connections, 1);
		start_connection(s, fd);
	}
	return NULL;
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static union address loopback(enum server_family family, socklen_t *ret_len)
{
	union address a = {0};

	if (family == SERVER_IPV6) {
		a.v6 = (struct sockaddr_in6){
			.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
		*ret_len = sizeof a.v6;
	} else {
		a.v4 = (struct sockaddr_in){
			.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		*ret_len = sizeof a.v4;
	}
	return a;
}

/* A socket bound to loopback and its port, or -1. */
static int bind_loopback(enum server_family family, unsigned *ret_port)
{
	socklen_t len;
	union address a = loopback(family, &len);
	int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && bind(fd, &a.any, len) == 0 && getsockname(fd, &a.any, &len) == 0) {
		*ret_port = ntohs(family == SERVER_IPV6 ? a.v6.sin6_port : a.v4.sin_port);
		return fd;
	}
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

struct server *server_start(
	enum server_family family, const struct server_answer *answers, size_t count)
{
	struct server *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->answers = answers;
	s->count = count;
	s->stop = eventfd(0, EFD_CLOEXEC);
	s->listener = bind_loopback(family, &s->port);
	(void)snprintf(s->origin, sizeof s->origin, "http://%s:%u",
		family == SERVER_IPV6 ? "[::1]" : "127.0.0.1", s->port);
	if (s->listener >= 0 && s->stop >= 0 && listen(s->listener, 1024) == 0 &&
		pthread_create(&s->accepting, NULL, accept_all, s) == 0)
		return s;
	(void)close(s->stop);
	if (s->listener >= 0)
		(void)close(s->listener);
	free(s);
	return NULL;
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	(void)eventfd_write(s->stop, 1);
	(void)pthread_join(s->accepting, NULL);
	for (size_t i = 0; i < s->threads.len; i++)
		(void)pthread_join(s->threads.ptr[i], NULL);
	thread_vec_release(&s->threads);
	(void)close(s->listener);
	(void)close(s->stop);
	free(s);
}

unsigned server_port(const struct server *s)
{
	return s->port;
}

const char *server_origin(const struct server *s)
{
	return s->origin;
}

void server_split(struct server *s, bool split)
{
	atomic_store(&s->split, split);
}

unsigned server_connections(struct server *s)
{
	return atomic_load(&s->connections);
}

unsigned server_requests(struct server *s)
{
	return atomic_load(&s->requests);
}

unsigned server_heads(struct server *s)
{
	return atomic_load(&s->heads);
}

int server_keep_port(unsigned *ret_port)
{
	return bind_loopback(SERVER_IPV4, ret_port);
}
