/* WHATWG URL Standard, section 4.4: authority state, host state, port state. */
#include <string.h>

#include "url/host.h"
#include "url/parser.h"

enum { PORT_MAX = 65535 };

/* What stands before the last "@", the userinfo percent-encode set taking care of any others. */
static int add_credentials(struct url *u, slice credentials)
{
	const char *colon = credentials.len ? memchr(credentials.ptr, ':', credentials.len) : NULL;
	size_t split = colon ? (size_t)(colon - credentials.ptr) : credentials.len;
	slice password = slice_sub(credentials, split + 1, credentials.len);
	size_t at = u->text.len;
	int rc = url_percent_encode(&u->text, slice_sub(credentials, 0, split), URL_SET_USERINFO);

	u->username = url_part_from(u, at);
	if (rc == 0 && password.len > 0) {
		rc = buf_add_char(&u->text, ':');
		at = u->text.len;
		if (rc == 0)
			rc = url_percent_encode(&u->text, password, URL_SET_USERINFO);
		u->password = url_part_from(u, at);
	}
	if (rc == 0 && (u->username.len > 0 || u->password.len > 0))
		rc = buf_add_char(&u->text, '@');
	return rc;
}

static int port_state(struct url_parser *p, slice digits)
{
	struct url *u = p->url;
	int32_t port = 0;

	if (digits.len == 0)
		return 0;
	for (size_t i = 0; i < digits.len; i++) {
		if (!url_byte_is(digits.ptr[i], URL_DIGIT))
			return url_fail(p, "port that is no number");
		port = port * 10 + (digits.ptr[i] - '0');
		if (port > PORT_MAX)
			return url_fail(p, "port over 65535");
	}
	if (port == url_default_port(u->scheme_id))
		return 0;
	u->port = port;
	return buf_printf(&u->text, ":%d", (int)port);
}

/* Where a colon outside of brackets ends the host; the length when there is none. */
static size_t find_port(slice s)
{
	bool inside = false;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == ':' && !inside)
			return i;
		if (s.ptr[i] == '[')
			inside = true;
		else if (s.ptr[i] == ']')
			inside = false;
	}
	return s.len;
}

static int host_state(struct url_parser *p, slice s)
{
	struct url *u = p->url;
	size_t end = find_port(s), at = u->text.len;
	int rc;

	if (end == 0 && (p->special || end < s.len))
		return url_fail(p, "host is missing");
	rc = url_host_parse(&u->text, slice_sub(s, 0, end), !p->special, &u->host_kind, p->err);
	if (rc)
		return rc;
	u->host = url_part_from(u, at);
	return port_state(p, slice_sub(s, end + 1, s.len));
}

int url_authority_state(struct url_parser *p)
{
	unsigned ends = p->special ? URL_ENDS_SPECIAL_AUTH : URL_ENDS_AUTHORITY;
	size_t from = p->at;
	slice authority;
	const char *sign;
	int rc = buf_add_str(&p->url->text, "//");

	while (p->at < p->in.len && !url_byte_is(p->in.ptr[p->at], ends))
		p->at++;
	authority = slice_sub(p->in, from, p->at);
	sign = authority.len ? memrchr(authority.ptr, '@', authority.len) : NULL;
	if (rc == 0 && sign) {
		size_t split = (size_t)(sign - authority.ptr);

		rc = add_credentials(p->url, slice_sub(authority, 0, split));
		authority = slice_sub(authority, split + 1, authority.len);
		if (rc == 0 && authority.len == 0)
			return url_fail(p, "host is missing behind the user name");
	}
	if (rc == 0)
		rc = host_state(p, authority);
	return rc ? rc : url_path_start_state(p);
}
