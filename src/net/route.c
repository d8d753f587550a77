#include "net/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"

enum {
	PORT_HTTP = 80,
	PORT_HTTPS = 443,
	ENTRY_MAX = DNS_NAME_MAX + DNS_ADDRESSES_MAX * (ADDRESS_TEXT_SIZE + 3) + 16,
};

/* The end of the host: its bracket, or what comes before port and slash. */
static size_t host_end(slice authority)
{
	const char *bracket = memchr(authority.ptr, ']', authority.len);
	size_t end = bracket ? (size_t)(bracket - authority.ptr) + 1 : 0;

	while (end < authority.len && authority.ptr[end] != ':' && authority.ptr[end] != '/')
		end++;
	return end;
}

int route_init(struct route *r, slice origin, unsigned allowed)
{
	bool tls = origin.len > 4 && origin.ptr[4] == 's';
	slice rest = slice_sub(origin, tls ? strlen("https://") : strlen("http://"), origin.len);
	size_t end = host_end(rest);
	slice host = slice_sub(rest, 0, end);
	uint64_t port;

	*r = (struct route){.port = tls ? PORT_HTTPS : PORT_HTTP, .allowed = allowed};
	/* ":port/", or "/" alone. */
	if (end < rest.len && parse_u64(slice_sub(rest, end + 1, rest.len - 1), &port) == 0)
		r->port = (unsigned)port;
	r->is_literal = address_parse(host, &r->literal);
	if (host.len > 1 && host.ptr[0] == '[')
		host = slice_sub(host, 1, host.len - 1);
	r->host = strndup(host.ptr, host.len);
	return r->host ? 0 : ERR_NOMEM;
}

void route_release(struct route *r)
{
	curl_slist_free_all(r->addresses);
	if (r->share)
		(void)curl_share_cleanup(r->share);
	free(r->host);
	*r = (struct route){0};
}

/* "host:port:address,address" of those that are allowed; how many. */
static size_t write_entry(const struct route *r, const struct dns_answer *answer, struct buf *out)
{
	int rc = buf_printf(out, "%s:%u:", r->host, r->port);
	size_t count = 0;

	for (size_t i = 0; rc == 0 && i < answer->count; i++) {
		char text[ADDRESS_TEXT_SIZE];

		if (!address_is_allowed(&answer->list[i], r->allowed))
			continue;
		address_format(&answer->list[i], text);
		rc = buf_printf(out, answer->list[i].size == ADDRESS_V6_SIZE ? "%s[%s]" : "%s%s",
			count++ > 0 ? "," : "", text);
	}
	return rc ? 0 : count;
}

/*
 * A cache of names that only this handle has: what is put into that of the multi handle stays there
 * for good, for a server of the same name and port that another handle may have under other rules.
 */
static int give(struct route *r, CURL *easy, const char *entry)
{
	r->addresses = curl_slist_append(NULL, entry);
	r->share = curl_share_init();
	if (!r->addresses || !r->share)
		return ERR_NOMEM;
	if (curl_share_setopt(r->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK ||
		curl_easy_setopt(easy, CURLOPT_SHARE, r->share) != CURLE_OK ||
		curl_easy_setopt(easy, CURLOPT_RESOLVE, r->addresses) != CURLE_OK)
		return ERR_NOMEM;
	return 0;
}

int route_set(struct route *r, CURL *easy, const struct dns_answer *answer, char *why, size_t size)
{
	struct buf entry;
	int rc = ERR_STATE;

	buf_init(&entry, ENTRY_MAX);
	if (write_entry(r, answer, &entry) > 0)
		rc = give(r, easy, buf_str(&entry));
	else if (answer->count > 0)
		address_explain(&answer->list[0], why, size);
	buf_release(&entry);
	return rc;
}
