/*
 * How fast HTML is read, on one core (processor time, best of some rounds): the tokenizer alone,
 *all that is made of a page (encoding, links, text), beside libxml2's SAX parser and, where
 *Debian's libmodest-dev is installed, MyHTML's tokenizer, all on the same bytes. The input is the
 *files given as arguments, or pages made here that look like a news site's.
 *
 *	html_bench [FILE…]
 */
#include <libxml/HTMLparser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "bench.h"
#include "formats/page.h"

#ifdef HAVE_MYHTML
#include <myhtml/myhtml.h>
#endif

enum {
	PAGE_MAX = 64 << 20,
	MADE_SIZE = 200 << 10,
	MADE_PAGES = 40,
	CHUNK = 64 << 10,
	ROUNDS = 7,
};

VEC_DECLARE(page_vec, struct buf);

static void add_article(struct buf *in, unsigned n)
{
	(void)buf_printf(in,
		"\n<article class=\"teaser teaser--small\" id=\"a%u\" data-track='{\"pos\":%u}'>\n"
		"  <a class=\"teaser__link\" "
		"href=\"/section/%u/story-%u.html?ref=home&amp;pos=%u\">\n"
		"    <img class=\"lazy\" src=\"/i/p.gif\" data-src=\"/img/%u-640.jpg\"\n"
		"      srcset=\"/img/%u-320.jpg 320w, /img/%u-640.jpg 640w\" alt=\"A "
		"picture\"></a>\n"
		"  <h2>Something happened &mdash; again, says %u</h2>\n"
		"  <p>It was on a day like any other when the <em>thing</em> that nobody had "
		"expected\n"
		"  came about, and those who were there remember it well: &ldquo;We saw it,&rdquo; "
		"they\n"
		"  say, <b>and we would do it again</b> if anybody asked, though nobody does.</p>\n"
		"  <script>window.q=window.q||[];q.push({id:%u,a:1<2});</script>\n"
		"</article>",
		n, n, n % 7, n, n, n, n, n, n, n);
}

static int make_page(struct page_vec *pages, unsigned seed)
{
	struct buf page;

	buf_init(&page, PAGE_MAX);
	(void)buf_add_str(
		&page, "<!DOCTYPE html><html lang=en><head><title>News</title></head><body>");
	for (unsigned n = seed * 1000; page.len < MADE_SIZE; n++)
		add_article(&page, n);
	return page_vec_push(pages, page);
}

static int read_page(struct page_vec *pages, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct buf page;
	char chunk[CHUNK];
	size_t n;
	int rc = 0;

	if (!f)
		return ERR_IO;
	buf_init(&page, PAGE_MAX);
	while (rc == 0 && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
		rc = buf_add(&page, (slice){chunk, n});
	(void)fclose(f);
	return rc ? rc : page_vec_push(pages, page);
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
	html_finish(&t);
	while (html_next(&t, &token) == 0)
		tags += token->kind == HTML_START_TAG;
	html_release(&t);
	return tags;
}

/* Reads the page; links, or bytes of text, are counted. */
static size_t read_with(slice in, bool wants_links, bool wants_text)
{
	struct page *p = malloc(sizeof *p);
	struct page_text text;
	struct links links;
	size_t count;
	int rc = 0;

	if (!p)
		return 0;
	links_init(&links);
	page_text_init(&text);
	page_open(p, &(struct page_params){.links = wants_links ? &links : NULL,
			     .text = wants_text ? &text : NULL});
	for (size_t at = 0; at < in.len && rc == 0; at += CHUNK)
		rc = page_feed(p, slice_sub(in, at, at + CHUNK));
	if (rc == 0)
		rc = page_finish(p);
	count = rc ? 0 : wants_links ? links.list.len : text.text.len;
	page_close(p);
	links_release(&links);
	page_text_release(&text);
	free(p);
	return count;
}

static size_t run_links(slice in)
{
	return read_with(in, true, false);
}

static size_t run_text(slice in)
{
	return read_with(in, false, true);
}

/* All that the crawler asks of a page. */
static size_t run_page(slice in)
{
	return read_with(in, true, true);
}

static void on_start(void *ctx, const xmlChar *name, const xmlChar **attrs)
{
	(void)name;
	(void)attrs;
	++*(size_t *)ctx;
}

static size_t run_libxml2(slice in)
{
	xmlSAXHandler sax = {.startElement = on_start};
	size_t tags = 0;
	htmlParserCtxtPtr p =
		htmlCreatePushParserCtxt(&sax, &tags, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);

	for (size_t at = 0; p && at < in.len; at += CHUNK) {
		slice chunk = slice_sub(in, at, at + CHUNK);

		(void)htmlParseChunk(p, chunk.ptr, (int)chunk.len, 0);
	}
	if (p)
		(void)htmlParseChunk(p, "", 0, 1);
	htmlFreeParserCtxt(p);
	return tags;
}

#ifdef HAVE_MYHTML
static void *on_token(myhtml_tree_t *tree, myhtml_token_node_t *token, void *ctx)
{
	(void)tree;
	*(size_t *)ctx +=
		token->tag_id > MyHTML_TAG__DOCTYPE && !(token->type & MyHTML_TOKEN_TYPE_CLOSE);
	return ctx;
}

static size_t run_myhtml(slice in)
{
	myhtml_t *html = myhtml_create();
	myhtml_tree_t *tree;
	size_t tags = 0;

	(void)myhtml_init(html, MyHTML_OPTIONS_PARSE_MODE_SINGLE, 1, 0);
	tree = myhtml_tree_create();
	(void)myhtml_tree_init(tree, html);
	myhtml_tree_parse_flags_set(tree, MyHTML_TREE_PARSE_FLAGS_WITHOUT_BUILD_TREE);
	myhtml_callback_after_token_done_set(tree, on_token, &tags);
	(void)myhtml_parse(tree, MyENCODING_UTF_8, in.ptr, in.len);
	(void)myhtml_tree_destroy(tree);
	(void)myhtml_destroy(html);
	return tags;
}
#endif

/* The best of some rounds, in MB/s. */
static double measure(const char *name, const char *what, size_t (*run)(slice),
	const struct page_vec *pages, double ours)
{
	double best = 0;
	size_t count = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), rate, bytes = 0;

		count = 0;
		for (size_t k = 0; k < pages->len; k++) {
			count += run(buf_slice(&pages->ptr[k]));
			bytes += (double)pages->ptr[k].len;
		}
		rate = bytes / 1e6 / (processor_time() - start);
		best = rate > best ? rate : best;
	}
	printf("%-16s %8.1f MB/s  %zu %s", name, best, count, what);
	if (ours > 0)
		printf("  (our tokens are %.1f times as fast)", ours / best);
	(void)putchar('\n');
	return best;
}

int main(int argc, char **argv)
{
	struct page_vec pages = {0};
	double ours;
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++)
		rc = read_page(&pages, argv[i]);
	for (unsigned i = 0; argc < 2 && i < MADE_PAGES && rc == 0; i++)
		rc = make_page(&pages, i);
	if (rc) {
		(void)fputs("cannot read the input\n", stderr);
		return 1;
	}
	printf("%zu pages\n", pages.len);
	ours = measure("tokens", "start tags", run_tokens, &pages, 0);
	(void)measure("links", "links", run_links, &pages, ours);
	(void)measure("text", "bytes of text", run_text, &pages, ours);
	(void)measure("links and text", "links", run_page, &pages, ours);
	(void)measure("libxml2 SAX", "start tags", run_libxml2, &pages, ours);
#ifdef HAVE_MYHTML
	(void)measure("MyHTML tokens", "start tags", run_myhtml, &pages, ours);
#endif
	for (size_t i = 0; i < pages.len; i++)
		buf_release(&pages.ptr[i]);
	page_vec_release(&pages);
	return 0;
}
