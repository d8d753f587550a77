/* What goes out: the request line byte for byte, the header fields, and nothing else. */
#include <stdio.h>

#include "fetch.h"
#include "server.h"
#include "tap.h"

#define USUAL                                                                         \
	"User-Agent: test\r\n"                                                        \
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" \
	"Accept-Encoding: gzip, br\r\n"                                               \
	"Cache-Control: no-cache\r\n"

enum { TEXT_MAX = 100000, LONG = 60000 };

/* What is the serialisation of the WHATWG URL Standard goes out as it is; what is not becomes it.
 */
static const struct {
	const char *path;
	const char *target; /* NULL when it is the path */
} TARGETS[] = {
	{"/", NULL},
	{"/?", NULL},
	{"/a|b", NULL},
	{"/%zz", NULL},
	{"/a//b", NULL},
	{"//a", NULL},
	{"/a;b=c,d!e$f&g'h(i)*+=@:~[]", NULL},
	{"/caf%C3%A9", NULL},
	{"/%2f%2F", NULL},
	{"/x?q=%27{}|[]^`\\", NULL},
	{"/x??a=b?c/../d", NULL},
	{"/x?a=http://u:p@h/", NULL},
	{"/.well-known/", NULL},
	{"/a%00b", NULL},
	{"/x?y#z", "/x?y"},
	{"/a//b/../c", "/a//c"},
	{"/%2e%2e/%2E/x", "/x"},
	{"/x?q=a'b", "/x?q=a%27b"},
	{"/a b", "/a%20b"},
	{"", "/"},
};

/* The fetch of origin + path, whose request head must be target and host, and was echoed. */
static void check_request(
	struct net *net, const char *origin, const char *path, const char *target, const char *host)
{
	static char want[TEXT_MAX];
	struct net_fetch *f = fetch_get(net, origin, path);

	(void)snprintf(
		want, sizeof want, "GET %s HTTP/1.1\r\nHost: %s\r\n" USUAL "\r\n", target, host);
	if (f && CHECK_INT(f->failure, NET_FAILURE_NONE)) {
		CHECK_SLICE(f->request_head, slice_str(want));
		CHECK_SLICE(f->body, slice_str(want));
		CHECK_INT((int64_t)f->url.len, (int64_t)(strlen(origin) + strlen(path)));
		CHECK_SLICE(slice_sub(f->url, strlen(origin), f->url.len), slice_str(path));
	}
	net_fetch_free(f);
}

static void test_targets(struct net *net, struct server *server)
{
	const char *origin = server_origin(server);

	for (size_t i = 0; i < ARRAY_LEN(TARGETS); i++) {
		const char *target = TARGETS[i].target;

		tap_case("target of %s", TARGETS[i].path);
		check_request(net, origin, TARGETS[i].path, target ? target : TARGETS[i].path,
			origin + strlen("http://"));
	}
}

static void test_long_target(struct net *net, struct server *server)
{
	static char path[LONG + 1];

	tap_case("a target of %d bytes", LONG);
	memset(path, 'a', LONG);
	path[0] = '/';
	check_request(
		net, server_origin(server), path, path, server_origin(server) + strlen("http://"));
}

static void test_hosts(struct net *net, struct server *server)
{
	char origin[64], host[64];
	unsigned port = server_port(server);

	tap_case("credentials stay here");
	(void)snprintf(origin, sizeof origin, "http://user:secret@127.0.0.1:%u", port);
	(void)snprintf(host, sizeof host, "127.0.0.1:%u", port);
	check_request(net, origin, "/", "/", host);

	tap_case("a name");
	(void)snprintf(origin, sizeof origin, "http://localhost:%u", port);
	check_request(net, origin, "/", "/", origin + strlen("http://"));
}

static void test_ipv6(struct net *net)
{
	struct server *server = server_start(SERVER_IPV6, NULL, 0);
	struct net_fetch *f;

	tap_case("IPv6");
	if (!server) {
		tap_skip("no ::1 here");
		return;
	}
	check_request(
		net, server_origin(server), "/x", "/x", server_origin(server) + strlen("http://"));
	f = fetch_get(net, server_origin(server), "/");
	CHECK(f && slice_eq(slice_str(f->ip), SLICE("::1")));
	net_fetch_free(f);
	server_stop(server);
}

static slice echo_with(struct net *net, struct server *server, const struct net_header *headers,
	size_t count, struct net_fetch **ret)
{
	struct net_request request = {.headers = headers, .header_count = count};
	struct err err = {0};

	request.url = slice_str(server_origin(server));
	CHECK_INT(net_start(net, &request, &err), 0);
	*ret = fetch_wait(net);
	return *ret ? (*ret)->body : SLICE("");
}

static void test_headers(struct net *net, struct server *server)
{
	static const struct net_header headers[] = {
		{SLICE_INIT("If-None-Match"), SLICE_INIT("\"x\"")},
		{SLICE_INIT("accept"), SLICE_INIT("image/png")},
		{SLICE_INIT("X-Empty"), SLICE_INIT("")},
	};
	struct net_fetch *f;
	slice got;
	char want[512];

	tap_case("own header fields come last, and in place of the usual ones");
	got = echo_with(net, server, headers, ARRAY_LEN(headers), &f);
	(void)snprintf(want, sizeof want,
		"GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: test\r\nAccept-Encoding: gzip, br\r\n"
		"Cache-Control: no-cache\r\nIf-None-Match: \"x\"\r\naccept: image/png\r\n"
		"X-Empty:\r\n\r\n",
		server_origin(server) + strlen("http://"));
	CHECK_SLICE(got, slice_str(want));
	net_fetch_free(f);
}

static void test_refused(struct net *net)
{
	static const struct {
		const char *label, *url;
		struct net_header header;
	} rows[] = {
		{"no URL", "", {SLICE_INIT("X"), SLICE_INIT("y")}},
		{"no absolute URL", "/a", {SLICE_INIT("X"), SLICE_INIT("y")}},
		{"another scheme", "ftp://127.0.0.1/", {SLICE_INIT("X"), SLICE_INIT("y")}},
		{"a file", "file:///etc/passwd", {SLICE_INIT("X"), SLICE_INIT("y")}},
		{"a value of two lines", "http://127.0.0.1/",
			{SLICE_INIT("X"), SLICE_INIT("y\r\nZ: z")}},
		{"a value with NUL", "http://127.0.0.1/", {SLICE_INIT("X"), SLICE_INIT("y\0")}},
		{"no name", "http://127.0.0.1/", {SLICE_INIT(""), SLICE_INIT("y")}},
		{"a name of two lines", "http://127.0.0.1/",
			{SLICE_INIT("X: y\r\nZ"), SLICE_INIT("y")}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct net_request request = {.headers = &rows[i].header, .header_count = 1};
		struct err err = {0};

		tap_case("refused: %s", rows[i].label);
		request.url = slice_str(rows[i].url);
		CHECK_INT(net_start(net, &request, &err), ERR_SYNTAX);
		CHECK(err.text[0] != '\0');
	}
}

int main(int argc, char **argv)
{
	struct net_params params;
	struct server *server;
	struct net *net;

	tap_init(argc, argv);
	params = fetch_params();
	server = server_start(SERVER_IPV4, NULL, 0);
	net = fetch_net(&params);
	test_targets(net, server);
	test_long_target(net, server);
	test_hosts(net, server);
	test_ipv6(net);
	test_headers(net, server);
	test_refused(net);
	net_free(net);
	server_stop(server);
	return tap_done();
}
