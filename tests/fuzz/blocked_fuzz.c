/*
 * Signs of block pages, shells and links with effects: the first line is a URL, the rest a page.
 * Any bytes are read, in pieces or at once with the same judgement.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/blocked.h"
#include "formats/effect_links.h"
#include "formats/view_links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void take_all(struct html_tokenizer *t, struct page_signs *signs, struct page_text *text)
{
	const struct html_token *token;

	while (html_next(t, &token) == 0) {
		page_signs_token(signs, token);
		page_text_token(text, token);
	}
}

/* Reads the page in chunks; text may come in any pieces then. */
static struct blocked judge(slice page, size_t chunk, const struct url *url, unsigned status)
{
	struct html_tokenizer *t = malloc(sizeof *t);
	struct page_signs signs;
	struct page_text text;
	struct blocked_body body;
	struct blocked blocked;

	require(t != NULL);
	page_signs_init(&signs);
	page_text_init(&text);
	html_init(t, 0);
	for (size_t at = 0; at < page.len; at += chunk) {
		html_feed(t, slice_sub(page, at, at + chunk));
		take_all(t, &signs, &text);
	}
	html_finish(t);
	take_all(t, &signs, &text);
	body = blocked_read(&signs, &text);
	blocked = blocked_judge(&(struct blocked_facts){
		.status = status, .asked = url, .target = url, .body = &body});
	html_release(t);
	free(t);
	page_signs_release(&signs);
	page_text_release(&text);
	return blocked;
}

/* A site that has every second page. */
static bool is_known(void *context, slice url)
{
	(void)context;
	return url.len % 2 == 0;
}

/* What is a view wherever it is found, is one on a view. */
static void require_view(const struct url *url)
{
	size_t view = view_of_link(url, false, is_known, NULL);
	slice part;

	require(view == VIEW_NONE ||
		(view < view_count() && view == view_of_link(url, true, is_known, NULL)));
	if (view != VIEW_NONE)
		(void)view_is_listing(view, url, &part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned STATUS[] = {200, 302, 403, 503};
	slice in = {(const char *)data, size};
	const char *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - in.ptr) : size;
	slice page = slice_sub(in, len + 1, size);
	struct url url;

	url_init(&url);
	if (url_parse(&url, slice_sub(in, 0, len), NULL, NULL) == 0) {
		require(effect_name(effect_of_link(&url)) != NULL);
		require_view(&url);
		for (size_t i = 0; i < sizeof STATUS / sizeof STATUS[0]; i++) {
			struct blocked once = judge(page, size + 1, &url, STATUS[i]);
			struct blocked pieces = judge(page, 3, &url, STATUS[i]);

			require(once.kind == pieces.kind && once.reason == pieces.reason);
			require((once.kind == BLOCKED_NOT) == (once.reason[0] == '\0'));
		}
	}
	url_release(&url);
	return 0;
}
