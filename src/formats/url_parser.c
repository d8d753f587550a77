/*
 * WHATWG URL Standard, section 4.4: basic URL parser, from the scheme start state to the special
 * authority ignore slashes state, and the relative states.
 */
#include "formats/url_parser.h"

#include <assert.h>
#include <string.h>

/* Takes a dot, plain or escaped, off the front. */
static bool take_dot(slice *s)
{
	size_t n = 0;

	if (s->len > 0 && s->ptr[0] == '.')
		n = 1;
	else if (s->len > 2 && url_equal_nocase(slice_sub(*s, 0, 3), SLICE("%2e")))
		n = 3;
	*s = slice_sub(*s, n, s->len);
	return n > 0;
}

/* 1 for a single-dot, 2 for a double-dot URL path segment, else 0. */
static unsigned count_dots(slice segment)
{
	unsigned n = 0;

	while (n < 2 && take_dot(&segment))
		n++;
	return segment.len == 0 ? n : 0;
}

static bool url_is_normalized_drive(slice segment);

static void url_shorten_path(struct url *u)
{
	slice path = slice_sub(url_text(u), u->path.at, u->text.len);
	size_t len = path.len;

	/* To cut the text would forget that it was too long. */
	if (len == 0 || u->text.error ||
		(u->scheme_id == URL_FILE && url_is_normalized_drive(slice_sub(path, 1, len))))
		return;
	while (path.ptr[len - 1] != '/')
		len--;
	buf_truncate(&u->text, u->path.at + len - 1);
}

static bool url_is_drive(slice segment);

/* more: a slash ended the segment, so another one comes. */
static void add_segment(struct url *u, slice segment, bool more)
{
	unsigned dots = count_dots(segment);

	if (dots == 2)
		url_shorten_path(u);
	if (dots == 0 || !more)
		buf_add_char(&u->text, '/');
	/* A drive letter that begins the path of a file is written with a colon. */
	if (dots == 0 && u->scheme_id == URL_FILE && u->text.len == u->path.at + (size_t)1 &&
		url_is_drive(segment))
		buf_add(&u->text, (slice){(char[]){segment.ptr[0], ':'}, 2});
	else if (dots == 0)
		url_percent_encode(&u->text, segment, URL_SET_PATH);
}

/*
 * Length of the path that begins at the pointer if all of it can be copied as it stands: nothing to
 * escape, no backslash, no segment that begins like a dot. Else 0.
 */
static size_t plain_length(const struct url_parser *p)
{
	slice s = slice_sub(p->in, p->at, p->in.len);
	char before = '/';
	size_t i;

	for (i = 0; i < s.len && s.ptr[i] != '?' && s.ptr[i] != '#'; i++) {
		char c = s.ptr[i];

		if (url_byte_is(c, URL_SET_PATH) || c == '\\' ||
			(before == '/' && (c == '.' || c == '%')))
			return 0;
		before = c;
	}
	return i;
}

static void url_end_path(struct url_parser *p);

static void url_path_state(struct url_parser *p)
{
	size_t plain = p->url->scheme_id == URL_FILE ? 0 : plain_length(p);
	unsigned ends = p->special ? URL_ENDS_SPECIAL_AUTH : URL_ENDS_AUTHORITY;

	/* What most URLs take: the same as the loop below, in one copy. */
	if (plain > 0) {
		buf_add_char(&p->url->text, '/');
		buf_add(&p->url->text, slice_sub(p->in, p->at, p->at + plain));
		p->at += plain;
		url_end_path(p);
		return;
	}
	for (bool more = true; more;) {
		size_t from = p->at;

		while (p->at < p->in.len && !url_byte_is(p->in.ptr[p->at], ends))
			p->at++;
		more = url_is_slash(p, url_peek(p, 0));
		add_segment(p->url, slice_sub(p->in, from, p->at), more);
		p->at += more;
	}
	url_end_path(p);
}

static void url_path_start_state(struct url_parser *p)
{
	int c = url_peek(p, 0);

	url_begin_path(p->url);
	if (!p->special && (c == URL_EOF || c == '?' || c == '#')) {
		url_end_path(p);
		return;
	}
	p->at += url_is_slash(p, c);
	url_path_state(p);
}

/* A blank stays one, but for the last before a query or fragment: it would be stripped later. */
static void url_opaque_path_state(struct url_parser *p)
{
	struct url *u = p->url;
	size_t from = p->at;
	bool blank;

	u->opaque_path = true;
	url_begin_path(u);
	while (p->at < p->in.len && p->in.ptr[p->at] != '?' && p->in.ptr[p->at] != '#')
		p->at++;
	blank = p->at > from && p->at < p->in.len && p->in.ptr[p->at - 1] == ' ';
	url_percent_encode(&u->text, slice_sub(p->in, from, p->at - blank), URL_SET_C0_CONTROL);
	if (blank)
		buf_add_str(&u->text, "%20");
	url_end_path(p);
}

/* Invariant (3). */
static void guard_path(struct url *u)
{
	slice path = url_part(u, u->path);

	if (u->host_kind != URL_HOST_NONE || u->opaque_path || path.len < 2 ||
		memcmp(path.ptr, "//", 2) != 0 || buf_reserve(&u->text, 2))
		return;
	memmove(u->text.ptr + u->path.at + 2, u->text.ptr + u->path.at, u->path.len + (size_t)1);
	memcpy(u->text.ptr + u->path.at, "/.", 2);
	u->path.at += 2;
	u->text.len += 2;
}

static void query_state(struct url_parser *p)
{
	struct url *u = p->url;
	enum url_set set = p->special ? URL_SET_SPECIAL_QUERY : URL_SET_QUERY;
	slice rest = slice_sub(p->in, p->at, p->in.len);

	rest = slice_take(&rest, '#');
	p->at += rest.len;
	buf_add_char(&u->text, '?');
	u->has_query = true;
	u->query.at = (uint32_t)u->text.len;
	rest = slice_sub(rest, 1, rest.len);
	if (p->encoding && p->special && u->scheme_id != URL_WS && u->scheme_id != URL_WSS)
		url_encode_query(&u->text, rest, p->encoding, set);
	else
		url_percent_encode(&u->text, rest, set);
	u->query = url_part_from(u, u->query.at);
}

static void url_fragment_state(struct url_parser *p);

/*
 * The path is complete: adds "/." where it is needed, then reads the query and fragment that come
 * next, if any does.
 */
static void url_end_path(struct url_parser *p)
{
	p->url->path = url_part_from(p->url, p->url->path.at);
	guard_path(p->url);
	if (url_peek(p, 0) == '?')
		query_state(p);
	url_fragment_state(p);
}

/* Reads the "#" and the fragment, or nothing at the end. */
static void url_fragment_state(struct url_parser *p)
{
	struct url *u = p->url;

	if (url_peek(p, 0) == URL_EOF)
		return;
	assert(url_peek(p, 0) == '#');
	buf_add_char(&u->text, '#');
	u->has_fragment = true;
	u->fragment.at = (uint32_t)u->text.len;
	url_percent_encode(&u->text, slice_sub(p->in, p->at + 1, p->in.len), URL_SET_FRAGMENT);
	u->fragment = url_part_from(u, u->fragment.at);
}

/* "Starts with a Windows drive letter", of what begins at s; and of a segment that is one. */
static bool url_is_drive(slice segment)
{
	return segment.len == 2 && url_byte_is(segment.ptr[0], URL_ALPHA) &&
	       (segment.ptr[1] == ':' || segment.ptr[1] == '|');
}

static bool url_is_normalized_drive(slice segment)
{
	return url_is_drive(segment) && segment.ptr[1] == ':';
}

static bool url_starts_with_drive(slice s)
{
	return url_is_drive(slice_sub(s, 0, 2)) &&
	       (s.len == 2 || url_byte_is(s.ptr[2], URL_ENDS_SPECIAL_AUTH));
}

static bool base_is_file(const struct url_parser *p)
{
	return p->base && p->base->scheme_id == URL_FILE;
}

static void url_copy_authority(struct url_parser *p);

/* Writes "//" and, with a base that is a file's, its host. */
static void add_file_host(struct url_parser *p)
{
	struct url *u = p->url;

	if (base_is_file(p)) {
		url_copy_authority(p);
		return;
	}
	buf_add_str(&u->text, "//");
	u->host_kind = URL_HOST_EMPTY;
	u->host = url_part_from(u, u->text.len);
	url_begin_path(u);
}

/* Keeps only the name; localhost is no host at all. */
static int add_named_host(struct url_parser *p, slice name)
{
	struct url *u = p->url;
	size_t at;

	buf_add_str(&u->text, "//");
	at = u->text.len;
	u->host_kind = URL_HOST_EMPTY;
	if (name.len > 0)
		TRY(url_host_parse(&u->text, name, false, &u->host_kind, p->err));
	if (slice_eq(slice_sub(url_text(u), at, u->text.len), SLICE("localhost"))) {
		u->host_kind = URL_HOST_EMPTY;
		buf_truncate(&u->text, at);
	}
	u->host = url_part_from(u, at);
	return 0;
}

static int file_host_state(struct url_parser *p)
{
	size_t from = p->at;
	slice name;

	while (p->at < p->in.len && !url_byte_is(p->in.ptr[p->at], URL_ENDS_SPECIAL_AUTH))
		p->at++;
	name = slice_sub(p->in, from, p->at);
	if (url_is_drive(name)) {
		p->at = from;
		TRY(add_named_host(p, SLICE("")));
		url_begin_path(p->url);
		url_path_state(p);
		return 0;
	}
	TRY(add_named_host(p, name));
	url_path_start_state(p);
	return 0;
}

static void url_copy_path(struct url_parser *p);

static void url_copy_path_and_query(struct url_parser *p);

/* The text is "file:". */
static int url_file_state(struct url_parser *p)
{
	slice rest = slice_sub(p->in, p->at, p->in.len), path;
	int c = url_peek(p, 0);

	if (url_is_slash(p, c)) {
		p->at++;
		if (url_is_slash(p, url_peek(p, 0))) {
			p->at++;
			return file_host_state(p);
		}
	}
	add_file_host(p);
	if (!base_is_file(p)) {
		url_path_state(p);
	} else if (url_is_slash(p, c)) {
		/* The base's drive, where the path begins with one. */
		path = url_part(p->base, p->base->path);
		if (!url_starts_with_drive(slice_sub(rest, 1, rest.len)) && path.len >= 3 &&
			(path.len == 3 || path.ptr[3] == '/') &&
			url_is_normalized_drive(slice_sub(path, 1, 3)))
			buf_add(&p->url->text, slice_sub(path, 0, 3));
		url_path_state(p);
	} else if (c == URL_EOF || c == '#') {
		url_copy_path_and_query(p);
		url_fragment_state(p);
	} else if (c == '?') {
		url_copy_path(p);
		url_end_path(p);
	} else {
		if (!url_starts_with_drive(rest)) {
			url_copy_path(p);
			url_shorten_path(p->url);
		}
		url_path_state(p);
	}
	return 0;
}

enum { PORT_MAX = 65535 };

/* What stands before the last "@", the userinfo percent-encode set taking care of any others. */
static void add_credentials(struct url *u, slice credentials)
{
	slice username = slice_take(&credentials, ':'), password = credentials;
	size_t at = u->text.len;

	url_percent_encode(&u->text, username, URL_SET_USERINFO);
	u->username = url_part_from(u, at);
	if (password.len > 0) {
		buf_add_char(&u->text, ':');
		at = u->text.len;
		url_percent_encode(&u->text, password, URL_SET_USERINFO);
		u->password = url_part_from(u, at);
	}
	if (u->username.len > 0 || u->password.len > 0)
		buf_add_char(&u->text, '@');
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
	return url_add_port(&u->text, port);
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

	if (end == 0 && (p->special || end < s.len))
		return url_fail(p, "host is missing");
	TRY(url_host_parse(&u->text, slice_sub(s, 0, end), !p->special, &u->host_kind, p->err));
	u->host = url_part_from(u, at);
	return port_state(p, slice_sub(s, end + 1, s.len));
}

static int url_authority_state(struct url_parser *p)
{
	unsigned ends = p->special ? URL_ENDS_SPECIAL_AUTH : URL_ENDS_AUTHORITY;
	size_t from = p->at;
	slice authority;
	const char *sign;

	buf_add_str(&p->url->text, "//");
	while (p->at < p->in.len && !url_byte_is(p->in.ptr[p->at], ends))
		p->at++;
	authority = slice_sub(p->in, from, p->at);
	sign = authority.len ? memrchr(authority.ptr, '@', authority.len) : NULL;
	if (sign) {
		size_t split = (size_t)(sign - authority.ptr);

		add_credentials(p->url, slice_sub(authority, 0, split));
		authority = slice_sub(authority, split + 1, authority.len);
		if (authority.len == 0)
			return url_fail(p, "host is missing behind the user name");
	}
	TRY(host_state(p, authority));
	url_path_start_state(p);
	return 0;
}

static const struct {
	slice name;
	enum url_scheme id;
	int32_t port;
} SPECIAL[] = {
	{SLICE_INIT("https"), URL_HTTPS, 443},
	{SLICE_INIT("http"), URL_HTTP, 80},
	{SLICE_INIT("ws"), URL_WS, 80},
	{SLICE_INIT("wss"), URL_WSS, 443},
	{SLICE_INIT("ftp"), URL_FTP, 21},
	{SLICE_INIT("file"), URL_FILE, URL_NO_PORT},
};

enum { SPECIAL_COUNT = sizeof SPECIAL / sizeof SPECIAL[0] };

int32_t url_default_port(enum url_scheme scheme)
{
	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		if (SPECIAL[i].id == scheme)
			return SPECIAL[i].port;
	return URL_NO_PORT;
}

static enum url_scheme find_scheme(slice name)
{
	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		if (slice_eq(SPECIAL[i].name, name))
			return SPECIAL[i].id;
	return URL_OTHER;
}

/* Takes scheme, credentials, host and port of the base, in place of what was written. */
static void url_copy_authority(struct url_parser *p)
{
	struct url *u = p->url;
	const struct url *b = p->base;

	buf_reset(&u->text);
	u->scheme_id = b->scheme_id;
	u->scheme = b->scheme;
	u->username = b->username;
	u->password = b->password;
	u->host_kind = b->host_kind;
	u->host = b->host;
	u->port = b->port;
	u->authority_end = b->authority_end;
	u->path.at = b->authority_end;
	p->special = url_is_special(u);
	buf_add(&u->text, slice_sub(url_text(b), 0, b->authority_end));
}

/* Appends path, or path and query, of the base. */
static void url_copy_path(struct url_parser *p)
{
	buf_add(&p->url->text, url_part(p->base, p->base->path));
}

/* With its guard ("/."), which the path keeps. */
static void url_copy_path_and_query(struct url_parser *p)
{
	struct url *u = p->url;
	const struct url *b = p->base;

	u->path = b->path;
	u->query = b->query;
	u->has_query = b->has_query;
	u->opaque_path = b->opaque_path;
	buf_add(&u->text, slice_sub(url_page(b), b->authority_end, b->text.len));
}

static int special_authority_ignore_slashes_state(struct url_parser *p)
{
	while (url_is_slash(p, url_peek(p, 0)))
		p->at++;
	return url_authority_state(p);
}

/* The text is the base's scheme and its colon, which only a host of its own needs. */
static int relative_state(struct url_parser *p)
{
	int c = url_peek(p, 0);

	if (url_is_slash(p, c) && url_is_slash(p, url_peek(p, 1))) {
		p->at += 2;
		return p->special ? special_authority_ignore_slashes_state(p)
				  : url_authority_state(p);
	}
	url_copy_authority(p);
	if (url_is_slash(p, c)) {
		p->at++;
		url_path_state(p);
	} else if (c == URL_EOF || c == '#') {
		url_copy_path_and_query(p);
		url_fragment_state(p);
	} else {
		url_copy_path(p);
		if (c == '?') {
			url_end_path(p);
			return 0;
		}
		url_shorten_path(p->url);
		url_path_state(p);
	}
	return 0;
}

/* Writes the scheme and its colon. */
static void set_scheme(struct url_parser *p, slice name)
{
	struct url *u = p->url;

	url_add_lower(&u->text, name);
	u->scheme = url_part_from(u, 0);
	u->scheme_id = find_scheme(url_text(u));
	p->special = url_is_special(u);
	buf_add_char(&u->text, ':');
}

static int no_scheme_state(struct url_parser *p)
{
	const struct url *b = p->base;

	if (!b)
		return url_fail(p, "no scheme, and no base to resolve against");
	if (b->opaque_path) {
		if (url_peek(p, 0) != '#')
			return url_fail(p, "relative to a base that has no path");
		url_copy_authority(p);
		url_copy_path_and_query(p);
		url_fragment_state(p);
		return 0;
	}
	/* Most take all before their path from the base, scheme included. */
	p->special = url_is_special(b);
	if (b->scheme_id != URL_FILE &&
		!(url_is_slash(p, url_peek(p, 0)) && url_is_slash(p, url_peek(p, 1))))
		return relative_state(p);
	set_scheme(p, url_part(b, b->scheme));
	return b->scheme_id == URL_FILE ? url_file_state(p) : relative_state(p);
}

/* Behind the scheme's colon. */
static int after_scheme(struct url_parser *p)
{
	struct url *u = p->url;

	if (u->scheme_id == URL_FILE)
		return url_file_state(p);
	/* "Special relative or authority state" */
	if (p->special && p->base && p->base->scheme_id == u->scheme_id &&
		(url_peek(p, 0) != '/' || url_peek(p, 1) != '/'))
		return relative_state(p);
	/* "Special authority slashes state" */
	if (p->special)
		return special_authority_ignore_slashes_state(p);
	if (url_peek(p, 0) != '/') {
		url_opaque_path_state(p);
		return 0;
	}
	/* "Path or authority state" */
	if (url_peek(p, 1) == '/') {
		p->at += 2;
		return url_authority_state(p);
	}
	p->at++;
	url_begin_path(u);
	url_path_state(p);
	return 0;
}

/* "Scheme start state" and "scheme state" */
static int scheme_start_state(struct url_parser *p)
{
	size_t n = 0;

	if (p->in.len > 0 && url_byte_is(p->in.ptr[0], URL_ALPHA))
		for (n = 1; n < p->in.len && url_byte_is(p->in.ptr[n], URL_SCHEME);)
			n++;
	if (n == 0 || n == p->in.len || p->in.ptr[n] != ':')
		return no_scheme_state(p);
	set_scheme(p, slice_sub(p->in, 0, n));
	p->at = n + 1;
	return after_scheme(p);
}

slice url_strip(slice in)
{
	while (in.len > 0 && (unsigned char)in.ptr[0] <= ' ')
		in = slice_sub(in, 1, in.len);
	while (in.len > 0 && (unsigned char)in.ptr[in.len - 1] <= ' ')
		in.len--;
	return in;
}

static bool is_tab_or_newline(char c)
{
	return (unsigned char)c <= '\r' && (c == '\t' || c == '\n' || c == '\r');
}

static void reset(struct url *u)
{
	struct buf text = u->text;

	url_init(u);
	text.max = u->text.max;
	u->text = text;
	buf_reset(&u->text);
}

int url_parse(struct url *u, slice input, const struct url *base, struct err *err)
{
	return url_parse_encoded(u, input, base, NULL, err);
}

int url_parse_encoded(struct url *u, slice input, const struct url *base,
	struct url_encoding *encoding, struct err *err)
{
	struct url_parser p = {
		.in = url_strip(input), .url = u, .base = base, .encoding = encoding, .err = err};
	BUF_SCOPED(clean, URL_MAX);
	int rc = input.len > URL_MAX ? ERR_LIMIT : 0;
	size_t i = 0;

	assert(u != base);
	reset(u);
	while (rc == 0 && i < p.in.len && !is_tab_or_newline(p.in.ptr[i]))
		i++;
	if (rc == 0 && i < p.in.len) {
		for (i = 0; i < p.in.len; i++)
			if (!is_tab_or_newline(p.in.ptr[i]))
				buf_add_char(&clean, p.in.ptr[i]);
		rc = clean.error;
		p.in = buf_slice(&clean);
	}
	if (rc == 0)
		rc = scheme_start_state(&p);
	if (rc == 0)
		rc = u->text.error;
	if (rc)
		reset(u);
	if (rc == ERR_LIMIT)
		return err_set(err, rc, "URL is over %d bytes", (int)URL_MAX);
	return rc;
}
