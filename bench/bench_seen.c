/*
 * The test for known URLs beyond its memory: what a question costs, in the order of a crawl.
 *
 *	seen_bench [URLS [--memory BYTES] [--dir DIR] [--batch LINKS]]
 *
 * Prints one line of JSON: {"urls","repeats","cpu_seconds","peak_bytes","disk_bytes"}. New URLs
 *come one by one, and each is followed by 30 links to known ones: 18 to the last 2,000 that were
 *found, 9 to popular ones (the k-th is linked to 1/k as often as the first), 3 to any. So the share
 *of questions for which memory alone does not suffice is that of the last kind and of the tail of
 *the second. LINKS are asked at once; 31, the links of one page, is what a crawl does.
 *
 * peak_bytes are those of the whole process (VmHWM) but for what it had at first; so the questions
 *of a batch are among them. "reads" counts the reads of files, "add_seconds" is the processor time
 *to add as many URLs again that are not asked for, as resume does.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/seen.h"
#include "bench.h"

enum {
	URLS = 1000000,
	REPEATS = 30,
	NEAR = 2000,
	URL_SIZE = 128,
	LINKS_MIN = 31,
};

struct params {
	uint64_t urls, memory, batch;
	const char *dir;
};

static void require(bool ok, const char *what)
{
	if (!ok) {
		(void)fprintf(stderr, "seen_bench: %s\n", what);
		exit(1);
	}
}

static double status(const char *field)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	double kb = 0;

	require(f != NULL, "no /proc/self/status");
	while (fgets(line, sizeof line, f))
		if (strncmp(line, field, strlen(field)) == 0)
			kb = strtod(line + strlen(field) + 1, NULL);
	(void)fclose(f);
	return kb * 1024;
}

static char *put_text(char *at, const char *text)
{
	return stpcpy(at, text);
}

static char *put_number(char *at, uint32_t number)
{
	char digits[16];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n > 0)
		*at++ = digits[--n];
	return at;
}

static slice url_of(uint32_t i, char text[URL_SIZE])
{
	char *at = put_text(text, "https://www.site-");

	at = put_number(at, i % 1000);
	at = put_text(at, ".example.org/section-");
	at = put_number(at, i % 977);
	at = put_text(at, "/2026/article-");
	at = put_number(at, i);
	at = put_text(at, ".html");
	return (slice){text, (size_t)(at - text)};
}

/* Where a link of a page leads, when so many are known. */
static uint32_t draw(struct rng *rng, uint32_t known)
{
	unsigned kind = (unsigned)rng_below(rng, 10);

	if (kind < 6)
		return known - 1 - (uint32_t)rng_below(rng, known < NEAR ? known : NEAR);
	if (kind < 9)
		return (uint32_t)(pow((double)known, rng_double(rng)) - 1);
	return (uint32_t)rng_below(rng, known);
}

/* A batch of links: asked, answered and used. */
static void use_links(struct seen *s, const uint32_t *links, size_t count, uint64_t *found)
{
	char text[URL_SIZE];
	uint32_t number;

	for (size_t i = 0; i < count; i++)
		seen_ask(s, url_of(links[i], text));
	seen_answer(s);
	for (size_t i = 0; i < count; i++) {
		slice url = url_of(links[i], text);

		if (seen_look_up(s, url, &number)) {
			require(number == links[i], "a wrong number");
			++*found;
		} else {
			require(seen_add(s, url, links[i]) == 0, "seen_add failed");
		}
	}
}

static void run(const struct params *p, struct seen *s)
{
	uint32_t *links = calloc(p->batch, sizeof *links);
	uint64_t found = 0;
	size_t len = 0;
	struct rng rng;

	require(links != NULL, "no memory");
	rng_init(&rng, 1);
	for (uint32_t u = 0; u < p->urls; u++) {
		if (len + 1 + REPEATS > p->batch) {
			use_links(s, links, len, &found);
			len = 0;
		}
		links[len++] = u;
		for (int i = 0; i < REPEATS; i++)
			links[len++] = draw(&rng, u + 1);
	}
	use_links(s, links, len, &found);
	free(links);
	require(found == p->urls * REPEATS && seen_count(s) == p->urls, "wrong answers");
}

/* As resume does: all are new. */
static double time_of_adding(const struct params *p)
{
	struct seen_budget budget = {.max = p->memory / 2};
	double start = processor_time();
	char text[URL_SIZE];
	struct seen s;

	seen_init(&s, hash_key_random());
	seen_limit(&s, &budget, p->dir);
	for (uint32_t u = 0; u < p->urls; u++)
		require(seen_add(&s, url_of(u, text), u) == 0, "seen_add failed");
	seen_release(&s);
	return processor_time() - start;
}

static void measure(const struct params *p)
{
	double before = status("VmRSS:"), start = processor_time(), seconds, peak;
	struct seen_budget budget = {.max = p->memory / 2};
	struct err err = {0};
	uint64_t disk, reads;
	struct seen s;

	seen_init(&s, hash_key_random());
	seen_limit(&s, &budget, p->dir);
	run(p, &s);
	seconds = processor_time() - start;
	peak = status("VmHWM:") - before;
	require(seen_error(&s, &err) == 0, err.text);
	disk = seen_disk_bytes(&s);
	reads = seen_reads(&s);
	seen_release(&s);
	printf("{\"urls\":%llu,\"repeats\":%d,\"cpu_seconds\":%.2f,\"peak_bytes\":%.0f,"
	       "\"disk_bytes\":%llu,\"reads\":%llu,\"add_seconds\":%.2f}\n",
		(unsigned long long)p->urls, (int)REPEATS, seconds, peak, (unsigned long long)disk,
		(unsigned long long)reads, time_of_adding(p));
}

static uint64_t number_of(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);
	const char *unit = "KMG";
	const char *at = *end ? strchr(unit, *end) : NULL;

	require(end != text && (!*end || (at && !end[1])), "not a number");
	return at ? number << 10 * (at - unit + 1) : number;
}

int main(int argc, char **argv)
{
	struct params p = {.urls = URLS, .memory = 8 << 20, .dir = "/tmp"};

	for (int i = 1; i < argc; i++) {
		bool has_value = i + 1 < argc;

		if (strcmp(argv[i], "--memory") == 0 && has_value)
			p.memory = number_of(argv[++i]);
		else if (strcmp(argv[i], "--dir") == 0 && has_value)
			p.dir = argv[++i];
		else if (strcmp(argv[i], "--batch") == 0 && has_value)
			p.batch = number_of(argv[++i]);
		else
			p.urls = number_of(argv[i]);
	}
	require(p.urls > 0 && p.urls < UINT32_MAX, "too few URLs, or too many");
	if (p.batch == 0)
		p.batch = p.memory / 64; /* an eighth of the memory, with their answers */
	if (p.batch < LINKS_MIN)
		p.batch = LINKS_MIN;
	measure(&p);
	return 0;
}
