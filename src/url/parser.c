/*
 * WHATWG URL Standard, section 4.4: basic URL parser, from the scheme start state to the special
 * authority ignore slashes state, and the relative states.
 */
#include "url/parser.h"

#include <assert.h>

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

int url_copy_authority(struct url_parser *p)
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
	return buf_add(&u->text, slice_sub(url_text(b), 0, b->authority_end));
}

int url_copy_path(struct url_parser *p)
{
	return buf_add(&p->url->text, url_part(p->base, p->base->path));
}

/* With its guard ("/."), which the path keeps. */
int url_copy_path_and_query(struct url_parser *p)
{
	struct url *u = p->url;
	const struct url *b = p->base;

	u->path = b->path;
	u->query = b->query;
	u->has_query = b->has_query;
	u->opaque_path = b->opaque_path;
	return buf_add(&u->text, slice_sub(url_page(b), b->authority_end, b->text.len));
}

static int special_authority_ignore_slashes_state(struct url_parser *p)
{
	while (url_is_slash(p, url_peek(p, 0)))
		p->at++;
	return url_authority_state(p);
}

static int relative_slash_state(struct url_parser *p)
{
	int c = url_peek(p, 0);
	int rc;

	if (url_is_slash(p, c)) {
		p->at++;
		return p->special ? special_authority_ignore_slashes_state(p)
				  : url_authority_state(p);
	}
	rc = url_copy_authority(p);
	return rc ? rc : url_path_state(p);
}

/* The text is the base's scheme and its colon. */
static int relative_state(struct url_parser *p)
{
	int c = url_peek(p, 0);
	int rc;

	if (url_is_slash(p, c)) {
		p->at++;
		return relative_slash_state(p);
	}
	rc = url_copy_authority(p);
	if (rc)
		return rc;
	if (c == URL_EOF || c == '#') {
		rc = url_copy_path_and_query(p);
		return rc ? rc : url_fragment_state(p);
	}
	rc = url_copy_path(p);
	if (c == '?')
		return rc ? rc : url_end_path(p);
	url_shorten_path(p->url);
	return rc ? rc : url_path_state(p);
}

/* Writes the scheme and its colon. */
static int set_scheme(struct url_parser *p, slice name)
{
	struct url *u = p->url;
	int rc = url_add_lower(&u->text, name);

	u->scheme = url_part_from(u, 0);
	u->scheme_id = find_scheme(url_text(u));
	p->special = url_is_special(u);
	return rc ? rc : buf_add_char(&u->text, ':');
}

static int no_scheme_state(struct url_parser *p)
{
	const struct url *b = p->base;
	int rc;

	if (!b)
		return url_fail(p, "no scheme, and no base to resolve against");
	if (b->opaque_path) {
		if (url_peek(p, 0) != '#')
			return url_fail(p, "relative to a base that has no path");
		rc = url_copy_authority(p);
		if (rc == 0)
			rc = url_copy_path_and_query(p);
		return rc ? rc : url_fragment_state(p);
	}
	rc = set_scheme(p, url_part(b, b->scheme));
	if (rc)
		return rc;
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
	if (url_peek(p, 0) != '/')
		return url_opaque_path_state(p);
	/* "Path or authority state" */
	if (url_peek(p, 1) == '/') {
		p->at += 2;
		return url_authority_state(p);
	}
	p->at++;
	url_begin_path(u);
	return url_path_state(p);
}

/* "Scheme start state" and "scheme state" */
static int scheme_start_state(struct url_parser *p)
{
	size_t n = 0;
	int rc;

	if (p->in.len > 0 && url_byte_is(p->in.ptr[0], URL_ALPHA))
		for (n = 1; n < p->in.len && url_byte_is(p->in.ptr[n], URL_SCHEME);)
			n++;
	if (n == 0 || n == p->in.len || p->in.ptr[n] != ':')
		return no_scheme_state(p);
	rc = set_scheme(p, slice_sub(p->in, 0, n));
	p->at = n + 1;
	return rc ? rc : after_scheme(p);
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

static bool has_tab_or_newline(slice in)
{
	for (size_t i = 0; i < in.len; i++)
		if (is_tab_or_newline(in.ptr[i]))
			return true;
	return false;
}

static int remove_tabs_and_newlines(struct buf *out, slice in)
{
	int rc = buf_reserve(out, in.len);

	for (size_t i = 0; i < in.len && rc == 0; i++)
		if (!is_tab_or_newline(in.ptr[i]))
			rc = buf_add_char(out, in.ptr[i]);
	return rc;
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
	struct buf clean;
	int rc = 0;

	assert(u != base);
	reset(u);
	buf_init(&clean, URL_MAX);
	if (input.len > URL_MAX)
		rc = ERR_LIMIT;
	if (rc == 0 && has_tab_or_newline(p.in)) {
		rc = remove_tabs_and_newlines(&clean, p.in);
		p.in = buf_slice(&clean);
	}
	if (rc == 0)
		rc = scheme_start_state(&p);
	buf_release(&clean);
	if (rc)
		reset(u);
	if (rc == ERR_LIMIT)
		return err_set(err, rc, "URL is over %d bytes", (int)URL_MAX);
	return rc == ERR_NOMEM ? err_set(err, rc, "no memory for a URL") : rc;
}
