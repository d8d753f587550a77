#include "formats/page.h"

#include "base/err.h"
#include "base/word.h"
#include "formats/media_type.h"

void required_release(struct required *r)
{
	if (r->page.rules)
		ignore_page_release(&r->page);
	*r = (struct required){0};
}

int required_start(struct required *r, const struct ignore *rules, slice url)
{
	struct url parsed;
	int rc;

	r->is_on = false;
	if (rules->rules.len == 0)
		return 0;
	if (r->page.rules && r->page.rules != rules)
		required_release(r);
	if (!r->page.rules)
		ignore_page_init(&r->page, rules);
	url_init(&parsed);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc != ERR_NOMEM)
		rc = ignore_page_start(&r->page, &parsed, 0);
	url_release(&parsed);
	r->is_on = rc == 0 && r->page.requires.len > 0;
	return rc;
}

uint64_t required_number(const struct required *r)
{
	return r->is_on ? ignore_page_number(&r->page) : 0;
}

/* Of enum html_flags; before the first token. */
static void required_set_flags(struct required *r, unsigned flags)
{
	if (r->is_on)
		selector_stack_reset(&r->page.stack, flags);
}

slice required_missing(const struct required *r)
{
	uint32_t rule = r->is_on ? ignore_page_missing(&r->page) : IGNORE_NONE;

	if (rule == IGNORE_NONE)
		return (slice){0};
	return r->page.rules->rules.ptr[rule].name;
}

enum page_format page_format_of(slice content_type)
{
	slice type = media_type_parse(content_type).essence;

	if (content_type.len == 0 || word_is(type, SLICE("text/html")))
		return PAGE_HTML;
	if (media_type_is_unknown(content_type))
		return PAGE_UNKNOWN;
	if (word_is(type, SLICE("text/css")))
		return PAGE_CSS;
	if (word_ends(type, SLICE("/javascript")) || word_ends(type, SLICE("/x-javascript")) ||
		word_ends(type, SLICE("/ecmascript")))
		return PAGE_SCRIPT;
	if (word_ends(type, SLICE("/json")) || word_ends(type, SLICE("+json")))
		return PAGE_JSON;
	if (word_is(type, SLICE("text/xml")) || word_is(type, SLICE("application/xml")) ||
		word_ends(type, SLICE("+xml")))
		return PAGE_XML;
	return word_is(type, SLICE("text/plain")) ? PAGE_PLAIN : PAGE_OPAQUE;
}

static void start_tokens(struct page *p)
{
	html_init(&p->tokens, p->format == PAGE_XML ? HTML_XML : 0);
	if (p->params.required)
		required_set_flags(p->params.required, p->format == PAGE_XML ? HTML_XML : 0);
}

void page_open(struct page *p, const struct page_params *params)
{
	p->params = *params;
	p->format = page_format_of(params->content_type);
	p->guess = (struct charset_guess){0};
	p->label = media_type_parse(params->content_type).charset;
	p->decoder = NULL;
	p->first = (slice){0};
	buf_init(&p->start, CHARSET_SNIFF_MAX);
	buf_init(&p->scratch, CHARSET_EXPANSION * (size_t)PAGE_STEP);
	buf_init(&p->sheet, PAGE_SHEET_MAX);
	start_tokens(p);
}

void page_close(struct page *p)
{
	buf_release(&p->start);
	buf_release(&p->scratch);
	buf_release(&p->sheet);
	html_release(&p->tokens);
	charset_decoder_close(p->decoder);
	p->decoder = NULL;
}

bool page_is_html(const struct page *p)
{
	slice type = media_type_parse(p->params.content_type).essence;

	return p->format == PAGE_HTML ||
	       (p->format == PAGE_XML && word_is(type, SLICE("application/xhtml+xml")));
}

/* Gathers links, and notes where their texts begin. */
static void take_links(struct page *p, const struct html_token *token)
{
	struct link_vec *list = &p->params.links->list;
	size_t from = list->len;

	links_token(p->params.links, token);
	for (size_t i = from; p->params.text && i < list->len; i++)
		list->ptr[i].text_at = (uint32_t)p->params.text->text.len;
}

/* Hands on the tokens that can be made of what has been given. */
static void take_tokens(struct page *p)
{
	const struct html_token *token;

	while (html_next(&p->tokens, &token) == 0) {
		if (p->params.links)
			take_links(p, token);
		if (p->params.text)
			page_text_token(p->params.text, token);
		if (p->params.required && p->params.required->is_on)
			ignore_page_token(&p->params.required->page, token);
		if (p->params.stand_in)
			stand_in_token(p->params.stand_in, token);
		if (p->params.deceit)
			deceit_token(p->params.deceit, token);
		if (p->params.forms)
			forms_token(p->params.forms, token);
	}
}

/* Text in UTF-8. */
static void take_text(struct page *p, slice text)
{
	switch (p->format) {
	case PAGE_HTML:
	case PAGE_XML:
		html_feed(&p->tokens, text);
		take_tokens(p);
		break;
	case PAGE_CSS:
	case PAGE_SCRIPT:
	case PAGE_JSON:
		if (p->params.links)
			buf_add(&p->sheet, slice_sub(text, 0, PAGE_SHEET_MAX - p->sheet.len));
		break;
	case PAGE_PLAIN:
		if (p->params.text)
			page_text_plain(p->params.text, text);
		break;
	case PAGE_UNKNOWN:
	case PAGE_OPAQUE:
		break;
	}
}

static int take_bytes(struct page *p, slice bytes, bool last)
{
	size_t at = 0;
	int rc;

	do {
		slice step = slice_sub(bytes, at, at + PAGE_STEP), text;

		at += step.len;
		rc = charset_decode(p->decoder, step, last && at == bytes.len, &p->scratch, &text);
		if (rc == 0)
			take_text(p, text);
	} while (rc == 0 && at < bytes.len);
	return rc;
}

static enum charset_format charset_format_of(enum page_format format)
{
	if (format == PAGE_CSS)
		return CHARSET_CSS;
	return format == PAGE_HTML || format == PAGE_XML ? CHARSET_HTML : CHARSET_PLAIN;
}

/* What a body is of which its head does not tell. */
static void find_format(struct page *p, slice start)
{
	static const enum page_format FORMATS[] = {
		[SNIFFED_HTML] = PAGE_HTML,
		[SNIFFED_XML] = PAGE_XML,
		[SNIFFED_TEXT] = PAGE_PLAIN,
		[SNIFFED_BINARY] = PAGE_OPAQUE,
	};

	if (p->format != PAGE_UNKNOWN)
		return;
	p->format = FORMATS[sniff(start)];
	start_tokens(p);
}

/* Decides on format and encoding, and reads what was kept for that. */
static int begin(struct page *p)
{
	slice start = p->first.ptr ? p->first : buf_slice(&p->start);
	int rc;

	find_format(p, start);
	if (p->format == PAGE_OPAQUE)
		return 0;
	if (p->params.links)
		p->params.links->is_xml = p->format == PAGE_XML;
	p->guess = charset_guess(start, p->label, charset_format_of(p->format));
	rc = charset_decoder_open(p->guess.charset, &p->decoder);
	if (rc == ERR_UNSUPPORTED) {
		p->guess.charset = CHARSET_WINDOWS_1252;
		rc = charset_decoder_open(p->guess.charset, &p->decoder);
	}
	return rc ? rc : take_bytes(p, slice_sub(start, p->guess.bom, start.len), false);
}

int page_feed(struct page *p, slice chunk)
{
	int rc = 0;

	if (p->format == PAGE_OPAQUE)
		return 0;
	if (!p->decoder) {
		size_t room = CHARSET_SNIFF_MAX - p->start.len;

		if (p->params.lasting && !p->first.ptr && p->start.len == 0 && chunk.len < room) {
			p->first = chunk;
			return 0;
		}
		if (p->first.ptr) {
			rc = buf_add(&p->start, p->first);
			room -= p->first.len;
			p->first = (slice){0};
		}
		if (rc == 0)
			rc = buf_add(&p->start, slice_sub(chunk, 0, room));
		if (rc || chunk.len < room)
			return rc;
		chunk = slice_sub(chunk, room, chunk.len);
		rc = begin(p);
	}
	return rc || chunk.len == 0 || p->format == PAGE_OPAQUE ? rc : take_bytes(p, chunk, false);
}

static void finish_links(struct page *p)
{
	slice sheet = buf_slice(&p->sheet);

	switch (p->format) {
	case PAGE_CSS:
		links_css(p->params.links, sheet);
		return;
	case PAGE_SCRIPT:
		links_script(p->params.links, sheet);
		return;
	case PAGE_JSON:
		links_json(p->params.links, sheet);
		return;
	default:
		links_finish(p->params.links);
		return;
	}
}

int page_finish(struct page *p)
{
	int rc = 0;

	if (p->format == PAGE_OPAQUE)
		return 0;
	if (!p->decoder)
		rc = begin(p);
	if (rc == 0 && p->decoder)
		rc = take_bytes(p, (slice){"", 0}, true);
	if (rc || !p->decoder)
		return rc;
	html_finish(&p->tokens);
	take_tokens(p);
	if (p->params.links) {
		p->params.links->charset = p->guess.charset;
		finish_links(p);
	}
	if (p->params.forms)
		forms_finish(p->params.forms);
	return 0;
}
