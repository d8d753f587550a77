/*
 * WHATWG URL Standard, section 4.4: path start state, path state, opaque path state, query state,
 * fragment state; section 4.1: single-dot and double-dot URL path segment, shorten a URL's path.
 */
#include <assert.h>

#include "url/parser.h"

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

void url_shorten_path(struct url *u)
{
	slice path = slice_sub(url_text(u), u->path.at, u->text.len);
	size_t len = path.len;

	if (len == 0 ||
		(u->scheme_id == URL_FILE && url_is_normalized_drive(slice_sub(path, 1, len))))
		return;
	while (path.ptr[len - 1] != '/')
		len--;
	buf_truncate(&u->text, u->path.at + len - 1);
}

/* A drive letter that begins the path of a file is written with a colon. */
static int add_drive(struct url *u, slice segment)
{
	char drive[3] = {'/', segment.ptr[0], ':'};

	return buf_add(&u->text, (slice){drive, sizeof drive});
}

/* more: a slash ended the segment, so another one comes. */
static int add_segment(struct url *u, slice segment, bool more)
{
	unsigned dots = count_dots(segment);
	int rc;

	if (dots > 0) {
		if (dots == 2)
			url_shorten_path(u);
		return more ? 0 : buf_add_char(&u->text, '/');
	}
	if (u->scheme_id == URL_FILE && u->text.len == u->path.at && url_is_drive(segment))
		return add_drive(u, segment);
	rc = buf_add_char(&u->text, '/');
	return rc ? rc : url_percent_encode(&u->text, segment, URL_SET_PATH);
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

/* What most URLs take: the same as the loop below, in one copy. */
static int plain_path(struct url_parser *p, size_t len)
{
	struct url *u = p->url;
	int rc = buf_add_char(&u->text, '/');

	if (rc == 0)
		rc = buf_add(&u->text, slice_sub(p->in, p->at, p->at + len));
	p->at += len;
	return rc ? rc : url_end_path(p);
}

int url_path_state(struct url_parser *p)
{
	size_t plain = p->url->scheme_id == URL_FILE ? 0 : plain_length(p);
	unsigned ends = p->special ? URL_ENDS_SPECIAL_AUTH : URL_ENDS_AUTHORITY;
	bool more = true;

	if (plain > 0)
		return plain_path(p, plain);
	while (more) {
		size_t from = p->at;
		int rc;

		while (p->at < p->in.len && !url_byte_is(p->in.ptr[p->at], ends))
			p->at++;
		more = url_is_slash(p, url_peek(p, 0));
		rc = add_segment(p->url, slice_sub(p->in, from, p->at), more);
		if (rc)
			return rc;
		p->at += more;
	}
	return url_end_path(p);
}

int url_path_start_state(struct url_parser *p)
{
	int c = url_peek(p, 0);

	url_begin_path(p->url);
	if (!p->special && (c == URL_EOF || c == '?' || c == '#'))
		return url_end_path(p);
	p->at += url_is_slash(p, c);
	return url_path_state(p);
}

/* A blank stays one, but for the last before a query or fragment: it would be stripped later. */
int url_opaque_path_state(struct url_parser *p)
{
	struct url *u = p->url;
	size_t from = p->at;
	bool blank;
	int rc;

	u->opaque_path = true;
	url_begin_path(u);
	while (p->at < p->in.len && p->in.ptr[p->at] != '?' && p->in.ptr[p->at] != '#')
		p->at++;
	blank = p->at > from && p->at < p->in.len && p->in.ptr[p->at - 1] == ' ';
	rc = url_percent_encode(
		&u->text, slice_sub(p->in, from, p->at - blank), URL_SET_C0_CONTROL);
	if (rc == 0 && blank)
		rc = buf_add_str(&u->text, "%20");
	return rc ? rc : url_end_path(p);
}

/* Invariant (3). */
static int guard_path(struct url *u)
{
	slice path = url_part(u, u->path);
	int rc;

	if (u->host_kind != URL_HOST_NONE || u->opaque_path || path.len < 2 ||
		memcmp(path.ptr, "//", 2) != 0)
		return 0;
	rc = buf_reserve(&u->text, 2);
	if (rc)
		return rc;
	memmove(u->text.ptr + u->path.at + 2, u->text.ptr + u->path.at, u->path.len + (size_t)1);
	memcpy(u->text.ptr + u->path.at, "/.", 2);
	u->path.at += 2;
	u->text.len += 2;
	return 0;
}

static int query_state(struct url_parser *p)
{
	struct url *u = p->url;
	enum url_set set = p->special ? URL_SET_SPECIAL_QUERY : URL_SET_QUERY;
	slice rest = slice_sub(p->in, p->at, p->in.len);
	const char *end;
	int rc;

	assert(rest.len > 0 && rest.ptr[0] == '?');
	end = memchr(rest.ptr, '#', rest.len);
	if (end)
		rest = slice_sub(rest, 0, (size_t)(end - rest.ptr));
	p->at += rest.len;
	rc = buf_add_char(&u->text, '?');
	if (rc)
		return rc;
	u->has_query = true;
	u->query.at = (uint32_t)u->text.len;
	rest = slice_sub(rest, 1, rest.len);
	if (p->encoding && p->special && u->scheme_id != URL_WS && u->scheme_id != URL_WSS)
		rc = url_encode_query(&u->text, rest, p->encoding, set);
	else
		rc = url_percent_encode(&u->text, rest, set);
	u->query = url_part_from(u, u->query.at);
	return rc;
}

int url_end_path(struct url_parser *p)
{
	int rc;

	p->url->path = url_part_from(p->url, p->url->path.at);
	rc = guard_path(p->url);
	if (rc == 0 && url_peek(p, 0) == '?')
		rc = query_state(p);
	return rc ? rc : url_fragment_state(p);
}

int url_fragment_state(struct url_parser *p)
{
	struct url *u = p->url;
	int rc;

	if (url_peek(p, 0) == URL_EOF)
		return 0;
	assert(url_peek(p, 0) == '#');
	rc = buf_add_char(&u->text, '#');
	if (rc)
		return rc;
	u->has_fragment = true;
	u->fragment.at = (uint32_t)u->text.len;
	rc = url_percent_encode(&u->text, slice_sub(p->in, p->at + 1, p->in.len), URL_SET_FRAGMENT);
	u->fragment = url_part_from(u, u->fragment.at);
	return rc;
}
