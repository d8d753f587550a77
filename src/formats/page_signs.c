#include "formats/page_signs.h"

#include <string.h>

#include "base/err.h"
#include "base/word.h"
#include "formats/html_token.h"

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
	slice attr;
	slice value;
	bool whole;        /* or a part of the attribute's */
	enum html_tag tag; /* HTML_TAG_OTHER: any */
	enum page_mark mark;
} MARKS[] = {
	{SLICE_INIT("action"), SLICE_INIT("/errors/validateCaptcha"), false, HTML_TAG_FORM,
		PAGE_MARK_AMAZON},
	{SLICE_INIT("id"), SLICE_INIT("anubis_challenge"), true, HTML_TAG_SCRIPT, PAGE_MARK_ANUBIS},
	{SLICE_INIT("action"), SLICE_INIT("__cf_chl_"), false, HTML_TAG_FORM, PAGE_MARK_CLOUDFLARE},
	{SLICE_INIT("src"), SLICE_INIT("/orchestrate/chl_page/"), false, HTML_TAG_SCRIPT,
		PAGE_MARK_CLOUDFLARE},
	{SLICE_INIT("id"), SLICE_INIT("cf-error-details"), true, HTML_TAG_OTHER,
		PAGE_MARK_CLOUDFLARE_ERROR},
	{SLICE_INIT("src"), SLICE_INIT("ct.captcha-delivery.com/"), false, HTML_TAG_SCRIPT,
		PAGE_MARK_DATADOME},
	{SLICE_INIT("src"), SLICE_INIT("geo.captcha-delivery.com/"), false, HTML_TAG_IFRAME,
		PAGE_MARK_DATADOME},
	{SLICE_INIT("src"), SLICE_INIT("/.well-known/ddos-guard/js-challenge/"), false,
		HTML_TAG_SCRIPT, PAGE_MARK_DDOS_GUARD},
	{SLICE_INIT("id"), SLICE_INIT("captcha-form"), true, HTML_TAG_FORM, PAGE_MARK_GOOGLE},
	{SLICE_INIT("src"), SLICE_INIT("/_Incapsula_Resource?"), false, HTML_TAG_IFRAME,
		PAGE_MARK_IMPERVA},
	{SLICE_INIT("src"), SLICE_INIT("KP_UIDz="), false, HTML_TAG_SCRIPT, PAGE_MARK_KASADA},
	{SLICE_INIT("id"), SLICE_INIT("px-captcha"), true, HTML_TAG_OTHER, PAGE_MARK_PERIMETERX},
	{SLICE_INIT("content"), SLICE_INIT("/.well-known/sgcaptcha/"), false, HTML_TAG_META,
		PAGE_MARK_SITEGROUND},
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
	shell_init(&s->shell);
	buf_init(&s->text, PAGE_SIGNS_SCRIPT_MAX);
}

void page_signs_reset(struct page_signs *s)
{
	struct buf text = s->text;

	*s = (struct page_signs){.text = text};
	shell_init(&s->shell);
	buf_reset(&s->text);
}

void page_signs_release(struct page_signs *s)
{
	buf_release(&s->text);
}

static bool contains(slice text, slice part)
{
	return text.len && memmem(text.ptr, text.len, part.ptr, part.len);
}

/* Whether it has an attribute that MARKS names: links of most pages have none. */
static bool may_be_marked(const struct html_token *token)
{
	for (size_t i = 0; i < token->attr_count; i++) {
		slice name = token->attrs[i].name;

		if (slice_eq(name, SLICE("id")) || slice_eq(name, SLICE("src")) ||
			slice_eq(name, SLICE("action")) || slice_eq(name, SLICE("content")))
			return true;
	}
	return false;
}

static void find_marks(struct page_signs *s, const struct html_token *token)
{
	if (!may_be_marked(token))
		return;
	for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0] && !s->mark; i++) {
		slice value;

		if (MARKS[i].tag != HTML_TAG_OTHER && MARKS[i].tag != token->tag)
			continue;
		value = html_attr_value(token, MARKS[i].attr);
		if (MARKS[i].whole ? slice_eq(value, MARKS[i].value)
				   : contains(value, MARKS[i].value))
			s->mark = MARKS[i].mark;
	}
}

static bool is_captcha(const struct html_token *token)
{
	slice classes = html_attr_value(token, SLICE("class")), word;

	while (word_next(&classes, ' ', &word))
		if (slice_eq(word, SLICE("g-recaptcha")) || slice_eq(word, SLICE("h-captcha")) ||
			slice_eq(word, SLICE("cf-turnstile")))
			return true;
	return false;
}

/* What pages for logging in lead to, besides the page that was asked for. */
static bool is_about_accounts(slice href)
{
	static const char *const PARTS[] = {"login", "log-in", "logon", "signin", "sign-in",
		"sign_in", "signup", "sign-up", "sign_up", "regist", "password", "passwort",
		"passwd", "forgot", "reset", "recover", "lost", "account", "konto", "compte",
		"cuenta", "auth", "sso", "saml", "openid", "anmeld", "help", "hilfe", "aide",
		"ayuda", "support", "faq", "contact", "kontakt", "contatt", "privacy",
		"datenschutz", "terms", "conditions", "agb", "imprint", "impressum", "legal",
		"cookie", "accessib", "lang", "locale", "about", "mailto:", "tel:"};

	for (size_t k = 0; k < href.len; k++) {
		char first = word_lower(href.ptr[k]);

		for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++)
			if (PARTS[i][0] == first &&
				word_starts(slice_sub(href, k, href.len), slice_str(PARTS[i])))
				return true;
	}
	return false;
}

static void take_link(struct page_signs *s, const struct html_token *token)
{
	slice href = word_trim(html_attr_value(token, SLICE("href")));

	if (href.len == 0 || href.ptr[0] == '#' || word_starts(href, SLICE("javascript:")) ||
		slice_eq(href, SLICE("/")) || slice_eq(href, SLICE(".")) ||
		slice_eq(href, SLICE("./")) || is_about_accounts(href))
		return;
	if (word_starts(href, SLICE("http:")) || word_starts(href, SLICE("https:")) ||
		word_starts(href, SLICE("//")))
		s->ways_out++;
	else
		s->ways++;
}

static void take_field(struct page_signs *s, const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));

	if (word_is(type, SLICE("password"))) {
		s->passwords++;
		s->form_is_login = true;
	}
	s->form_asks = s->form_asks || type.len == 0 || word_is(type, SLICE("text")) ||
		       word_is(type, SLICE("search"));
}

static void end_form(struct page_signs *s)
{
	s->other_forms += s->form_asks && !s->form_is_login;
	s->form_asks = s->form_is_login = false;
}

static void start_tag(struct page_signs *s, const struct html_token *token)
{
	if (token->attr_count) {
		find_marks(s, token);
		s->captcha = s->captcha || is_captcha(token);
	}
	if (token->tag == HTML_TAG_INPUT)
		take_field(s, token);
	if (token->tag == HTML_TAG_FORM)
		end_form(s);
	if (s->ways == 0 && (token->tag == HTML_TAG_A || token->tag == HTML_TAG_AREA))
		take_link(s, token);
	if (token->tag == HTML_TAG_SCRIPT || token->tag == HTML_TAG_NOSCRIPT) {
		s->inside = token->tag;
		s->is_code = token->tag == HTML_TAG_SCRIPT && shell_runs(token);
		s->cut = false;
		buf_reset(&s->text);
	}
}

static void read_script(struct page_signs *s)
{
	for (size_t i = 0; i < sizeof SCRIPT_MARKS / sizeof SCRIPT_MARKS[0] && !s->mark; i++)
		if (contains(buf_slice(&s->text), SCRIPT_MARKS[i].text))
			s->mark = SCRIPT_MARKS[i].mark;
	if (s->is_code && !shell_is_over(&s->shell))
		shell_take_script(&s->shell, buf_slice(&s->text), s->cut);
}

static void end_tag(struct page_signs *s, const struct html_token *token)
{
	if (token->tag == HTML_TAG_FORM)
		end_form(s);
	if (!s->inside || token->tag != s->inside)
		return;
	if (s->inside == HTML_TAG_SCRIPT)
		read_script(s);
	else
		shell_take_noscript(&s->shell, buf_slice(&s->text));
	s->inside = HTML_TAG_OTHER;
}

void page_signs_token(struct page_signs *s, const struct html_token *token)
{
	if (!shell_is_over(&s->shell))
		shell_token(&s->shell, token);
	if (token->kind == HTML_START_TAG) {
		start_tag(s, token);
	} else if (token->kind == HTML_END_TAG) {
		end_tag(s, token);
	} else if (token->kind == HTML_TEXT && s->inside) {
		size_t room = s->text.max - s->text.len;

		s->cut = s->cut || token->text.len > room;
		buf_add(&s->text, slice_sub(token->text, 0, room));
	}
}
