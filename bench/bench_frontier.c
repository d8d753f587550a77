/*
 * The frontier on one core: what a decision costs (take, end, hold again) with so many hosts that
 * all have held orders, alone at their address or not, and what a known URL costs in time and
 *memory.
 *
 *	bench_frontier
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/seen.h"
#include "net/servers.h"

enum {
	HOSTS_MIN = 100,
	HOSTS_LARGEST = 100000,
	SHARED = 10,
	DECISIONS = 1000000,
	URLS_MIN = 1000000,
	URLS_LARGEST = 10000000,
	URL_SIZE = 96,
};

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_frontier: failed\n", stderr);
		exit(1);
	}
}

/* Seconds of processor time: the longest of ten million steps would else be somebody else's. */
static double now(void)
{
	struct timespec t;

	require(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	char line[256], *rest;

	require(f && fgets(line, sizeof line, f));
	(void)fclose(f);
	(void)strtoul(line, &rest, 10); /* all pages; then those that are resident */
	return (double)strtoul(rest, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
}

/* shared: so many of them are at each address. */
static void add_hosts(struct hosts *h, uint32_t count, uint32_t shared)
{
	struct url url;

	url_init(&url);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t host;
		char text[URL_SIZE], address[URL_SIZE];

		(void)snprintf(text, sizeof text, "http://host-%u.example/", i);
		(void)snprintf(address, sizeof address, "2001:db8::%x", i / shared);
		require(url_parse(&url, slice_str(text), NULL, NULL) == 0);
		require(hosts_find(h, &url, &host) == 0);
		hosts_hold(h, host, i);
		hosts_set_address(h, host, slice_str(address));
	}
	url_release(&url);
}

/* Every host has an order at all times, and each request takes a little longer than the last. */
static double decide(struct hosts *h)
{
	double start = now(), virtual_now = 0;
	uint32_t client;
	uint64_t tag;

	for (int i = 0; i < DECISIONS; i++) {
		uint32_t host;

		/* Who comes to an address that is busy goes into its line. */
		do {
			virtual_now = fmax(virtual_now, servers_next_ready(h->servers));
			require(isfinite(virtual_now));
		} while (!servers_take(h->servers, virtual_now, &client, &tag));
		host = (uint32_t)tag; /* they are numbered alike */
		hosts_started(h, host);
		hosts_done(h, host, virtual_now + 0.001 * (i % 97), 0.05 + 0.01 * (i % 31),
			PACE_ANSWERED);
		hosts_hold(h, host, tag);
	}
	return (now() - start) / DECISIONS;
}

static void bench_hosts(uint32_t count, uint32_t shared)
{
	double before = resident_bytes(), added, start = now();
	struct servers lane;
	struct hosts h;

	servers_init(&lane, (struct pace_rule){.automatic = true}, NULL, hash_key_random());
	hosts_init(&h, &lane, 0, hash_key_random());
	add_hosts(&h, count, shared);
	added = (now() - start) / count;
	printf("%8u hosts, %2u at an address: %5.0f ns a decision; %4.0f ns to parse, find and "
	       "hold; %4.0f bytes a "
	       "host\n",
		count, shared, decide(&h) * 1e9, added * 1e9, (resident_bytes() - before) / count);
	hosts_release(&h);
	servers_release(&lane);
	(void)malloc_trim(0);
}

static slice url_at(char text[URL_SIZE], uint32_t i)
{
	int n = snprintf(text, URL_SIZE,
		"https://www.example.org/section-%u/2026/article-%u.html?page=%u", i % 977, i,
		i % 7);

	return (slice){text, (size_t)n};
}

static void bench_seen(uint32_t count)
{
	double start, added, worst = 0, found, before = resident_bytes();
	char text[URL_SIZE];
	struct seen s;

	seen_init(&s, hash_key_random());
	start = now();
	for (uint32_t i = 0; i < count; i++) {
		double begin = now(), took;

		require(seen_add(&s, url_at(text, i), i) == 0);
		took = now() - begin;
		worst = took > worst ? took : worst;
	}
	added = (now() - start) / count;
	start = now();
	for (uint32_t i = 0; i < count; i++)
		require(!seen_find(&s, url_at(text, count + i), NULL));
	found = (now() - start) / count;
	printf("%8u URLs: %.2f bytes each (resident %.2f); %.0f ns to add, longest %.2f ms; "
	       "%.0f ns to miss\n",
		count, (double)s.bytes / count, (resident_bytes() - before) / count, added * 1e9,
		worst * 1e3, found * 1e9);
	seen_release(&s);
	(void)malloc_trim(0);
}

int main(void)
{
	for (uint32_t count = HOSTS_MIN; count <= HOSTS_LARGEST; count *= 10) {
		bench_hosts(count, 1);
		bench_hosts(count, SHARED);
	}
	for (uint32_t count = URLS_MIN; count <= URLS_LARGEST; count *= 10)
		bench_seen(count);
	return 0;
}
