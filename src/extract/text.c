#include "extract/text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/err.h"
#include "base/word.h"
#include "extract/html_attr.h"

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

void page_text_release(struct page_text *p)
{
	buf_release(&p->text);
	buf_release(&p->title);
	buf_release(&p->language);
	buf_release(&p->robots);
}

/* Adds what there is room for. */
static int add_cut(struct page_text *p, struct buf *out, slice s)
{
	size_t room = out->max - out->len;

	if (s.len > room) {
		p->cut = true;
		s.len = room;
		while (s.len && (s.ptr[s.len] & 0xc0) == 0x80)
			s.len--;
	}
	return buf_add(out, s);
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
static int add_words(struct page_text *p, struct buf *out, slice text)
{
	size_t at = 0;
	int rc = 0;

	while (at < text.len && rc == 0) {
		size_t from = at;

		while (at < text.len && word_is_space(text.ptr[at]))
			at++;
		p->space = p->space || at > from;
		from = at;
		at = end_of_words(text, at);
		if (at == from)
			break;
		if (out->len && (p->line || p->space))
			rc = add_cut(p, out, p->line ? SLICE("\n") : SLICE(" "));
		p->line = p->space = false;
		if (rc == 0)
			rc = add_cut(p, out, slice_sub(text, from, at));
	}
	return rc;
}

int page_text_plain(struct page_text *p, slice text)
{
	int rc = 0;

	while (text.len && rc == 0) {
		size_t len = text.len;
		slice line = slice_take(&text, '\n');

		rc = add_words(p, &p->text, line);
		p->line = p->line || line.len < len;
	}
	return rc;
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

/* Takes in a list of robots directives: a meta's content, an X-Robots-Tag's value. As above. */
static int page_text_robots(struct page_text *p, slice directives)
{
	slice word;
	int rc = 0;

	while (rc == 0 && word_next(&directives, ',', &word)) {
		size_t from;

		set_robots_flag(p, word);
		if (p->robots.max - p->robots.len < word.len + 2) {
			p->cut = true;
			continue;
		}
		if (p->robots.len)
			rc = buf_add_str(&p->robots, ", ");
		from = p->robots.len;
		if (rc == 0)
			rc = buf_add(&p->robots, word);
		for (size_t i = from; i < p->robots.len; i++)
			p->robots.ptr[i] = word_lower(p->robots.ptr[i]);
	}
	return rc;
}

static int set_language(struct page_text *p, slice value)
{
	value = word_trim(value);
	if (value.len == 0 || value.len > TEXT_LANGUAGE_MAX)
		return 0;
	buf_reset(&p->language);
	return buf_add(&p->language, value);
}

static int html_element(struct page_text *p, const struct html_token *token)
{
	slice lang = html_attr_value(token, SLICE("lang"));

	if (!lang.ptr)
		lang = html_attr_value(token, SLICE("xml:lang"));
	if (!lang.ptr || p->language_from_html)
		return 0;
	p->language_from_html = true;
	return set_language(p, lang);
}

/* "pragma-set default language": only one language counts, and not over the root's own. */
static int content_language(struct page_text *p, slice content)
{
	slice word;

	if (p->language.len || memchr(content.ptr, ',', content.len))
		return 0;
	return word_next(&content, ' ', &word) ? set_language(p, word) : 0;
}

static int meta_element(struct page_text *p, const struct html_token *token)
{
	slice content = html_attr_value(token, SLICE("content"));

	if (!content.ptr)
		return 0;
	if (word_is(word_trim(html_attr_value(token, SLICE("name"))), SLICE("robots")))
		return page_text_robots(p, content);
	if (word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("content-language")))
		return content_language(p, content);
	return 0;
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

static int start_tag(struct page_text *p, const struct html_token *token)
{
	unsigned shown = SHOWN[token->tag];

	count(p, token);
	if (p->hidden) {
		p->hidden_depth += token->tag == p->hidden && !token->self_closing;
		return 0;
	}
	p->line = p->line || (shown & SHOWS_LINE);
	p->space = p->space || (shown & SHOWS_BLANK);
	if ((shown & SHOWS_HIDDEN) && !(token->self_closing && token->foreign)) {
		p->hidden = token->tag;
		p->hidden_depth = 1;
		p->in_title = token->tag == HTML_TAG_TITLE && !token->foreign && !p->has_title;
	}
	if (token->tag == HTML_TAG_HTML)
		return html_element(p, token);
	return token->tag == HTML_TAG_META ? meta_element(p, token) : 0;
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

int page_text_token(struct page_text *p, const struct html_token *token)
{
	switch (token->kind) {
	case HTML_START_TAG:
		return start_tag(p, token);
	case HTML_END_TAG:
		end_tag(p, token);
		return 0;
	case HTML_TEXT:
		if (p->in_title)
			return add_words(p, &p->title, token->text);
		return p->hidden ? 0 : add_words(p, &p->text, token->text);
	default:
		return 0;
	}
}
