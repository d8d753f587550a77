#include "crawl/login.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "crawl/capture.h"
#include "crawl/secrets.h"
#include "formats/blocked.h"
#include "formats/config.h"
#include "formats/form_submit.h"
#include "formats/html_token.h"
#include "formats/http_echo.h"
#include "formats/url.h"

/* ---- the file ---- */

struct keys {
	const char *url, *sentinel, *check;
	const struct yaml_node *fields, *allow;
};

enum { ORIGIN_MAX = 4096 };

static int check_url(const char *text, struct err *err)
{
	URL_SCOPED(url);
	bool is_good;
	is_good = url_parse(&url, slice_str(text), NULL, NULL) == 0 && url_is_http(&url);
	return is_good ? 0 : err_set(err, ERR_USAGE, "is not an http or https URL");
}

static int check_sentinel(const char *text, struct err *err)
{
	enum { SENTINEL_MAX = 1000 };

	return text[0] && strlen(text) <= SENTINEL_MAX
		       ? 0
		       : err_set(err, ERR_USAGE, "is empty, or longer than %d bytes", SENTINEL_MAX);
}

#define KEY(name_, ...)                                                                        \
	{                                                                                      \
		.name = #name_, .kind = OPTION_STRING, .offset = offsetof(struct keys, name_), \
		__VA_ARGS__                                                                    \
	}

static const struct option_spec SPECS[] = {
	KEY(url, .check = check_url),
	KEY(check, .check = check_url),
	KEY(sentinel, .check = check_sentinel),
	{.name = NULL},
};

static const struct config_part PARTS[] = {
	{"fields", YAML_MAP, offsetof(struct keys, fields)},
	{"allow", YAML_LIST, offsetof(struct keys, allow)},
	{.name = NULL},
};

/* ---- where a password may go ---- */

/* "https://host:443" of a URL, as a string of the document; ERR_SYNTAX for what is none. */
static int keep_origin(struct login_file *f, const char *text)
{
	BUF_SCOPED(origin, ORIGIN_MAX);
	URL_SCOPED(url);

	TRY(url_parse(&url, slice_str(text), NULL, NULL));
	if (!url_is_http(&url))
		return ERR_SYNTAX;
	TRY(crawl_secrets_add_origin(&origin, &url));
	return slice_vec_push(&f->allow, arena_keep(&f->yaml.arena, buf_slice(&origin)));
}

static int read_allow(struct login_file *f, const struct yaml_node *list, struct err *err)
{
	static const struct option_spec item = {.name = "allow", .kind = OPTION_STRING};
	bool is_encrypted = slice_starts_with(f->allow.ptr[0], SLICE("https:"));
	int rc = 0;

	for (const struct yaml_entry *e = list ? list->entries : NULL; rc == 0 && e; e = e->next) {
		const char *value = NULL;

		rc = config_value(&f->yaml, e->value, &item, (void *)&value, err);
		if (rc == 0 && (rc = keep_origin(f, value)) == ERR_SYNTAX)
			rc = yaml_refuse(&f->yaml, e->value, err,
				"allow is not a list of http or https URLs");
		else if (rc == 0 && is_encrypted &&
			 !slice_starts_with(f->allow.ptr[f->allow.len - 1], SLICE("https:")))
			rc = yaml_refuse(&f->yaml, e->value, err,
				"allow names a URL that is not encrypted, but url is");
	}
	return err_code(err, rc);
}

bool login_file_allows(const struct login_file *f, const struct url *target)
{
	slice own = f->allow.ptr[0], host = url_part(target, target->host);
	BUF_SCOPED(origin, ORIGIN_MAX);
	bool allowed = false;
	if (crawl_secrets_add_origin(&origin, target) == 0) {
		for (size_t i = 0; !allowed && i < f->allow.len; i++)
			allowed = slice_eq(f->allow.ptr[i], buf_slice(&origin));
		buf_reset(&origin);
	}
	/* A site that was named without encryption may have it. */
	if (!allowed && target->scheme_id == URL_HTTPS && url_effective_port(target) == 443 &&
		buf_printf(&origin, "http://%.*s:80", (int)host.len, host.ptr) == 0)
		allowed = slice_eq(own, buf_slice(&origin));
	return allowed;
}

int login_file_read(struct login_file *f, const char *path, struct err *err)
{
	static const char *const REQUIRED[] = {"url", "fields", "sentinel", NULL};
	static const struct config_table table = {
		.specs = SPECS, .parts = PARTS, .required = REQUIRED};
	struct keys keys = {0};

	TRY(yaml_read(&f->yaml, path, err));
	TRY(config_read(&f->yaml, f->yaml.root, &table, &keys, err));
	static const struct option_spec field = {.name = "a field", .kind = OPTION_STRING};

	if (!keys.fields->entries)
		return yaml_refuse(&f->yaml, keys.fields, err, "fields is empty");
	for (const struct yaml_entry *e = keys.fields->entries; e; e = e->next) {
		const char *value = NULL;

		TRY(config_value(&f->yaml, e->value, &field, (void *)&value, err));
		login_fields_push(&f->fields, (struct login_field){e->key->text, e->value->text});
	}
	/* The origin of the login itself comes first. */
	TRY(err_code(err, keep_origin(f, keys.url)));
	TRY(read_allow(f, keys.allow, err));
	f->url = keys.url;
	f->sentinel = keys.sentinel;
	f->check = keys.check;
	return 0;
}

void login_file_release(struct login_file *f)
{
	slice_vec_release(&f->allow);
	login_fields_release(&f->fields);
	yaml_release(&f->yaml);
}

/* ---- logging in ---- */

enum {
	BODY_MAX = 256 << 10,
	REDIRECTS_MAX_LOGIN = 10,
	TRIES_MAX = 3,
	LOST_MAX = 3, /* times in a row that a new session is lost before a page was seen */
	SEEN_MIN = 5, /* pages before a missing sentinel means something */
};

void login_init(struct login *l)
{
	*l = (struct login){0};
	buf_init(&l->body, BODY_MAX);
	buf_init(&l->after, URL_MAX);
}

void login_release(struct login *l)
{
	/* The password is in it. */
	if (l->body.ptr)
		explicit_bzero(l->body.ptr, l->body.cap);
	buf_release(&l->body);
	buf_release(&l->after);
	slice_vec_release(&l->passwords);
}

/* ---- asking ---- */

static int ask(struct capture *c, slice url, enum login_step step, unsigned redirects,
	unsigned tries, struct err *err)
{
	bool held;

	c->login.busy = true;
	return fetch_url(c, url,
		&(struct request){.kind = REQUEST_LOGIN,
			.login_step = (uint8_t)step,
			.redirects = (uint8_t)redirects,
			.tries = (uint8_t)tries,
			.first = true},
		&held, err);
}

int login_begin(struct capture *c, struct err *err)
{
	const struct login_file *with = c->login.with;

	c->headers.jar.is_closed = false;
	return with ? ask(c, slice_str(with->url), LOGIN_FORM, 0, 0, err) : 0;
}

int login_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	(void)r;
	if (reason == DROP_CANCELLED)
		return 0;
	return err_set(err, ERR_STATE, "login: %.200s: its server has stopped answering",
		c->login.with->url);
}

void login_apply(const struct capture *c, const struct request *r, struct net_request *request)
{
	if (r->kind == REQUEST_LOGIN && r->login_step == LOGIN_SENT) {
		request->post = buf_slice(&c->login.body);
		request->hides_post = true;
		request->http1 = true;
	}
}

/* ---- secrets ---- */

static bool has_text(slice text, slice part)
{
	return part.len > 0 && text.len >= part.len &&
	       memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

void login_watch(const struct capture *c, struct reading *reading)
{
	const struct login *l = &c->login;

	reading->sentinel = l->with ? slice_str(l->with->sentinel) : (slice){0};
	reading->secrets = l->passwords.ptr;
	reading->secret_count = l->passwords.len;
}

bool login_is_secret(const struct capture *c, slice url)
{
	for (size_t i = 0; i < c->login.passwords.len; i++)
		if (echo_has(url, c->login.passwords.ptr[i]))
			return true;
	return false;
}

/*
 * What was entered as a password, which a server may repeat from now on. What is short proves
 * nothing: it is on many pages.
 */
static int note_password(struct login *l, const struct form_field *field, slice value)
{
	enum { SHORT = 4 };

	if (field->input != FORM_INPUT_PASSWORD && !has_text(field->name, SLICE("pass")))
		return 0;
	for (size_t i = 0; i < l->passwords.len; i++)
		if (slice_eq(l->passwords.ptr[i], value))
			return 0;
	return value.len < SHORT ? 0 : slice_vec_push(&l->passwords, value);
}

/* ---- the form ---- */

static int fail(const struct capture *c, struct err *err, const char *why)
{
	return err_set(err, ERR_STATE, "login at %.200s: %s", c->login.with->url, why);
}

static int refuse_field(const struct capture *c, slice name, struct err *err)
{
	return err_set(err, ERR_STATE,
		"login at %.200s: the page has no form with the field '%.*s'", c->login.with->url,
		slice_shown(name, 60), name.ptr);
}

/*
 * Whether the login may go on from a page to a URL, be it by a redirect or by sending the form
 * there: to what the file names, and never from https to http.
 */
static int check_target(const struct capture *c, const struct url *from, const struct url *to,
	const char *what, struct err *err)
{
	BUF_SCOPED(origin, URL_MAX);

	if (!url_is_http(to) || crawl_secrets_add_origin(&origin, to))
		TRY(fail(c, err, "its form or a redirect leads nowhere"));
	else if (from->scheme_id == URL_HTTPS && to->scheme_id != URL_HTTPS)
		TRY(err_set(err, ERR_STATE,
			"login at %.200s: %s from https to http (%.200s): the password would be "
			"sent "
			"unencrypted",
			c->login.with->url, what, buf_str(&origin)));
	else if (!login_file_allows(c->login.with, to))
		TRY(err_set(err, ERR_STATE,
			"login at %.200s: %s to another site, %.200s; if that is right, name it in "
			"the --login file: 'allow: [%.200s]'",
			c->login.with->url, what, buf_str(&origin), buf_str(&origin)));
	return 0;
}

/* The forms of a page, and what their URLs are relative to. */
struct form_page {
	struct forms forms;
	struct url document, base;
	bool has_base;
};

static uint32_t find_field(const struct forms *f, uint32_t form, slice name)
{
	for (uint32_t i = 0; i < f->fields.len; i++)
		if (f->fields.ptr[i].form != FORM_NONE &&
			(form == FORM_NONE || f->fields.ptr[i].form == form) &&
			slice_eq(f->fields.ptr[i].name, name))
			return i;
	return FORM_NONE;
}

/* Fills the form, as it will be sent. */
static int fill(struct capture *c, const struct forms *f, uint32_t form, struct err *err)
{
	const struct login_fields *fields = &c->login.with->fields;
	struct form_binding *bindings = mem_new(fields->len, sizeof *bindings);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < fields->len; i++) {
		slice name = fields->ptr[i].name;

		bindings[i] =
			(struct form_binding){find_field(f, form, name), fields->ptr[i].value};
		rc = bindings[i].field == FORM_NONE
			     ? refuse_field(c, name, err)
			     : err_code(err,
				       note_password(&c->login, &f->fields.ptr[bindings[i].field],
					       fields->ptr[i].value));
	}
	buf_reset(&c->login.body);
	if (rc == 0)
		rc = err_code(err, form_submit(f, form, bindings, fields->len, &c->login.body));
	free(bindings);
	return rc;
}

static int send_from(struct capture *c, struct form_page *p, struct err *err)
{
	slice name = c->login.with->fields.ptr[0].name;
	uint32_t field = find_field(&p->forms, FORM_NONE, name);
	const struct form *form;
	URL_SCOPED(target);

	if (field == FORM_NONE)
		return refuse_field(c, name, err);
	form = &p->forms.list.ptr[p->forms.fields.ptr[field].form];
	if (!form->is_post)
		return fail(c, err, "its form would send the password in the URL (method GET)");
	if (form->is_multipart)
		return fail(c, err, "its form is sent as multipart/form-data, which is not known");
	if (form->cut)
		return fail(c, err, "its form is too large");
	if (url_parse(&target, form->action.ptr ? form->action : SLICE(""),
		    p->has_base && form->action.len > 0 ? &p->base : &p->document, NULL))
		return fail(c, err, "its form or a redirect leads nowhere");
	TRY(check_target(c, &p->document, &target, "its form would be sent", err));
	TRY(fill(c, &p->forms, p->forms.fields.ptr[field].form, err));
	return ask(c, url_page(&target), LOGIN_SENT, 0, 0, err);
}

static int send_form(struct capture *c, const struct answer *a, struct err *err)
{
	struct form_page p = {0};
	int rc;

	forms_init(&p.forms);
	url_init(&p.document);
	url_init(&p.base);
	rc = url_parse(&p.document, slice_str(a->request->url), NULL, NULL);
	if (rc == 0) {
		slice html = buf_slice(&a->reading->body);
		const struct html_token *token;
		struct html_tokenizer t;

		html_init(&t, 0);
		html_feed(&t, html);
		html_finish(&t);
		while (html_next(&t, &token) == 0) {
			slice href = html_attr_value(token, SLICE("href"));

			if (token->kind == HTML_START_TAG && slice_eq(token->name, SLICE("base")) &&
				href.ptr && !p.has_base)
				p.has_base = url_parse(&p.base, href, &p.document, NULL) == 0;
			forms_token(&p.forms, token);
		}
		html_release(&t);
		forms_finish(&p.forms);
	}
	rc = rc ? err_code(err, rc) : send_from(c, &p, err);
	url_release(&p.base);
	url_release(&p.document);
	forms_release(&p.forms);
	return rc;
}

/* ---- answers ---- */

static bool is_shown(const struct capture *c, const struct answer *a)
{
	return has_text(buf_slice(&a->reading->body), slice_str(c->login.with->sentinel));
}

static int succeed(struct capture *c)
{
	c->login.busy = false;
	c->login.is_in = true;
	c->headers.jar.is_closed = true; /* what pages set from now on is their trail */
	STAGE_SET(c, asleep, false);
	if (c->login.body.ptr)
		explicit_bzero(c->login.body.ptr, c->login.body.cap);
	buf_reset(&c->login.body);
	return 0;
}

/* The page that the form led to, or the one to check: the sentinel must be there. */
static int arrive(struct capture *c, const struct answer *a, struct err *err)
{
	const struct request *r = a->request;
	const struct login_file *with = c->login.with;

	if (with->check && r->login_step != LOGIN_CHECK)
		return ask(c, slice_str(with->check), LOGIN_CHECK, 0, 0, err);
	if (!is_shown(c, a))
		return err_set(err, ERR_STATE,
			"login at %.200s: the sentinel is not on %.200s, to which it led; check "
			"the fields and the sentinel of the --login file",
			with->url, login_is_secret(c, slice_str(r->url)) ? "the page" : r->url);
	buf_reset(&c->login.after);
	if (!with->check)
		TRY(err_code(err, buf_add_str(&c->login.after, r->url)));
	return succeed(c);
}

/*
 * The page with the form must be where the file says. Behind the form a site may lead to another of
 * its hosts; but not with the password in the URL.
 */
static int check_redirect(const struct capture *c, const struct url *from, const struct url *to,
	enum login_step step, struct err *err)
{
	bool is_downgrade = from->scheme_id == URL_HTTPS && to->scheme_id != URL_HTTPS;

	if (step != LOGIN_FORM && !is_downgrade && !login_is_secret(c, url_page(to)))
		return 0;
	return check_target(c, from, to, "it redirects", err);
}

static int follow(struct capture *c, const struct answer *a, struct err *err)
{
	const struct request *r = a->request;
	enum login_step step =
		r->login_step == LOGIN_SENT ? LOGIN_AFTER : (enum login_step)r->login_step;
	URL_SCOPED(from);
	URL_SCOPED(target);

	if (r->redirects >= REDIRECTS_MAX_LOGIN)
		return fail(c, err, "too many redirects");
	if (r->login_step == LOGIN_SENT && (a->fetch->status == 307 || a->fetch->status == 308))
		return fail(c, err, "the server asks to send the form elsewhere (307 or 308)");
	TRY(fetch_location(a, &target) && url_parse(&from, slice_str(r->url), NULL, NULL) == 0
			? check_redirect(c, &from, &target, step, err)
			: fail(c, err, "a redirect leads nowhere"));
	return ask(c, url_page(&target), step, r->redirects + 1U, 0, err);
}

static int retry(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	char why[sizeof f->detail + 64];

	if (r->tries < TRIES_MAX && r->login_step != LOGIN_SENT)
		return ask(c, slice_str(r->url), (enum login_step)r->login_step, r->redirects,
			r->tries + 1U, err);
	(void)snprintf(why, sizeof why, "no answer from its server (%s)",
		f->detail[0] ? f->detail : net_failure_name(f->failure));
	return fail(c, err, why);
}

int login_answered(struct capture *c, const struct answer *a, struct err *err)
{
	const struct request *r = a->request;
	const struct net_fetch *f = a->fetch;
	bool is_redirect = f->status >= 300 && f->status < 400 && f->status != 304;
	bool is_asking = r->login_step == LOGIN_CHECK && c->login.is_in;
	char why[160];

	if (f->status == 0)
		return retry(c, r, f, err);
	if (is_asking) {
		/* The answer to the question whether the session is still there. */
		if (f->status == 200 && is_shown(c, a))
			return succeed(c);
		return login_begin(c, err);
	}
	if (is_redirect)
		return follow(c, a, err);
	if (f->status >= 400) {
		(void)snprintf(why, sizeof why, "%s answers HTTP %u%s",
			r->login_step == LOGIN_FORM ? "the page" : "the server", f->status,
			r->login_step == LOGIN_FORM || f->status >= 500
				? ""
				: " to the form; it may not know the user, or the password is "
				  "wrong: check the fields of the --login file");
		return fail(c, err, why);
	}
	if (r->login_step != LOGIN_FORM)
		return arrive(c, a, err);
	return is_shown(c, a) ? succeed(c) : send_form(c, a, err);
}

/* ---- pages ---- */

/* Asks whether the session is still there: at the URL to check, or where the login led. */
static int ask_again(struct capture *c, const struct attempt *a, struct err *err)
{
	const struct login *l = &c->login;

	log_info("crawl", "%.*s: the session may be lost", slice_shown(a->url, 200), a->url.ptr);
	return ask(c, l->with->check ? slice_str(l->with->check) : buf_slice(&l->after),
		LOGIN_CHECK, 0, 0, err);
}

/* Most pages have the sentinel, so one without it is worth a question. */
static bool is_usual(const struct login *l)
{
	return l->shown >= SEEN_MIN && l->shown > 3 * l->missed;
}

static bool shows_login(const struct attempt *a)
{
	return a->status == 401 || slice_starts_with(a->stand_in, SLICE("login"));
}

int login_page(struct capture *c, const struct arrival *p, bool *ret_again, struct err *err)
{
	const struct attempt *a = &p->a;
	struct login *l = &c->login;
	bool is_html = a->status == 200 && stand_in_is_html(a->media_type);
	bool has_sentinel = p->reading->has_sentinel;
	bool is_missed = is_html && !has_sentinel;
	bool is_lost;

	*ret_again = false;
	if (!l->with)
		return 0;
	is_lost = shows_login(a) || (is_missed && p->order->attempt == 1 && is_usual(l));
	if (has_sentinel)
		l->lost = 0;
	l->shown += has_sentinel;
	l->missed += is_missed;
	if (!is_lost || c->settings->attempts == 1)
		return 0;
	*ret_again = true;
	if (l->busy)
		return 0;
	if (shows_login(a) && ++l->lost > LOST_MAX)
		return 0; /* this page wants more than a session: it is what it is */
	return ask_again(c, a, err);
}
