/*
 * URLs per second on one core: parsing, resolving, canonical form, SURT and deciding about scope,
 * and as a measure of the machine copying the same bytes.
 *
 *	bench_url [FILE]	URLs of a file, one on each line, in place of those made here
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/lists.h"
#include "bench.h"
#include "formats/scope.h"
#include "formats/url.h"
#include "formats/url_canonical.h"

enum {
	MADE = 20000,         /* URLs, when there is no file */
	TEXT_MAX = 256 << 20, /* bytes of all URLs */
	ROUND_SECONDS = 1,
};

/* What a round works on. */
struct work {
	struct slice_vec urls;
	size_t bytes;
	struct url base, url, *parsed;
	struct scope scope;
	struct buf out;
};

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_url: failed\n", stderr);
		exit(1);
	}
}

/* As on a site with articles, a shop and images on another host. */
static void make_urls(struct buf *text)
{
	int rc = 0;

	for (int i = 0; i < MADE && rc == 0; i += 6) {
		rc = buf_printf(
			text, "https://www.example.com/news/2026/11/%d/about-%d.html\n", i, i);
		rc = rc ? rc
			: buf_printf(text,
				  "https://www.example.com/shop/"
				  "item.php?id=%d&category=%d&sort=price\n",
				  i, i);
		rc = rc ? rc
			: buf_printf(text, "http://example.org/wiki/Article_%d#section-%d\n", i, i);
		rc = rc ? rc
			: buf_printf(text,
				  "https://static.cdn.example.net/images/%d/thumb_%d_640x480.jpg\n",
				  i, i);
		rc = rc ? rc
			: buf_printf(text,
				  "https://example.com/~user%d/files/../papers/paper%%20%d.pdf\n",
				  i, i);
		rc = rc ? rc
			: buf_printf(text,
				  "https://blog.example.co.uk/%d/comment-page-%d/"
				  "?replytocom=123456\n",
				  i, i);
	}
	require(rc == 0);
}

static void split(struct work *w, slice text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '\n')
			continue;
		if (i > from)
			require(slice_vec_push(&w->urls, slice_sub(text, from, i)) == 0);
		from = i + 1;
	}
	for (size_t i = 0; i < w->urls.len; i++)
		w->bytes += w->urls.ptr[i].len;
}

static void parse(struct work *w, size_t i)
{
	(void)!url_parse(&w->url, w->urls.ptr[i], NULL, NULL);
}

static void resolve(struct work *w, size_t i)
{
	slice u = w->urls.ptr[i];
	const char *path = u.len > 8 ? memchr(u.ptr + 8, '/', u.len - 8) : NULL;
	size_t at = path ? (size_t)(path - u.ptr) : 0;

	(void)!url_parse(&w->url, slice_sub(u, at, u.len), &w->base, NULL);
}

static void canonical(struct work *w, size_t i)
{
	buf_reset(&w->out);
	(void)!url_canonical(&w->out, &w->parsed[i]);
}

static void surt(struct work *w, size_t i)
{
	buf_reset(&w->out);
	(void)!url_surt(&w->out, &w->parsed[i]);
}

static void decide(struct work *w, size_t i)
{
	(void)scope_decide(&w->scope, &w->parsed[i], (struct scope_link){0});
}

static void copy(struct work *w, size_t i)
{
	buf_reset(&w->out);
	(void)buf_add(&w->out, w->urls.ptr[i]);
}

/* Rounds over all URLs for about a second; URLs per second. */
static double measure(struct work *w, void (*step)(struct work *, size_t))
{
	double start = processor_time();
	double seconds;
	size_t rounds = 0;

	do {
		for (size_t i = 0; i < w->urls.len; i++)
			step(w, i);
		rounds++;
		seconds = processor_time() - start;
	} while (seconds < ROUND_SECONDS);
	return (double)rounds * (double)w->urls.len / seconds;
}

static void prepare(struct work *w)
{
	struct err err = {0};

	url_init(&w->base);
	url_init(&w->url);
	buf_init(&w->out, URL_CANONICAL_MAX);
	require(url_parse(&w->base, SLICE("https://www.example.com/a/b/c?d"), NULL, NULL) == 0);
	w->parsed = calloc(w->urls.len, sizeof w->parsed[0]);
	require(w->parsed != NULL);
	for (size_t i = 0; i < w->urls.len; i++) {
		url_init(&w->parsed[i]);
		(void)!url_parse(&w->parsed[i], w->urls.ptr[i], NULL, NULL);
	}
	scope_init(&w->scope, SCOPE_REQUISITE_HOPS_DEFAULT);
	require(scope_add_seed(&w->scope, &w->base, SCOPE_DOMAIN, &err) == 0);
	require(scope_add_exclude(&w->scope, SLICE("[?&]replytocom="), &err) == 0);
	require(scope_add_exclude(&w->scope, SLICE("\\.(zip|iso|exe)$"), &err) == 0);
}

static void finish(struct work *w)
{
	scope_release(&w->scope);
	for (size_t i = 0; i < w->urls.len; i++)
		url_release(&w->parsed[i]);
	free(w->parsed);
	url_release(&w->url);
	url_release(&w->base);
	buf_release(&w->out);
	slice_vec_release(&w->urls);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*step)(struct work *, size_t);
	} rows[] = {
		{"copy", copy},
		{"parse", parse},
		{"resolve", resolve},
		{"canonical", canonical},
		{"surt", surt},
		{"scope", decide},
	};
	struct work w = {0};
	struct buf text;
	double copied = 0;

	buf_init(&text, TEXT_MAX);
	if (argc > 1)
		bench_read_file(&text, argv[1]);
	else
		make_urls(&text);
	split(&w, buf_slice(&text));
	require(w.urls.len > 0);
	prepare(&w);
	printf("%zu URLs of %.0f bytes on average\n", w.urls.len,
		(double)w.bytes / (double)w.urls.len);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double rate = measure(&w, rows[i].step);

		if (i == 0)
			copied = rate;
		printf("%-10s %6.2f million/s %7.0f MB/s  %5.1f times the copy\n", rows[i].name,
			rate / 1e6, rate * (double)w.bytes / (double)w.urls.len / 1e6,
			copied / rate);
	}
	finish(&w);
	buf_release(&text);
	return 0;
}
