#include "formats/text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/err.h"
#include "base/word.h"
#include "formats/html_token.h"

enum { TEXT_KEPT_MAX = 256 << 10 };

enum {
	SHOWS_HIDDEN = 1, /* its text is left out */
	SHOWS_LINE = 2,   /* it starts and ends a line */
	SHOWS_BLANK = 4,  /* it separates words */
};

/* How elements are shown, after the HTML standard's rendering section (15.3). */
static const unsigned char SHOWN[HTML_TAG_COUNT] = {
	[HTML_TAG_DESC] = SHOWS_HIDDEN,
	[HTML_TAG_IFRAME] = SHOWS_HIDDEN,
	[HTML_TAG_NOEMBED] = SHOWS_HIDDEN,
	[HTML_TAG_NOFRAMES] = SHOWS_HIDDEN,
	[HTML_TAG_NOSCRIPT] = SHOWS_HIDDEN,
	[HTML_TAG_OBJECT] = SHOWS_HIDDEN,
	[HTML_TAG_SCRIPT] = SHOWS_HIDDEN,
	[HTML_TAG_STYLE] = SHOWS_HIDDEN,
	[HTML_TAG_TEMPLATE] = SHOWS_HIDDEN,
	[HTML_TAG_TITLE] = SHOWS_HIDDEN,
	[HTML_TAG_ADDRESS] = SHOWS_LINE,
	[HTML_TAG_ARTICLE] = SHOWS_LINE,
	[HTML_TAG_ASIDE] = SHOWS_LINE,
	[HTML_TAG_BLOCKQUOTE] = SHOWS_LINE,
	[HTML_TAG_BODY] = SHOWS_LINE,
	[HTML_TAG_BR] = SHOWS_LINE,
	[HTML_TAG_CAPTION] = SHOWS_LINE,
	[HTML_TAG_CENTER] = SHOWS_LINE,
	[HTML_TAG_DD] = SHOWS_LINE,
	[HTML_TAG_DETAILS] = SHOWS_LINE,
	[HTML_TAG_DIALOG] = SHOWS_LINE,
	[HTML_TAG_DIV] = SHOWS_LINE,
	[HTML_TAG_DL] = SHOWS_LINE,
	[HTML_TAG_DT] = SHOWS_LINE,
	[HTML_TAG_FIELDSET] = SHOWS_LINE,
	[HTML_TAG_FIGCAPTION] = SHOWS_LINE,
	[HTML_TAG_FIGURE] = SHOWS_LINE,
	[HTML_TAG_FOOTER] = SHOWS_LINE,
	[HTML_TAG_FORM] = SHOWS_LINE,
	[HTML_TAG_H1] = SHOWS_LINE,
	[HTML_TAG_H2] = SHOWS_LINE,
	[HTML_TAG_H3] = SHOWS_LINE,
	[HTML_TAG_H4] = SHOWS_LINE,
	[HTML_TAG_H5] = SHOWS_LINE,
	[HTML_TAG_H6] = SHOWS_LINE,
	[HTML_TAG_HEADER] = SHOWS_LINE,
	[HTML_TAG_HR] = SHOWS_LINE,
	[HTML_TAG_LEGEND] = SHOWS_LINE,
	[HTML_TAG_LI] = SHOWS_LINE,
	[HTML_TAG_LISTING] = SHOWS_LINE,
	[HTML_TAG_MAIN] = SHOWS_LINE,
	[HTML_TAG_MENU] = SHOWS_LINE,
	[HTML_TAG_NAV] = SHOWS_LINE,
	[HTML_TAG_OL] = SHOWS_LINE,
	[HTML_TAG_OPTGROUP] = SHOWS_LINE,
	[HTML_TAG_OPTION] = SHOWS_LINE,
	[HTML_TAG_P] = SHOWS_LINE,
	[HTML_TAG_PLAINTEXT] = SHOWS_LINE,
	[HTML_TAG_PRE] = SHOWS_LINE,
	[HTML_TAG_SEARCH] = SHOWS_LINE,
	[HTML_TAG_SECTION] = SHOWS_LINE,
	[HTML_TAG_SELECT] = SHOWS_LINE,
	[HTML_TAG_SUMMARY] = SHOWS_LINE,
	[HTML_TAG_TABLE] = SHOWS_LINE,
	[HTML_TAG_TBODY] = SHOWS_LINE,
	[HTML_TAG_TEXTAREA] = SHOWS_LINE,
	[HTML_TAG_TFOOT] = SHOWS_LINE,
	[HTML_TAG_THEAD] = SHOWS_LINE,
	[HTML_TAG_TR] = SHOWS_LINE,
	[HTML_TAG_UL] = SHOWS_LINE,
	[HTML_TAG_XMP] = SHOWS_LINE,
	[HTML_TAG_BUTTON] = SHOWS_BLANK,
	[HTML_TAG_IMG] = SHOWS_BLANK,
	[HTML_TAG_INPUT] = SHOWS_BLANK,
	[HTML_TAG_TD] = SHOWS_BLANK,
	[HTML_TAG_TH] = SHOWS_BLANK,
};

void page_text_init(struct page_text *p)
{
	*p = (struct page_text){0};
	buf_init(&p->text, TEXT_MAX);
	buf_init(&p->title, TEXT_TITLE_MAX);
	buf_init(&p->language, TEXT_LANGUAGE_MAX);
	buf_init(&p->robots, TEXT_ROBOTS_MAX);
}

void page_text_reset(struct page_text *p)
{
	struct page_text fresh = {
		.text = p->text, .title = p->title, .language = p->language, .robots = p->robots};

	/* That of a large document is not kept for the small ones behind it. */
	if (fresh.text.cap > TEXT_KEPT_MAX)
		buf_release(&fresh.text);
	*p = fresh;
	buf_reset(&p->text);
	buf_reset(&p->title);
	buf_reset(&p->language);
	buf_reset(&p->robots);
}

void page_text_release(struct page_text *p)
{
	buf_release(&p->text);
	buf_release(&p->title);
	buf_release(&p->language);
	buf_release(&p->robots);
}

/* Adds what there is room for. */
static void add_cut(struct page_text *p, struct buf *out, slice s)
{
	size_t room = out->max - out->len;

	if (s.len > room) {
		p->cut = true;
		s.len = room;
		while (s.len && (s.ptr[s.len] & 0xc0) == 0x80)
			s.len--;
	}
	buf_add(out, s);
}

/*
 * Goes on by sixteen bytes at a time as long as there is no control among them, nor a blank before
 * another: the end of the words is not there, whatever is.
 */
static size_t skip_words(slice text, size_t at)
{
#ifdef __SSE2__
	const __m128i blank = _mm_set1_epi8(' ');

	for (; at + 17 <= text.len; at += 16) {
		__m128i here = _mm_loadu_si128((const __m128i *)(const void *)(text.ptr + at));
		__m128i next = _mm_loadu_si128((const __m128i *)(const void *)(text.ptr + at + 1));
		__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(here, blank), here);
		__m128i low_next = _mm_cmpeq_epi8(_mm_min_epu8(next, blank), next);
		__m128i control = _mm_andnot_si128(_mm_cmpeq_epi8(here, blank), low);

		if (_mm_movemask_epi8(_mm_or_si128(control, _mm_and_si128(low, low_next))))
			break;
	}
#else
	(void)text;
#endif
	return at;
}

/* The end of the words from `at` on that stand a single blank apart: they are copied as they are.
 */
static size_t end_of_words(slice text, size_t at)
{
	static const bool SPACE[256] = {
		[' '] = true, ['\t'] = true, ['\n'] = true, ['\f'] = true, ['\r'] = true};

	at = skip_words(text, at);
	for (; at < text.len; at++) {
		if (!SPACE[(unsigned char)text.ptr[at]])
			continue;
		if (text.ptr[at] != ' ' || at + 1 == text.len ||
			SPACE[(unsigned char)text.ptr[at + 1]])
			break;
	}
	return at;
}

/* Adds words with the white space that is due before each of them. */
static void add_words(struct page_text *p, struct buf *out, slice text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t from = at;

		while (at < text.len && word_is_space(text.ptr[at]))
			at++;
		p->space = p->space || at > from;
		from = at;
		at = end_of_words(text, at);
		if (at == from)
			break;
		if (out->len && (p->line || p->space))
			add_cut(p, out, p->line ? SLICE("\n") : SLICE(" "));
		p->line = p->space = false;
		add_cut(p, out, slice_sub(text, from, at));
	}
}

void page_text_plain(struct page_text *p, slice text)
{
	while (text.len) {
		size_t len = text.len;
		slice line = slice_take(&text, '\n');

		add_words(p, &p->text, line);
		p->line = p->line || line.len < len;
	}
}

/* A directive in lower case; "none" means two. */
static void set_robots_flag(struct page_text *p, slice word)
{
	if (word_is(word, SLICE("noindex")))
		p->robots_flags |= TEXT_NOINDEX;
	else if (word_is(word, SLICE("nofollow")))
		p->robots_flags |= TEXT_NOFOLLOW;
	else if (word_is(word, SLICE("noarchive")))
		p->robots_flags |= TEXT_NOARCHIVE;
	else if (word_is(word, SLICE("none")))
		p->robots_flags |= TEXT_NOINDEX | TEXT_NOFOLLOW;
}

/* Takes in a list of robots directives: a meta's content, an X-Robots-Tag's value. */
static void page_text_robots(struct page_text *p, slice directives)
{
	slice word;

	while (word_next(&directives, ',', &word)) {
		set_robots_flag(p, word);
		if (p->robots.max - p->robots.len < word.len + 2) {
			p->cut = true;
			continue;
		}
		if (p->robots.len)
			buf_add_str(&p->robots, ", ");
		for (size_t i = 0; i < word.len; i++)
			buf_add_char(&p->robots, word_lower(word.ptr[i]));
	}
}

static void set_language(struct page_text *p, slice value)
{
	value = word_trim(value);
	if (value.len == 0 || value.len > TEXT_LANGUAGE_MAX)
		return;
	buf_reset(&p->language);
	buf_add(&p->language, value);
}

static void html_element(struct page_text *p, const struct html_token *token)
{
	slice lang = html_attr_value(token, SLICE("lang"));

	if (!lang.ptr)
		lang = html_attr_value(token, SLICE("xml:lang"));
	if (!lang.ptr || p->language_from_html)
		return;
	p->language_from_html = true;
	set_language(p, lang);
}

static void meta_element(struct page_text *p, const struct html_token *token)
{
	slice content = html_attr_value(token, SLICE("content")), word;

	if (!content.ptr)
		return;
	if (word_is(word_trim(html_attr_value(token, SLICE("name"))), SLICE("robots")))
		page_text_robots(p, content);
	/* "pragma-set default language": only one language counts, and not over the root's own. */
	else if (word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("content-language")) &&
		 !p->language.len && !memchr(content.ptr, ',', content.len) &&
		 word_next(&content, ' ', &word))
		set_language(p, word);
}

static bool leads_elsewhere(const struct html_token *token)
{
	slice href = html_attr_value(token, SLICE("href"));

	if (!href.ptr && token->foreign)
		href = html_attr_value(token, SLICE("xlink:href"));
	href = word_trim(href);
	return href.ptr && href.len && href.ptr[0] != '#' &&
	       !word_starts(href, SLICE("javascript:"));
}

static void count(struct page_text *p, const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_A:
	case HTML_TAG_AREA:
		p->links += leads_elsewhere(token);
		break;
	case HTML_TAG_IMG:
		p->images++;
		break;
	case HTML_TAG_IMAGE:
		p->images += token->foreign;
		break;
	case HTML_TAG_INPUT:
		p->images += word_is(html_attr_value(token, SLICE("type")), SLICE("image"));
		break;
	case HTML_TAG_TABLE:
		p->tables++;
		break;
	default:
		break;
	}
}

static void start_tag(struct page_text *p, const struct html_token *token)
{
	unsigned shown = SHOWN[token->tag];

	count(p, token);
	if (p->hidden) {
		p->hidden_depth += token->tag == p->hidden && !token->self_closing;
		return;
	}
	p->line = p->line || (shown & SHOWS_LINE);
	p->space = p->space || (shown & SHOWS_BLANK);
	if ((shown & SHOWS_HIDDEN) && !(token->self_closing && token->foreign)) {
		p->hidden = token->tag;
		p->hidden_depth = 1;
		p->in_title = token->tag == HTML_TAG_TITLE && !token->foreign && !p->has_title;
	}
	if (token->tag == HTML_TAG_HTML)
		html_element(p, token);
	else if (token->tag == HTML_TAG_META)
		meta_element(p, token);
}

static void end_tag(struct page_text *p, const struct html_token *token)
{
	if (p->hidden) {
		if (token->tag != p->hidden || --p->hidden_depth > 0)
			return;
		p->hidden = HTML_TAG_OTHER;
		if (p->in_title) {
			p->in_title = false;
			p->has_title = true;
			p->line = true;
		}
		return;
	}
	p->line = p->line || (SHOWN[token->tag] & SHOWS_LINE);
	p->space = p->space || (SHOWN[token->tag] & SHOWS_BLANK);
}

void page_text_token(struct page_text *p, const struct html_token *token)
{
	if (token->kind == HTML_START_TAG)
		start_tag(p, token);
	else if (token->kind == HTML_END_TAG)
		end_tag(p, token);
	else if (token->kind == HTML_TEXT && (p->in_title || !p->hidden))
		add_words(p, p->in_title ? &p->title : &p->text, token->text);
}
