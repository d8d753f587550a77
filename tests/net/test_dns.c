/* Names: a real DNS server on loopback, a manual clock for the times to live. */
#include <stdio.h>
#include <stdlib.h>

#include "dns_server.h"
#include "fetch.h"
#include "net/address.h"
#include "net/dns.h"
#include "server.h"
#include "tap.h"

enum { CROWD = 3 * DNS_ASKED_MAX };

#define HEAD "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"

static const struct server_answer ANSWERS[] = {
	{.path = "/keep", .head = SLICE_INIT(HEAD "\r\n"), .body = SLICE_INIT("ok")},
	{.path = "/close",
		.head = SLICE_INIT(HEAD "Connection: close\r\n\r\n"),
		.body = SLICE_INIT("ok"),
		.then = SERVER_CLOSE},
};

struct fixture {
	struct dns_server *dns;
	struct server *http;
	struct clock_manual clock;
	struct net *net;
};

static void set_up(struct fixture *f, unsigned allowed)
{
	struct net_params params = fetch_params();

	f->dns = dns_server_start();
	f->http = server_start(SERVER_IPV4, ANSWERS, ARRAY_LEN(ANSWERS));
	clock_manual_init(&f->clock, CLOCK_NS_PER_SECOND);
	params.clock = &f->clock.clock;
	params.dns = dns_server_address(f->dns);
	params.allowed = allowed;
	params.dns_records = true;
	f->net = fetch_net(&params);
}

static void tear_down(struct fixture *f)
{
	net_free(f->net);
	server_stop(f->http);
	dns_server_stop(f->dns);
}

static const unsigned LOOPBACK = ADDRESS_SET(ADDRESS_LOOPBACK);

static struct net_lookup *next_lookup(struct net *net)
{
	int64_t start = clock_monotonic(clock_system());
	struct net_lookup *l = NULL;
	struct err err = {0};

	while (!(l = net_next_lookup(net)) &&
		clock_seconds(clock_monotonic(clock_system()) - start) < FETCH_PATIENCE)
		CHECK_INT(net_wait(net, 1, &err), 0);
	CHECK(l != NULL);
	return l;
}

/* What a lookup says: the address, or the detail of its failure. */
static const char *look_up(struct net *net, const char *name)
{
	static char text[256];
	struct net_lookup *l;
	struct err err = {0};

	CHECK_INT(net_lookup(net, slice_str(name), 7, &err), 0);
	l = next_lookup(net);
	if (!l)
		return "";
	CHECK_INT(l->tag, 7);
	(void)snprintf(text, sizeof text, "%s", l->failure ? l->detail : l->ip);
	net_lookup_free(l);
	return text;
}

/* GET http://name:PORT/path of the server. */
static struct net_fetch *get(struct fixture *f, const char *name, const char *path)
{
	char origin[512];

	(void)snprintf(origin, sizeof origin, "http://%s:%u", name, server_port(f->http));
	return fetch_get(f->net, origin, path);
}

static void check_get(struct fixture *f, const char *name, const char *path, const char *ip)
{
	struct net_fetch *fetch = get(f, name, path);

	CHECK(fetch && fetch->failure == NET_FAILURE_NONE && fetch->status == 200);
	if (fetch && fetch->failure)
		tap_note("%s: %s", net_failure_name(fetch->failure), fetch->detail);
	if (fetch)
		CHECK_STR(fetch->ip, ip);
	net_fetch_free(fetch);
}

/* Nothing must reach the server; detail is what the sentence has in it. */
static void check_failure(struct fixture *f, const char *name, const char *path,
	enum net_failure want, const char *detail)
{
	unsigned before = server_connections(f->http), requests = server_requests(f->http);
	struct net_fetch *fetch = get(f, name, path);

	CHECK(fetch && fetch->status == 0 && fetch->request_head.len == 0);
	if (fetch) {
		CHECK_STR(net_failure_name(fetch->failure), net_failure_name(want));
		CHECK(strstr(fetch->detail, detail) != NULL);
		tap_note("%s", fetch->detail);
	}
	CHECK_INT(server_connections(f->http), before);
	CHECK_INT(server_requests(f->http), requests);
	net_fetch_free(fetch);
}

static void test_times_to_live(void)
{
	static const struct {
		const char *label, *what, *said;
		uint32_t ttl;
		double fresh, stale; /* ages at which it is, and is no more */
	} rows[] = {
		{"as the DNS says", "127.0.0.1", "127.0.0.1", 300, 299, 301},
		{"not below the minimum", "127.0.0.1", "127.0.0.1", 0, 1.9, 2.1},
		{"not above the maximum", "127.0.0.1", "127.0.0.1", 604800, 86399, 86401},
		{"no such name", NULL, "there is no such name", 0, 59, 61},
		{"no address", "", "the name has no address", 0, 59, 61},
		{"SERVFAIL", "SERVFAIL", "no DNS server could answer", 0, 4, 6},
		{"REFUSED", "REFUSED", "no DNS server could answer", 0, 4, 6},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;
		unsigned first;

		tap_case("times to live: %s", rows[i].label);
		set_up(&f, LOOPBACK);
		if (rows[i].what)
			dns_server_set(f.dns, "a.test", rows[i].what, rows[i].ttl);
		CHECK_STR(look_up(f.net, "a.test"), rows[i].said);
		first = dns_server_asked(f.dns, NULL);
		CHECK(first > 0);
		clock_manual_advance(&f.clock, rows[i].fresh);
		CHECK_STR(look_up(f.net, "a.test"), rows[i].said);
		CHECK_INT(dns_server_asked(f.dns, NULL), first);
		clock_manual_advance(&f.clock, rows[i].stale - rows[i].fresh);
		CHECK_STR(look_up(f.net, "a.test"), rows[i].said);
		CHECK(dns_server_asked(f.dns, NULL) > first);
		tear_down(&f);
	}
}

static void test_sharing(void)
{
	struct fixture f;
	struct err err = {0};

	tap_case("sharing: many wait for one question");
	set_up(&f, LOOPBACK);
	dns_server_set(f.dns, "a.test", "127.0.0.1", 300);
	for (unsigned i = 0; i < CROWD; i++)
		CHECK_INT(net_lookup(f.net, SLICE("a.test"), i, &err), 0);
	for (unsigned i = 0; i < CROWD; i++) {
		struct net_lookup *l = next_lookup(f.net);

		CHECK(l && l->tag == i && strcmp(l->ip, "127.0.0.1") == 0);
		net_lookup_free(l);
	}
	CHECK_INT(dns_server_asked(f.dns, "a.test"), 1);
	tap_case("sharing: more names than are asked at once");
	for (unsigned i = 0; i < CROWD; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "n%u.test", i);
		CHECK_INT(net_lookup(f.net, slice_str(name), i, &err), 0);
	}
	for (unsigned i = 0; i < CROWD; i++) {
		struct net_lookup *l = next_lookup(f.net);

		CHECK(l && l->failure == NET_FAILURE_DNS);
		net_lookup_free(l);
	}
	CHECK_INT(dns_server_asked(f.dns, NULL), 1 + CROWD);
	tear_down(&f);
}

static void test_what_is_said(void)
{
	struct net_lookup *l;
	struct err err = {0};
	struct fixture f;

	set_up(&f, 0);
	dns_server_set(f.dns, "www.test", "CNAME b.test", 500);
	dns_server_set(f.dns, "b.test", "10.0.0.1 127.0.0.9", 300);
	tap_case("what is said: classes and records");
	CHECK_INT(net_lookup(f.net, SLICE("www.test"), 1, &err), 0);
	l = next_lookup(f.net);
	if (l) {
		CHECK_INT(l->classes, ADDRESS_SET(ADDRESS_PRIVATE) | LOOPBACK);
		CHECK(l->date > 0);
		tap_note("%.*s", (int)l->records.len, l->records.ptr);
		CHECK(strstr(l->records.ptr, "www.test.\t500\tIN\tCNAME\tb.test.\n") != NULL);
		CHECK(strstr(l->records.ptr, "b.test.\t300\tIN\tA\t10.0.0.1\n") != NULL);
		CHECK(strstr(l->records.ptr, "b.test.\t300\tIN\tA\t127.0.0.9\n") != NULL);
	}
	net_lookup_free(l);
	tap_case("what is said: of addresses, without asking");
	CHECK_STR(look_up(f.net, "192.168.1.1"), "192.168.1.1");
	CHECK_STR(look_up(f.net, "[fe80::1]"), "fe80::1");
	CHECK_INT(dns_server_asked(f.dns, NULL), 1);
	tap_case("what is said: of special names, without asking");
	CHECK_STR(look_up(f.net, "localhost"), "127.0.0.1");
	CHECK_STR(look_up(f.net, "a.localhost."), "127.0.0.1");
	CHECK_STR(look_up(f.net, "a.invalid"), "there is no such name");
	CHECK_INT(dns_server_asked(f.dns, NULL), 1);
	tear_down(&f);
}

static void test_bad_names(void)
{
	static const char *const LABEL =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	char name[400];
	struct fixture f;

	set_up(&f, LOOPBACK);
	tap_case("bad names: a label too long");
	(void)snprintf(name, sizeof name, "%sa.test", LABEL);
	check_failure(&f, name, "/keep", NET_FAILURE_DNS, "not a valid DNS name");
	tap_case("bad names: too long");
	(void)snprintf(name, sizeof name, "%.60s.%.60s.%.60s.%.60s.%.60s.test", LABEL, LABEL, LABEL,
		LABEL, LABEL);
	check_failure(&f, name, "/keep", NET_FAILURE_DNS, "not a valid DNS name");
	tap_case("bad names: an empty label");
	check_failure(&f, "a..test", "/keep", NET_FAILURE_DNS, "");
	tear_down(&f);
}

static void test_fetching(void)
{
	struct net_fetch *fetch;
	char want[64];
	struct fixture f;

	set_up(&f, LOOPBACK);
	dns_server_set(f.dns, "a.test", "127.0.0.1", 300);
	dns_server_set(f.dns, "under_score.test", "127.0.0.1", 300);
	tap_case("fetching: by name");
	check_get(&f, "a.test", "/keep", "127.0.0.1");
	tap_case("fetching: the server sees the name");
	fetch = get(&f, "a.test", "/echo");
	(void)snprintf(want, sizeof want, "Host: a.test:%u\r\n", server_port(f.http));
	CHECK(fetch && strstr(fetch->body.ptr, want) != NULL);
	net_fetch_free(fetch);
	tap_case("fetching: names of other kinds");
	check_get(&f, "under_score.test", "/keep", "127.0.0.1");
	check_get(&f, "localhost", "/keep", "127.0.0.1");
	tap_case("fetching: with a dot at the end");
	check_get(&f, "a.test.", "/keep", "127.0.0.1");
	tap_case("fetching: no such name");
	check_failure(&f, "b.test", "/keep", NET_FAILURE_DNS, "there is no such name");
	tear_down(&f);
}

static void test_changes(void)
{
	struct fixture f;

	set_up(&f, LOOPBACK);
	tap_case("changes: another address takes the place of the old one");
	dns_server_set(f.dns, "a.test", "127.0.0.9", 10);
	check_failure(&f, "a.test", "/close", NET_FAILURE_CONNECT, "");
	dns_server_set(f.dns, "a.test", "127.0.0.1", 10);
	check_failure(&f, "a.test", "/close", NET_FAILURE_CONNECT, "");
	clock_manual_advance(&f.clock, 11);
	check_get(&f, "a.test", "/close", "127.0.0.1");
	tap_case("changes: to one that is forbidden, with no connection left");
	dns_server_set(f.dns, "a.test", "10.0.0.1", 10);
	clock_manual_advance(&f.clock, 11);
	check_failure(&f, "a.test", "/close", NET_FAILURE_FORBIDDEN, "10.0.0.1 is a private");
	tap_case("changes: and with one that is kept");
	dns_server_set(f.dns, "a.test", "127.0.0.1", 10);
	clock_manual_advance(&f.clock, 11);
	check_get(&f, "a.test", "/keep", "127.0.0.1");
	dns_server_set(f.dns, "a.test", "169.254.169.254", 10);
	clock_manual_advance(&f.clock, 11);
	check_failure(&f, "a.test", "/keep", NET_FAILURE_FORBIDDEN, "169.254.169.254");
	tear_down(&f);
}

static void test_guard(void)
{
	static const struct {
		const char *host, *answer, *detail;
	} rows[] = {
		{"127.0.0.1", NULL, "127.0.0.1 is this machine's own address (127.0.0.0/8)"},
		{"10.0.0.1", NULL, "10.0.0.1 is a private address (10.0.0.0/8)"},
		{"169.254.169.254", NULL, "169.254.169.254"},
		{"2130706433", NULL, "127.0.0.1"},
		{"[::1]", NULL, "::1"},
		{"[::ffff:169.254.169.254]", NULL, "(169.254.169.254/32)"},
		{"localhost", NULL, "127.0.0.1"},
		{"a.test", "127.0.0.1", "127.0.0.1"},
		{"b.test", "10.0.0.1 192.168.0.1", "10.0.0.0/8"},
		{"c.test", "::1 127.0.0.1", "1"},
		{"d.test", "::ffff:127.0.0.1", "(127.0.0.0/8)"},
		{"e.test", "0.0.0.0", "(0.0.0.0/8)"},
		{"f.test", "CNAME a.test", "127.0.0.1"},
	};
	struct fixture f;

	set_up(&f, 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("guard: %s %s", rows[i].host, rows[i].answer ? rows[i].answer : "");
		if (rows[i].answer)
			dns_server_set(f.dns, rows[i].host, rows[i].answer, 300);
		check_failure(&f, rows[i].host, "/keep", NET_FAILURE_FORBIDDEN, rows[i].detail);
	}
	tear_down(&f);
	tap_case("guard: of several addresses those that are allowed");
	set_up(&f, LOOPBACK);
	dns_server_set(f.dns, "a.test", "10.0.0.1 192.168.0.1 127.0.0.1", 300);
	check_get(&f, "a.test", "/keep", "127.0.0.1");
	tear_down(&f);
}

/* What one request may, another need not. */
static void test_rules_of_requests(void)
{
	struct net_fetch *fetch;
	struct err err = {0};
	char url[64];
	struct fixture f;

	set_up(&f, 0);
	dns_server_set(f.dns, "a.test", "127.0.0.1", 10);
	(void)snprintf(url, sizeof url, "http://a.test:%u/keep", server_port(f.http));
	tap_case("rules of requests: one may");
	CHECK_INT(net_start(f.net,
			  &(struct net_request){.url = slice_str(url), .allowed = LOOPBACK}, &err),
		0);
	fetch = fetch_wait(f.net);
	CHECK(fetch && fetch->status == 200);
	net_fetch_free(fetch);
	tap_case("rules of requests: another may not, though the connection is there");
	check_failure(&f, "a.test", "/keep", NET_FAILURE_FORBIDDEN, "127.0.0.1");
	tap_case("rules of requests: nor when the name has moved to where it may");
	dns_server_set(f.dns, "a.test", "240.0.0.1", 10);
	clock_manual_advance(&f.clock, 11);
	CHECK_INT(net_start(f.net,
			  &(struct net_request){
				  .url = slice_str(url), .allowed = ADDRESS_SET(ADDRESS_RESERVED)},
			  &err),
		0);
	fetch = fetch_wait(f.net);
	CHECK(fetch && fetch->failure != NET_FAILURE_NONE && fetch->status == 0);
	CHECK_INT(server_requests(f.http), 1);
	net_fetch_free(fetch);
	tear_down(&f);
}

static void test_families(void)
{
	struct server *v6 = server_start(SERVER_IPV6, ANSWERS, ARRAY_LEN(ANSWERS));
	struct net_fetch *fetch;
	char origin[64];
	struct fixture f;

	set_up(&f, LOOPBACK);
	dns_server_set(f.dns, "six.test", "::1", 300);
	dns_server_set(f.dns, "both.test", "::1 127.0.0.1", 300);
	tap_case("families: where only one of them answers");
	check_get(&f, "both.test", "/close", "127.0.0.1");
	tap_case("families: that one is tried first from then on");
	CHECK_STR(look_up(f.net, "both.test"), "127.0.0.1");
	tap_case("families: IPv6 alone");
	if (v6) {
		(void)snprintf(origin, sizeof origin, "http://six.test:%u", server_port(v6));
		fetch = fetch_get(f.net, origin, "/close");
		CHECK(fetch && fetch->status == 200 && strcmp(fetch->ip, "::1") == 0);
		net_fetch_free(fetch);
		fetch = fetch_get(f.net, server_origin(v6), "/close");
		CHECK(fetch && fetch->status == 200);
		net_fetch_free(fetch);
	} else {
		tap_note("no IPv6 here");
	}
	server_stop(v6);
	tear_down(&f);
}

static void test_silence(void)
{
	struct net_params params = fetch_params();
	struct dns_server *dns = dns_server_start();
	unsigned before = fetch_descriptors();
	struct net_fetch *fetch;
	struct err err = {0};
	struct net *net;

	dns_server_set(dns, "a.test", "silent", 0);
	params.dns = dns_server_address(dns);
	params.connect_timeout = 0.05;
	net = fetch_net(&params);
	tap_case("silence: a fetch ends in time");
	fetch = fetch_get(net, "http://a.test", "/");
	CHECK(fetch && fetch->failure == NET_FAILURE_DNS);
	CHECK(fetch && strstr(fetch->detail, "did not answer") != NULL);
	net_fetch_free(fetch);
	net_free(net);
	tap_case("silence: nothing waits for it");
	params.connect_timeout = 0;
	net = fetch_net(&params);
	fetch_begin(net, "http://a.test", "/1", 1);
	fetch_begin(net, "http://a.test", "/2", 2);
	CHECK_INT(net_lookup(net, SLICE("a.test"), 3, &err), 0);
	CHECK_INT(net_wait(net, 0, &err), 0);
	net_cancel(net);
	for (unsigned i = 0; i < 2; i++) {
		fetch = net_next(net);
		CHECK(fetch && fetch->failure == NET_FAILURE_ABORTED);
		net_fetch_free(fetch);
	}
	fetch_begin(net, "http://a.test", "/3", 1);
	CHECK_INT(net_wait(net, 0, &err), 0);
	net_free(net);
	fetch_check_descriptors(before);
	dns_server_stop(dns);
}

static void test_servers(void)
{
	struct net_params params = fetch_params();
	struct net *net = NULL;
	struct err err = {0};

	tap_case("servers: a list that is none");
	params.dns = "nonsense";
	CHECK_INT(net_new(&params, &net, &err), ERR_USAGE);
	CHECK(strstr(err.text, "'nonsense' is not a list of DNS servers") != NULL);
}

static void test_cache(void)
{
	static const slice NAMES[] = {
		SLICE_INIT("a.test"), SLICE_INIT("b.test"), SLICE_INIT("c.test")};
	struct dns_cache c;

	tap_case("cache: the one not asked for longest is forgotten");
	dns_cache_init(&c, 2);
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		struct dns_name *n = dns_cache_add(&c, NAMES[i]);

		if (!CHECK(n != NULL))
			break;
		dns_cache_move(&c, n, &c.known);
		dns_cache_move(&c, dns_cache_find(&c, NAMES[0]), &c.known);
	}
	CHECK(dns_cache_find(&c, NAMES[0]) != NULL);
	CHECK(dns_cache_find(&c, NAMES[1]) == NULL);
	CHECK(dns_cache_find(&c, NAMES[2]) != NULL);
	CHECK_INT(c.known.len, 2);
	dns_cache_release(&c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_times_to_live();
	test_sharing();
	test_what_is_said();
	test_bad_names();
	test_fetching();
	test_changes();
	test_guard();
	test_rules_of_requests();
	test_families();
	test_silence();
	test_servers();
	test_cache();
	return tap_done();
}
