/*
 * HTML: any bytes are read, the same tokens come of them whatever the chunks, and links and text
 * are within their limits. The first byte chooses flags and the size of the chunks.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "formats/html_dump.h"
#include "formats/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 64 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void compare_chunks(slice in, size_t chunk, unsigned flags)
{
	struct buf once, pieces;

	buf_init(&once, MAX);
	buf_init(&pieces, MAX);
	dump_html(in, 0, flags, &once);
	dump_html(in, chunk, flags, &pieces);
	require(slice_eq(buf_slice(&once), buf_slice(&pieces)));
	buf_release(&once);
	buf_release(&pieces);
}

static void read_page(slice in, const char *type)
{
	struct page *p = malloc(sizeof *p);
	struct page_text text;
	struct links links;

	require(p != NULL);
	links_init(&links);
	page_text_init(&text);
	page_open(p, &(struct page_params){
			     .content_type = slice_str(type), .links = &links, .text = &text});
	require(page_feed(p, slice_sub(in, 0, in.len / 2)) == 0);
	require(page_feed(p, slice_sub(in, in.len / 2, in.len)) == 0);
	require(page_finish(p) == 0);
	require(utf8_valid_prefix(buf_slice(&text.text)) == text.text.len);
	require(links.list.len <= LINKS_MAX);
	page_close(p);
	links_release(&links);
	page_text_release(&text);
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice in;

	if (size == 0)
		return 0;
	in = (slice){(const char *)data + 1, size - 1};
	compare_chunks(in, 1 + (data[0] >> 1) % 17, data[0] & 1);
	read_page(in, data[0] & 1 ? "application/xhtml+xml" : "text/html");
	return 0;
}
