/* HTTP/2 as text of HTTP/1.1, and which proxies there are. Streams are tested by e2e/crawl_wire. */
#include "net/net.h"
#include "net/wire.h"
#include "tap.h"

enum { TEXT_MAX = 4096 };

static const struct {
	const char *line, *want;
} LINES[] = {
	{"HTTP/2 200 \r\n", "HTTP/1.1 200 OK\r\n"},
	{"HTTP/2 404 \r\n", "HTTP/1.1 404 Not Found\r\n"},
	{"HTTP/2 299 \r\n", "HTTP/1.1 299 Unknown\r\n"},
	{"HTTP/2 x\r\n", "HTTP/2 x\r\n"},
	{"content-type: text/html\r\n", "content-type: text/html\r\n"},
	{"Transfer-Encoding: chunked\r\n", ""},
	{"connection: close\r\n", ""},
	{"connections: 7\r\n", "connections: 7\r\n"},
	{"\r\n", "\r\n"},
};

static const struct {
	const char *head, *want;
} REQUESTS[] = {
	{"GET /a HTTP/2\r\nHost: b\r\n\r\n", "GET /a HTTP/1.1\r\nHost: b\r\n\r\n"},
	{"GET / HTTP/2\r\n HTTP/2\r\n", "GET / HTTP/1.1\r\n HTTP/2\r\n"},
	{"GET /a HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n"},
	{"", ""},
	{"HTTP/2", "HTTP/2"},
};

static const struct {
	const char *text, *shown; /* NULL: refused */
	bool resolves;
} PROXIES[] = {
	{"http://proxy:3128", "http://proxy:3128", true},
	{"http://proxy:3128/", "http://proxy:3128", true},
	{"HTTP://me:secret@proxy:3128", "http://proxy:3128", true},
	{"socks5://127.0.0.1:1080", "socks5://127.0.0.1:1080", false},
	{"socks5h://me:secret@[::1]:1080", "socks5h://[::1]:1080", true},
	{"https://proxy:3128", NULL, false},
	{"socks4://proxy:1080", NULL, false},
	{"proxy:3128", NULL, false},
	{"http://", NULL, false},
	{"http://proxy:99999", NULL, false},
	{"http://proxy/path", NULL, false},
	{"http://proxy?query", NULL, false},
	{"", NULL, false},
};

static void test_lines(void)
{
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		struct buf out;

		tap_case("a line of a head: %.20s", LINES[i].line);
		buf_init(&out, TEXT_MAX);
		CHECK_INT(h2_add_line(slice_str(LINES[i].line), &out), 0);
		CHECK_STR(buf_str(&out), LINES[i].want);
		buf_release(&out);
	}
}

static void test_requests(void)
{
	for (size_t i = 0; i < ARRAY_LEN(REQUESTS); i++) {
		struct buf head;

		tap_case("a request: %.10s", REQUESTS[i].head);
		buf_init(&head, TEXT_MAX);
		CHECK_INT(buf_add_str(&head, REQUESTS[i].head), 0);
		CHECK_INT(h2_mend_request(&head), 0);
		CHECK_STR(buf_str(&head), REQUESTS[i].want);
		buf_release(&head);
	}
}

static void test_proxies(void)
{
	for (size_t i = 0; i < ARRAY_LEN(PROXIES); i++) {
		char shown[NET_PROXY_SIZE] = "";
		struct err err = {0};

		tap_case("proxy: %s", PROXIES[i].text);
		CHECK_INT(net_check_proxy(PROXIES[i].text, shown, &err),
			PROXIES[i].shown ? 0 : ERR_SYNTAX);
		CHECK_STR(shown, PROXIES[i].shown ? PROXIES[i].shown : "");
		if (PROXIES[i].shown)
			CHECK_INT(proxy_resolves(PROXIES[i].text), PROXIES[i].resolves);
	}
	tap_case("who asks for us");
	CHECK(proxy_asks_for_us("http://proxy:1", SLICE("http://a/")));
	CHECK(!proxy_asks_for_us("http://proxy:1", SLICE("https://a/")));
	CHECK(!proxy_asks_for_us("socks5://proxy:1", SLICE("http://a/")));
	CHECK(!proxy_asks_for_us(NULL, SLICE("http://a/")));
	CHECK(!proxy_resolves(NULL));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_lines();
	test_requests();
	test_proxies();
	return tap_done();
}
