#include "formats/blocked.h"

#include <stdio.h>

#include "base/word.h"
#include "formats/media_type.h"
#include "formats/url.h"

/* Bytes of visible text that are kept: more than any page has that stands in another's place. */
enum { TEXT_KEPT = 2048 };

_Static_assert((int)TEXT_KEPT > BLOCKED_TEXT_MAX && (int)TEXT_KEPT > BLOCKED_LOGIN_TEXT_MAX,
	"a text that is cut must be too long for all");

void stand_in_init(struct stand_in *s)
{
	page_signs_init(&s->signs);
	page_text_init(&s->text);
	buf_init(&s->text.text, TEXT_KEPT);
	s->is_page = false;
}

void stand_in_release(struct stand_in *s)
{
	page_signs_release(&s->signs);
	page_text_release(&s->text);
}

void stand_in_reset(struct stand_in *s)
{
	page_signs_reset(&s->signs);
	page_text_reset(&s->text);
	s->is_page = false;
}

bool stand_in_is_html(slice content_type)
{
	slice type = media_type_parse(content_type).essence;

	return media_type_is_unknown(content_type) || word_is(type, SLICE("text/html")) ||
	       word_is(type, SLICE("application/xhtml+xml"));
}

bool stand_in_applies(const struct fields *head)
{
	return stand_in_is_html(media_type_of_head(head));
}

void stand_in_token(struct stand_in *s, const struct html_token *token)
{
	if (s->is_page && shell_is_over(&s->signs.shell))
		return;
	page_signs_token(&s->signs, token);
	if (!s->is_page)
		page_text_token(&s->text, token);
	s->is_page = s->text.cut || s->text.links > BLOCKED_LOGIN_LINKS_MAX;
}

struct blocked_body stand_in_body(const struct stand_in *s)
{
	if (s->is_page)
		return (struct blocked_body){.is_shell = shell_is(&s->signs.shell)};
	return blocked_read(&s->signs, &s->text);
}

/* A target that is no URL leads nowhere. */
static bool find_target(const struct stand_in_facts *f, const struct url *asked, struct url *ret)
{
	slice location = fields_get(f->head, SLICE("Location"));

	return f->status >= 300 && f->status < 400 && location.ptr &&
	       url_parse_location(ret, location, asked, NULL) == 0;
}

/* Only for redirects and pages with a password field it matters what was asked for. */
static bool asks_for_url(const struct stand_in_facts *f)
{
	return (f->status >= 300 && f->status < 400) ||
	       (f->body && (f->body->password_form || f->body->login_box));
}

int stand_in_judge(const struct stand_in_facts *f, char ret_text[STAND_IN_SIZE])
{
	struct url asked, target;
	struct blocked b;
	bool leads;
	int rc = 0;

	url_init(&asked);
	url_init(&target);
	if (asks_for_url(f))
		rc = url_parse(&asked, f->url, NULL, NULL);
	ret_text[0] = '\0';
	if (rc == 0) {
		leads = find_target(f, &asked, &target);
		b = blocked_judge(&(struct blocked_facts){
			.status = f->status,
			.fields = f->head,
			.asked = &asked,
			.target = leads ? &target : NULL,
			.body = f->body,
		});
		if (b.kind != BLOCKED_NOT)
			(void)snprintf(ret_text, STAND_IN_SIZE, "%s: %s", blocked_kind_name(b.kind),
				b.reason);
	}
	if (f->missing.len && f->status >= 200 && f->status < 300 &&
		!stand_in_blocks(slice_str(ret_text)))
		(void)snprintf(ret_text, STAND_IN_SIZE, "required: no element for %.*s",
			slice_shown(f->missing, STAND_IN_SIZE / 2), f->missing.ptr);
	url_release(&target);
	url_release(&asked);
	return rc == ERR_NOMEM ? rc : 0;
}

bool stand_in_is_shell(slice text)
{
	return slice_starts_with(text, SLICE("shell:"));
}

bool stand_in_is_doubt(slice text)
{
	return slice_starts_with(text, SLICE("doubt:"));
}

bool stand_in_blocks(slice text)
{
	return text.len && !stand_in_is_shell(text) && !stand_in_is_doubt(text);
}

const char *blocked_kind_name(enum blocked_kind kind)
{
	static const char *const NAMES[] = {
		[BLOCKED_NOT] = "",
		[BLOCKED_REFUSED] = "refused",
		[BLOCKED_CHALLENGE] = "challenge",
		[BLOCKED_LOGIN] = "login",
		[BLOCKED_SHELL] = "shell",
		[BLOCKED_DOUBT] = "doubt",
	};

	return NAMES[kind];
}

static struct blocked found(enum blocked_kind kind, const char *reason)
{
	return (struct blocked){kind, reason};
}

static bool is_among(slice word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (word_is(word, slice_str(list[i])))
			return true;
	return false;
}

#define IS_AMONG(word, list) is_among((word), (list), sizeof(list) / sizeof((list)[0]))

/* Fields by which services say what they did. */
static struct blocked judge_fields(const struct fields *f)
{
	static const struct {
		const char *name, *value; /* NULL: any */
		enum blocked_kind kind;
		const char *reason;
	} FIELDS[] = {
		{"cf-mitigated", "challenge", BLOCKED_CHALLENGE, "cloudflare challenge"},
		{"x-vercel-mitigated", "challenge", BLOCKED_CHALLENGE, "vercel challenge"},
		{"x-vercel-mitigated", "deny", BLOCKED_REFUSED, "refused by vercel"},
		{"x-amzn-waf-action", "challenge", BLOCKED_CHALLENGE, "aws waf challenge"},
		{"x-amzn-waf-action", "captcha", BLOCKED_CHALLENGE, "aws waf captcha"},
		{"x-sucuri-block", NULL, BLOCKED_REFUSED, "refused by sucuri"},
	};

	for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
		slice value = fields_get(f, slice_str(FIELDS[i].name));

		if (value.ptr &&
			(!FIELDS[i].value || word_is(word_trim(value), slice_str(FIELDS[i].value))))
			return found(FIELDS[i].kind, FIELDS[i].reason);
	}
	return found(BLOCKED_NOT, "");
}

static bool is_refusal(unsigned status)
{
	return status == 403 || status == 429 || status == 503;
}

static bool is_short(const struct page_text *t)
{
	return t->text.len <= BLOCKED_TEXT_MAX && t->links <= BLOCKED_LINKS_MAX;
}

/* Titles that only products' own pages have; with a short page enough at any status. */
static bool has_product_title(slice title)
{
	static const char *const TITLES[] = {"just a moment...", "attention required! | cloudflare",
		"ddos-guard", "vercel security checkpoint", "pardon our interruption",
		"making sure you're not a bot!", "sucuri website firewall - access denied",
		"one moment, please...", "robot check"};

	return IS_AMONG(title, TITLES);
}

static bool contains_word(slice text, const char *part)
{
	slice wanted = slice_str(part);

	for (size_t i = 0; i + wanted.len <= text.len; i++)
		if (word_starts(slice_sub(text, i, text.len), wanted))
			return true;
	return false;
}

/* Titles of honest pages, too; only with a status of refusal. */
static bool has_refusal_title(slice title)
{
	static const char *const PARTS[] = {"access denied", "captcha", "robot", "blocked",
		"security check", "verify", "request rejected", "human", "access to this site",
		"too many requests", "unusual traffic"};

	for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++)
		if (contains_word(title, PARTS[i]))
			return true;
	return false;
}

static struct blocked judge_page(const struct blocked_facts *f)
{
	const struct blocked_body *body = f->body;
	enum page_mark mark = (enum page_mark)body->mark;

	/* The error page of a service is one only as an error. */
	if (mark == PAGE_MARK_CLOUDFLARE_ERROR)
		return f->status >= 400 ? found(BLOCKED_REFUSED, page_mark_name(mark))
					: found(BLOCKED_NOT, "");
	if (mark && (body->is_short || is_refusal(f->status)))
		return found(BLOCKED_CHALLENGE, page_mark_name(mark));
	if (body->is_short && body->product_title)
		return found(BLOCKED_CHALLENGE, "title of a challenge page");
	if (!is_refusal(f->status) || !body->is_short)
		return found(BLOCKED_NOT, "");
	if (body->captcha)
		return found(BLOCKED_CHALLENGE, "captcha");
	return body->refusal_title ? found(BLOCKED_REFUSED, "title of a block page")
				   : found(BLOCKED_NOT, "");
}

/* A segment of a path without its file's extension. */
static slice stem(slice segment)
{
	static const char *const ENDS[] = {
		".php", ".html", ".htm", ".aspx", ".asp", ".jsp", ".do", ".action", ".cgi", ".cfm"};

	for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++)
		if (slice_ends_with(segment, slice_str(ENDS[i])))
			return slice_sub(segment, 0, segment.len - strlen(ENDS[i]));
	return segment;
}

static bool is_login_segment(slice segment)
{
	static const char *const NAMES[] = {"login", "log-in", "log_in", "signin", "sign-in",
		"sign_in", "logon", "log-on", "wp-login", "userlogin", "user-login", "anmelden",
		"anmeldung", "einloggen", "connexion", "se-connecter", "identification",
		"iniciar-sesion", "iniciarsesion", "acceder", "accedi", "entrar", "inloggen",
		"aanmelden", "logga-in", "loggain", "logg-inn", "log-ind", "kirjaudu", "zaloguj",
		"logowanie", "prihlaseni", "prihlasit", "bejelentkezes", "giris", "giris-yap",
		"special:userlogin"};

	return IS_AMONG(stem(segment), NAMES);
}

static bool is_login_host(slice host)
{
	static const char *const STARTS[] = {
		"login.", "signin.", "accounts.", "sso.", "auth.", "idp.", "cas.", "shibboleth."};

	for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; i++)
		if (word_starts(host, slice_str(STARTS[i])))
			return true;
	return false;
}

/* Of paths only the last two segments: /blog/login/2024/how-to is an article. */
static bool blocked_is_login_url(const struct url *url)
{
	slice path = url_part(url, url->path);

	if (is_login_host(url_part(url, url->host)))
		return true;
	for (unsigned i = 0; i < 2 && path.len; i++) {
		size_t from = path.len;

		while (from > 0 && path.ptr[from - 1] != '/')
			from--;
		if (is_login_segment(slice_sub(path, from, path.len)))
			return true;
		path = slice_sub(path, 0, from ? from - 1 : 0);
	}
	return false;
}

/* Pages that have to do with accounts: a password field belongs there. */
static bool is_account_url(const struct url *url)
{
	static const char *const PARTS[] = {"login", "signin", "sign-in", "signup", "sign-up",
		"register", "registration", "account", "password", "passwort", "auth", "user",
		"member", "konto", "compte", "cuenta", "inscription", "anmeld", "registr"};
	slice path = url_part(url, url->path);

	for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++)
		if (contains_word(path, PARTS[i]))
			return true;
	return blocked_is_login_url(url);
}

/* Only Basic is spoken (--auth), and tokens that --header gives. */
static const char *scheme_wanted(const struct fields *fields)
{
	static const struct {
		const char *scheme, *reason;
	} SCHEMES[] = {
		{"Digest", "authentication by Digest, not supported"},
		{"NTLM", "authentication by NTLM, not supported"},
		{"Negotiate", "authentication by Negotiate, not supported"},
		{"Bearer", "authentication by a token (--header)"},
	};
	slice wanted = fields ? fields_get(fields, SLICE("WWW-Authenticate")) : (slice){0};

	for (size_t i = 0; i < sizeof SCHEMES / sizeof SCHEMES[0]; i++)
		if (word_starts(word_trim(wanted), slice_str(SCHEMES[i].scheme)))
			return SCHEMES[i].reason;
	return "authentication required";
}

static struct blocked judge_login(const struct blocked_facts *f)
{
	if (f->status == 401 || f->status == 407 || f->status == 511)
		return found(BLOCKED_LOGIN, scheme_wanted(f->fields));
	if (f->target && f->status >= 300 && f->status < 400 && blocked_is_login_url(f->target) &&
		!blocked_is_login_url(f->asked))
		return found(BLOCKED_LOGIN, "redirect to a login page");
	if (f->body && f->body->password_form && !is_account_url(f->asked))
		return found(BLOCKED_LOGIN, "password form");
	return found(BLOCKED_NOT, "");
}

static bool is_login_box(const struct page_signs *s, const struct page_text *t)
{
	return s->passwords > 0 && s->passwords <= 2 && t->text.len <= BLOCKED_LOGIN_TEXT_MAX &&
	       t->links <= BLOCKED_LOGIN_LINKS_MAX;
}

/* The page that was asked for has its links, or something to search. A wall has neither. */
static bool is_wall(const struct page_signs *s)
{
	return s->ways == 0 && s->ways_out <= BLOCKED_LOGIN_WAYS_OUT && s->other_forms == 0;
}

struct blocked_body blocked_read(const struct page_signs *signs, const struct page_text *text)
{
	slice title = word_trim(buf_slice(&text->title));

	return (struct blocked_body){
		.mark = (uint8_t)signs->mark,
		.is_short = is_short(text),
		.captcha = signs->captcha,
		.product_title = has_product_title(title),
		.refusal_title = has_refusal_title(title),
		.password_form = is_login_box(signs, text) && is_wall(signs),
		.login_box = is_login_box(signs, text),
		.is_shell = shell_is(&signs->shell),
	};
}

struct blocked blocked_judge(const struct blocked_facts *f)
{
	struct blocked b = found(BLOCKED_NOT, "");

	if (f->fields)
		b = judge_fields(f->fields);
	if (b.kind == BLOCKED_NOT && f->body)
		b = judge_page(f);
	if (b.kind == BLOCKED_NOT)
		b = judge_login(f);
	if (b.kind == BLOCKED_NOT && f->status == 429)
		b = found(BLOCKED_REFUSED, "too many requests");
	if (b.kind == BLOCKED_NOT && f->body && f->status == 200 && f->body->is_shell)
		b = found(BLOCKED_SHELL, "filled by scripts");
	if (b.kind == BLOCKED_NOT && f->body && f->status == 200 && f->body->login_box &&
		!is_account_url(f->asked))
		b = found(BLOCKED_DOUBT, "password form");
	return b;
}
