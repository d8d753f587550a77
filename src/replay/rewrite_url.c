#include "replay/rewrite_url.h"

#include "base/err.h"
#include "base/word.h"

enum {
	PREFIX_MAX = 4 << 10,
	DECODED_MAX = 32 << 20,
};

enum rewrite_kind rewrite_kind_of_link(enum link_kind kind)
{
	switch (kind) {
	case LINK_IMAGE:
	case LINK_MEDIA:
	case LINK_FONT:
		return REWRITE_IMAGE;
	case LINK_SCRIPT:
		return REWRITE_SCRIPT;
	case LINK_STYLE:
		return REWRITE_STYLE;
	default:
		return REWRITE_PAGE;
	}
}

int rewrite_urls_init(struct rewrite_urls *u, const struct rewrite_place *place, slice document,
	enum charset charset)
{
	static const char *const MODIFIERS[REWRITE_KIND_COUNT] = {"mp_", "im_", "js_", "cs_"};
	int rc;

	*u = (struct rewrite_urls){.place = *place, .charset = charset};
	url_init(&u->document);
	url_init(&u->base);
	url_init(&u->url);
	buf_init(&u->decoded, DECODED_MAX);
	buf_init(&u->prefix, PREFIX_MAX);
	/* The prefixes of all kinds, one behind the other. */
	for (int kind = 0; kind < REWRITE_KIND_COUNT; kind++) {
		buf_add(&u->prefix, place->origin);
		buf_printf(&u->prefix, "/%.*s/%.*s%s/", (int)place->collection.len,
			place->collection.ptr, (int)place->time.len, place->time.ptr,
			MODIFIERS[kind]);
		u->prefix_end[kind] = u->prefix.len;
	}
	rc = url_parse(&u->document, document, NULL, NULL);
	if (rc == 0)
		rc = u->prefix.error;
	if (rc == 0)
		rc = url_encoding_open(charset_name(charset), &u->encoding, NULL);
	return rc == ERR_UNSUPPORTED ? 0 : rc;
}

void rewrite_urls_release(struct rewrite_urls *u)
{
	url_release(&u->document);
	url_release(&u->base);
	url_release(&u->url);
	url_encoding_close(u->encoding);
	buf_release(&u->decoded);
	buf_release(&u->prefix);
}

void rewrite_urls_set_base(struct rewrite_urls *u, slice href)
{
	if (!u->has_base)
		u->has_base =
			url_parse_encoded(&u->base, href, &u->document, u->encoding, NULL) == 0 &&
			url_is_http(&u->base);
}

int rewrite_url(struct rewrite_urls *u, slice ref, enum rewrite_kind kind, struct buf *out)
{
	size_t from = kind ? u->prefix_end[kind - 1] : 0;

	ref = url_strip(ref);
	if (ref.len == 0 || ref.ptr[0] == '#' || word_starts(ref, SLICE("data:")) ||
		word_starts(ref, SLICE("javascript:")) ||
		url_parse_encoded(
			&u->url, ref, u->has_base ? &u->base : &u->document, u->encoding, NULL) ||
		!url_is_http(&u->url))
		return ERR_NOTFOUND;
	buf_add(out, slice_sub(buf_slice(&u->prefix), from, u->prefix_end[kind]));
	return buf_add(out, url_text(&u->url));
}

int rewrite_decode(struct rewrite_urls *u, slice bytes, slice *ret_text)
{
	struct charset_decoder *decoder;
	int rc = charset_decoder_open(u->charset, &decoder);

	if (rc == ERR_UNSUPPORTED)
		rc = charset_decoder_open(CHARSET_WINDOWS_1252, &decoder);
	if (rc)
		return rc;
	buf_reset(&u->decoded);
	rc = charset_decode(decoder, bytes, true, &u->decoded, ret_text);
	charset_decoder_close(decoder);
	if (rc == ERR_LIMIT) {
		*ret_text = bytes;
		rc = 0;
	}
	return rc;
}
