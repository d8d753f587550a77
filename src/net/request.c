#include "net/request.h"

#include <strings.h>

#include "http/fields.h"
#include "url/url.h"

enum { FIELD_MAX = 64 << 10 }; /* bytes of one header field */

#define DEFAULT_AGENT "stillpoint/" STILLPOINT_VERSION

/*
 * Besides Host and User-Agent. Codings are those that any reader of archives can undo. no-cache
 * asks caches on the way for what the origin has now.
 */
static const struct net_header USUAL[] = {
	{SLICE_INIT("Accept"),
		SLICE_INIT("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")},
	{SLICE_INIT("Accept-Encoding"), SLICE_INIT("gzip, br")},
	{SLICE_INIT("Cache-Control"), SLICE_INIT("no-cache")},
};

static int add_origin(struct buf *origin, const struct url *u)
{
	int rc = buf_add(origin, url_part(u, u->scheme));

	if (rc == 0)
		rc = buf_add_str(origin, "://");
	if (rc == 0)
		rc = buf_add(origin, url_part(u, u->host));
	if (rc == 0 && u->port != URL_NO_PORT)
		rc = buf_printf(origin, ":%d", (int)u->port);
	return rc ? rc : buf_add_char(origin, '/');
}

static int add_target(struct buf *target, const struct url *u)
{
	int rc = buf_add(target, url_part(u, u->path));

	if (rc == 0 && u->has_query)
		rc = buf_add_char(target, '?');
	return rc ? rc : buf_add(target, url_part(u, u->query));
}

int request_split_url(slice url, struct buf *origin, struct buf *target, struct err *err)
{
	struct url u;
	int rc;

	url_init(&u);
	rc = url_parse(&u, url, NULL, err);
	if (rc == 0 && !url_is_http(&u))
		rc = err_set(err, ERR_SYNTAX, "only http and https URLs can be fetched");
	else if (rc == ERR_LIMIT)
		rc = ERR_SYNTAX;
	if (rc == 0)
		rc = add_origin(origin, &u);
	if (rc == 0)
		rc = add_target(target, &u);
	url_release(&u);
	return rc;
}

/* A token of RFC 9110, section 5.6.2. */
static bool is_token(slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return false;
	}
	return s.len > 0;
}

static int append(struct curl_slist **list, const struct buf *line)
{
	struct curl_slist *longer = curl_slist_append(*list, buf_str(line));

	if (!longer)
		return ERR_NOMEM;
	*list = longer;
	return 0;
}

static int add_field(struct curl_slist **list, slice name, slice value, struct err *err)
{
	struct buf line;
	int rc;

	if (!is_token(name) || !fields_is_value(value))
		return err_set(err, ERR_SYNTAX, "header field %.*s: not allowed in HTTP",
			(int)(name.len < 64 ? name.len : 64), name.ptr ? name.ptr : "");
	buf_init(&line, FIELD_MAX);
	rc = buf_add(&line, name);
	/* To libcurl "Name:" means to leave it out, "Name;" that it is empty. */
	if (rc == 0)
		rc = buf_add_str(&line, value.len > 0 ? ": " : ";");
	if (rc == 0)
		rc = buf_add(&line, value);
	if (rc == ERR_LIMIT)
		rc = err_set(
			err, ERR_SYNTAX, "header field %.*s: too long", (int)name.len, name.ptr);
	if (rc == 0)
		rc = append(list, &line);
	buf_release(&line);
	return rc;
}

static bool names(const struct net_request *request, slice name)
{
	for (size_t i = 0; i < request->header_count; i++) {
		slice own = request->headers[i].name;

		if (own.len == name.len && strncasecmp(own.ptr, name.ptr, name.len) == 0)
			return true;
	}
	return false;
}

static int add_all(const struct net_request *request, const char *user_agent,
	struct curl_slist **list, struct err *err)
{
	int rc = 0;

	if (!names(request, SLICE("User-Agent")))
		rc = add_field(list, SLICE("User-Agent"),
			slice_str(user_agent ? user_agent : DEFAULT_AGENT), err);
	for (size_t i = 0; i < sizeof USUAL / sizeof USUAL[0] && rc == 0; i++) {
		if (!names(request, USUAL[i].name))
			rc = add_field(list, USUAL[i].name, USUAL[i].value, err);
	}
	for (size_t i = 0; i < request->header_count && rc == 0; i++)
		rc = add_field(list, request->headers[i].name, request->headers[i].value, err);
	return rc;
}

int request_headers(const struct net_request *request, const char *user_agent,
	struct curl_slist **ret, struct err *err)
{
	struct curl_slist *list = NULL;
	int rc = add_all(request, user_agent, &list, err);

	if (rc)
		curl_slist_free_all(list);
	else
		*ret = list;
	return rc;
}

bool request_set_body(const struct net_request *request, CURL *easy)
{
	curl_off_t size = (curl_off_t)request->post.len;

	return !request->post.ptr ||
	       (curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size) == CURLE_OK &&
		       curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request->post.ptr) ==
			       CURLE_OK);
}
