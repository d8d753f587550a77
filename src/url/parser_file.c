/*
 * WHATWG URL Standard, section 4.4: file state, file slash state, file host state; section 4.1:
 * Windows drive letters.
 */
#include "url/host.h"
#include "url/parser.h"

bool url_is_drive(slice segment)
{
	return segment.len == 2 && url_byte_is(segment.ptr[0], URL_ALPHA) &&
	       (segment.ptr[1] == ':' || segment.ptr[1] == '|');
}

bool url_is_normalized_drive(slice segment)
{
	return url_is_drive(segment) && segment.ptr[1] == ':';
}

static bool url_starts_with_drive(slice s)
{
	return url_is_drive(slice_sub(s, 0, 2)) &&
	       (s.len == 2 || url_byte_is(s.ptr[2], URL_ENDS_SPECIAL_AUTH));
}

static slice rest(const struct url_parser *p)
{
	return slice_sub(p->in, p->at, p->in.len);
}

static bool base_is_file(const struct url_parser *p)
{
	return p->base && p->base->scheme_id == URL_FILE;
}

/* Writes "//" and, with a base that is a file's, its host. */
static int add_file_host(struct url_parser *p)
{
	struct url *u = p->url;
	int rc;

	if (base_is_file(p))
		return url_copy_authority(p);
	rc = buf_add_str(&u->text, "//");
	u->host_kind = URL_HOST_EMPTY;
	u->host = url_part_from(u, u->text.len);
	url_begin_path(u);
	return rc;
}

/* Keeps only the name; localhost is no host at all. */
static int add_named_host(struct url_parser *p, slice name)
{
	struct url *u = p->url;
	int rc = buf_add_str(&u->text, "//");
	size_t at = u->text.len;

	u->host_kind = URL_HOST_EMPTY;
	if (rc == 0 && name.len > 0)
		rc = url_host_parse(&u->text, name, false, &u->host_kind, p->err);
	if (rc)
		return rc;
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
	int rc;

	while (p->at < p->in.len && !url_byte_is(p->in.ptr[p->at], URL_ENDS_SPECIAL_AUTH))
		p->at++;
	name = slice_sub(p->in, from, p->at);
	if (url_is_drive(name)) {
		p->at = from;
		rc = add_named_host(p, SLICE(""));
		url_begin_path(p->url);
		return rc ? rc : url_path_state(p);
	}
	rc = add_named_host(p, name);
	return rc ? rc : url_path_start_state(p);
}

/* The base's drive, where the path begins with one. */
static int add_base_drive(struct url_parser *p)
{
	slice path = url_part(p->base, p->base->path);

	if (path.len < 3 || (path.len > 3 && path.ptr[3] != '/') ||
		!url_is_normalized_drive(slice_sub(path, 1, 3)))
		return 0;
	return buf_add(&p->url->text, slice_sub(path, 0, 3));
}

static int file_slash_state(struct url_parser *p)
{
	int rc;

	if (url_is_slash(p, url_peek(p, 0))) {
		p->at++;
		return file_host_state(p);
	}
	rc = add_file_host(p);
	if (rc == 0 && base_is_file(p) && !url_starts_with_drive(rest(p)))
		rc = add_base_drive(p);
	return rc ? rc : url_path_state(p);
}

/* The text is "file:". */
int url_file_state(struct url_parser *p)
{
	int c = url_peek(p, 0);
	int rc;

	if (url_is_slash(p, c)) {
		p->at++;
		return file_slash_state(p);
	}
	rc = add_file_host(p);
	if (rc || !base_is_file(p))
		return rc ? rc : url_path_state(p);
	if (c == URL_EOF || c == '#') {
		rc = url_copy_path_and_query(p);
		return rc ? rc : url_fragment_state(p);
	}
	if (c == '?') {
		rc = url_copy_path(p);
		return rc ? rc : url_end_path(p);
	}
	if (!url_starts_with_drive(rest(p))) {
		rc = url_copy_path(p);
		url_shorten_path(p->url);
	}
	return rc ? rc : url_path_state(p);
}
