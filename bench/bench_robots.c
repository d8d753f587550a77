/*
 * robots.txt on one core: bytes parsed per second, beside copying them, and decisions per second
 * on a small and on a very large file.
 *
 *	bench_robots [FILE]	this robots.txt in place of the large one made here
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bench.h"
#include "formats/robots.h"

enum {
	SMALL_RULES = 40,
	LARGE_RULES = 20000,
	PATHS = 1000,
	ROUND_SECONDS = 1,
	BATCH = 16,
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

/* How often a second, the processor's, this can be done; it is given the number of the call. */
static double times_per_second(void (*what)(void *, int), void *context)
{
	double start = processor_time(), seconds;
	int n = 0;

	do {
		for (int i = 0; i < BATCH; i++)
			what(context, n++);
		seconds = processor_time() - start;
	} while (seconds < ROUND_SECONDS);
	return n / seconds;
}

struct input {
	slice text;
	char *copy;
	struct robots robots;
};

static void copy(void *context, int number)
{
	struct input *in = context;

	(void)number;
	memcpy(in->copy, in->text.ptr, in->text.len);
	__asm__ volatile("" : : "r"(in->copy) : "memory");
}

static void parse(void *context, int number)
{
	struct input *in = context;
	struct robots r;

	(void)number;
	require(robots_parse(&r, in->text, SLICE("stillpoint"), NULL) == 0);
	robots_release(&r);
}

static void decide(void *context, int number)
{
	struct input *in = context;
	struct robots_decision d;
	char path[80];

	(void)snprintf(path, sizeof path, "/section-%d/sub/a/print-%d-page.html?q=%d",
		number % PATHS, number % PATHS, number);
	require(robots_decide(&in->robots, slice_str(path), &d) == 0);
}

static void report(const char *name, slice text)
{
	double mb = (double)text.len / 1e6;
	struct input in = {.text = text, .copy = malloc(text.len)};
	double copied, parsed;

	require(in.copy && robots_parse(&in.robots, text, SLICE("stillpoint"), NULL) == 0);
	copied = times_per_second(copy, &in) * mb;
	parsed = times_per_second(parse, &in) * mb;
	printf("%-6s %8zu bytes: parsed at %.0f MB/s (memcpy %.0f MB/s, ratio %.4f); "
	       "%.0f decisions/s\n",
		name, text.len, parsed, copied, parsed / copied, times_per_second(decide, &in));
	robots_release(&in.robots);
	free(in.copy);
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
