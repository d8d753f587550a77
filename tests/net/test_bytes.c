/* What comes over the wire is what the fetch holds, byte for byte, whole responses and cut ones. */
#include <stdio.h>

#include "fetch.h"
#include "net/net.h"
#include "server.h"
#include "tap.h"

#define OK_HEAD    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Odd:  two  blanks \r\n\r\n"
#define CHUNK_HEAD "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define OLD_HEAD   "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n"
#define FOLD_HEAD  "HTTP/1.1 200 OK\r\nX-Fold: a\r\n\tb\r\n  c\r\nContent-Length: 1\r\n\r\n"
#define LF_HEAD    "HTTP/1.1 200 OK\nContent-Length: 2\nX: y\n\n"
#define GZIP_HEAD  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"
/* gzip -n of nothing */
#define GZIP_BODY  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
#define MOVED_HEAD "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 4\r\n\r\n"
#define INTERIM    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
#define SHORT_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
#define PLAIN_HEAD "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\n"
#define EMPTY_HEAD "HTTP/1.1 204 No Content\r\n\r\n"
#define SAME_HEAD  "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n"
#define ODD_HEAD \
	"HTTP/1.1 200\r\nContent-Length: 0\r\nno-value:\r\n: no name\r\n\xff\xfe: \x80\r\n\r\n"
#define BOTH_HEAD  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
#define TWO_HEAD   "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\n"
#define TWICE_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n"
#define COOKIE     "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
#define EXTENDED   "5;x=\"y\"\r\nhello\r\n4 ; z\r\n and\r\n0;last\r\nTrailer: t\r\nX: u\r\n\r\n"
#define ODD_CHUNKS "0a\r\n0123456789\r\n000\r\n\r\n"
#define LF_CHUNKS  "1\na\n0\n\n"
#define POISON     "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"

/* sent is what the server says; head and body what the fetch has to have. */
static const struct row {
	const char *label;
	slice sent;
	slice head, body;
	enum server_then then;
	unsigned status;
	enum net_failure failure;
} ROWS[] = {
	{"content length", SLICE_INIT(OK_HEAD "hello"), SLICE_INIT(OK_HEAD), SLICE_INIT("hello"),
		SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"chunks with extensions and trailers", SLICE_INIT(CHUNK_HEAD EXTENDED),
		SLICE_INIT(CHUNK_HEAD), SLICE_INIT(EXTENDED), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"chunks with leading zeros", SLICE_INIT(CHUNK_HEAD ODD_CHUNKS), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT(ODD_CHUNKS), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"chunks with LF alone", SLICE_INIT(CHUNK_HEAD LF_CHUNKS), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT(LF_CHUNKS), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"chunks and a content length", SLICE_INIT(BOTH_HEAD ODD_CHUNKS), SLICE_INIT(BOTH_HEAD),
		SLICE_INIT(ODD_CHUNKS), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"no chunk but the last", SLICE_INIT(CHUNK_HEAD "0\r\n\r\n"), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT("0\r\n\r\n"), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"gzip stays gzip", SLICE_INIT(GZIP_HEAD GZIP_BODY), SLICE_INIT(GZIP_HEAD),
		SLICE_INIT(GZIP_BODY), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"HTTP/1.0 until the end", SLICE_INIT(OLD_HEAD "old\n"), SLICE_INIT(OLD_HEAD),
		SLICE_INIT("old\n"), SERVER_CLOSE, 200, NET_FAILURE_NONE},
	{"HTTP/1.1 until the end", SLICE_INIT(PLAIN_HEAD "\0\n"), SLICE_INIT(PLAIN_HEAD),
		SLICE_INIT("\0\n"), SERVER_CLOSE, 200, NET_FAILURE_NONE},
	{"interim responses", SLICE_INIT(INTERIM OK_HEAD "hello"), SLICE_INIT(OK_HEAD),
		SLICE_INIT("hello"), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"a redirect", SLICE_INIT(MOVED_HEAD "gone"), SLICE_INIT(MOVED_HEAD), SLICE_INIT("gone"),
		SERVER_KEEP, 302, NET_FAILURE_NONE},
	{"folded fields", SLICE_INIT(FOLD_HEAD "x"), SLICE_INIT(FOLD_HEAD), SLICE_INIT("x"),
		SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"LF alone", SLICE_INIT(LF_HEAD "ab"), SLICE_INIT(LF_HEAD), SLICE_INIT("ab"), SERVER_KEEP,
		200, NET_FAILURE_NONE},
	{"no reason, odd fields", SLICE_INIT(ODD_HEAD), SLICE_INIT(ODD_HEAD), SLICE_INIT(""),
		SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"204", SLICE_INIT(EMPTY_HEAD), SLICE_INIT(EMPTY_HEAD), SLICE_INIT(""), SERVER_KEEP, 204,
		NET_FAILURE_NONE},
	{"304", SLICE_INIT(SAME_HEAD), SLICE_INIT(SAME_HEAD), SLICE_INIT(""), SERVER_KEEP, 304,
		NET_FAILURE_NONE},
	{"a cookie", SLICE_INIT(COOKIE), SLICE_INIT(COOKIE), SLICE_INIT(""), SERVER_KEEP, 200,
		NET_FAILURE_NONE},
	{"more than the content length", SLICE_INIT(OK_HEAD "hello" POISON), SLICE_INIT(OK_HEAD),
		SLICE_INIT("hello"), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"more than the chunks", SLICE_INIT(CHUNK_HEAD EXTENDED POISON), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT(EXTENDED), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"more than 204", SLICE_INIT(EMPTY_HEAD POISON), SLICE_INIT(EMPTY_HEAD), SLICE_INIT(""),
		SERVER_KEEP, 204, NET_FAILURE_NONE},
	{"less than the content length", SLICE_INIT(SHORT_HEAD "123456789"), SLICE_INIT(SHORT_HEAD),
		SLICE_INIT("123456789"), SERVER_CLOSE, 200, NET_FAILURE_RESET},
	{"no body at all", SLICE_INIT(SHORT_HEAD), SLICE_INIT(SHORT_HEAD), SLICE_INIT(""),
		SERVER_CLOSE, 200, NET_FAILURE_RESET},
	{"chunks cut in the data", SLICE_INIT(CHUNK_HEAD "5\r\nhel"), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT("5\r\nhel"), SERVER_CLOSE, 200, NET_FAILURE_RESET},
	{"chunks without the last", SLICE_INIT(CHUNK_HEAD "5\r\nhello\r\n"), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT("5\r\nhello\r\n"), SERVER_CLOSE, 200, NET_FAILURE_RESET},
	{"chunks cut in the trailers", SLICE_INIT(CHUNK_HEAD "0\r\nX: y\r\n"),
		SLICE_INIT(CHUNK_HEAD), SLICE_INIT("0\r\nX: y\r\n"), SERVER_CLOSE, 200,
		NET_FAILURE_RESET},
	{"nothing", SLICE_INIT(""), SLICE_INIT(""), SLICE_INIT(""), SERVER_CLOSE, 0,
		NET_FAILURE_RESET},
	{"cut in the head", SLICE_INIT("HTTP/1.1 200 OK\r\nContent-Le"), SLICE_INIT(""),
		SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_RESET},
	{"cut before the empty line", SLICE_INIT("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"),
		SLICE_INIT(""), SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_RESET},
	{"cut after an interim response", SLICE_INIT(INTERIM), SLICE_INIT(""), SLICE_INIT(""),
		SERVER_CLOSE, 0, NET_FAILURE_RESET},
	{"no HTTP", SLICE_INIT("SSH-2.0-OpenSSH_9.2p1\r\n"), SLICE_INIT(""), SLICE_INIT(""),
		SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
	{"HTTP/0.9", SLICE_INIT("<html>hello</html>"), SLICE_INIT(""), SLICE_INIT(""), SERVER_CLOSE,
		0, NET_FAILURE_PROTOCOL},
	{"zeros", SLICE_INIT("\0\0\0\0\0\0\0\0\0\0\0\0"), SLICE_INIT(""), SLICE_INIT(""),
		SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
	{"a version that is none", SLICE_INIT("HTTP/9.9 200 OK\r\n\r\n"), SLICE_INIT(""),
		SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
	{"a status that is none", SLICE_INIT("HTTP/1.1 abc OK\r\n\r\n"), SLICE_INIT(""),
		SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
	{"a content length that is none",
		SLICE_INIT("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello"), SLICE_INIT(""),
		SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
	{"chunks that are none", SLICE_INIT(CHUNK_HEAD "hello, world\r\n"), SLICE_INIT(CHUNK_HEAD),
		SLICE_INIT("hello, world\r\n"), SERVER_CLOSE, 200, NET_FAILURE_PROTOCOL},
	{"a field without a colon", SLICE_INIT("HTTP/1.1 200 OK\r\nfield\r\n\r\n"), SLICE_INIT(""),
		SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
	{"two content lengths", SLICE_INIT(TWO_HEAD "hell"), SLICE_INIT(TWO_HEAD),
		SLICE_INIT("hell"), SERVER_KEEP, 200, NET_FAILURE_PROTOCOL},
	{"the same content length twice", SLICE_INIT(TWICE_HEAD "hello"), SLICE_INIT(TWICE_HEAD),
		SLICE_INIT("hello"), SERVER_KEEP, 200, NET_FAILURE_NONE},
	{"switching protocols", SLICE_INIT("HTTP/1.1 101 Switching\r\n\r\nx"), SLICE_INIT(""),
		SLICE_INIT(""), SERVER_CLOSE, 0, NET_FAILURE_PROTOCOL},
};

/* Whether there is more than a response. */
static bool is_overfull(const struct row *row)
{
	slice end = slice_sub(row->sent, row->head.len + row->body.len, row->sent.len);

	return slice_eq(end, SLICE(POISON));
}

static void check_times(const struct net_fetch *f)
{
	CHECK(f->monotonic.sent > 0);
	CHECK(f->status == 0 || f->monotonic.first_byte >= f->monotonic.sent);
	CHECK(f->monotonic.last_byte >= f->monotonic.first_byte);
	CHECK(f->monotonic.last_byte >= f->monotonic.sent);
	CHECK_INT(f->wall.last_byte - f->wall.sent, f->monotonic.last_byte - f->monotonic.sent);
	CHECK(f->status == 0 ||
		f->wall.first_byte - f->wall.sent == f->monotonic.first_byte - f->monotonic.sent);
}

static void check_row(const struct net_fetch *f, const struct row *row)
{
	CHECK_INT(f->failure, row->failure);
	CHECK((f->detail[0] != '\0') == (row->failure != NET_FAILURE_NONE));
	CHECK_INT(f->truncated, row->failure != NET_FAILURE_NONE && row->status != 0);
	CHECK_INT(f->status, row->status);
	CHECK_SLICE(f->head, row->head);
	/* What is no HTTP is read no further than it takes to see that. */
	CHECK_SLICE(f->body, row->failure == NET_FAILURE_PROTOCOL
				     ? slice_sub(row->body, 0, f->body.len)
				     : row->body);
	CHECK_INT((int64_t)f->body_size, (int64_t)f->body.len);
	CHECK_INT(f->spool, -1);
	CHECK_STR(f->ip, "127.0.0.1");
	check_times(f);
}

/* It is seen where there is a body to read, and when it comes along with that. */
static void check_excess(const struct net_fetch *f, const struct row *row, bool split)
{
	if (!is_overfull(row))
		CHECK_INT((int64_t)f->excess, 0);
	else if (!split && row->body.len > 0)
		CHECK_INT((int64_t)f->excess, sizeof POISON - 1);
}

/* Then another request: nothing of the first response may get into the second. */
static void check_next(struct net *net, const char *origin)
{
	struct net_fetch *f = fetch_get(net, origin, "/echo");

	if (!f)
		return;
	CHECK_INT(f->failure, NET_FAILURE_NONE);
	CHECK_INT(f->status, 200);
	CHECK_SLICE(f->body, f->request_head);
	net_fetch_free(f);
}

static void test_rows(bool split)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct server_answer answer = {
			.path = "/", .head = ROWS[i].sent, .then = ROWS[i].then};
		struct net_params params = fetch_params();
		struct server *server = server_start(SERVER_IPV4, &answer, 1);
		struct net *net = fetch_net(&params);
		struct net_fetch *f;

		tap_case("%s: %s", split ? "byte by byte" : "at once", ROWS[i].label);
		server_split(server, split);
		f = fetch_get(net, server_origin(server), "/");
		if (f) {
			check_row(f, &ROWS[i]);
			check_excess(f, &ROWS[i], split);
			if (f->detail[0])
				tap_note("%s", f->detail);
		}
		net_fetch_free(f);
		/* Bytes that come when the next request is out cannot be told from its answer. */
		if (!split || !is_overfull(&ROWS[i]))
			check_next(net, server_origin(server));
		net_free(net);
		server_stop(server);
	}
}

int main(int argc, char **argv)
{
	unsigned before;

	tap_init(argc, argv);
	before = fetch_descriptors();
	test_rows(false);
	test_rows(true);
	tap_case("no descriptor is left open");
	fetch_check_descriptors(before);
	return tap_done();
}
