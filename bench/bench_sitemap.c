/*
 * Sitemaps on one core: bytes and entries per second of our reader, beside libxml2's push parser
 * with empty callbacks and its xmlTextReader, which only look at the same bytes.
 *
 *	bench_sitemap [FILE]	this sitemap in place of the one made here
 */
#include <libxml/parser.h>
#include <libxml/xmlreader.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bench.h"
#include "formats/sitemap.h"

enum {
	ENTRIES = 50000, /* as many as the protocol allows */
	TEXT_MAX = 256 << 20,
	CHUNK = 16 << 10,
	ROUNDS = 5,
};

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_sitemap: failed\n", stderr);
		exit(1);
	}
}

static void make_sitemap(struct buf *text)
{
	int rc = buf_add_str(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns="
				   "\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");

	for (int i = 0; i < ENTRIES && rc == 0; i++)
		rc = buf_printf(text,
			"\t<url>\n\t\t<loc>https://www.example.org/shop/item.php?id=%d&amp;sort=%d"
			"</loc>\n\t\t<lastmod>2026-11-%02dT12:%02d:00+00:00</lastmod>\n"
			"\t\t<changefreq>daily</changefreq>\n\t\t<priority>0.%d</priority>\n"
			"\t</url>\n",
			i, i % 7, i % 28 + 1, i % 60, i % 10);
	require(rc == 0 && buf_add_str(text, "</urlset>\n") == 0);
}

static size_t run_ours(slice text)
{
	struct sitemap_reader *r;
	struct sitemap_entry entry;
	size_t n = 0;

	require(sitemap_open_slice(&r, text, SLICE("https://www.example.org/s.xml"), NULL) == 0);
	while (sitemap_next(r, &entry, NULL) == 0)
		n++;
	sitemap_close(r);
	return n;
}

/* libxml2's parameters. NOLINTNEXTLINE(readability-function-size) */
static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
	int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
	const xmlChar **attributes)
{
	(void)name, (void)prefix, (void)uri, (void)namespace_count, (void)namespaces;
	(void)attribute_count, (void)defaulted, (void)attributes;
	++*(size_t *)user;
}

static size_t run_push(slice text)
{
	xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC, .startElementNs = on_start};
	size_t n = 0;
	xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&sax, &n, NULL, 0, NULL);

	require(parser != NULL);
	for (size_t at = 0; at < text.len; at += CHUNK) {
		slice block = slice_sub(text, at, at + CHUNK);

		(void)xmlParseChunk(parser, block.ptr, (int)block.len, 0);
	}
	(void)xmlParseChunk(parser, NULL, 0, 1);
	xmlFreeParserCtxt(parser);
	return n;
}

static size_t run_reader(slice text)
{
	xmlTextReaderPtr reader =
		xmlReaderForMemory(text.ptr, (int)text.len, NULL, NULL, XML_PARSE_NONET);
	size_t n = 0;

	require(reader != NULL);
	while (xmlTextReaderRead(reader) == 1)
		n++;
	xmlFreeTextReader(reader);
	return n;
}

static double report(const char *name, size_t (*run)(slice), slice text, double peer)
{
	double best = 1e9, speed;
	size_t n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), seconds;

		n = run(text);
		seconds = processor_time() - start;
		best = seconds < best ? seconds : best;
	}
	speed = (double)text.len / 1e6 / best;
	printf("%-32s %7.1f MB/s  %9.0f /s  ratio %.2f\n", name, speed, (double)n / best,
		peer > 0 ? speed / peer : 1);
	return speed;
}

int main(int argc, char **argv)
{
	struct buf text;
	double peer;

	buf_init(&text, TEXT_MAX);
	if (argc > 1)
		bench_read_file(&text, argv[1]);
	else
		make_sitemap(&text);
	printf("%zu bytes\n", text.len);
	peer = report("libxml2, push, nothing done", run_push, buf_slice(&text), 0);
	(void)report("libxml2, xmlTextReader", run_reader, buf_slice(&text), peer);
	(void)report("sitemap_next (entries)", run_ours, buf_slice(&text), peer);
	buf_release(&text);
	return 0;
}
