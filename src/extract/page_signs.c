#include "extract/page_signs.h"

#include <string.h>

#include "base/err.h"
#include "base/word.h"
#include "extract/html_attr.h"

const char *page_mark_name(enum page_mark mark)
{
	static const char *const NAMES[] = {
#define X(id, words) words,
		PAGE_MARKS(X)
#undef X
	};

	return NAMES[mark];
}

/*
 * Marks in attributes, chosen so as not to meet what the same product puts into ordinary pages:
 * Cloudflare's /cdn-cgi/challenge-platform/scripts/jsd and Imperva's script of the same address are
 * there for every visitor, so they are no marks.
 */
static const struct {
	const char *attr;
	const char *value;
	bool whole;        /* or a part of the attribute's */
	enum html_tag tag; /* HTML_TAG_OTHER: any */
	enum page_mark mark;
} MARKS[] = {
	{"action", "/errors/validateCaptcha", false, HTML_TAG_FORM, PAGE_MARK_AMAZON},
	{"id", "anubis_challenge", true, HTML_TAG_SCRIPT, PAGE_MARK_ANUBIS},
	{"action", "__cf_chl_", false, HTML_TAG_FORM, PAGE_MARK_CLOUDFLARE},
	{"src", "/orchestrate/chl_page/", false, HTML_TAG_SCRIPT, PAGE_MARK_CLOUDFLARE},
	{"id", "cf-error-details", true, HTML_TAG_OTHER, PAGE_MARK_CLOUDFLARE_ERROR},
	{"src", "ct.captcha-delivery.com/", false, HTML_TAG_SCRIPT, PAGE_MARK_DATADOME},
	{"src", "geo.captcha-delivery.com/", false, HTML_TAG_IFRAME, PAGE_MARK_DATADOME},
	{"src", "/.well-known/ddos-guard/js-challenge/", false, HTML_TAG_SCRIPT,
		PAGE_MARK_DDOS_GUARD},
	{"id", "captcha-form", true, HTML_TAG_FORM, PAGE_MARK_GOOGLE},
	{"src", "/_Incapsula_Resource?", false, HTML_TAG_IFRAME, PAGE_MARK_IMPERVA},
	{"src", "KP_UIDz=", false, HTML_TAG_SCRIPT, PAGE_MARK_KASADA},
	{"id", "px-captcha", true, HTML_TAG_OTHER, PAGE_MARK_PERIMETERX},
	{"content", "/.well-known/sgcaptcha/", false, HTML_TAG_META, PAGE_MARK_SITEGROUND},
};

/* Marks in the text of scripts. */
static const struct {
	slice text;
	enum page_mark mark;
} SCRIPT_MARKS[] = {
	{SLICE_INIT("window._cf_chl_opt"), PAGE_MARK_CLOUDFLARE},
	{SLICE_INIT("sucuri_cloudproxy_js"), PAGE_MARK_SUCURI},
	{SLICE_INIT("window.gokuProps"), PAGE_MARK_AWS_WAF},
	{SLICE_INIT("window[\"failureConfig\"]"), PAGE_MARK_F5},
};

void page_signs_init(struct page_signs *s)
{
	*s = (struct page_signs){0};
	buf_init(&s->text, PAGE_SIGNS_SCRIPT_MAX);
}

void page_signs_release(struct page_signs *s)
{
	buf_release(&s->text);
}

static bool contains(slice text, slice part)
{
	return text.len && memmem(text.ptr, text.len, part.ptr, part.len);
}

static void find_marks(struct page_signs *s, const struct html_token *token)
{
	for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0] && !s->mark; i++) {
		slice wanted = slice_str(MARKS[i].value), value;

		if (MARKS[i].tag != HTML_TAG_OTHER && MARKS[i].tag != token->tag)
			continue;
		value = html_attr_value(token, slice_str(MARKS[i].attr));
		if (MARKS[i].whole ? slice_eq(value, wanted) : contains(value, wanted))
			s->mark = MARKS[i].mark;
	}
}

static bool has_class(const struct html_token *token, slice wanted)
{
	slice classes = html_attr_value(token, SLICE("class")), word;

	while (word_next(&classes, ' ', &word))
		if (slice_eq(word, wanted))
			return true;
	return false;
}

/* Elements that frameworks fill (React, Vue, Next, Nuxt, Gatsby, Quasar, Angular, Svelte). */
static bool is_root(const struct html_token *token)
{
	static const char *const IDS[] = {"root", "app", "__next", "__nuxt", "___gatsby", "q-app",
		"react-root", "app-root", "main-app", "svelte", "application"};
	slice id = html_attr_value(token, SLICE("id"));

	if (slice_eq(token->name, SLICE("app-root")))
		return true;
	if (token->tag != HTML_TAG_DIV && token->tag != HTML_TAG_MAIN)
		return false;
	for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++)
		if (slice_eq(id, slice_str(IDS[i])))
			return true;
	return false;
}

static bool is_data(const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));

	return word_is(type, SLICE("application/json")) ||
	       word_is(type, SLICE("application/ld+json"));
}

static void start_script(struct page_signs *s, const struct html_token *token)
{
	s->scripts += html_attr_value(token, SLICE("src")).len > 0;
	s->inside_data = is_data(token);
}

static void start_tag(struct page_signs *s, const struct html_token *token)
{
	if (token->attr_count)
		find_marks(s, token);
	s->captcha = s->captcha || has_class(token, SLICE("g-recaptcha")) ||
		     has_class(token, SLICE("h-captcha")) ||
		     has_class(token, SLICE("cf-turnstile"));
	s->root_open = is_root(token);
	s->root = s->root || s->root_open;
	switch (token->tag) {
	case HTML_TAG_SCRIPT:
		start_script(s, token);
		break;
	case HTML_TAG_INPUT:
		s->passwords += word_is(html_attr_value(token, SLICE("type")), SLICE("password"));
		break;
	case HTML_TAG_FORM:
		s->forms++;
		break;
	case HTML_TAG_IFRAME:
	case HTML_TAG_FRAME:
		s->frames += s->inside != HTML_TAG_NOSCRIPT; /* trackers stand in noscript */
		break;
	case HTML_TAG_META:
		s->refresh = s->refresh ||
			     word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("refresh"));
		break;
	default:
		break;
	}
	if (token->tag == HTML_TAG_SCRIPT || token->tag == HTML_TAG_NOSCRIPT) {
		s->inside = token->tag;
		buf_reset(&s->text);
	}
}

static void read_script(struct page_signs *s)
{
	for (size_t i = 0; i < sizeof SCRIPT_MARKS / sizeof SCRIPT_MARKS[0] && !s->mark; i++)
		if (contains(buf_slice(&s->text), SCRIPT_MARKS[i].text))
			s->mark = SCRIPT_MARKS[i].mark;
}

static void read_noscript(struct page_signs *s)
{
	for (size_t i = 0; i < s->text.len; i++)
		s->text.ptr[i] = word_lower(s->text.ptr[i]);
	s->wants_script = s->wants_script || contains(buf_slice(&s->text), SLICE("javascript"));
}

static void end_tag(struct page_signs *s, const struct html_token *token)
{
	if (s->root_open && token->tag != HTML_TAG_SCRIPT)
		s->root_empty = true;
	s->root_open = false;
	if (!s->inside || token->tag != s->inside)
		return;
	if (s->inside == HTML_TAG_SCRIPT)
		read_script(s);
	else
		read_noscript(s);
	s->inside = HTML_TAG_OTHER;
}

static int add_text(struct page_signs *s, slice text)
{
	size_t room = s->text.max - s->text.len;

	if (s->root_open && word_trim(text).len)
		s->root_open = false;
	if (!s->inside)
		return 0;
	if (s->inside == HTML_TAG_SCRIPT)
		*(s->inside_data ? &s->data_bytes : &s->script_bytes) += text.len;
	return buf_add(&s->text, slice_sub(text, 0, room));
}

int page_signs_token(struct page_signs *s, const struct html_token *token)
{
	switch (token->kind) {
	case HTML_START_TAG:
		start_tag(s, token);
		return 0;
	case HTML_END_TAG:
		end_tag(s, token);
		return 0;
	case HTML_TEXT:
		return add_text(s, token->text);
	default:
		return 0;
	}
}
