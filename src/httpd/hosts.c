#include "httpd/hosts.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/word.h"

enum { TEXT_SIZE = 64 };

/* A numeric address; IPv4 as mapped into IPv6. */
static bool read_address(slice text, struct in6_addr *ret)
{
	char copy[TEXT_SIZE];
	struct in_addr v4;

	if (text.len == 0 || text.len >= sizeof copy)
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	if (inet_pton(AF_INET6, copy, ret) == 1)
		return true;
	if (inet_pton(AF_INET, copy, &v4) != 1)
		return false;
	memset(ret, 0, sizeof *ret);
	ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
	memcpy(ret->s6_addr + 12, &v4, sizeof v4);
	return true;
}

bool hosts_allow(slice host, const char *address, const struct httpd_names *names)
{
	struct in6_addr asked, own;

	if (host.len == 0)
		return true;
	if (host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = slice_sub(host, 1, host.len - 1);
	if (read_address(host, &asked))
		return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0 ||
		       (read_address(slice_str(address), &own) &&
			       memcmp(&asked, &own, sizeof own) == 0);
	if (host.ptr[host.len - 1] == '.')
		host.len--;
	if (word_is(host, SLICE("localhost")))
		return true;
	for (size_t i = 0; i < names->len; i++)
		if (word_is(host, slice_str(names->ptr[i])))
			return true;
	return false;
}
