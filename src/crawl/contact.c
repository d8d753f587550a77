#include "crawl/contact.h"

#include <stdio.h>
#include <string.h>

#include "url/url.h"

#define PRODUCT "Mozilla/5.0 (compatible; stillpoint/" STILLPOINT_VERSION

/* No character that would end the comment of a user agent, or its line. */
static bool is_plain(slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f || strchr("()<>\"\\;", text.ptr[i]))
			return false;
	return text.len > 0;
}

static bool is_url(slice text)
{
	return slice_starts_with(text, SLICE("http://")) ||
	       slice_starts_with(text, SLICE("https://"));
}

static bool is_good_url(slice text)
{
	struct url url;
	bool good;

	url_init(&url);
	good = url_parse(&url, text, NULL, NULL) == 0;
	url_release(&url);
	return good;
}

/* Something, one "@", and a name with a dot in it or "localhost". */
static bool is_mail(slice text)
{
	const char *at = memchr(text.ptr, '@', text.len);
	slice host;

	if (!at || at == text.ptr)
		return false;
	host = slice_sub(text, (size_t)(at - text.ptr) + 1, text.len);
	return host.len > 0 && !memchr(host.ptr, '@', host.len) &&
	       !memchr(text.ptr, ':', text.len) && !memchr(text.ptr, '/', text.len) &&
	       (memchr(host.ptr, '.', host.len) || slice_eq(host, SLICE("localhost")));
}

bool contact_is_valid(slice contact)
{
	return is_plain(contact) && (is_url(contact) ? is_good_url(contact) : is_mail(contact));
}

char *contact_user_agent(const struct crawl_settings *s)
{
	char *out;

	if (s->user_agent)
		return strdup(s->user_agent);
	if (!s->contact)
		return strdup(PRODUCT ")");
	if (asprintf(&out, "%s +%s%s)", PRODUCT,
		    is_url(slice_str(s->contact)) ? "" : "mailto:", s->contact) < 0)
		return NULL;
	return out;
}
