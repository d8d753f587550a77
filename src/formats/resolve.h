/*
 * The links of a document as URLs: resolved against its base, only those that HTTP can fetch,
 * without fragments, each pair of URL and kind once, in the order of their first appearance.
 */
#ifndef FORMATS_RESOLVE_H
#define FORMATS_RESOLVE_H

#include "formats/links.h"
#include "formats/url.h"
#include "formats/url_encoding.h"

/* Bytes of a document's references, each with the base that it is relative to. */
enum { RESOLVE_BYTES_MAX = 16 << 20, RESOLVE_TEXT_MAX = 120 };

/* One link; both forms of the URL are valid until the next call. */
struct resolved_link {
	const struct url *parsed; /* without its fragment */
	slice url;                /* its text */
	enum link_kind kind;
	bool is_feed;
	uint32_t text_at, text_to; /* its text, if that was read, too; at most RESOLVE_TEXT_MAX */
};

/* Fields are the resolver's own, but for left_out. */
struct resolver {
	const struct links *links;  /* borrowed */
	const struct url *document; /* borrowed */
	size_t next;
	size_t bytes;                  /* of RESOLVE_BYTES_MAX */
	size_t left_out;               /* references beyond it; known at the end */
	struct url_encoding *encoding; /* of queries; NULL for UTF-8 */
	struct url base;
	uint32_t inner_number; /* of inner; 0 for none */
	struct url inner;      /* base of a document inside */
	struct url step;
	struct url url;
	struct arena arena; /* keys of seen */
	struct strmap seen;
	struct buf key;
};

/* Allocates nothing. The key, for URLs that are seen again, is secret and random. */
void resolver_init(struct resolver *r, struct hash_key key);
void resolver_release(struct resolver *r);

/*
 * Starts with links that are complete, and the URL of their document, which is parsed already; both
 * are borrowed until the next start. What an earlier document needed of memory is used again.
 */
void resolver_start(struct resolver *r, const struct links *links, const struct url *document);

/* The next link; false at the end. References that are no URLs are skipped. */
bool resolver_next(struct resolver *r, struct resolved_link *ret_link);

#endif
