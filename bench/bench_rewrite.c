/*
 * How fast pages are rewritten for replay, on one core (processor time, best of some rounds): the
 * tokenizer alone, then the rewriter, on the same bytes. The input is the files given as arguments,
 * or pages made here that look like a news site's.
 *
 *	rewrite_bench [FILE…]
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "bench.h"
#include "formats/html_token.h"
#include "replay/rewrite.h"

enum {
	PAGE_MAX = 64 << 20,
	OUT_MAX = 4 << 20,
	MADE_SIZE = 8 << 20,
	CHUNK = 64 << 10,
	ROUNDS = 7,
};

static void make_page(struct buf *in)
{
	(void)buf_add_str(in, "<!DOCTYPE html><html lang=en><head><title>News</title>"
			      "<link rel=stylesheet href=/main.css></head><body>");
	for (unsigned n = 0; in->len < MADE_SIZE; n++)
		(void)buf_printf(in,
			"\n<article class=\"teaser teaser--small\" id=\"a%u\">\n"
			"  <a class=\"teaser__link\" "
			"href=\"/s/%u/story-%u.html?ref=home&amp;p=1\">\n"
			"    <img class=\"lazy\" src=\"/img/%u-640.jpg\" alt=\"A picture\"\n"
			"      srcset=\"/img/%u-320.jpg 320w, /img/%u-640.jpg 640w\"></a>\n"
			"  <h2>Something happened &mdash; again, says %u</h2>\n"
			"  <p>It was on a day like any other when the <em>thing</em> that nobody "
			"had expected\n"
			"  came about, and those who were there remember it well: &ldquo;We saw "
			"it,&rdquo; they\n"
			"  say, <b>and we would do it again</b> if anybody asked, though nobody "
			"does.</p>\n"
			"  <script>window.q=window.q||[];q.push({id:%u,a:1<2});</script>\n"
			"</article>",
			n, n % 7, n, n, n, n, n, n);
}

static size_t run_tokens(slice in)
{
	struct html_tokenizer t;
	const struct html_token *token;
	size_t tags = 0;

	html_init(&t, 0);
	for (size_t at = 0; at < in.len; at += CHUNK) {
		html_feed(&t, slice_sub(in, at, at + CHUNK));
		while (html_next(&t, &token) == 0)
			tags += token->kind == HTML_START_TAG;
	}
	html_release(&t);
	return tags;
}

static size_t run_rewriter(slice in)
{
	struct rewriter *r;
	size_t written = 0;
	struct buf out;
	int rc = 0;

	buf_init(&out, OUT_MAX);
	r = rewriter_open(&(struct rewrite_params){
		.place = {.collection = SLICE("news"), .time = SLICE("20260102030405")},
		.url = SLICE("https://news.example/section/index.html"),
		.content_type = SLICE("text/html; charset=utf-8"),
		.script = SLICE("/-/replay.js"),
	});
	for (size_t at = 0; at < in.len && rc == 0; at += CHUNK) {
		rc = rewriter_feed(r, slice_sub(in, at, at + CHUNK), &out);
		written += out.len;
		buf_reset(&out);
	}
	if (rc == 0)
		rc = rewriter_finish(r, &out);
	written += out.len;
	rewriter_close(r);
	buf_release(&out);
	return rc ? 0 : written;
}

/* The best of some rounds, in MB/s of input. */
static double measure(const char *name, const char *what, size_t (*run)(slice), slice in)
{
	double best = 0;
	size_t count = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), rate;

		count = run(in);
		rate = (double)in.len / 1e6 / (processor_time() - start);
		best = rate > best ? rate : best;
	}
	printf("%-16s %8.1f MB/s  %zu %s\n", name, best, count, what);
	return best;
}

int main(int argc, char **argv)
{
	struct buf in;
	double tokens, rewritten;

	buf_init(&in, PAGE_MAX);
	for (int i = 1; i < argc; i++)
		bench_read_file(&in, argv[i]);
	if (argc < 2)
		make_page(&in);
	tokens = measure("tokens", "start tags", run_tokens, buf_slice(&in));
	rewritten = measure("rewritten", "bytes written", run_rewriter, buf_slice(&in));
	printf("rewriting takes %.1f times as long as reading the tokens\n", tokens / rewritten);
	buf_release(&in);
	return 0;
}
