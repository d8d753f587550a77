#include "url/repair.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
