/*
 * robots.txt on one core: bytes parsed per second, beside copying them, and decisions per second
 * on a small and on a very large file.
 *
 *	bench_robots [FILE]	this robots.txt in place of the large one made here
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "extract/robots.h"

enum {
	SMALL_RULES = 40,
	LARGE_RULES = 20000,
	PATHS = 1000,
	ROUND_SECONDS = 1,
};

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_robots: failed\n", stderr);
		exit(1);
	}
}

static void make_file(struct buf *text, int rules)
{
	int rc = buf_add_str(text, "User-agent: somebody\nDisallow: /\n\nUser-agent: *\n");

	for (int i = 0; i < rules && rc == 0; i++) {
		if (i % 10 == 0)
			rc = buf_printf(text, "Disallow: /*/print-%d*.php$\n", i);
		else
			rc = buf_printf(text, "%s: /section-%d/sub/page-%d\n",
				i % 3 ? "Disallow" : "Allow", i, i);
	}
	require(rc == 0);
}

static void read_file(struct buf *text, const char *path)
{
	FILE *f = fopen(path, "rb");

	require(f && buf_reserve(text, text->max) == 0);
	text->len = fread(text->ptr, 1, text->max, f);
	(void)fclose(f);
}

static double seconds_since(int64_t start)
{
	return clock_seconds(clock_monotonic(clock_system()) - start);
}

static double copies_per_second(slice text)
{
	char *to = malloc(text.len);
	int64_t start = clock_monotonic(clock_system());
	int n = 0;

	require(to != NULL);
	for (; seconds_since(start) < ROUND_SECONDS; n++) {
		memcpy(to, text.ptr, text.len);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	free(to);
	return n / seconds_since(start);
}

static double parses_per_second(slice text)
{
	int64_t start = clock_monotonic(clock_system());
	struct robots r;
	int n = 0;

	for (; seconds_since(start) < ROUND_SECONDS; n++) {
		require(robots_parse(&r, text, SLICE("stillpoint"), NULL) == 0);
		robots_release(&r);
	}
	return n / seconds_since(start);
}

static double decisions_per_second(slice text)
{
	struct robots_decision d;
	struct robots r;
	int64_t start;
	int n = 0;

	require(robots_parse(&r, text, SLICE("stillpoint"), NULL) == 0);
	start = clock_monotonic(clock_system());
	for (; seconds_since(start) < ROUND_SECONDS; n++) {
		char path[80];

		(void)snprintf(path, sizeof path, "/section-%d/sub/a/print-%d-page.html?q=%d",
			n % PATHS, n % PATHS, n);
		require(robots_decide(&r, slice_str(path), &d) == 0);
	}
	robots_release(&r);
	return n / seconds_since(start);
}

static void report(const char *name, slice text)
{
	double mb = (double)text.len / 1e6;
	double copied = copies_per_second(text) * mb, parsed = parses_per_second(text) * mb;

	printf("%-6s %8zu bytes: parsed at %.0f MB/s (memcpy %.0f MB/s, ratio %.4f); "
	       "%.0f decisions/s\n",
		name, text.len, parsed, copied, parsed / copied, decisions_per_second(text));
}

int main(int argc, char **argv)
{
	struct buf small, large;

	buf_init(&small, ROBOTS_PARSE_MAX);
	buf_init(&large, ROBOTS_PARSE_MAX);
	make_file(&small, SMALL_RULES);
	if (argc > 1)
		read_file(&large, argv[1]);
	else
		make_file(&large, LARGE_RULES);
	report("small", buf_slice(&small));
	report("large", buf_slice(&large));
	buf_release(&small);
	buf_release(&large);
	return 0;
}
