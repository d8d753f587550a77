#include "replay/rewrite.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/media_type.h"
#include "replay/rewrite_css.h"
#include "replay/rewrite_html.h"

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
