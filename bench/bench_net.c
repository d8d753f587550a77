/*
 * Fetches per second from a server on loopback that does next to nothing: ours, one at a time and
 * several at once, beside libcurl's easy interface in a loop, and raw sockets as the limit that
 * server and kernel set. Connections are kept by all of them.
 */
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/net.h"

enum {
	BODY_SIZE = 4096,
	AT_ONCE = 16,
	ROUND_SECONDS = 2,
	EVENTS_MAX = 64,
};

#define HEAD    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4096\r\n\r\n"
#define REQUEST "GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"

enum { RESPONSE_SIZE = sizeof HEAD - 1 + BODY_SIZE };

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_net: failed\n", stderr);
		exit(1);
	}
}

static double seconds_since(int64_t start)
{
	return clock_seconds(clock_monotonic(clock_system()) - start);
}

/* Requests are small and come in one piece each: whatever is readable is one request. */
static void serve(int listener)
{
	static char response[RESPONSE_SIZE] = HEAD;
	struct epoll_event events[EVENTS_MAX], event = {.events = EPOLLIN, .data.fd = listener};
	int epoll = epoll_create1(0);

	memset(response + sizeof HEAD - 1, 'x', BODY_SIZE);
	require(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0);
	for (;;) {
		int n = epoll_wait(epoll, events, EVENTS_MAX, -1);

		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd, on = 1;
			char request[4096];

			if (fd == listener) {
				event.data.fd = accept(listener, NULL, NULL);
				(void)setsockopt(
					event.data.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
				(void)epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
			} else if (recv(fd, request, sizeof request, 0) <= 0 ||
				   send(fd, response, sizeof response, MSG_NOSIGNAL) < 0) {
				(void)close(fd);
			}
		}
	}
}

/* The server in a process of its own, which ends with this one. */
static pid_t start_server(struct sockaddr_in *address)
{
	socklen_t len = sizeof *address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	pid_t pid;

	*address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	require(bind(listener, (struct sockaddr *)address, len) == 0);
	require(listen(listener, AT_ONCE) == 0);
	require(getsockname(listener, (struct sockaddr *)address, &len) == 0);
	pid = fork();
	require(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener);
	}
	(void)close(listener);
	return pid;
}

static double ours(const char *url, int at_once)
{
	struct net_params params = {.user_agent = "bench", .allowed = ADDRESS_ALL};
	struct net_request request = {.url = slice_str(url)};
	int64_t start = clock_monotonic(clock_system());
	struct net *net;
	int done = 0, under_way = 0;

	require(net_new(&params, &net, NULL) == 0);
	while (seconds_since(start) < ROUND_SECONDS) {
		struct net_fetch *f;

		for (; under_way < at_once; under_way++)
			require(net_start(net, &request, NULL) == 0);
		require(net_wait(net, ROUND_SECONDS, NULL) == 0);
		for (; (f = net_next(net)); done++, under_way--) {
			require(f->status == 200 && f->body_size == BODY_SIZE);
			net_fetch_free(f);
		}
	}
	net_free(net);
	return done / seconds_since(start);
}

/* Lookups that the cache answers. */
static double lookups(void)
{
	struct net_params params = {.user_agent = "bench"};
	int64_t start = clock_monotonic(clock_system());
	struct net *net;
	int done = 0;

	require(net_new(&params, &net, NULL) == 0);
	for (; seconds_since(start) < ROUND_SECONDS; done++) {
		struct net_lookup *l;

		require(net_lookup(net, SLICE("localhost"), 0, NULL) == 0);
		require((l = net_next_lookup(net)));
		net_lookup_free(l);
	}
	net_free(net);
	return done / seconds_since(start);
}

static size_t count_bytes(char *ptr, size_t size, size_t count, void *userdata)
{
	(void)ptr;
	*(size_t *)userdata += size * count;
	return size * count;
}

static double easy_loop(const char *url)
{
	CURL *easy = curl_easy_init();
	int64_t start = clock_monotonic(clock_system());
	size_t bytes = 0;
	int done = 0;

	require(easy != NULL);
	(void)curl_easy_setopt(easy, CURLOPT_URL, url);
	(void)curl_easy_setopt(easy, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bytes);
	for (; seconds_since(start) < ROUND_SECONDS; done++)
		require(curl_easy_perform(easy) == CURLE_OK);
	require(bytes == (size_t)done * BODY_SIZE);
	curl_easy_cleanup(easy);
	return done / seconds_since(start);
}

static void read_response(int fd)
{
	char block[RESPONSE_SIZE];
	size_t got = 0;

	while (got < RESPONSE_SIZE) {
		ssize_t n = recv(fd, block, sizeof block - got, 0);

		require(n > 0);
		got += (size_t)n;
	}
}

static double raw(const struct sockaddr_in *address, int at_once)
{
	int64_t start = clock_monotonic(clock_system());
	int fds[AT_ONCE];
	int done = 0;

	for (int i = 0; i < at_once; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		require(connect(fds[i], (const struct sockaddr *)address, sizeof *address) == 0);
	}
	while (seconds_since(start) < ROUND_SECONDS) {
		for (int i = 0; i < at_once; i++)
			require(send(fds[i], REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL) > 0);
		for (int i = 0; i < at_once; i++, done++)
			read_response(fds[i]);
	}
	for (int i = 0; i < at_once; i++)
		(void)close(fds[i]);
	return done / seconds_since(start);
}

int main(void)
{
	struct sockaddr_in address;
	pid_t server = start_server(&address);
	char url[64];
	double limit, limit_many, easy, one, named, many;

	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u/page", ntohs(address.sin_port));
	limit = raw(&address, 1);
	easy = easy_loop(url);
	one = ours(url, 1);
	(void)snprintf(url, sizeof url, "http://localhost:%u/page", ntohs(address.sin_port));
	named = ours(url, 1);
	limit_many = raw(&address, AT_ONCE);
	many = ours(url, AT_ONCE);
	printf("one at a time    raw sockets %8.0f /s\n", limit);
	printf("                 libcurl easy%8.0f /s  %.2f of raw\n", easy, easy / limit);
	printf("                 net         %8.0f /s  %.2f of raw, %.2f of easy\n", one,
		one / limit, one / easy);
	printf("                 by name     %8.0f /s  %.2f of net\n", named, named / one);
	printf("%d at once       raw sockets %8.0f /s\n", AT_ONCE, limit_many);
	printf("                 net         %8.0f /s  %.2f of raw\n", many, many / limit_many);
	printf("lookups          in the cache%8.0f /s\n", lookups());
	(void)kill(server, SIGTERM);
	return 0;
}
