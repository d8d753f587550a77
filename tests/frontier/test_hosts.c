#include "frontier/hosts.h"

#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "tap.h"

enum { CROWD = 3000 };

static const struct hash_key KEY = {1, 2};

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

	hosts_init(&h, (struct pace_rule){.delay = 1}, KEY);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("origins: %s", rows[i].url);
		CHECK_INT(host_of(&h, rows[i].url), rows[i].host);
		CHECK_SLICE(hosts_at(&h, rows[i].host)->origin, slice_str(rows[i].origin));
		CHECK_INT(hosts_at(&h, rows[i].host)->pace_index, rows[i].server);
		CHECK_INT(hosts_at(&h, rows[i].host)->robots, HOST_ROBOTS_UNKNOWN);
	}
	tap_case("origins: their number");
	CHECK_INT(hosts_count(&h), 10);
	hosts_release(&h);
}

static void test_other_schemes(void)
{
	uint32_t host = 7;
	struct hosts h;
	struct url url;

	hosts_init(&h, (struct pace_rule){.delay = 1}, KEY);
	url_init(&url);
	CHECK_INT(url_parse(&url, SLICE("ftp://example.org/"), NULL, NULL), 0);
	CHECK_INT(hosts_find(&h, &url, &host), ERR_UNSUPPORTED);
	CHECK_INT(host, 7);
	CHECK_INT(hosts_count(&h), 0);
	url_release(&url);
	hosts_release(&h);
	h = (struct hosts){0};
	hosts_release(&h);
}

/* Takes an order, which must be this one. */
static void check_take(struct hosts *h, double now, uint32_t want_host, uint64_t want_tag)
{
	uint32_t host = UINT32_MAX;
	uint64_t tag = UINT64_MAX;

	CHECK(hosts_take(h, now, &host, &tag));
	CHECK_INT(host, want_host);
	CHECK_INT(tag, want_tag);
}

static void check_nothing(struct hosts *h, double now, double want_next)
{
	uint32_t host;
	uint64_t tag;

	CHECK(!hosts_take(h, now, &host, &tag));
	if (isinf(want_next))
		CHECK(isinf(hosts_next_ready(h)) && hosts_next_ready(h) > 0);
	else
		CHECK_NEAR(hosts_next_ready(h), want_next, 1e-12);
}

static void test_one_host(void)
{
	struct hosts h;
	uint32_t a;

	hosts_init(&h, (struct pace_rule){.delay = 5}, KEY);
	a = host_of(&h, "http://a/");
	check_nothing(&h, 0, (double)INFINITY);
	for (uint64_t tag = 10; tag < 13; tag++)
		CHECK_INT(hosts_hold(&h, a, tag), 0);
	CHECK_INT(hosts_held(&h), 3);
	check_take(&h, 0, a, 10);
	CHECK_INT(hosts_busy(&h), 1);
	check_nothing(&h, 100, (double)INFINITY);
	hosts_done(&h, a, 101, 1, false);
	CHECK_INT(hosts_busy(&h), 0);
	check_nothing(&h, 105.9, 106);
	check_take(&h, 106, a, 11);
	hosts_done(&h, a, 107, 1, false);
	hosts_set_crawl_delay(&h, a, 20);
	check_nothing(&h, 126, 127);
	hosts_retry_after(&h, a, 126, 30);
	check_nothing(&h, 127, 156);
	check_take(&h, 156, a, 12);
	CHECK_INT(hosts_held(&h), 0);
	check_nothing(&h, 1000, (double)INFINITY);
	hosts_done(&h, a, 1001, 1, false);
	check_nothing(&h, 2000, (double)INFINITY);
	CHECK_NEAR(pace_delay(hosts_pace(&h, a)), 20, 0);
	hosts_release(&h);
}

static void test_schemes_share_a_pace(void)
{
	uint32_t plain, tls, other;
	struct hosts h;

	hosts_init(&h, (struct pace_rule){.delay = 5}, KEY);
	plain = host_of(&h, "http://a/");
	tls = host_of(&h, "https://a/");
	other = host_of(&h, "https://a:8443/");
	CHECK_INT(hosts_hold(&h, plain, 1), 0);
	CHECK_INT(hosts_hold(&h, tls, 2), 0);
	CHECK_INT(hosts_hold(&h, other, 3), 0);
	CHECK_INT(hosts_servers(&h), 2);
	CHECK_INT(hosts_held_for(&h, plain), 2);
	CHECK_INT(hosts_held_for(&h, tls), 2);
	CHECK_INT(hosts_held_for(&h, other), 1);
	check_take(&h, 0, plain, 1);
	check_take(&h, 0, other, 3);
	check_nothing(&h, 0, (double)INFINITY);
	hosts_done(&h, plain, 1, 1, false);
	check_nothing(&h, 5, 6);
	check_take(&h, 6, tls, 2);
	hosts_release(&h);
}

static void test_turns(void)
{
	uint32_t host[3];
	struct hosts h;

	hosts_init(&h, (struct pace_rule){.delay = 0}, KEY);
	host[0] = host_of(&h, "http://a/");
	host[1] = host_of(&h, "http://b/");
	host[2] = host_of(&h, "http://c/");
	for (uint64_t tag = 0; tag < 9; tag++)
		CHECK_INT(hosts_hold(&h, host[tag / 3], tag), 0);
	for (uint64_t i = 0; i < 9; i++) { /* one request at a time, in time that stands still */
		check_take(&h, 1, host[i % 3], i % 3 * 3 + i / 3);
		hosts_done(&h, host[i % 3], 1, 0, false);
	}
	check_nothing(&h, 1, (double)INFINITY);
	hosts_release(&h);
}

static void test_earliest_first(void)
{
	struct hosts h;
	uint32_t a, b;

	hosts_init(&h, (struct pace_rule){.automatic = true}, KEY);
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	for (uint64_t tag = 0; tag < 2; tag++) {
		CHECK_INT(hosts_hold(&h, a, tag), 0);
		CHECK_INT(hosts_hold(&h, b, 10 + tag), 0);
	}
	check_take(&h, 0, a, 0);
	check_take(&h, 0, b, 10);
	hosts_done(&h, a, 0.9, 0.9, false);
	hosts_done(&h, b, 1, 0.2, false);
	check_nothing(&h, 2.9, 3);
	check_take(&h, 20, b, 11); /* both are ready; b has been so for longer */
	check_take(&h, 20, a, 1);
	hosts_release(&h);
}

static void test_drop(void)
{
	uint32_t a, b, host = 0;
	uint64_t tag = 0;
	struct hosts h;

	hosts_init(&h, (struct pace_rule){.delay = 5}, KEY);
	a = host_of(&h, "http://a/");
	b = host_of(&h, "http://b/");
	CHECK_INT(hosts_hold(&h, a, 1), 0);
	CHECK_INT(hosts_hold(&h, a, 2), 0);
	CHECK_INT(hosts_hold(&h, b, 3), 0);
	check_take(&h, 0, a, 1);
	CHECK(hosts_drop(&h, &host, &tag) && host == b && tag == 3);
	CHECK(hosts_drop(&h, &host, &tag) && host == a && tag == 2); /* its server is busy */
	CHECK(!hosts_drop(&h, &host, &tag));
	CHECK_INT(hosts_held(&h), 0);
	hosts_done(&h, a, 1, 1, true);
	CHECK_INT(hosts_hold(&h, b, 4), 0); /* b has begun nothing */
	check_take(&h, 1, b, 4);
	hosts_release(&h);
}

static void test_pending(void)
{
	struct hosts h;
	uint32_t a, b, page = 0;

	hosts_init(&h, (struct pace_rule){.delay = 5}, KEY);
	a = host_of(&h, "http://a/");
	b = host_of(&h, "https://a/");
	hosts_at(&h, a)->robots = HOST_ROBOTS_FETCHING;
	CHECK_INT(hosts_at(&h, b)->robots, HOST_ROBOTS_UNKNOWN); /* robots are per origin */
	CHECK_INT(hosts_pend(&h, a, 7), 0);
	CHECK_INT(hosts_pend(&h, b, 8), 0);
	CHECK_INT(hosts_pend(&h, a, UINT32_MAX), 0);
	CHECK_INT(hosts_pending(&h), 3);
	CHECK_INT(hosts_held(&h), 0);
	CHECK(hosts_take_pending(&h, a, &page) && page == 7);
	CHECK(hosts_take_pending(&h, a, &page) && page == UINT32_MAX);
	CHECK(!hosts_take_pending(&h, a, &page));
	CHECK(hosts_take_pending(&h, b, &page) && page == 8);
	CHECK_INT(hosts_pending(&h), 0);
	hosts_release(&h);
}

/* Many hosts, found again by name after all growing. */
static void test_crowd(void)
{
	struct hosts h;
	char text[64];

	hosts_init(&h, (struct pace_rule){.delay = 5, .jobs = 2}, hash_key_random());
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < CROWD; i++) {
			(void)snprintf(text, sizeof text, "http://host-%u.example/x", i);
			CHECK_INT(host_of(&h, text), i);
			CHECK_INT(hosts_hold(&h, i, i), 0);
		}
	}
	CHECK_INT(hosts_count(&h), CROWD);
	for (uint32_t i = 0; i < 2 * CROWD; i++)
		check_take(&h, 0, i % CROWD, i % CROWD);
	check_nothing(&h, 0, (double)INFINITY);
	hosts_release(&h);
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
	TAP_RUN(test_pending);
	TAP_RUN(test_crowd);
	return tap_done();
}
