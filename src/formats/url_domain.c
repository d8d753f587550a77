#include "formats/url_domain.h"

#include <libpsl.h>

#include "base/word.h"
#include "formats/url_address.h"

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
