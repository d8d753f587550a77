/* Servers that are slow, silent, too large or not there, and disks that are full. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fetch.h"
#include "server.h"
#include "tap.h"

#define HEAD     "HTTP/1.1 200 OK\r\n"
#define LENGTH_5 HEAD "Content-Length: 5\r\n\r\n"
#define ENDLESS  HEAD "\r\n"
#define BLOCK    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n" /* 64 bytes */
#define FIELD    "X-Field: " BLOCK                                                   /* LF alone */

enum {
	BLOCK_SIZE = sizeof BLOCK - 1,
	IN_MEMORY = NET_MEMORY_MAX / BLOCK_SIZE, /* blocks */
	MAX_BODY = 4 << 20,
	MANY = 100000,
	AT_ONCE = 24, /* bodies of NET_MEMORY_MAX, more than NET_BODIES_MAX */
};

static const struct server_answer ANSWERS[] = {
	{.path = "/silent", .then = SERVER_HANG},
	{.path = "/memory-hang",
		.head = SLICE_INIT(ENDLESS),
		.body = SLICE_INIT(BLOCK),
		.body_times = IN_MEMORY,
		.then = SERVER_HANG},
	{.path = "/half-head", .head = SLICE_INIT(HEAD "X: y"), .then = SERVER_HANG},
	{.path = "/half-body", .head = SLICE_INIT(LENGTH_5 "hel"), .then = SERVER_HANG},
	{.path = "/drip", .head = SLICE_INIT(ENDLESS), .body = SLICE_INIT(BLOCK), .drip_ms = 20},
	{.path = "/drip-head", .head = SLICE_INIT(HEAD), .body = SLICE_INIT(FIELD), .drip_ms = 20},
	{.path = "/steady",
		.head = SLICE_INIT(ENDLESS),
		.body = SLICE_INIT(BLOCK),
		.body_times = 40, /* fast enough on a starved machine, too */
		.drip_ms = 1,
		.then = SERVER_CLOSE},
	{.path = "/reset-head", .head = SLICE_INIT(HEAD "X: y"), .then = SERVER_RESET},
	{.path = "/reset-body", .head = SLICE_INIT(LENGTH_5), .then = SERVER_RESET},
	{.path = "/reset-end", .head = SLICE_INIT(ENDLESS), .then = SERVER_RESET},
	{.path = "/unreadable",
		.head = SLICE_INIT("HTTP/1.1 200OK\r\nContent-Length: 2\r\n\r\nok"),
		.then = SERVER_KEEP},
	{.path = "/fold",
		.head = SLICE_INIT("HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 2\r\n\r\nok"),
		.then = SERVER_KEEP},
	{.path = "/many-fields",
		.head = SLICE_INIT(HEAD),
		.body = SLICE_INIT(FIELD),
		.body_times = MANY,
		.then = SERVER_CLOSE},
	{.path = "/long-line",
		.head = SLICE_INIT(HEAD "X: "),
		.body = SLICE_INIT("0123456789abcdef"),
		.body_times = MANY,
		.then = SERVER_CLOSE},
	{.path = "/interim",
		.head = SLICE_INIT("HTTP/1.1 102 Processing\r\n\r\n"),
		.body = SLICE_INIT("HTTP/1.1 102 Processing\r\n\r\n"),
		.body_times = MANY,
		.then = SERVER_CLOSE},
	{.path = "/large",
		.head = SLICE_INIT(ENDLESS),
		.body = SLICE_INIT(BLOCK),
		.body_times = MANY,
		.then = SERVER_CLOSE},
	{.path = "/exact",
		.head = SLICE_INIT(ENDLESS),
		.body = SLICE_INIT(BLOCK),
		.body_times = MAX_BODY / BLOCK_SIZE,
		.then = SERVER_CLOSE},
	{.path = "/memory",
		.head = SLICE_INIT(ENDLESS),
		.body = SLICE_INIT(BLOCK),
		.body_times = IN_MEMORY,
		.then = SERVER_CLOSE},
	{.path = "/spool",
		.head = SLICE_INIT(ENDLESS "!"),
		.body = SLICE_INIT(BLOCK),
		.body_times = IN_MEMORY,
		.then = SERVER_CLOSE},
};

static const struct row {
	const char *path;
	enum net_failure failure;
	unsigned status;
	const char *body; /* its beginning */
	const char *detail;
} ROWS[] = {
	{"/silent", NET_FAILURE_TIMEOUT, 0, "", "stalled: 0 bytes in 2 seconds"},
	{"/half-head", NET_FAILURE_TIMEOUT, 0, "", "stalled: "},
	{"/half-body", NET_FAILURE_TIMEOUT, 200, "hel", "stalled: "},
	{"/drip", NET_FAILURE_TIMEOUT, 200, "0", "stalled: "},
	{"/drip-head", NET_FAILURE_TIMEOUT, 0, "", "stalled: "},
	{"/reset-head", NET_FAILURE_RESET, 0, "", "Recv failure: Connection reset by peer"},
	{"/reset-body", NET_FAILURE_RESET, 200, "", "Recv failure: Connection reset by peer"},
	{"/reset-end", NET_FAILURE_RESET, 200, "", "Recv failure: Connection reset by peer"},
	{"/unreadable", NET_FAILURE_PROTOCOL, 0, "", "the response's head cannot be read"},
	{"/fold", NET_FAILURE_PROTOCOL, 0, "", "the response's head cannot be read"},
	{"/many-fields", NET_FAILURE_TOO_LARGE, 0, "", "the response's head is too large"},
	{"/long-line", NET_FAILURE_TOO_LARGE, 0, "", "the response's head is too large"},
	{"/interim", NET_FAILURE_TOO_LARGE, 0, "", "the response's head is too large"},
};

static bool begins_with(slice s, const char *prefix)
{
	return slice_eq(slice_sub(s, 0, strlen(prefix)), slice_str(prefix));
}

static void check_row(const struct row *row, struct net_fetch *f)
{
	tap_case("%s", row->path);
	if (!CHECK(f != NULL))
		return;
	CHECK_STR(net_failure_name(f->failure), net_failure_name(row->failure));
	CHECK_INT(f->status, row->status);
	CHECK_INT(f->truncated, f->failure != NET_FAILURE_NONE && f->status != 0);
	CHECK_INT(f->head.len == 0, f->status == 0);
	CHECK(begins_with(f->body, row->body));
	CHECK_INT((int64_t)f->body_size, (int64_t)f->body.len);
	if (!CHECK(begins_with(slice_str(f->detail), row->detail)))
		tap_note("%s", f->detail);
	CHECK(f->monotonic.sent > 0 && f->monotonic.last_byte > f->monotonic.sent);
	net_fetch_free(f);
}

/* Those that stall are waited for together. */
static void test_stalls(struct server *server)
{
	struct net_params params = fetch_params();
	struct net *net;
	size_t begun = 0;

	params.stall_timeout = 2;
	net = fetch_net(&params);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		if (ROWS[i].failure != NET_FAILURE_TIMEOUT)
			continue;
		fetch_begin(net, server_origin(server), ROWS[i].path, i);
		begun++;
	}
	for (; begun > 0; begun--) {
		struct net_fetch *f = fetch_wait(net);

		if (f)
			check_row(&ROWS[f->tag], f);
	}
	net_free(net);
}

static void test_others(struct server *server)
{
	struct net_params params = fetch_params();
	struct net *net = fetch_net(&params);

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		if (ROWS[i].failure != NET_FAILURE_TIMEOUT)
			check_row(&ROWS[i], fetch_get(net, server_origin(server), ROWS[i].path));
	net_free(net);
}

/* Longer than the timeout, but never slower than it asks for. */
static void test_steady(struct server *server)
{
	struct net_params params = fetch_params();
	struct net_fetch *f;
	struct net *net;

	tap_case("slow, but fast enough");
	params.stall_timeout = 2;
	net = fetch_net(&params);
	f = fetch_get(net, server_origin(server), "/steady");
	if (f && CHECK_INT(f->failure, NET_FAILURE_NONE))
		CHECK_INT((int64_t)f->body.len, 40 * (int64_t)(sizeof BLOCK - 1));
	net_fetch_free(f);
	net_free(net);
}

static void test_total_timeout(struct server *server)
{
	struct net_params params = fetch_params();
	struct net_fetch *f;
	struct net *net;

	tap_case("the whole takes too long");
	params.timeout = 1;
	net = fetch_net(&params);
	f = fetch_get(net, server_origin(server), "/drip");
	if (f) {
		CHECK_INT(f->failure, NET_FAILURE_TIMEOUT);
		CHECK_INT(f->truncated, true);
		CHECK_SLICE(f->head, SLICE(ENDLESS));
	}
	net_fetch_free(f);
	net_free(net);
}

/* The body in the spool file is one '!' when extra, then blocks. */
static bool spool_is_right(int fd, bool extra, uint64_t size)
{
	FILE *file = fdopen(dup(fd), "rb");
	uint64_t n = 0;
	bool right = file != NULL;

	for (int c; right && (c = getc(file)) != EOF; n++) {
		if (extra && n == 0)
			right = c == '!';
		else
			right = c == BLOCK[(n - extra) % BLOCK_SIZE];
	}
	if (file)
		(void)fclose(file);
	return right && n == size;
}

static void test_sizes(struct server *server)
{
	static const struct {
		const char *path;
		uint64_t size;
		enum net_failure failure;
		bool spooled, extra;
	} rows[] = {
		{"/memory", NET_MEMORY_MAX, NET_FAILURE_NONE, false, false},
		{"/spool", NET_MEMORY_MAX + 1, NET_FAILURE_NONE, true, true},
		{"/exact", MAX_BODY, NET_FAILURE_NONE, true, false},
		{"/large", MAX_BODY, NET_FAILURE_TOO_LARGE, true, false},
	};
	struct net_params params = fetch_params();
	struct net *net;

	params.max_body = MAX_BODY;
	net = fetch_net(&params);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct net_fetch *f;

		tap_case("body of %" PRIu64 " bytes: %s", rows[i].size, rows[i].path);
		f = fetch_get(net, server_origin(server), rows[i].path);
		if (f) {
			CHECK_INT(f->failure, rows[i].failure);
			CHECK_INT(f->truncated, rows[i].failure != NET_FAILURE_NONE);
			CHECK_INT(f->status, 200);
			CHECK_INT((int64_t)f->body_size, (int64_t)rows[i].size);
			CHECK_INT(f->spool >= 0, rows[i].spooled);
			CHECK_INT((int64_t)f->body.len, rows[i].spooled ? 0 : NET_MEMORY_MAX);
			CHECK(f->spool < 0 ||
				spool_is_right(f->spool, rows[i].extra, rows[i].size));
		}
		net_fetch_free(f);
	}
	net_free(net);
}

static bool add_bytes(void *context, const struct net_running *fetch)
{
	*(uint64_t *)context += fetch->bytes;
	return false;
}

/* Until the bodies of all of them have come; none of them ends. */
static void wait_for_bodies(struct net *net)
{
	struct err err = {0};
	uint64_t come = 0;

	for (int i = 0; i < 6000 && come < (uint64_t)AT_ONCE * NET_MEMORY_MAX; i++) {
		CHECK_INT(net_wait(net, 0.01, &err), 0);
		come = 0;
		net_cancel_some(net, add_bytes, &come, NET_FAILURE_SLOW, "");
	}
	CHECK(come >= (uint64_t)AT_ONCE * NET_MEMORY_MAX);
}

/* The servers of many hosts decide together how much comes. */
static void test_bodies_at_once(struct server *server)
{
	struct net_params params = fetch_params();
	struct net *net = fetch_net(&params);
	struct net_fetch *f;
	size_t in_memory = 0;

	tap_case("%d bodies of 1 MiB at once have their share of memory, and are whole", AT_ONCE);
	for (uint64_t i = 0; i < AT_ONCE; i++)
		fetch_begin(net, server_origin(server), "/memory-hang", i);
	wait_for_bodies(net);
	net_cancel(net);
	while ((f = net_next(net))) {
		CHECK_INT((int64_t)f->body_size, NET_MEMORY_MAX);
		CHECK_INT((int64_t)f->body.len, f->spool < 0 ? NET_MEMORY_MAX : 0);
		CHECK(f->spool < 0 || spool_is_right(f->spool, false, NET_MEMORY_MAX));
		in_memory += f->body.len;
		net_fetch_free(f);
	}
	CHECK(in_memory > 0 && in_memory <= NET_BODIES_MAX);

	tap_case("the next body is in memory again");
	f = fetch_get(net, server_origin(server), "/memory");
	CHECK(f && f->spool < 0);
	net_fetch_free(f);
	net_free(net);
}

static void check_spool_failure(struct server *server, const char *dir, const char *why)
{
	struct net_params params = fetch_params();
	struct net_fetch *f;
	struct net *net;
	char detail[256];

	params.spool_dir = dir;
	net = fetch_net(&params);
	f = fetch_get(net, server_origin(server), "/large");
	(void)snprintf(detail, sizeof detail, "cannot spool the body to %s: %s", dir, why);
	if (f) {
		CHECK_INT(f->failure, NET_FAILURE_LOCAL);
		CHECK_STR(f->detail, detail);
		CHECK_INT(f->truncated, true);
		CHECK_INT(f->spool >= 0 ? lseek(f->spool, 0, SEEK_END) : (int64_t)f->body.len,
			(int64_t)f->body_size);
	}
	net_fetch_free(f);
	net_free(net);
}

/* As on a full disk, though with another reason: no file may grow beyond this. */
static void test_full_disk(struct server *server, rlim_t limit)
{
	struct rlimit before, small;

	tap_case("no file beyond %llu bytes", (unsigned long long)limit);
	(void)getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){limit, before.rlim_max};
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)fflush(stdout);
	(void)setrlimit(RLIMIT_FSIZE, &small);
	check_spool_failure(server, tap_tempdir(), "File too large");
	(void)setrlimit(RLIMIT_FSIZE, &before);
	(void)signal(SIGXFSZ, SIG_DFL);
}

static void test_no_connection(void)
{
	struct net_params params = fetch_params();
	struct net *net = fetch_net(&params);
	char origin[64];
	struct net_fetch *f;
	unsigned port = 0;
	int kept;

	tap_case("nobody listens");
	kept = server_keep_port(&port);
	CHECK(kept >= 0);
	(void)snprintf(origin, sizeof origin, "http://127.0.0.1:%u", port);
	f = fetch_get(net, origin, "/");
	if (f) {
		CHECK_INT(f->failure, NET_FAILURE_CONNECT);
		CHECK_INT(f->monotonic.sent, 0);
		CHECK(f->monotonic.last_byte > 0);
		CHECK_STR(f->ip, "");
		CHECK_INT((int64_t)f->request_head.len, 0);
	}
	net_fetch_free(f);
	(void)close(kept);

	tap_case("a name that is none");
	f = fetch_get(net, "http://nonexistent.invalid", "/");
	CHECK(f && f->failure == NET_FAILURE_DNS && f->status == 0 && !f->truncated);
	net_fetch_free(f);

	tap_case("a host that libcurl refuses");
	f = fetch_get(net, "http://a$b", "/");
	CHECK(f && f->failure == NET_FAILURE_DNS);
	net_fetch_free(f);
	net_free(net);
}

static void test_names(void)
{
	CHECK_STR(net_failure_name(NET_FAILURE_NONE), "");
	CHECK_STR(net_failure_name(NET_FAILURE_TOO_LARGE), "too-large");
	CHECK_STR(net_failure_name(NET_FAILURE_LOCAL), "local");
	CHECK(net_failure_is_transient(NET_FAILURE_RESET));
	CHECK(!net_failure_is_transient(NET_FAILURE_TOO_LARGE));
	CHECK(!net_failure_is_transient(NET_FAILURE_NONE));
}

int main(int argc, char **argv)
{
	struct server *server;
	unsigned before;

	tap_init(argc, argv);
	before = fetch_descriptors();
	server = server_start(SERVER_IPV4, ANSWERS, ARRAY_LEN(ANSWERS));
	test_stalls(server);
	test_others(server);
	test_steady(server);
	test_total_timeout(server);
	test_sizes(server);
	test_bodies_at_once(server);
	tap_case("a spool directory that is not there");
	check_spool_failure(server, "/nonexistent", "No such file or directory");
	test_full_disk(server, 1000);
	test_full_disk(server, NET_MEMORY_MAX + 1000);
	test_no_connection();
	TAP_RUN(test_names);
	server_stop(server);
	tap_case("no descriptor is left open");
	fetch_check_descriptors(before);
	return tap_done();
}
