/*
 * Sitemaps: any bytes are read, with entries that keep the promises of sitemap.h, in the same order
 * from memory and from a file; and the parser of XML gives the same wherever it is cut.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "formats/sitemap.h"
#include "formats/sitemap_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const slice BASE = SLICE_INIT("https://example.org/a/sitemap.xml");

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_entry(const struct sitemap_entry *e)
{
	require(e->loc.len > 7 && memcmp(e->loc.ptr, "http", 4) == 0);
	require(!memchr(e->loc.ptr, '#', e->loc.len));
	require(isnan(e->priority) || (e->priority >= 0 && e->priority <= 1));
	require(e->changefreq == SITEMAP_FREQUENCY_NONE || sitemap_frequency_name(e->changefreq));
}

/* The number of entries; closes the reader. */
static size_t read_all(struct sitemap_reader *r)
{
	struct sitemap_entry entry;
	struct err err = {0};
	size_t n = 0;
	int rc;

	for (; (rc = sitemap_next(r, &entry, &err)) == 0; n++)
		check_entry(&entry);
	require(rc == ERR_END || err.text[0] != '\0');
	require(rc == ERR_END || rc == ERR_SYNTAX || rc == ERR_LIMIT);
	(void)sitemap_damage(r);
	require(n == 0 || sitemap_format(r) != SITEMAP_UNKNOWN);
	sitemap_close(r);
	return n;
}

static size_t read_file(slice input)
{
	FILE *file = tmpfile();
	struct sitemap_reader *r;
	size_t n;

	require(file && fwrite(input.ptr, 1, input.len, file) == input.len);
	rewind(file);
	require(sitemap_open_file(&r, file, BASE, NULL) == 0);
	n = read_all(r);
	(void)fclose(file);
	return n;
}

/* All entries as the parser of XML gives them, a line each. */
static void read_xml(slice input, size_t piece, struct buf *out)
{
	struct sitemap_xml *x = malloc(sizeof *x);
	struct sitemap_queue q;

	require(x != NULL);
	sitemap_queue_init(&q);
	sitemap_xml_init(x, &q);
	for (size_t at = 0; at < input.len; at += piece) {
		require(sitemap_xml_feed(x, slice_sub(input, at, at + piece)) == 0);
		require(x->depth <= SITEMAP_DEPTH_MAX && x->scope_count <= SITEMAP_SCOPES_MAX);
	}
	require(sitemap_xml_end(x) == 0);
	for (size_t i = 0; i < q.records.len; i++) {
		(void)buf_add(out, q.records.ptr[i].entry.loc);
		(void)buf_add_char(out, '\n');
		(void)buf_add(out, q.records.ptr[i].base);
		(void)buf_add_char(out, '\n');
	}
	(void)buf_printf(out, "%d %d %s", x->format, x->root_closed, x->damage ? x->damage : "");
	sitemap_xml_release(x);
	sitemap_queue_release(&q);
	free(x);
}

static void check_pieces(slice input)
{
	struct buf whole, pieces;

	if (input.len > SITEMAP_QUEUE_MAX / 64) /* all of it is queued at once */
		return;
	buf_init(&whole, 64 << 20);
	buf_init(&pieces, 64 << 20);
	read_xml(input, input.len + 1, &whole);
	read_xml(input, 3, &pieces);
	require(slice_eq(buf_slice(&whole), buf_slice(&pieces)));
	buf_release(&whole);
	buf_release(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	struct sitemap_reader *r;

	require(sitemap_open_slice(&r, input, BASE, NULL) == 0);
	require(read_all(r) == read_file(input));
	check_pieces(input);
	return 0;
}
