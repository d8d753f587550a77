/* The loop: many at once, connections kept and lost, waiting, cancelling, descriptors watched. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "fetch.h"
#include "server.h"
#include "tap.h"

enum { MANY = 200 };

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static const struct server_answer ANSWERS[] = {
	{.path = "/kept", .head = SLICE_INIT(OK), .then = SERVER_KEEP},
	{.path = "/closed", .head = SLICE_INIT(OK), .then = SERVER_CLOSE},
	{.path = "/once", .head = SLICE_INIT(OK), .then = SERVER_KEEP, .once = true},
	{.path = "/silent", .then = SERVER_HANG},
	{.path = "/slow",
		.head = SLICE_INIT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"),
		.body = SLICE_INIT("ok"),
		.drip_ms = 100,
		.then = SERVER_KEEP},
	{.path = "/half", .head = SLICE_INIT("HTTP/1.1 200 OK\r\n\r\nhel"), .then = SERVER_HANG},
};

static void check_ok(struct net_fetch *f, bool reused)
{
	if (!f)
		return;
	if (!CHECK_INT(f->failure, NET_FAILURE_NONE))
		tap_note("%s", f->detail);
	CHECK_INT(f->status, 200);
	CHECK_SLICE(f->body, SLICE("ok"));
	CHECK_INT(f->reused, reused);
	net_fetch_free(f);
}

static void test_kept(struct net *net, struct server *server)
{
	unsigned before = server_connections(server);

	tap_case("connections are used again");
	check_ok(fetch_get(net, server_origin(server), "/kept"), false);
	check_ok(fetch_get(net, server_origin(server), "/kept"), true);
	check_ok(fetch_get(net, server_origin(server), "/kept"), true);
	CHECK_INT(server_connections(server) - before, 1);
}

static void test_close_kept(struct net *net, struct server *server)
{
	unsigned before;
	bool any = false;

	tap_case("connections that are kept can be closed, but not under a fetch");
	net_fetch_free(fetch_get(net, server_origin(server), "/kept"));
	before = fetch_descriptors();
	fetch_begin(net, server_origin(server), "/kept", 1);
	CHECK_INT(net_close_kept(net, &any, NULL), 0);
	CHECK(!any);
	check_ok(fetch_wait(net), true);
	CHECK_INT(net_close_kept(net, &any, NULL), 0);
	CHECK(any);
	CHECK(fetch_descriptors() < before);
	CHECK_INT(net_close_kept(net, &any, NULL), 0);
	CHECK(!any);
	check_ok(fetch_get(net, server_origin(server), "/kept"), false);
}

static void test_closed(struct net *net, struct server *server)
{
	tap_case("a connection closed between two requests");
	for (int i = 0; i < 10; i++) {
		struct net_fetch *f = fetch_get(net, server_origin(server), "/closed");

		CHECK(f && f->failure == NET_FAILURE_NONE);
		net_fetch_free(f);
	}
}

/* The server takes the second request of a connection, and ends it without a word. */
static void test_retried(struct net *net, struct server *server)
{
	unsigned before = server_requests(server);
	struct net_fetch *f;

	tap_case("a connection closed at its second request");
	net_fetch_free(fetch_get(net, server_origin(server), "/once"));
	f = fetch_get(net, server_origin(server), "/once");
	CHECK_INT(server_requests(server) - before, 3);
	if (f) {
		CHECK(memmem(f->request_head.ptr, f->request_head.len, "GET", 3) ==
			f->request_head.ptr);
		CHECK(memmem(f->request_head.ptr + 1, f->request_head.len - 1, "GET", 3) == NULL);
	}
	check_ok(f, false);
}

static void test_many(struct net *net, struct server *server)
{
	bool seen[MANY] = {false};

	tap_case("%d at once", MANY);
	for (int i = 0; i < MANY; i++) {
		char path[32];

		(void)snprintf(path, sizeof path, "/echo?%d", i);
		fetch_begin(net, server_origin(server), path, (uint64_t)i);
	}
	for (int i = 0; i < MANY; i++) {
		struct net_fetch *f = fetch_wait(net);
		char line[64];

		if (!f)
			return;
		(void)snprintf(line, sizeof line, "GET /echo?%d HTTP", (int)f->tag);
		CHECK_INT(f->failure, NET_FAILURE_NONE);
		CHECK_SLICE(f->body, f->request_head);
		CHECK_SLICE(slice_sub(f->body, 0, strlen(line)), slice_str(line));
		if (CHECK(f->tag < MANY && !seen[f->tag]))
			seen[f->tag] = true;
		net_fetch_free(f);
	}
}

/*
 * Until so many answers have begun; the fetches stay under way. The server is the caller's own:
 * what others have asked for would be counted at any time.
 */
static void wait_for_heads(struct net *net, struct server *server, unsigned until)
{
	struct err err = {0};

	for (int i = 0; i < 6000 && server_heads(server) < until; i++)
		CHECK_INT(net_wait(net, 0.01, &err), 0);
	CHECK_INT(server_heads(server), until);
	CHECK_INT(net_wait(net, 0.05, &err), 0);
}

static void test_cancel(struct net *net)
{
	struct server *server = server_start(SERVER_IPV4, ANSWERS, ARRAY_LEN(ANSWERS));
	struct net_fetch *f;
	int cancelled = 0;

	tap_case("cancelled in the middle");
	fetch_begin(net, server_origin(server), "/silent", 1);
	fetch_begin(net, server_origin(server), "/half", 2);
	wait_for_heads(net, server, 2);
	fetch_begin(net, server_origin(server), "/kept", 3);
	net_cancel(net);
	for (; (f = net_next(net)); cancelled++) {
		CHECK_INT(f->failure, NET_FAILURE_ABORTED);
		CHECK_INT(f->truncated, f->tag == 2);
		CHECK_SLICE(f->body, f->tag == 2 ? SLICE("hel") : SLICE(""));
		CHECK_INT(f->monotonic.sent != 0, f->tag != 3);
		net_fetch_free(f);
	}
	CHECK_INT(cancelled, 3);

	tap_case("and the net goes on");
	f = fetch_get(net, server_origin(server), "/echo");
	CHECK(f && f->failure == NET_FAILURE_NONE);
	net_fetch_free(f);
	server_stop(server);
}

static void test_watch(struct net *net, struct server *server)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct err err = {0};
	eventfd_t value;

	tap_case("a watched descriptor ends the wait");
	CHECK_INT(net_watch(net, fd, &err), 0);
	CHECK_INT(net_watch(net, fd, &err), ERR_IO);
	fetch_begin(net, server_origin(server), "/silent", 0);
	CHECK_INT(net_wait(net, 0, &err), 0);
	(void)eventfd_write(fd, 1);
	/* It would go on for an hour otherwise. */
	CHECK_INT(net_wait(net, 3600, &err), 0);
	CHECK(net_next(net) == NULL);
	(void)eventfd_read(fd, &value);
	(void)close(fd);
	net_cancel(net);
	net_fetch_free(net_next(net));
}

static void test_wait(struct net *net)
{
	struct err err = {0};
	int64_t start = clock_monotonic(clock_system());

	tap_case("waiting with nothing to do");
	CHECK_INT(net_wait(net, 0, &err), 0);
	CHECK_INT(net_wait(net, -1, &err), 0);
	CHECK_INT(net_wait(net, 0.02, &err), 0);
	CHECK(clock_monotonic(clock_system()) - start >= 20000000);
	CHECK(net_next(net) == NULL);
}

/* The answer comes while the caller is busy with something else for longer than a stall may be. */
static void test_absence(void)
{
	struct server *server = server_start(SERVER_IPV4, ANSWERS, ARRAY_LEN(ANSWERS));
	struct timespec longer = {.tv_sec = 2, .tv_nsec = 200000000};
	struct net_params params = fetch_params();
	struct net *net;

	tap_case("the caller's absence is no stall");
	params.stall_timeout = 2;
	net = fetch_net(&params);
	/* A new connection leaves timers of libcurl's behind, which would look at the socket. */
	check_ok(fetch_get(net, server_origin(server), "/kept"), false);
	fetch_begin(net, server_origin(server), "/slow", 0);
	wait_for_heads(net, server, 2);
	(void)nanosleep(&longer, NULL);
	check_ok(fetch_wait(net), true);
	net_free(net);
	server_stop(server);
}

/* The clock that is passed in makes the times, and the realtime one is read but once. */
static void test_clock(struct server *server)
{
	struct net_params params = fetch_params();
	struct clock_manual clock;
	struct net_fetch *f;
	struct net *net;

	tap_case("times are those of the clock");
	clock_manual_init(&clock, INT64_C(1700000000000000000));
	clock_manual_advance(&clock, 10);
	params.clock = &clock.clock;
	net = fetch_net(&params);
	clock_manual_advance(&clock, 5);
	clock.realtime_ns = 42; /* somebody set it */
	f = fetch_get(net, server_origin(server), "/kept");
	if (f) {
		CHECK_INT(f->monotonic.sent, INT64_C(15000000000));
		CHECK_INT(f->monotonic.first_byte, INT64_C(15000000000));
		CHECK_INT(f->wall.last_byte, INT64_C(1700000015000000000));
	}
	net_fetch_free(f);
	net_free(net);
}

/* Nothing is taken, nothing has ended. */
static void test_free(struct server *server)
{
	struct net_params params = fetch_params();
	struct net *net = fetch_net(&params);
	struct err err = {0};

	tap_case("a net is freed with all that is under way");
	fetch_begin(net, server_origin(server), "/silent", 0);
	fetch_begin(net, server_origin(server), "/half", 0);
	fetch_begin(net, "http://nonexistent.invalid", "/", 0);
	CHECK_INT(net_wait(net, 0, &err), 0);
	fetch_begin(net, server_origin(server), "/kept", 0);
	net_free(net);
	net_free(NULL);
	net_fetch_free(NULL);
}

int main(int argc, char **argv)
{
	struct net_params params;
	struct server *server;
	struct net *net;
	unsigned before;

	tap_init(argc, argv);
	params = fetch_params();
	before = fetch_descriptors();
	server = server_start(SERVER_IPV4, ANSWERS, ARRAY_LEN(ANSWERS));
	/* As on a machine with a proxy, which is not asked. */
	(void)setenv("http_proxy", "http://127.0.0.1:1/", 1);
	(void)setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	net = fetch_net(&params);
	test_kept(net, server);
	test_close_kept(net, server);
	test_closed(net, server);
	test_retried(net, server);
	test_many(net, server);
	test_cancel(net);
	test_watch(net, server);
	test_wait(net);
	net_free(net);
	test_absence();
	test_clock(server);
	test_free(server);
	server_stop(server);
	tap_case("no descriptor is left open");
	fetch_check_descriptors(before);
	return tap_done();
}
