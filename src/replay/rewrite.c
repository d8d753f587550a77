#include "replay/rewrite.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/link_values.h"
#include "formats/media_type.h"
#include "replay/rewrite_css.h"
#include "replay/rewrite_html.h"

enum { VALUE_MAX = 256 << 10 };

enum fate {
	FATE_SHOWN,  /* as X-Archive-Orig-… only */
	FATE_PASSES, /* says something about the document alone */
	FATE_LOCATION,
	FATE_REFRESH,
	FATE_LINK,
};

static enum fate fate_of(slice name)
{
	static const struct {
		slice name;
		enum fate fate;
	} FATES[] = {
		{SLICE_INIT("Content-Language"), FATE_PASSES},
		{SLICE_INIT("Content-Disposition"), FATE_PASSES},
		{SLICE_INIT("Location"), FATE_LOCATION},
		{SLICE_INIT("Refresh"), FATE_REFRESH},
		{SLICE_INIT("Link"), FATE_LINK},
	};

	for (size_t i = 0; i < sizeof FATES / sizeof *FATES; i++)
		if (word_is(name, FATES[i].name))
			return FATES[i].fate;
	return FATE_SHOWN;
}

static int put_refresh(struct rewrite_urls *urls, slice value, struct buf *out)
{
	uint64_t seconds;
	slice url;
	if (!refresh_parse(value, &seconds, &url))
		return ERR_NOTFOUND;
	buf_printf(out, "%llu%s", (unsigned long long)seconds, url.len ? "; url=" : "");
	return url.len ? rewrite_url(urls, url, REWRITE_PAGE, out) : out->error;
}

/* Only what loads a part of the page: other relations could pass for ours, or connect somewhere. */
static bool is_loaded(slice rel)
{
	return word_is(rel, SLICE("preload")) || word_is(rel, SLICE("modulepreload")) ||
	       word_is(rel, SLICE("stylesheet"));
}

static bool is_token(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_alnum(s.ptr[i]) && s.ptr[i] != '-')
			return false;
	return s.len > 0;
}

static int put_link(struct rewrite_urls *urls, const struct link_header_link *link, struct buf *out)
{
	unsigned kinds = link_kinds_of_rel(link->rel, link->as, link->type);
	enum rewrite_kind kind = REWRITE_PAGE;
	size_t before = out->len;
	int rc;

	for (int i = 0; i < LINK_KIND_COUNT && kind == REWRITE_PAGE; i++)
		if (kinds & 1U << i)
			kind = rewrite_kind_of_link((enum link_kind)i);
	buf_add_str(out, before ? ", <" : "<");
	rc = rewrite_url(urls, link->target, kind, out);
	if (rc == ERR_NOTFOUND) {
		buf_truncate(out, before);
		return 0;
	}
	buf_printf(out, ">; rel=%.*s", (int)link->rel.len, link->rel.ptr);
	if (is_token(link->as))
		buf_printf(out, "; as=%.*s", (int)link->as.len, link->as.ptr);
	return rc ? rc : out->error;
}

static int put_links(struct rewrite_urls *urls, slice value, struct buf *out)
{
	struct link_header header;
	struct link_header_link link;
	int rc;

	link_header_init(&header, value);
	while ((rc = link_header_next(&header, &link)) == 0)
		if (is_loaded(link.rel) && (rc = put_link(urls, &link, out)))
			break;
	link_header_release(&header);
	if (rc == ERR_END)
		rc = out->len ? 0 : ERR_NOTFOUND;
	return rc;
}

static int put_value(
	struct rewrite_urls *urls, enum rewrite_kind kind, const struct field *f, struct buf *out)
{
	switch (fate_of(f->name)) {
	case FATE_PASSES:
		return buf_add(out, f->value);
	case FATE_LOCATION:
		return rewrite_url(urls, f->value, kind, out);
	case FATE_REFRESH:
		return put_refresh(urls, f->value, out);
	case FATE_LINK:
		return put_links(urls, f->value, out);
	case FATE_SHOWN:
		break;
	}
	return ERR_NOTFOUND;
}

int rewrite_fields(const struct fields *fields, struct rewrite_urls *urls, enum rewrite_kind kind,
	rewrite_field_sink *sink, void *context)
{
	struct buf value;
	int rc = 0;

	buf_init(&value, VALUE_MAX);
	for (size_t i = 0; i < fields->items.len && rc == 0; i++) {
		const struct field *f = &fields->items.ptr[i];

		buf_reset(&value);
		rc = put_value(urls, kind, f, &value);
		if (rc == 0 && fields_is_value(buf_slice(&value)))
			rc = sink(context, f->name, buf_slice(&value));
		else if (rc == ERR_NOTFOUND || rc == ERR_LIMIT)
			rc = 0;
	}
	buf_release(&value);
	return rc;
}

enum { STEP = 64 << 10 };

struct rewriter {
	struct rewrite_params params;
	enum rewrite_format format;
	bool decided;
	bool has_css;
	bool has_html;
	struct charset_guess guess;
	struct charset_decoder *decoder; /* NULL: bytes are taken as they are */
	struct buf start;
	struct buf scratch;
	struct rewrite_urls urls;
	struct rewrite_css css;
	struct rewrite_html html;
};

static bool is_style(slice type)
{
	return type.len == 0 || word_is(type, SLICE("text/css")) ||
	       word_is(type, SLICE("text/plain"));
}

enum rewrite_format rewrite_format_of(slice content_type, enum rewrite_kind kind)
{
	slice type = media_type_parse(content_type).essence;

	if (kind == REWRITE_SCRIPT)
		return REWRITE_NOTHING;
	if (kind == REWRITE_STYLE && is_style(type))
		return REWRITE_CSS;
	if (word_is(type, SLICE("text/css")))
		return REWRITE_CSS;
	if (word_is(type, SLICE("image/svg+xml")))
		return REWRITE_SVG;
	if (kind == REWRITE_IMAGE)
		return REWRITE_NOTHING;
	if (word_is(type, SLICE("application/xhtml+xml")))
		return REWRITE_XHTML;
	return media_type_is_unknown(content_type) || word_is(type, SLICE("text/html"))
		       ? REWRITE_HTML
		       : REWRITE_NOTHING;
}

struct rewriter *rewriter_open(const struct rewrite_params *params)
{
	struct rewriter *r = mem_new(1, sizeof *r);

	r->params = *params;
	r->format = rewrite_format_of(params->content_type, params->kind);
	r->decided = r->format == REWRITE_NOTHING;
	buf_init(&r->start, CHARSET_SNIFF_MAX);
	buf_init(&r->scratch, CHARSET_EXPANSION * (size_t)STEP);
	return r;
}

void rewriter_close(struct rewriter *r)
{
	if (!r)
		return;
	if (r->has_css)
		rewrite_css_release(&r->css);
	if (r->has_html)
		rewrite_html_release(&r->html);
	rewrite_urls_release(&r->urls);
	charset_decoder_close(r->decoder);
	buf_release(&r->start);
	buf_release(&r->scratch);
	free(r);
}

/* Encodings in which a byte below 0x80 may be something else than ASCII. */
static bool hides_ascii(enum charset charset)
{
	return charset == CHARSET_UTF_16BE || charset == CHARSET_UTF_16LE ||
	       charset == CHARSET_ISO_2022_JP;
}

/* What came without a type is a page if it looks like one. */
static bool looks_like_markup(slice start)
{
	while (start.len && word_is_space(start.ptr[0]))
		start = slice_sub(start, 1, start.len);
	return start.len && start.ptr[0] == '<';
}

static void start_format(struct rewriter *r, bool is_utf8)
{
	bool is_page = r->format == REWRITE_HTML || r->format == REWRITE_XHTML;

	if (r->format == REWRITE_CSS) {
		rewrite_css_init(&r->css, &r->urls, is_utf8);
		r->has_css = true;
		return;
	}
	rewrite_html_init(&r->html, &(struct rewrite_html_params){
					    .urls = &r->urls,
					    .script = is_page ? r->params.script : (slice){0},
					    .is_utf8 = is_utf8,
					    .is_xml = r->format != REWRITE_HTML,
				    });
	r->has_html = true;
}

/* Decides on the encoding, from the first bytes, and starts. */
static int decide(struct rewriter *r)
{
	slice start = buf_slice(&r->start);
	slice label = media_type_parse(r->params.content_type).charset;
	int rc = 0;

	r->decided = true;
	if (r->params.content_type.len == 0 && r->format == REWRITE_HTML &&
		!looks_like_markup(start)) {
		r->format = REWRITE_NOTHING;
		return 0;
	}
	r->guess =
		charset_guess(start, label, r->format == REWRITE_CSS ? CHARSET_CSS : CHARSET_HTML);
	if (hides_ascii(r->guess.charset))
		rc = charset_decoder_open(r->guess.charset, &r->decoder);
	if (rc == ERR_UNSUPPORTED)
		rc = 0;
	if (rc == 0)
		rc = rewrite_urls_init(&r->urls, &r->params.place, r->params.url, r->guess.charset);
	if (rc == ERR_SYNTAX || rc == ERR_LIMIT) {
		r->format = REWRITE_NOTHING;
		return 0;
	}
	if (rc == 0)
		start_format(r, r->decoder || r->guess.charset == CHARSET_UTF_8);
	return rc;
}

static int take_text(struct rewriter *r, slice text, struct buf *out)
{
	switch (r->format) {
	case REWRITE_NOTHING:
		return buf_add(out, text);
	case REWRITE_CSS:
		return rewrite_css_feed(&r->css, text, out);
	default:
		return rewrite_html_feed(&r->html, text, out);
	}
}

static int take_bytes(struct rewriter *r, slice bytes, bool last, struct buf *out)
{
	size_t at = 0;
	int rc;

	if (!r->decoder)
		return take_text(r, bytes, out);
	do {
		slice step = slice_sub(bytes, at, at + STEP), text;

		at += step.len;
		rc = charset_decode(r->decoder, step, last && at == bytes.len, &r->scratch, &text);
		if (rc == 0)
			rc = take_text(r, text, out);
	} while (rc == 0 && at < bytes.len);
	return rc;
}

/* What was kept for the decision. A mark of the byte order passes, unless the text is decoded. */
static int take_start(struct rewriter *r, struct buf *out)
{
	slice start = buf_slice(&r->start);
	int rc = decide(r);

	if (rc == 0 && r->guess.bom && !r->decoder)
		buf_add(out, slice_sub(start, 0, r->guess.bom));
	if (rc == 0)
		rc = take_bytes(r, slice_sub(start, r->guess.bom, start.len), false, out);
	buf_release(&r->start);
	return rc;
}

int rewriter_feed(struct rewriter *r, slice in, struct buf *out)
{
	int rc = 0;

	if (!r->decided) {
		size_t room = CHARSET_SNIFF_MAX - r->start.len;

		rc = buf_add(&r->start, slice_sub(in, 0, room));
		if (rc || in.len < room)
			return rc;
		in = slice_sub(in, room, in.len);
		rc = take_start(r, out);
	}
	return rc || in.len == 0 ? rc : take_bytes(r, in, false, out);
}

int rewriter_finish(struct rewriter *r, struct buf *out)
{
	int rc = 0;

	if (!r->decided)
		rc = take_start(r, out);
	if (rc == 0 && r->decoder)
		rc = take_bytes(r, SLICE(""), true, out);
	if (rc == 0 && r->has_css)
		rc = rewrite_css_finish(&r->css, out);
	if (rc == 0 && r->has_html)
		rc = rewrite_html_finish(&r->html, out);
	return rc;
}

bool rewriter_is_decided(const struct rewriter *r)
{
	return r->decided;
}

int rewriter_content_type(const struct rewriter *r, struct buf *out)
{
	struct media_type type = media_type_parse(r->params.content_type);
	bool found =
		r->guess.source == CHARSET_FROM_DOCUMENT || r->guess.source == CHARSET_FROM_BOM;

	if (r->format == REWRITE_NOTHING || (!r->decoder && (type.charset.len || !found)))
		return buf_add(out, r->params.content_type);
	return buf_printf(out, "%.*s; charset=%s", (int)type.essence.len,
		type.essence.len ? type.essence.ptr : "",
		r->decoder ? "UTF-8" : charset_name(r->guess.charset));
}
