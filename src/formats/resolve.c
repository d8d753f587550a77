#include "formats/resolve.h"

#include "base/mem.h"

enum { KEYS_MAX = 4 * RESOLVE_BYTES_MAX }; /* what an arena needs for them, and more */

/* All of them have room for the longest URL. */
static void copy(struct url *to, const struct url *from)
{
	if (url_copy(to, from))
		mem_end();
}

void resolver_init(struct resolver *r, struct hash_key key)
{
	*r = (struct resolver){0};
	url_init(&r->base);
	url_init(&r->inner);
	url_init(&r->step);
	url_init(&r->url);
	arena_init(&r->arena, KEYS_MAX);
	strmap_init(&r->seen, key, &r->arena);
	buf_init(&r->key, URL_MAX + 1);
}

void resolver_start(struct resolver *r, const struct links *links, const struct url *document)
{
	r->links = links;
	r->document = document;
	r->next = 0;
	r->inner_number = 0;
	r->bytes = r->left_out = 0;
	arena_reset(&r->arena);
	strmap_reset(&r->seen);
	url_encoding_close(r->encoding);
	r->encoding = NULL;
	if (url_encoding_open(charset_name(links->charset), &r->encoding, NULL))
		r->encoding = NULL; /* unknown to ICU: as UTF-8 */
	/* Only a base element that gives an HTTP URL counts (HTML 4.2.3, "frozen base URL"). */
	if (!links->has_base || url_parse(&r->base, links->base, document, NULL) ||
		!url_is_http(&r->base))
		copy(&r->base, document);
}

void resolver_release(struct resolver *r)
{
	url_encoding_close(r->encoding);
	strmap_release(&r->seen);
	arena_release(&r->arena);
	buf_release(&r->key);
	url_release(&r->base);
	url_release(&r->inner);
	url_release(&r->step);
	url_release(&r->url);
}

/* Whether the pair is new. */
static bool remember(struct resolver *r, slice url, enum link_kind kind)
{
	buf_reset(&r->key);
	buf_add_char(&r->key, (char)('a' + (char)kind));
	buf_add(&r->key, url);
	return strmap_add(&r->seen, buf_slice(&r->key), 0);
}

/* Puts the base of that number into inner, by way of those that it is relative to. */
static void find_inner(struct resolver *r, uint32_t number)
{
	uint32_t chain[LINKS_SRCDOC_MAX];
	size_t count = 0;

	for (uint32_t n = number; n && count < LINKS_SRCDOC_MAX;
		n = r->links->bases.ptr[n - 1].parent)
		chain[count++] = n;
	copy(&r->inner, &r->base);
	while (count > 0) {
		slice href = r->links->bases.ptr[chain[--count] - 1].href;

		if (url_parse(&r->step, href, &r->inner, NULL) == 0 && url_is_http(&r->step))
			copy(&r->inner, &r->step);
	}
	r->inner_number = number;
}

/* The text of a link ends where that of another one begins. */
static uint32_t text_end(const struct links *links, size_t i)
{
	uint32_t at = links->list.ptr[i].text_at;

	if (i + 1 < links->list.len && links->list.ptr[i + 1].text_at > at &&
		links->list.ptr[i + 1].text_at < at + RESOLVE_TEXT_MAX)
		return links->list.ptr[i + 1].text_at;
	return at + RESOLVE_TEXT_MAX;
}

bool resolver_next(struct resolver *r, struct resolved_link *ret_link)
{
	while (r->next < r->links->list.len) {
		const struct link *link = &r->links->list.ptr[r->next++];
		const struct url *base = link->base ? &r->inner : &r->base;

		if (link->base && link->base != r->inner_number)
			find_inner(r, link->base);
		if (link->ref.len == 0) /* a form without action goes to its own page */
			base = r->document;

		/* Counted before it is resolved: a short one may have a base of 64 KiB. */
		r->bytes += link->ref.len + url_text(base).len;
		if (r->bytes > RESOLVE_BYTES_MAX) {
			r->left_out = r->links->list.len - r->next + 1;
			r->next = r->links->list.len;
			return false;
		}

		if (url_parse_encoded(&r->url, link->ref, base, r->encoding, NULL) ||
			!url_is_http(&r->url))
			continue;
		url_drop_fragment(&r->url);
		if (!remember(r, url_text(&r->url), link->kind))
			continue;
		*ret_link = (struct resolved_link){.parsed = &r->url,
			.url = url_text(&r->url),
			.kind = link->kind,
			.is_feed = link->is_feed,
			.text_at = link->text_at,
			.text_to = text_end(r->links, r->next - 1)};
		return true;
	}
	return false;
}
