/*
 * How fast the full text index is written, on one core (processor time), and how large it is: from
 * WARC files to text.sqlite. Pages are made here, of words whose frequencies follow Zipf's law, in
 * as much markup as text. Then how long a search takes.
 *
 *	text_bench [MB OF TEXT]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "bench.h"
#include "text/text_index.h"
#include "text/text_search.h"

enum {
	MEGABYTES = 200,
	WORDS = 200000,
	WORD_MAX = 12,
	PAGE_WORDS = 600,
	LINE_WORDS = 60, /* in a paragraph */
	SEARCHES = 200,
	PATH_SIZE = 4096,
};

struct words {
	char text[WORDS][WORD_MAX + 1];
};

static void make_words(struct words *w, struct rng *rng)
{
	static const char LETTERS[] = "etaoinshrdlucmfwypvbgk";

	for (size_t i = 0; i < WORDS; i++) {
		size_t len = 2 + rng_below(rng, WORD_MAX - 2);

		for (size_t k = 0; k < len; k++)
			w->text[i][k] = LETTERS[rng_below(rng, sizeof LETTERS - 1)];
		w->text[i][len] = '\0';
	}
}

/* The k-th word is about 1/k as frequent as the first. */
static const char *draw(const struct words *w, struct rng *rng)
{
	double at = exp(rng_double(rng) * log((double)WORDS));

	return w->text[(size_t)at - 1 < WORDS ? (size_t)at - 1 : WORDS - 1];
}

static void make_page(struct buf *out, const struct words *w, struct rng *rng, unsigned number)
{
	buf_reset(out);
	(void)buf_printf(out,
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
		"<!DOCTYPE html><html><head><title>Page %u</title>"
		"<link rel=stylesheet href=/main.css></head><body>",
		number);
	for (unsigned i = 0; i < PAGE_WORDS; i++) {
		if (i % LINE_WORDS == 0)
			(void)buf_printf(out,
				"</p>\n<div class=\"section section--wide\" id=\"s%u\"><a "
				"class=\"more "
				"link link--quiet\" href=\"/pages/%u/%u.html?from=list\"><img "
				"src=\"/img/%u.jpg\" srcset=\"/img/%u-2x.jpg 2x\" class=\"lazy\">"
				"</a></div>\n<p>",
				i, number, i, number, number);
		(void)buf_printf(out, "%s ", draw(w, rng));
	}
	(void)buf_add_str(out, "</body></html>");
}

static void make_warc(const char *path, uint64_t bytes)
{
	struct words *w = calloc(1, sizeof *w);
	FILE *file = fopen(path, "wb");
	uint64_t written = 0;
	struct buf page;
	struct rng rng;

	if (!file || !w)
		exit(1);
	rng_init(&rng, 1);
	make_words(w, &rng);
	buf_init(&page, 1 << 20);
	for (unsigned n = 0; written < bytes; n++) {
		make_page(&page, w, &rng, n);
		(void)fprintf(file,
			"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%u>\r\n"
			"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: "
			"http://example.org/%u\r\nContent-Type: application/http; "
			"msgtype=response\r\nWARC-Payload-Digest: sha1:%032u\r\n"
			"Content-Length: %zu\r\n\r\n",
			n, n, n, page.len);
		(void)fwrite(page.ptr, 1, page.len, file);
		(void)fputs("\r\n\r\n", file);
		written += (uint64_t)PAGE_WORDS * (WORD_MAX + 4) / 2;
	}
	if (fclose(file))
		exit(1);
	buf_release(&page);
	free(w);
}

static void fail(const struct err *err)
{
	(void)fprintf(stderr, "%s\n", err->text);
	exit(1);
}

/* Searches for one page each, by the words of its title. */
static void search(const char *index)
{
	struct err err = {0};
	double start = processor_time();
	uint64_t found = 0;

	for (unsigned i = 0; i < SEARCHES; i++) {
		struct text_search *s = NULL;
		int64_t doc;
		slice url;
		char words[40];

		(void)snprintf(words, sizeof words, "page %u", i * 7);
		if (text_search_open(index, slice_str(words), NULL, &s, &err))
			fail(&err);
		found += text_search_next(s, &doc, &url, &err) == 0;
		text_search_close(s);
	}
	printf("search for a title: %.2f ms (%llu of %d found)\n",
		(processor_time() - start) * 1e3 / SEARCHES, (unsigned long long)found, SEARCHES);
}

int main(int argc, char **argv)
{
	uint64_t megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : MEGABYTES;
	char dir[] = "/tmp/text-bench-XXXXXX", warc[PATH_SIZE], index[PATH_SIZE];
	struct text_index_params p = {.path = warc, .directory = dir, .temporary = "/tmp"};
	struct text_index_counts counts;
	struct err err = {0};
	struct stat st;
	double start;

	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(warc, sizeof warc, "%s/pages.warc", dir);
	(void)snprintf(index, sizeof index, "%s/text.sqlite", dir);
	make_warc(warc, megabytes * 1000000);
	start = processor_time();
	if (text_index_write(&p, &counts, &err))
		fail(&err);
	start = processor_time() - start;
	if (stat(index, &st))
		return 1;
	printf("%llu pages, %.1f MB of text: %.1f MB/s of text on one core; index %.2f of the "
	       "text\n",
		(unsigned long long)counts.docs, (double)counts.bytes / 1e6,
		(double)counts.bytes / 1e6 / start, (double)st.st_size / (double)counts.bytes);
	search(index);
	(void)unlink(warc);
	(void)unlink(index);
	(void)rmdir(dir);
	return 0;
}
