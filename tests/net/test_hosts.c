#include "net/servers.h"

#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "tap.h"

enum { CROWD = 3000 };

static const struct hash_key KEY = {1, 2};

/* What a lane with one capture has. */
static struct servers lane;

static void set_up(struct hosts *h, struct pace_rule rule)
{
	servers_init(&lane, rule, NULL, KEY);
	hosts_init(h, &lane, 0, KEY);
}

static void tear_down(struct hosts *h)
{
	hosts_release(h);
	servers_release(&lane);
}

/* Tags have the host in their upper half, as a capture would look it up. */
static uint64_t tag_of(uint32_t host, uint64_t number)
{
	return (uint64_t)host << 32 | number;
}

static void hold(struct hosts *h, uint32_t host, uint64_t number)
{
	hosts_hold(h, host, tag_of(host, number));
}

/* The number of a URL's host; UINT32_MAX with a failed check when there is none. */
static uint32_t host_of(struct hosts *h, const char *text)
{
	uint32_t host = UINT32_MAX;
	struct url url;

	url_init(&url);
	CHECK_INT(url_parse(&url, slice_str(text), NULL, NULL), 0);
	CHECK_INT(hosts_find(h, &url, &host), 0);
	url_release(&url);
	return host;
}

static void test_origins(void)
{
	static const struct {
		const char *url, *origin;
		uint32_t host, server;
	} rows[] = {
		{"http://example.org/", "http://example.org:80", 0, 0},
		{"https://example.org/", "https://example.org:443", 1, 0},
		{"http://EXAMPLE.org:80/x?y#z", "http://example.org:80", 0, 0},
		{"http://user:pw@example.org/", "http://example.org:80", 0, 0},
		{"http://example.org:8080/", "http://example.org:8080", 2, 1},
		{"https://example.org:8080/", "https://example.org:8080", 3, 1},
		{"http://example.org:443/", "http://example.org:443", 4, 2},
		{"http://www.example.org/", "http://www.example.org:80", 5, 3},
		{"http://127.0.0.1:4001/", "http://127.0.0.1:4001", 6, 4},
		{"http://127.0.0.1:4002/", "http://127.0.0.1:4002", 7, 5},
		{"http://[::1]/", "http://[::1]:80", 8, 6},
		{"http://[::1]:81/", "http://[::1]:81", 9, 7},
	};
	struct hosts h;

	set_up(&h, (struct pace_rule){.delay = 1});
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("origins: %s", rows[i].url);
		CHECK_INT(host_of(&h, rows[i].url), rows[i].host);
		CHECK_SLICE(hosts_at(&h, rows[i].host)->origin, slice_str(rows[i].origin));
		CHECK_INT(hosts_at(&h, rows[i].host)->server, rows[i].server);
		CHECK_INT(hosts_at(&h, rows[i].host)->robots, HOST_ROBOTS_UNKNOWN);
	}
	tap_case("origins: their number");
	CHECK_INT(hosts_count(&h), 10);
	tear_down(&h);
}

static void test_other_schemes(void)
{
	uint32_t host = 7;
	struct hosts h;
	struct url url;

	set_up(&h, (struct pace_rule){.delay = 1});
	url_init(&url);
	CHECK_INT(url_parse(&url, SLICE("ftp://example.org/"), NULL, NULL), 0);
	CHECK_INT(hosts_find(&h, &url, &host), ERR_UNSUPPORTED);
	CHECK_INT(host, 7);
	CHECK_INT(hosts_count(&h), 0);
	url_release(&url);
	tear_down(&h);
	h = (struct hosts){0};
	hosts_release(&h);
}

/* Takes an order, which must be this one. */
static void check_take(struct hosts *h, double now, uint32_t want_host, uint64_t want_tag)
{
	uint32_t client = UINT32_MAX;
	uint64_t tag = UINT64_MAX;

	CHECK(servers_take(h->servers, now, &client, &tag));
	CHECK_INT(client, 0);
	CHECK_INT((int64_t)tag, (int64_t)tag_of(want_host, want_tag));
	hosts_started(h, want_host);
}

static void check_nothing(struct hosts *h, double now, double want_next)
{
	double next;
	uint32_t client;
	uint64_t tag;

	CHECK(!servers_take(h->servers, now, &client, &tag));
	next = servers_next_ready(h->servers);
	if (isinf(want_next))
		CHECK(isinf(next) && next > 0);
	else
		CHECK_NEAR(next, want_next, 1e-12);
}

static void test_one_host(void)
{
	struct hosts h;
	uint32_t a;

	set_up(&h, (struct pace_rule){.delay = 5});
	a = host_of(&h, "http://a/");
	check_nothing(&h, 0, (double)INFINITY);
	for (uint64_t tag = 10; tag < 13; tag++)
		hold(&h, a, tag);
	CHECK_INT(hosts_held(&h), 3);
	check_take(&h, 0, a, 10);
	CHECK_INT(servers_busy(&lane), 1);
	check_nothing(&h, 100, (double)INFINITY);
	hosts_done(&h, a, 101, 1, PACE_ANSWERED);
	CHECK_INT(servers_busy(&lane), 0);
	check_nothing(&h, 105.9, 106);
	check_take(&h, 106, a, 11);
	hosts_done(&h, a, 107, 1, PACE_ANSWERED);
	hosts_set_crawl_delay(&h, a, 20);
	check_nothing(&h, 126, 127);
	hosts_retry_after(&h, a, 126, 30);
	check_nothing(&h, 127, 156);
	check_take(&h, 156, a, 12);
	CHECK_INT(hosts_held(&h), 0);
	check_nothing(&h, 1000, (double)INFINITY);
	hosts_done(&h, a, 1001, 1, PACE_ANSWERED);
	check_nothing(&h, 2000, (double)INFINITY);
	CHECK_NEAR(pace_delay(hosts_pace(&h, a)), 20, 0);
	tear_down(&h);
}

static void test_schemes_share_a_pace(void)
{
	uint32_t plain, tls, other;
	struct hosts h;

	set_up(&h, (struct pace_rule){.delay = 5});
	plain = host_of(&h, "http://a/");
	tls = host_of(&h, "https://a/");
	other = host_of(&h, "https://a:8443/");
	hold(&h, plain, 1);
	hold(&h, tls, 2);
	hold(&h, other, 3);
	CHECK_INT(h.asked.len, 2);
	check_take(&h, 0, plain, 1);
	check_take(&h, 0, other, 3);
	check_nothing(&h, 0, (double)INFINITY);
	hosts_done(&h, plain, 1, 1, PACE_ANSWERED);
	check_nothing(&h, 5, 6);
	check_take(&h, 6, tls, 2);
	tear_down(&h);
}

static void test_turns(void)
{
	uint32_t host[3];
	struct hosts h;

	set_up(&h, (struct pace_rule){.delay = 0});
	host[0] = host_of(&h, "http://a/");
	host[1] = host_of(&h, "http://b/");
	host[2] = host_of(&h, "http://c/");
	for (uint64_t tag = 0; tag < 9; tag++)
		hold(&h, host[tag / 3], tag);
	for (uint64_t i = 0; i < 9; i++) { /* one request at a time, in time that stands still */
		check_take(&h, 1, host[i % 3], i % 3 * 3 + i / 3);
		hosts_done(&h, host[i % 3], 1, 0, PACE_ANSWERED);
	}
	check_nothing(&h, 1, (double)INFINITY);
	tear_down(&h);
}

static void test_earliest_first(void)
{
	struct hosts h;
	uint32_t a, b;

	set_up(&h, (struct pace_rule){.automatic = true});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	for (uint64_t tag = 0; tag < 2; tag++) {
		hold(&h, a, tag);
		hold(&h, b, 10 + tag);
	}
	check_take(&h, 0, a, 0);
	check_take(&h, 0, b, 10);
	hosts_done(&h, a, 0.9, 0.9, PACE_ANSWERED);
	hosts_done(&h, b, 1, 0.2, PACE_ANSWERED);
	check_nothing(&h, 2.9, 3);
	check_take(&h, 20, b, 11); /* both are ready; b has been so for longer */
	check_take(&h, 20, a, 1);
	tear_down(&h);
}

static void test_drop(void)
{
	uint32_t a, b;
	uint64_t tag = 0;
	struct hosts h;

	set_up(&h, (struct pace_rule){.delay = 5});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	hold(&h, a, 1);
	hold(&h, a, 2);
	hold(&h, b, 3);
	check_take(&h, 0, a, 1);
	CHECK(hosts_drop(&h, &tag) && tag == tag_of(a, 2)); /* its server is busy */
	CHECK(hosts_drop(&h, &tag) && tag == tag_of(b, 3));
	CHECK(!hosts_drop(&h, &tag));
	CHECK_INT(hosts_held(&h), 0);
	hosts_done(&h, a, 1, 1, PACE_FAILED);
	hold(&h, b, 4); /* b has begun nothing */
	check_take(&h, 1, b, 4);
	tear_down(&h);
}

static void hold_first(struct hosts *h, uint32_t host, uint64_t number)
{
	hosts_hold_first(h, host, tag_of(host, number));
}

/* What cannot wait goes first, and what was not carried out has not happened. */
static void test_first_and_undone(void)
{
	uint32_t a, b;
	uint64_t tag = 0;
	struct hosts h;

	set_up(&h, (struct pace_rule){.delay = 5});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	hold_first(&h, a, 1);
	hold(&h, a, 2);
	hold_first(&h, a, 3);
	hold(&h, b, 4);
	check_take(&h, 0, a, 3);
	check_take(&h, 0, b, 4);
	hosts_undo(&h, a);
	CHECK_INT(servers_busy(&lane), 1);
	check_take(&h, 0, a, 1); /* without a pause */
	CHECK(!hosts_drop_from(&h, b, &tag));
	CHECK(hosts_drop_from(&h, a, &tag) && tag == tag_of(a, 2));
	CHECK_INT(hosts_held(&h), 0);
	check_nothing(&h, 100, (double)INFINITY);
	tear_down(&h);
}

/* It goes before orders of servers that have waited longer. */
static void test_hurry(void)
{
	uint32_t a, b;
	struct hosts h;

	set_up(&h, (struct pace_rule){.jobs = 4});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	check_nothing(&h, 1, (double)INFINITY);
	hold(&h, a, 1);
	hold(&h, b, 2);
	hold(&h, b, 3);
	hosts_hurry(&h, b, tag_of(b, 9)); /* does not wait */
	hosts_hurry(&h, b, tag_of(b, 3));
	check_take(&h, 1, b, 3);
	hold_first(&h, b, 4);
	check_take(&h, 1, b, 4);
	check_take(&h, 1, a, 1);
	check_take(&h, 1, b, 2);
	CHECK_INT(hosts_held(&h), 0);
	tear_down(&h);
}

static void test_pending(void)
{
	struct hosts h;
	uint32_t a, b, page = 0;

	set_up(&h, (struct pace_rule){.delay = 5});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "https://a/");
	hosts_at(&h, a)->robots = HOST_ROBOTS_FETCHING;
	CHECK_INT(hosts_at(&h, b)->robots, HOST_ROBOTS_UNKNOWN); /* robots are per origin */
	hosts_pend(&h, a, 7);
	hosts_pend(&h, b, 8);
	hosts_pend(&h, a, UINT32_MAX);
	CHECK_INT(h.pending, 3);
	CHECK_INT(hosts_held(&h), 0);
	CHECK(hosts_take_pending(&h, a, &page) && page == 7);
	CHECK(hosts_take_pending(&h, a, &page) && page == UINT32_MAX);
	CHECK(!hosts_take_pending(&h, a, &page));
	CHECK(hosts_take_pending(&h, b, &page) && page == 8);
	CHECK_INT(h.pending, 0);
	tear_down(&h);
}

/* Two captures on one lane: a server that both ask has one pace, and each gives up its own. */
static void test_two_captures(void)
{
	struct hosts h, other;
	uint32_t a, b, client = 7;
	uint64_t tag = 0;

	set_up(&h, (struct pace_rule){.delay = 5});
	hosts_init(&other, &lane, 1, KEY);
	a = host_of(&h, "http://a/");
	(void)host_of(&other, "http://b/");
	b = host_of(&other, "https://a/");
	CHECK_INT(lane.list.len, 2);
	CHECK_INT(h.asked.len, 1);
	hold(&h, a, 1);
	hold(&other, b, 2);
	hold(&h, a, 3);
	hold(&other, b, 4);
	check_take(&h, 0, a, 1);
	hosts_done(&h, a, 1, 1, PACE_ANSWERED);
	CHECK(!servers_take(&lane, 5, &client, &tag));
	CHECK(servers_take(&lane, 6, &client, &tag) && client == 1 && tag == tag_of(b, 2));
	hosts_started(&other, b);
	CHECK(hosts_drop(&h, &tag) && tag == tag_of(a, 3));
	CHECK(!hosts_drop(&h, &tag));
	CHECK_INT(hosts_held(&other), 1);
	hosts_done(&other, b, 7, 1, PACE_ANSWERED);
	CHECK(servers_take(&lane, 12, &client, &tag) && client == 1 && tag == tag_of(b, 4));
	hosts_started(&other, b);
	CHECK_INT(lane.held, 0);
	hosts_release(&other);
	tear_down(&h);
}

/* Room is there as long as no server has its share of orders. */
static void test_room(void)
{
	struct hosts h;
	uint32_t a, b;
	uint64_t tag;

	set_up(&h, (struct pace_rule){.delay = 5});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	hold(&h, a, 1);
	hold(&h, a, 2);
	hold(&h, b, 3); /* the last one was for another: a is full all the same */
	hold(&h, a, 4);
	check_take(&h, 0, a, 1);
	CHECK(hosts_drop(&h, &tag));
	tear_down(&h);
}

/* Many hosts, found again by name after all growing. */
static void test_crowd(void)
{
	struct hosts h;
	char text[64];

	set_up(&h, (struct pace_rule){.delay = 5, .jobs = 2});
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < CROWD; i++) {
			(void)snprintf(text, sizeof text, "http://host-%u.example/x", i);
			CHECK_INT(host_of(&h, text), i);
			hold(&h, i, i);
		}
	}
	CHECK_INT(hosts_count(&h), CROWD);
	for (uint32_t i = 0; i < 2 * CROWD; i++)
		check_take(&h, 0, i % CROWD, i % CROWD);
	check_nothing(&h, 0, (double)INFINITY);
	tear_down(&h);
}

static void set_address(struct hosts *h, uint32_t host, const char *address)
{
	hosts_set_address(h, host, slice_str(address));
}

static void test_shared_address(void)
{
	struct hosts h;
	uint32_t a, b, c;
	uint64_t tag;

	tap_case("shared address: paced as one");
	set_up(&h, (struct pace_rule){.delay = 5});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "https://b/");
	c = host_of(&h, "http://c:81/");
	set_address(&h, a, "192.0.2.1");
	set_address(&h, b, "192.0.2.1");
	set_address(&h, c, "192.0.2.1");
	CHECK_INT(lane.addresses.len, 2); /* another port is another server */
	for (uint64_t i = 0; i < 2; i++) {
		hold(&h, a, 10 + i);
		hold(&h, b, 20 + i);
	}
	hold(&h, c, 30);
	check_take(&h, 0, a, 10);
	check_take(&h, 0, c, 30);
	check_nothing(&h, 3, (double)INFINITY);
	hosts_done(&h, a, 4, 1, PACE_ANSWERED);
	check_nothing(&h, 8.9, 9);
	check_take(&h, 9, b, 20);
	hosts_done(&h, b, 10, 1, PACE_ANSWERED);
	check_nothing(&h, 14, 15);
	check_take(&h, 15, a, 11);
	hosts_done(&h, a, 16, 1, PACE_ANSWERED);
	tap_case("shared address: a Crawl-delay and a Retry-After are the name's own");
	hosts_set_crawl_delay(&h, a, 100);
	hosts_retry_after(&h, a, 16, 200);
	hold(&h, a, 12);
	check_take(&h, 21, b, 21);
	hosts_done(&h, b, 22, 1, PACE_ANSWERED);
	check_nothing(&h, 27, 216);
	tap_case("shared address: orders in line can be dropped");
	hold(&h, b, 22);
	hold(&h, c, 31);
	hosts_done(&h, c, 28, 1, PACE_ANSWERED);
	check_take(&h, 40, b, 22);
	check_take(&h, 40, c, 31);
	check_nothing(&h, 300, (double)INFINITY); /* a is in line behind b */
	CHECK(hosts_drop(&h, &tag) && tag == tag_of(a, 12));
	CHECK(!hosts_drop(&h, &tag));
	tear_down(&h);
}

static void test_moving(void)
{
	struct hosts h;
	uint32_t a, b;

	tap_case("moving: not while something is under way");
	set_up(&h, (struct pace_rule){.delay = 5, .jobs = 2});
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	set_address(&h, a, "192.0.2.1");
	set_address(&h, b, "192.0.2.2");
	for (uint64_t tag = 0; tag < 3; tag++)
		hold(&h, a, tag);
	check_take(&h, 0, a, 0);
	check_take(&h, 0, a, 1);
	hosts_done(&h, a, 1, 1, PACE_ANSWERED);
	set_address(&h, a, "192.0.2.2");
	check_nothing(&h, 100, (double)INFINITY);
	hosts_done(&h, a, 101, 1, PACE_ANSWERED);
	tap_case("moving: then the new one is shared");
	hold(&h, b, 10);
	hold(&h, b, 11);
	check_take(&h, 101, a, 2);
	check_take(&h, 101, b, 10);
	check_nothing(&h, 200, (double)INFINITY); /* two jobs, whoever has them */
	hosts_done(&h, b, 201, 1, PACE_ANSWERED);
	check_take(&h, 206, b, 11);
	tap_case("moving: an address that is not known is nobody's");
	set_address(&h, b, "");
	hosts_done(&h, b, 207, 1, PACE_ANSWERED);
	hold(&h, b, 12);
	check_take(&h, 212, b, 12);
	hosts_done(&h, a, 213, 1, PACE_ANSWERED);
	hosts_done(&h, b, 213, 1, PACE_ANSWERED);
	CHECK_INT(servers_busy(&lane), 0);
	tear_down(&h);
}

static void test_unresolved(void)
{
	uint32_t a, b, server = UINT32_MAX;
	uint64_t tag;
	struct hosts h;

	tap_case("unresolved: nothing starts before the address is known");
	set_up(&h, (struct pace_rule){.delay = 5});
	servers_want_addresses(&lane);
	a = host_of(&h, "http://a:81/");
	b = host_of(&h, "https://a:81/");
	CHECK(!servers_take_unresolved(&lane, &server));
	hold(&h, a, 1);
	hold(&h, b, 2);
	check_nothing(&h, 0, (double)INFINITY);
	CHECK(servers_take_unresolved(&lane, &server));
	CHECK_SLICE(servers_name(&lane, server), SLICE("a:81"));
	CHECK(!servers_take_unresolved(&lane, &server)); /* one server */
	set_address(&h, a, "192.0.2.1");
	check_take(&h, 1, a, 1);
	hosts_done(&h, a, 2, 1, PACE_ANSWERED);
	check_take(&h, 7, b, 2);
	hosts_done(&h, b, 8, 1, PACE_ANSWERED);
	tap_case("unresolved: giving up");
	a = host_of(&h, "http://c/");
	hold(&h, a, 3);
	CHECK(hosts_drop(&h, &tag) && tag == tag_of(a, 3));
	tear_down(&h);
}

static void test_ports(void)
{
	static const struct {
		const char *url;
		size_t addresses; /* with those before it, all at 192.0.2.1 */
	} rows[] = {
		{"http://a/", 1},
		{"https://b/", 1},
		{"http://[2001:db8::81]/", 1},
		{"http://[2001:db8::82]:81/", 2},
		{"http://c:81/", 2},
		{"http://c:443/", 3},
	};
	struct hosts h;

	set_up(&h, (struct pace_rule){.delay = 5});
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("ports: %s", rows[i].url);
		set_address(&h, host_of(&h, rows[i].url), "192.0.2.1");
		CHECK_INT(lane.addresses.len, rows[i].addresses);
	}
	tear_down(&h);
}

/* Two lanes that know each other; the address is shared, the names are not. */
static void test_other_lanes(void)
{
	struct shared_paces *all = shared_paces_new();
	struct servers lanes[2];
	uint32_t server, client;
	uint64_t tag;

	tap_case("other lanes: an address is shared with them");
	for (size_t i = 0; i < ARRAY_LEN(lanes); i++) {
		servers_init(&lanes[i], (struct pace_rule){.delay = 5}, all, KEY);
		server = servers_find(&lanes[i], i ? SLICE("a") : SLICE("b"));
		servers_set_address(&lanes[i], server, SLICE("192.0.2.1"));
		servers_hold(&lanes[i], server, 0, i);
	}
	CHECK(servers_take(&lanes[0], 0, &client, &tag) && tag == 0);
	CHECK(!servers_take(&lanes[1], 1, &client, &tag));
	CHECK_NEAR(servers_next_ready(&lanes[1]), 1 + SHARED_PACE_POLL, 1e-9);
	servers_done(&lanes[0], 0, 2, 1, PACE_ANSWERED);
	CHECK(!servers_take(&lanes[1], 6.9, &client, &tag));
	CHECK_NEAR(servers_next_ready(&lanes[1]), 7, 1e-9);
	CHECK(servers_take(&lanes[1], 7, &client, &tag) && tag == 1);
	servers_done(&lanes[1], 0, 8, 1, PACE_ANSWERED);
	for (size_t i = 0; i < ARRAY_LEN(lanes); i++)
		servers_release(&lanes[i]);
	shared_paces_free(all);
}

/* A name that leads elsewhere each time does not fill the memory, and is paced all the same. */
static void test_restless_name(void)
{
	struct hosts h;
	uint32_t host, client;
	char address[32];
	uint64_t tag;

	set_up(&h, (struct pace_rule){.delay = 10});
	host = host_of(&h, "http://a.example/");
	for (unsigned i = 0; i < SERVERS_ADDRESSES_MAX + 1000; i++) {
		(void)snprintf(address, sizeof address, "2001:db8::%x:%x", i >> 16, i & 0xffff);
		hosts_set_address(&h, host, slice_str(address));
	}
	CHECK_INT(lane.addresses.len, SERVERS_ADDRESSES_MAX + 2);
	hold(&h, host, 1);
	hold(&h, host, 2);
	CHECK(servers_take(&lane, 0, &client, &tag));
	hosts_started(&h, host);
	hosts_done(&h, host, 1, 1, PACE_ANSWERED);
	CHECK_NEAR(servers_next_ready(&lane), 11, 1e-9);
	CHECK(hosts_drop(&h, &tag));
	tear_down(&h);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_origins();
	TAP_RUN(test_other_schemes);
	TAP_RUN(test_one_host);
	TAP_RUN(test_schemes_share_a_pace);
	TAP_RUN(test_turns);
	TAP_RUN(test_earliest_first);
	TAP_RUN(test_drop);
	TAP_RUN(test_first_and_undone);
	TAP_RUN(test_hurry);
	TAP_RUN(test_pending);
	TAP_RUN(test_two_captures);
	TAP_RUN(test_room);
	TAP_RUN(test_crowd);
	test_shared_address();
	test_moving();
	test_unresolved();
	test_ports();
	test_other_lanes();
	TAP_RUN(test_restless_name);
	return tap_done();
}
