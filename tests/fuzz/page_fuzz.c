/*
 * Documents of any type, from their bytes to resolved links. The first line is the Content-Type
 * header, the second a Link header, the third the document's URL; the rest is the document.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "formats/page.h"
#include "formats/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECE = 1000 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static slice cut_line(slice *text)
{
	const char *lf = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
	size_t len = lf ? (size_t)(lf - text->ptr) : text->len;
	slice line = slice_sub(*text, 0, len);

	*text = slice_sub(*text, lf ? len + 1 : len, text->len);
	return line;
}

static void resolve(const struct links *links, slice address)
{
	struct resolved_link link;
	struct resolver resolver;
	struct url document;
	size_t count = 0;

	url_init(&document);
	if (url_parse(&document, address, NULL, NULL) || !url_is_http(&document))
		require(url_parse(&document, SLICE("http://a.example/"), NULL, NULL) == 0);
	resolver_init(&resolver, hash_key_random());
	resolver_start(&resolver, links, &document);
	while (resolver_next(&resolver, &link)) {
		require(memcmp(link.url.ptr, "http", 4) == 0);
		require(!memchr(link.url.ptr, '#', link.url.len));
		count++;
	}
	require(count <= links->list.len);
	resolver_release(&resolver);
	url_release(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice in = {(const char *)data, size};
	slice type = cut_line(&in), header = cut_line(&in), address = cut_line(&in);
	struct page *p = malloc(sizeof *p);
	struct page_text text;
	struct links links;

	require(p != NULL);
	links_init(&links);
	page_text_init(&text);
	links_header(&links, header);
	page_open(p, &(struct page_params){.content_type = type, .links = &links, .text = &text});
	for (; in.len > 0; in = slice_sub(in, PIECE, in.len))
		require(page_feed(p, slice_sub(in, 0, PIECE)) == 0);
	require(page_finish(p) == 0);
	require(utf8_valid_prefix(buf_slice(&text.text)) == text.text.len);
	resolve(&links, address);
	page_close(p);
	links_release(&links);
	page_text_release(&text);
	free(p);
	return 0;
}
