#include "crawl/secrets.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/word.h"
#include "net/net.h"

enum { MARK_MAX = 4096, HEADER_MAX = 8 << 10 };

void crawl_secrets_release(struct crawl_secrets *s)
{
	text_list_release(&s->auth);
	text_list_release(&s->headers);
}

/* ---- header fields ---- */

/* Harmless: they say who reads and how. */
static const char *const HARMLESS[] = {"Accept", "Accept-Charset", "Accept-Encoding",
	"Accept-Language", "Cache-Control", "DNT", "From", "Pragma", "Referer", "Save-Data",
	"Sec-GPC", "Upgrade-Insecure-Requests"};

/* Fields that cannot be set: why, or what to use instead. */
static const struct {
	const char *name, *why;
} REFUSED[] = {
	{"Host", "each URL has its own"},
	{"Content-Length", "requests have no body"},
	{"Content-Type", "requests have no body"},
	{"Transfer-Encoding", "requests have no body"},
	{"Expect", "requests have no body"},
	{"Connection", "the crawler manages connections itself"},
	{"Keep-Alive", "the crawler manages connections itself"},
	{"Upgrade", "the crawler manages connections itself"},
	{"HTTP2-Settings", "the crawler manages connections itself"},
	{"TE", "the crawler manages connections itself"},
	{"Trailer", "the crawler manages connections itself"},
	{"Proxy-Authorization", "use --proxy http://USER:PASSWORD@HOST:PORT"},
	{"Proxy-Connection", "the crawler manages connections itself"},
	{"Range", "pages are captured whole"},
	{"If-Range", "pages are captured whole"},
	{"If-Match", "pages are captured whole"},
	{"If-None-Match", "pages are captured whole"},
	{"If-Modified-Since", "pages are captured whole"},
	{"If-Unmodified-Since", "pages are captured whole"},
	{"Cookie", "use --cookies"},
	{"User-Agent", "use --user-agent"},
};

static bool is_harmless(slice name)
{
	for (size_t i = 0; i < sizeof HARMLESS / sizeof HARMLESS[0]; i++)
		if (word_is(name, slice_str(HARMLESS[i])))
			return true;
	return false;
}

static const char *why_refused(slice name)
{
	for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++)
		if (word_is(name, slice_str(REFUSED[i].name)))
			return REFUSED[i].why;
	return NULL;
}

/* RFC 9110, sections 5.1 and 5.5: a token, and no control characters. */
static bool is_field(slice name, slice value)
{
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.ptr[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return false;
	}
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return name.len > 0 && name.len + value.len < HEADER_MAX;
}

slice crawl_secrets_header_name(const char *line)
{
	return (slice){line, strcspn(line, ":")};
}

int crawl_secrets_add_header(
	struct crawl_secrets *s, struct crawl_settings *settings, const char *line, struct err *err)
{
	slice name = crawl_secrets_header_name(line);
	const char *why = why_refused(name);
	bool has_colon = line[name.len] == ':';

	if (!has_colon || !is_field(name, slice_str(line + name.len + 1)))
		return err_set(err, ERR_USAGE,
			"--header must be 'Name: value' on one line, at most 8 KiB");
	if (why)
		return err_set(err, ERR_USAGE, "--header: %.*s cannot be set: %s", (int)name.len,
			name.ptr, why);
	return err_code(
		err, text_list_push(is_harmless(name) ? &settings->headers : &s->headers, line));
}

/* ---- passwords ---- */

bool crawl_secrets_has_host(const char *auth)
{
	return word_starts(slice_str(auth), SLICE("http://")) ||
	       word_starts(slice_str(auth), SLICE("https://"));
}

int crawl_secrets_add_auth(struct crawl_secrets *s, const char *auth, struct err *err)
{
	if (!crawl_secrets_has_host(auth) && (!strchr(auth, ':') || auth[0] == ':'))
		return err_set(err, ERR_USAGE,
			"--auth must be USER:PASSWORD, or https://USER:PASSWORD@HOST/ for one "
			"host");
	text_list_push(&s->auth, auth);
	return 0;
}

int crawl_secrets_set_proxy(struct crawl_secrets *s, struct crawl_settings *settings,
	const char *proxy, struct err *err)
{
	char shown[NET_PROXY_SIZE];
	struct err why = {0};

	if (net_check_proxy(proxy, shown, &why))
		return err_set(err, ERR_USAGE, "--proxy: %s", why.text);
	*(strchr(proxy, '@') ? &s->proxy : &settings->proxy) = proxy;
	return 0;
}

/* ---- which they are ---- */

int crawl_secrets_add_origin(struct buf *out, const struct url *url)
{
	slice scheme = url_part(url, url->scheme), host = url_part(url, url->host);

	return buf_printf(out, "%.*s://%.*s:%d", (int)scheme.len, scheme.ptr, (int)host.len,
		host.ptr, (int)url_effective_port(url));
}

static int add_mark(struct text_list *list, struct arena *arena, const char *what, slice which)
{
	BUF_SCOPED(text, MARK_MAX);

	TRY(buf_printf(&text, "%s%s%.*s", what, which.len ? " " : "", (int)which.len,
		which.len ? which.ptr : ""));
	return text_list_push(list, arena_keep(arena, buf_slice(&text)).ptr);
}

/* "auth", or "auth https://host:port" for one host's. */
static int mark_auth(struct text_list *list, const char *auth, struct arena *arena)
{
	BUF_SCOPED(origin, MARK_MAX);
	URL_SCOPED(url);

	if (!crawl_secrets_has_host(auth))
		return add_mark(list, arena, "auth", SLICE(""));
	TRY(url_parse(&url, slice_str(auth), NULL, NULL));
	TRY(crawl_secrets_add_origin(&origin, &url));
	return add_mark(list, arena, "auth", buf_slice(&origin));
}

static int mark_all(const struct crawl_secrets *s, struct text_list *list, struct arena *arena)
{
	char shown[NET_PROXY_SIZE];

	for (size_t i = 0; i < s->auth.len; i++)
		TRY(mark_auth(list, s->auth.ptr[i], arena));
	for (size_t i = 0; i < s->headers.len; i++)
		TRY(add_mark(list, arena, "header", crawl_secrets_header_name(s->headers.ptr[i])));
	if (s->cookies)
		TRY(add_mark(list, arena, "cookies", SLICE("")));
	if (s->login)
		TRY(add_mark(list, arena, "login", SLICE("")));
	if (s->cert)
		TRY(add_mark(list, arena, "cert", SLICE("")));
	if (s->proxy)
		TRY(net_check_proxy(s->proxy, shown, NULL));
	if (s->proxy)
		TRY(add_mark(list, arena, "proxy", slice_str(shown)));
	return 0;
}

int crawl_secrets_mark(const struct crawl_secrets *s, struct crawl_settings *settings,
	struct arena *arena, struct err *err)
{
	int rc = mark_all(s, &settings->withheld, arena);

	return rc ? err_set(err, ERR_USAGE, "--auth, --header or --proxy: %s", err_name(rc)) : 0;
}

bool crawl_secrets_are_in(const struct crawl_settings *settings)
{
	return settings->keep_secrets || settings->withheld.len > 0;
}

int crawl_secrets_check(const struct crawl_secrets *s, const struct crawl_settings *settings,
	struct arena *arena, struct err *err)
{
	SCOPED(text_list_release) struct text_list given = {0};
	int rc = err_code(err, mark_all(s, &given, arena));

	for (size_t i = 0; rc == 0 && i < settings->withheld.len; i++)
		if (!text_list_has(&given, settings->withheld.ptr[i]))
			rc = err_set(err, ERR_USAGE,
				"the capture was started with --%.200s, which is not kept in the "
				"archive; give it again",
				settings->withheld.ptr[i]);
	return rc;
}
