#include "formats/resolve.h"

enum { KEYS_MAX = 4 * RESOLVE_BYTES_MAX }; /* what an arena needs for them, and more */

/* The base element counts if it gives an HTTP URL ("set the frozen base URL", HTML 4.2.3). */
static int set_base(struct resolver *r, const struct links *links, const struct url *document)
{
	int rc = ERR_SYNTAX;

	if (links->has_base)
		rc = url_parse(&r->base, links->base, document, NULL);
	if (rc == ERR_NOMEM)
		return rc;
	return rc || !url_is_http(&r->base) ? url_copy(&r->base, document) : 0;
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

int resolver_start(struct resolver *r, const struct links *links, const struct url *document)
{
	int rc;

	r->links = links;
	r->document = document;
	r->next = 0;
	r->inner_number = 0;
	r->bytes = r->left_out = 0;
	arena_reset(&r->arena);
	strmap_reset(&r->seen);
	url_encoding_close(r->encoding);
	r->encoding = NULL;
	rc = url_encoding_open(charset_name(links->charset), &r->encoding, NULL);
	return rc == ERR_NOMEM ? rc : set_base(r, links, document);
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

/* Whether the pair is new: 0, ERR_EXISTS or ERR_NOMEM. */
static int remember(struct resolver *r, slice url, enum link_kind kind)
{
	buf_reset(&r->key);
	buf_add_char(&r->key, (char)('a' + (char)kind));
	TRY(buf_add(&r->key, url));
	return strmap_put(&r->seen, buf_slice(&r->key), 0);
}

/* Puts the base of that number into inner, by way of those that it is relative to. */
static int find_inner(struct resolver *r, uint32_t number)
{
	uint32_t chain[LINKS_SRCDOC_MAX];
	size_t count = 0;
	int rc;

	for (uint32_t n = number; n && count < LINKS_SRCDOC_MAX;
		n = r->links->bases.ptr[n - 1].parent)
		chain[count++] = n;
	r->inner_number = 0;
	rc = url_copy(&r->inner, &r->base);
	while (rc != ERR_NOMEM && count > 0) {
		slice href = r->links->bases.ptr[chain[--count] - 1].href;

		rc = url_parse(&r->step, href, &r->inner, NULL);
		if (rc == 0 && url_is_http(&r->step))
			rc = url_copy(&r->inner, &r->step);
	}
	if (rc == ERR_NOMEM)
		return rc;
	r->inner_number = number;
	return 0;
}

/* What the link is relative to. 0 or ERR_NOMEM. */
static int find_base(struct resolver *r, const struct link *link, const struct url **ret_base)
{
	int rc = 0;

	if (link->base && link->base != r->inner_number)
		rc = find_inner(r, link->base);
	/* A form without action goes to its own page, whatever the base. */
	*ret_base = link->ref.len == 0 ? r->document : link->base ? &r->inner : &r->base;
	return rc;
}

/*
 * Counts a reference before it is resolved: a short one may have a base of 64 KiB. False when there
 * have been too many bytes: it and the rest are left out.
 */
static bool count_bytes(struct resolver *r, const struct link *link, const struct url *base)
{
	r->bytes += link->ref.len + url_text(base).len;
	if (r->bytes <= RESOLVE_BYTES_MAX)
		return true;
	r->left_out = r->links->list.len - r->next + 1;
	r->next = r->links->list.len;
	return false;
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

int resolver_next(struct resolver *r, struct resolved_link *ret_link)
{
	while (r->next < r->links->list.len) {
		const struct link *link = &r->links->list.ptr[r->next++];
		const struct url *base;
		int rc = find_base(r, link, &base);

		if (rc == 0 && !count_bytes(r, link, base))
			return ERR_END;

		if (rc == 0)
			rc = url_parse_encoded(&r->url, link->ref, base, r->encoding, NULL);
		if (rc == ERR_NOMEM)
			return rc;
		if (rc || !url_is_http(&r->url))
			continue;
		url_drop_fragment(&r->url);
		rc = remember(r, url_text(&r->url), link->kind);
		if (rc == ERR_EXISTS)
			continue;
		if (rc)
			return rc;
		*ret_link = (struct resolved_link){.parsed = &r->url,
			.url = url_text(&r->url),
			.kind = link->kind,
			.is_feed = link->is_feed,
			.text_at = link->text_at,
			.text_to = text_end(r->links, r->next - 1)};
		return 0;
	}
	return ERR_END;
}
