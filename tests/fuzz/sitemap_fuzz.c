/*
 * Sitemaps: any bytes are read, with entries that keep the promises of sitemap.h, in the same order
 * from memory and from a file; and the filter before libxml2 gives the same wherever it is cut.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "formats/sitemap.h"
#include "formats/sitemap_repair.h"

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

static void repair(slice input, size_t piece, struct buf *out)
{
	struct sitemap_repair r;

	sitemap_repair_init(&r);
	for (size_t at = 0; at < input.len; at += piece)
		require(sitemap_repair_feed(&r, slice_sub(input, at, at + piece), out) == 0);
	require(sitemap_repair_end(&r, out) == 0);
}

static void check_repair(slice input)
{
	size_t max = 6 * input.len + SITEMAP_HELD_MAX + 8192;
	struct buf whole, pieces;

	buf_init(&whole, max);
	buf_init(&pieces, max);
	repair(input, input.len + 1, &whole);
	repair(input, 3, &pieces);
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
	check_repair(input);
	return 0;
}
