#include "formats/http_payload.h"

#include "base/err.h"
#include "tap.h"

static struct digest sha1_of(slice bytes)
{
	struct digester d = {0};
	struct digest value = {0};

	CHECK_INT(digester_start(&d, DIGEST_SHA1), 0);
	digester_feed(&d, bytes);
	digester_finish(&d, &value);
	digester_release(&d);
	return value;
}

#define HEAD     "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n"
#define CHUNKED  "Transfer-Encoding: chunked\r\n"
#define CHUNKS   "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
#define NO_CHUNK "hello"

static void test_messages(void)
{
	static const struct {
		const char *label;
		enum payload_form form;
		const char *block;
		enum payload_state state;
		unsigned status;
		const char *as_sent;
		const char *decoded;
	} rows[] = {
		{"whole", PAYLOAD_WHOLE, "a\r\n\r\nb", PAYLOAD_BODY, 0, "a\r\n\r\nb", "a\r\n\r\nb"},
		{"plain", PAYLOAD_HTTP, HEAD "\r\nhello", PAYLOAD_BODY, 200, "hello", "hello"},
		{"LF only", PAYLOAD_HTTP, "HTTP/1.0 404\n\nx", PAYLOAD_BODY, 404, "x", "x"},
		{"no body", PAYLOAD_HTTP, HEAD "\r\n", PAYLOAD_BODY, 200, "", ""},
		{"HTTP/2", PAYLOAD_HTTP, "HTTP/2 301 \r\n\r\n", PAYLOAD_BODY, 301, "", ""},
		{"chunked", PAYLOAD_HTTP, HEAD CHUNKED "\r\n" CHUNKS, PAYLOAD_BODY, 200, CHUNKS,
			"hello"},
		{"gzip, chunked", PAYLOAD_HTTP,
			HEAD "transfer-encoding: gzip, Chunked\r\n\r\n" CHUNKS, PAYLOAD_BODY, 200,
			CHUNKS, "hello"},
		{"chunked in name only", PAYLOAD_HTTP, HEAD CHUNKED "\r\nhello", PAYLOAD_BODY, 200,
			"hello", "hello"},
		{"request", PAYLOAD_HTTP, "POST / HTTP/1.1\r\nHost: a\r\n\r\nq=1", PAYLOAD_BODY, 0,
			"q=1", "q=1"},
		{"no end of the head", PAYLOAD_HTTP, HEAD, PAYLOAD_NO_HTTP, 0, "", ""},
		{"bad status", PAYLOAD_HTTP, "HTTP/1.1 2000 OK\r\n\r\n", PAYLOAD_BODY, 0, "", ""},
		{"no status", PAYLOAD_HTTP, "HTTP/1.1\r\n\r\n", PAYLOAD_BODY, 0, "", ""},
	};
	struct payload p = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		slice block = slice_str(rows[i].block);

		tap_case("message: %s", rows[i].label);
		for (size_t piece = 1; piece < 256; piece *= 4) {
			struct digest as_sent = sha1_of(slice_str(rows[i].as_sent));
			struct digest decoded = sha1_of(slice_str(rows[i].decoded));
			struct payload_digests got;

			CHECK_INT(payload_start(&p, rows[i].form, DIGEST_SHA1), 0);
			for (size_t at = 0; at < block.len; at += piece)
				CHECK_INT(payload_feed(&p, slice_sub(block, at, at + piece)), 0);
			CHECK_INT(payload_finish(&p, &got), 0);
			CHECK_INT(p.state, rows[i].state);
			CHECK_INT(p.status, rows[i].status);
			CHECK(digest_eq(&got.as_sent, &as_sent));
			CHECK(digest_eq(&got.decoded, &decoded));
		}
	}
	payload_release(&p);
}

/* A head of exactly the limit is one; with a byte more there is none. */
static void test_head_limit(void)
{
	for (size_t extra = 0; extra < 2; extra++) {
		struct payload p = {0};
		struct payload_digests d;
		slice start = SLICE("HTTP/1.1 200 OK\r\nA: "), end = SLICE("\r\n\r\n");

		CHECK_INT(payload_start(&p, PAYLOAD_HTTP, DIGEST_SHA1), 0);
		CHECK_INT(payload_feed(&p, start), 0);
		for (size_t i = start.len + end.len; i < FIELDS_HEAD_MAX + extra; i++)
			CHECK_INT(payload_feed(&p, SLICE("x")), 0);
		CHECK_INT(payload_feed(&p, end), 0);
		CHECK_INT(payload_finish(&p, &d), 0);
		CHECK_INT(p.state, extra ? PAYLOAD_NO_HTTP : PAYLOAD_BODY);
		payload_release(&p);
	}
}

static void test_is_http(void)
{
	CHECK(payload_is_http(SLICE("application/http; msgtype=response")));
	CHECK(payload_is_http(SLICE("Application/HTTP;msgtype=request")));
	CHECK(!payload_is_http(SLICE("text/dns")));
	CHECK(!payload_is_http(SLICE("application/httpx")));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_messages();
	TAP_RUN(test_head_limit);
	TAP_RUN(test_is_http);
	return tap_done();
}
