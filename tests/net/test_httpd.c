#include "net/httpd.h"

#include <string.h>

#include "base/clock.h"
#include "net/client.h"
#include "tap.h"

static const int64_t PAUSE_NS = CLOCK_NS_PER_SECOND / 10;

/* Answers with what it was asked, in the way that the path says. */
static void echo(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	const char *field = httpd_request_field(q, "x-field");

	(void)context;
	r->status = 200;
	httpd_header(r, "X-Answer", "yes");
	(void)buf_printf(&r->body, "%.*s|%.*s|%.*s|%.*s|%s", (int)q->method.len, q->method.ptr,
		(int)q->host.len, q->host.ptr, (int)q->path.len, q->path.ptr, (int)q->target.len,
		q->target.ptr, field ? field : "none");
	if (slice_eq(q->path, SLICE("/reset")))
		r->end = HTTPD_RESET;
	if (slice_eq(q->path, SLICE("/truncated")))
		r->end = HTTPD_TRUNCATED;
	if (slice_eq(q->path, SLICE("/wait")))
		r->wait_ns = PAUSE_NS;
	if (slice_eq(q->path, SLICE("/pause")))
		r->pause_ns = PAUSE_NS;
	if (slice_eq(q->path, SLICE("/forever")))
		r->wait_ns = 3600 * CLOCK_NS_PER_SECOND;
	if (slice_eq(q->path, SLICE("/broken")))
		httpd_header(r, "X-Split", "a\r\nb");
	if (slice_eq(q->path, SLICE("/nothing")))
		r->status = 0;
	if (slice_eq(q->path, SLICE("/number")))
		(void)buf_printf(&r->body, "#%u", (unsigned)q->connection_number);
}

static struct httpd *start(unsigned threads)
{
	struct httpd_params p = {
		.address = "127.0.0.1", .threads = threads, .handler = echo, .any_host = true};
	struct httpd *h = NULL;
	struct err err = {0};

	if (!CHECK_INT(httpd_start(&p, &h, &err), 0))
		tap_note("%s", err.text);
	return h;
}

static void test_answers(void)
{
	static const struct {
		const char *label, *request, *status, *body;
	} ROWS[] = {
		{"as sent", "GET /a%20b?c=%64 HTTP/1.1\r\nHost: a.test:80\r\nX-Field: f\r\n", "200",
			"GET|a.test|/a%20b|/a%20b?c=%64|f"},
		{"no port", "GET / HTTP/1.1\r\nHost: a.test\r\n", "200", "GET|a.test|/|/|none"},
		{"IPv6", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n", "200", "GET|[::1]|/|/|none"},
		{"old", "GET / HTTP/1.0\r\n", "200", "GET||/|/|none"},
		{"truncated", "GET /truncated HTTP/1.1\r\nHost: a\r\n", "200", "GET|a|/truncated"},
		{"wait", "GET /wait HTTP/1.1\r\nHost: a\r\n", "200", "GET|a|/wait|/wait|none"},
		{"pause", "GET /pause HTTP/1.1\r\nHost: a\r\n", "200", "GET|a|/pause|/pause|none"},
		{"a field that splits", "GET /broken HTTP/1.1\r\nHost: a\r\n", "500", ""},
		{"no answer", "GET /nothing HTTP/1.1\r\nHost: a\r\n", "500", ""},
	};
	struct httpd *h = start(2);

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct buf response;
		char request[1024];
		const char *body;

		tap_case("answers: %s", ROWS[i].label);
		buf_init(&response, CLIENT_RESPONSE_MAX);
		(void)snprintf(
			request, sizeof request, "%sConnection: close\r\n\r\n", ROWS[i].request);
		CHECK_INT(client_exchange(httpd_port(h), request, &response), 0);
		body = strstr(buf_str(&response), "\r\n\r\n");
		CHECK(slice_eq(slice_sub(buf_slice(&response), 9, 12), slice_str(ROWS[i].status)));
		if (CHECK(body != NULL))
			CHECK_STR(body + 4, ROWS[i].body);
		buf_release(&response);
	}
	CHECK(httpd_stop(h));
}

static void test_post_is_read_first(void)
{
	struct httpd *h = start(1);
	struct buf response;

	buf_init(&response, CLIENT_RESPONSE_MAX);
	CHECK_INT(client_exchange(httpd_port(h),
			  "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
			  "Connection: close\r\n\r\nhello",
			  &response),
		0);
	CHECK(strstr(buf_str(&response), "POST|a|/p|/p|none"));
	CHECK(strstr(buf_str(&response), "X-Answer: yes"));
	buf_release(&response);
	CHECK(httpd_stop(h));
}

/* Two requests on each connection: both have its number. */
static void test_connections_are_numbered(void)
{
	static const char TEXT[] = "GET /number HTTP/1.1\r\nHost: a\r\n\r\n"
				   "GET /number HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
	struct httpd *h = start(2);

	for (unsigned i = 0; i < 3; i++) {
		char want[16];
		struct buf response;
		const char *first;

		buf_init(&response, CLIENT_RESPONSE_MAX);
		(void)snprintf(want, sizeof want, "#%u", i);
		CHECK_INT(client_exchange(httpd_port(h), TEXT, &response), 0);
		first = strstr(buf_str(&response), want);
		CHECK(first && strstr(first + 1, want));
		buf_release(&response);
	}
	CHECK(httpd_stop(h));
}

static void test_reset(void)
{
	struct httpd *h = start(1);
	struct buf response;

	buf_init(&response, CLIENT_RESPONSE_MAX);
	CHECK_INT(client_get(httpd_port(h), "/reset", &response), ECONNRESET);
	CHECK_INT(response.len, 0);
	buf_release(&response);
	CHECK(httpd_stop(h));
}

/* One event loop; a connection that waits for an hour keeps neither others nor the end waiting. */
static void test_waiting_holds_nobody_up(void)
{
	static const char FOREVER[] = "GET /forever HTTP/1.1\r\nHost: a\r\n\r\n";
	struct httpd *h = start(1);
	int fd = client_connect(httpd_port(h));
	struct buf response;

	CHECK(write(fd, FOREVER, sizeof FOREVER - 1) > 0);
	for (int i = 0; i < 20; i++) {
		buf_init(&response, CLIENT_RESPONSE_MAX);
		CHECK_INT(client_get(httpd_port(h), "/quick", &response), 0);
		CHECK(strstr(buf_str(&response), "GET|127.0.0.1|/quick|/quick|none"));
		buf_release(&response);
	}
	CHECK(httpd_stop(h));
	(void)close(fd);
}

static void test_long_target(void)
{
	char request[20000];
	struct httpd *h = start(1);
	struct buf response;

	(void)snprintf(request, sizeof request,
		"GET /%017000d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 0);
	buf_init(&response, CLIENT_RESPONSE_MAX);
	CHECK_INT(client_exchange(httpd_port(h), request, &response), 0);
	CHECK(strstr(buf_str(&response), " 414 "));
	buf_release(&response);
	CHECK(httpd_stop(h));
}

static void test_addresses(void)
{
	static const struct {
		const char *text, *address;
		uint16_t port;
	} ROWS[] = {
		{"127.0.0.1:0", "127.0.0.1", 0},
		{"[::1]:8080", "::1", 8080},
		{"0.0.0.0:65535", "0.0.0.0", 65535},
		{"127.0.0.1", NULL, 0},
		{"127.0.0.1:65536", NULL, 0},
		{"127.0.0.1:-1", NULL, 0},
		{"127.0.0.1:", NULL, 0},
		{":80", NULL, 0},
		{"localhost:80", NULL, 0},
		{"", NULL, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		char address[HTTPD_ADDRESS_SIZE] = "";
		uint16_t port = 1;
		struct err err = {0};
		int rc = httpd_address_parse(ROWS[i].text, address, &port, &err);

		tap_case("address: '%s'", ROWS[i].text);
		CHECK_INT(rc, ROWS[i].address ? 0 : ERR_SYNTAX);
		if (rc == 0) {
			CHECK_STR(address, ROWS[i].address);
			CHECK_INT(port, ROWS[i].port);
		}
	}
}

static void test_hosts(void)
{
	static const char *const NAMES[] = {"archive.example", "Other.example"};
	static const struct {
		const char *host, *address;
		bool allowed;
	} ROWS[] = {
		{"", "127.0.0.1", true},
		{"127.0.0.1", "127.0.0.1", true},
		{"localhost", "127.0.0.1", true},
		{"LOCALHOST.", "127.0.0.1", true},
		{"archive.example", "127.0.0.1", true},
		{"ARCHIVE.example.", "127.0.0.1", true},
		{"other.example", "127.0.0.1", true},
		{"[::1]", "::1", true},
		{"[0:0::1]", "::1", true},
		{"192.0.2.7", "0.0.0.0", true},
		{"[2001:db8::1]", "::", true},
		{"evil.example", "127.0.0.1", false},
		{"evil.example", "0.0.0.0", false},
		{"127.0.0.2", "127.0.0.1", false},
		{"[::1]", "127.0.0.1", false},
		{"127.0.0.1.evil.example", "127.0.0.1", false},
		{"localhost.evil.example", "127.0.0.1", false},
		{"xarchive.example", "127.0.0.1", false},
		{".", "127.0.0.1", false},
		{"[]", "127.0.0.1", false},
	};
	const struct httpd_names names = {NAMES, ARRAY_LEN(NAMES)};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("host: '%s' at %s", ROWS[i].host, ROWS[i].address);
		CHECK(hosts_allow(slice_str(ROWS[i].host), ROWS[i].address, &names) ==
			ROWS[i].allowed);
	}
}

static void test_port_in_use(void)
{
	struct httpd *h = start(1), *other = NULL;
	struct httpd_params p = {.address = "127.0.0.1", .port = httpd_port(h), .handler = echo};
	struct err err = {0};

	CHECK_INT(httpd_start(&p, &other, &err), ERR_IO);
	CHECK(!other && strstr(err.text, "in use"));
	CHECK(httpd_stop(h));
	CHECK(httpd_stop(NULL));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_answers();
	TAP_RUN(test_post_is_read_first);
	TAP_RUN(test_connections_are_numbered);
	TAP_RUN(test_reset);
	TAP_RUN(test_waiting_holds_nobody_up);
	TAP_RUN(test_long_target);
	test_addresses();
	test_hosts();
	TAP_RUN(test_port_in_use);
	return tap_done();
}
