#include "formats/url.h"

#include <libpsl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/format.h"
#include "base/word.h"
#include "formats/percent.h"
#include "formats/url_parser.h"

/* libpsl wants C strings and cuts silently at labels that are empty: those are refused here. */
static bool make_name(slice host, char out[URL_DOMAIN_MAX + 1])
{
	if (host.len == 0 || host.len > URL_DOMAIN_MAX || host.ptr[0] == '.')
		return false;
	for (size_t i = 0; i < host.len; i++)
		if (host.ptr[i] == '\0' ||
			(host.ptr[i] == '.' && i + 1 < host.len && host.ptr[i + 1] == '.'))
			return false;
	memcpy(out, host.ptr, host.len);
	out[host.len] = '\0';
	return true;
}

slice url_registrable_domain(slice host)
{
	char name[URL_DOMAIN_MAX + 1];
	const char *found;

	host = url_without_last_dot(host);
	if (!make_name(host, name))
		return SLICE("");
	found = psl_registrable_domain(psl_builtin(), name);
	return found ? slice_sub(host, (size_t)(found - name), host.len) : SLICE("");
}

slice url_domain(const struct url *u)
{
	if (u->host_kind != URL_HOST_DOMAIN)
		return SLICE("");
	return url_registrable_domain(url_part(u, u->host));
}

bool url_host_within(slice host, slice domain)
{
	host = url_without_last_dot(host);
	return domain.len > 0 && slice_ends_with(host, domain) &&
	       (host.len == domain.len || host.ptr[host.len - domain.len - 1] == '.');
}

slice url_owner(slice url)
{
	const char *from = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
	slice rest = from ? slice_sub(url, (size_t)(from - url.ptr) + 3, url.len) : url;
	slice authority = rest.len ? slice_take(&rest, '/') : rest, host = authority, domain;

	if (!host.len)
		return host;
	host = slice_take(&host, ':');
	if (!host.len || host.ptr[0] == '[' || word_is_digit(host.ptr[host.len - 1]))
		return authority; /* an address */
	domain = url_registrable_domain(host);
	return domain.len ? domain : authority;
}

int parameter_decode(struct buf *out, slice text)
{
	struct buf plain;
	int rc;

	buf_init(&plain, text.len + 1);
	rc = buf_add(&plain, text);
	for (size_t i = 0; rc == 0 && i < plain.len; i++)
		if (plain.ptr[i] == '+')
			plain.ptr[i] = ' ';
	if (rc == 0)
		rc = url_percent_decode(out, buf_slice(&plain));
	buf_release(&plain);
	return rc;
}

int parameter_get(slice query, slice name, struct buf *out, bool *ret_given)
{
	*ret_given = false;
	while (query.len) {
		slice pair = slice_take(&query, '&');

		if (slice_eq(slice_take(&pair, '='), name)) {
			*ret_given = true;
			return parameter_decode(out, pair);
		}
	}
	return 0;
}

void url_init(struct url *u)
{
	*u = (struct url){.port = URL_NO_PORT};
	buf_init(&u->text, URL_MAX);
}

int url_add_port(struct buf *out, int32_t port)
{
	char text[1 + FORMAT_U64_SIZE] = ":";

	(void)format_u64((uint64_t)port, text + 1);
	return buf_add_str(out, text);
}

void url_release(struct url *u)
{
	buf_release(&u->text);
	url_init(u);
}

void url_drop_fragment(struct url *u)
{
	if (!u->has_fragment)
		return;
	buf_truncate(&u->text, u->fragment.at - (size_t)1);
	u->has_fragment = false;
	u->fragment = (struct url_part){0};
}

int url_copy(struct url *to, const struct url *from)
{
	struct buf text = to->text;
	int rc;

	buf_reset(&text);
	rc = buf_add(&text, url_text(from));
	if (rc)
		url_init(to);
	else
		*to = *from;
	to->text = text;
	return rc;
}

bool url_is_loopback(const struct url *u)
{
	slice host = url_part(u, u->host);

	switch (u->host_kind) {
	case URL_HOST_IPV4:
		return slice_starts_with(host, SLICE("127."));
	case URL_HOST_IPV6:
		return slice_eq(host, SLICE("[::1]"));
	default:
		return slice_eq(host, SLICE("localhost")) ||
		       slice_ends_with(host, SLICE(".localhost"));
	}
}

int url_parse_location(struct url *u, slice location, const struct url *base, struct err *err)
{
	struct buf escaped;
	int rc = 0;

	buf_init(&escaped, 3 * (size_t)URL_MAX);
	for (size_t i = 0; rc == 0 && i < location.len; i++) {
		unsigned char c = (unsigned char)location.ptr[i];

		rc = c < 0x80 ? buf_add_char(&escaped, (char)c) : buf_printf(&escaped, "%%%02X", c);
	}
	rc = rc ? err_code(err, rc) : url_parse(u, buf_slice(&escaped), base, err);
	buf_release(&escaped);
	return rc;
}

enum { REPAIR_MAX = 2048 };

/* "http//host", "htps://host", "http:host", "//host": the length of a misspelt scheme. */
static size_t broken_scheme(const char *text)
{
	static const char *const BREAKS[] = {"://", ":/", "//", ":"};
	size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	bool is_likely =
		letters == 0 || (letters >= 3 && letters <= 6 && strncasecmp(text, "ht", 2) == 0);

	for (size_t i = 0; is_likely && i < sizeof BREAKS / sizeof BREAKS[0]; i++)
		if (strncmp(text + letters, BREAKS[i], strlen(BREAKS[i])) == 0)
			return letters + strlen(BREAKS[i]);
	return 0;
}

static bool is_likely_host(const struct url *u)
{
	slice host = url_part(u, u->host);

	return u->host_kind != URL_HOST_DOMAIN || u->port != URL_NO_PORT || url_is_loopback(u) ||
	       memchr(host.ptr, '.', host.len);
}

bool url_repair(const char *text, char *out, size_t size)
{
	size_t scheme = broken_scheme(text);
	struct url url;
	bool is_likely;
	int n = snprintf(out, size, "https://%s", text + scheme);

	if (n < 0 || (size_t)n >= size || strchr(text, '@') || (scheme == 0 && strstr(text, "://")))
		return false;
	url_init(&url);
	is_likely = url_parse(&url, slice_str(out), NULL, NULL) == 0 && is_likely_host(&url);
	if (is_likely) {
		bool is_http = url_is_loopback(&url) || strncasecmp(text, "http:", 5) == 0 ||
			       strncasecmp(text, "http/", 5) == 0;
		slice rest = slice_sub(url_text(&url), strlen("https"), url.text.len);

		(void)snprintf(
			out, size, "%s%.*s", is_http ? "http" : "https", (int)rest.len, rest.ptr);
	}
	url_release(&url);
	return is_likely;
}

bool url_repair_on_site(const char *text, slice site, struct url *ret)
{
	char longer[REPAIR_MAX];
	const char *slash = strchr(text, '/');
	struct url base;
	bool is;
	int n = snprintf(longer, sizeof longer, "%s%s", text[0] == '/' ? "" : "//", text);

	if (n < 0 || (size_t)n >= sizeof longer || strstr(text, "://"))
		return false;
	url_init(&base);
	is = url_parse(&base, site, NULL, NULL) == 0 &&
	     url_parse(ret, slice_str(longer), &base, NULL) == 0;
	if (is && ret->port == URL_NO_PORT && slash &&
		slice_eq(url_part(ret, ret->host), url_part(&base, base.host)))
		is = url_parse(ret, slice_str(slash), &base, NULL) == 0;
	url_release(&base);
	return is;
}
