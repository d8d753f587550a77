/*
 * URLs of a replayed document: a reference becomes the place in the archive where its target, as of
 * the same time, is found. "../a.png" in http://example.org/b/c becomes
 *
 *	/NAME/20260101000000im_/http://example.org/a.png
 *
 * References are resolved in full, so that "..", backslashes and blanks in them mean what they mean
 * to a browser. What HTTP cannot fetch (data:, mailto:, fragments) stays as it is.
 */
#ifndef REPLAY_REWRITE_URL_H
#define REPLAY_REWRITE_URL_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/charset.h"
#include "formats/links.h"
#include "formats/url.h"
#include "formats/url_encoding.h"

/* What a resource is asked for as: the modifier behind the timestamp. */
enum rewrite_kind {
	REWRITE_PAGE,   /* mp_ */
	REWRITE_IMAGE,  /* im_: also media and fonts */
	REWRITE_SCRIPT, /* js_ */
	REWRITE_STYLE,  /* cs_ */
	REWRITE_KIND_COUNT,
};

/* "mp_" and so on; lives for ever. */
enum rewrite_kind rewrite_kind_of_link(enum link_kind kind);

/* Where in the archive a document is replayed. */
struct rewrite_place {
	slice origin;     /* "http://127.0.0.1:8081"; empty: URLs begin with the path */
	slice collection; /* its name as it stands in a path */
	slice time;       /* the asked time: digits */
};

/* Fields are the rewriter's own. */
struct rewrite_urls {
	struct rewrite_place place; /* borrowed */
	struct url document;
	struct url base;
	bool has_base;
	struct url url;
	enum charset charset;
	struct url_encoding *encoding; /* of queries; NULL for UTF-8 */
	struct buf decoded;
	struct buf prefix;
	size_t prefix_end[REWRITE_KIND_COUNT];
};

/*
 * Starts with the document's URL and encoding. What place holds is borrowed until release. 0,
 * ERR_SYNTAX when the URL is none, or ERR_NOMEM; release in any case.
 */
int rewrite_urls_init(struct rewrite_urls *u, const struct rewrite_place *place, slice document,
	enum charset charset) SP_MUST_CHECK;
void rewrite_urls_release(struct rewrite_urls *u);

/* The href of a base element, in UTF-8; only the first one counts. */
void rewrite_urls_set_base(struct rewrite_urls *u, slice href);

/*
 * Appends the place of what ref (UTF-8) refers to: 0, ERR_NOTFOUND when ref is to stay as it is,
 * ERR_LIMIT or ERR_NOMEM.
 */
int rewrite_url(
	struct rewrite_urls *u, slice ref, enum rewrite_kind kind, struct buf *out) SP_MUST_CHECK;

/* Bytes of the document's encoding in UTF-8, valid until the next call. 0 or ERR_NOMEM. */
int rewrite_decode(struct rewrite_urls *u, slice bytes, slice *ret_text) SP_MUST_CHECK;

#endif
