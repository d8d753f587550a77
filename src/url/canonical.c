#include "url/canonical.h"

#include <stdlib.h>

#include "base/lists.h"
#include "base/word.h"
#include "url/percent.h"
#include "url/session.h"

/*
 * Takes out escapes until there is none. One pass does it: an escape that is decoded may complete
 * another, but only one that ends with it, so looking at the end of what is written is enough.
 */
static int unescape_repeatedly(struct buf *out, slice s)
{
	size_t start = out->len;
	int rc = buf_reserve(out, s.len);
	char *to;

	if (rc)
		return rc;
	to = out->ptr + start;
	for (size_t i = 0; i < s.len; i++) {
		*to++ = s.ptr[i];
		while (to - out->ptr >= (ptrdiff_t)start + 3 && to[-3] == '%') {
			int high = word_hex(to[-2]), low = word_hex(to[-1]);

			if (high < 0 || low < 0)
				break;
			to -= 2;
			to[-1] = (char)(high << 4 | low);
		}
	}
	buf_truncate(out, (size_t)(to - out->ptr));
	return 0;
}

/* Byte by byte, whatever the encoding was; in lower case, the escapes too. */
static int escape_lower(struct buf *out, slice s)
{
	static const char digits[] = "0123456789abcdef";
	size_t at = 0;
	int rc = 0;

	while (at < s.len && rc == 0) {
		size_t from = at;

		while (at < s.len && !url_byte_is(s.ptr[at], URL_SET_ARCHIVE))
			at++;
		rc = url_add_lower(out, slice_sub(s, from, at));
		if (rc == 0 && at < s.len) {
			unsigned char c = (unsigned char)s.ptr[at++];
			char escape[3] = {'%', digits[c >> 4], digits[c & 15]};

			rc = buf_add(out, (slice){escape, sizeof escape});
		}
	}
	return rc;
}

static int add_text(struct buf *out, slice s)
{
	struct buf plain;
	int rc;

	buf_init(&plain, URL_MAX);
	rc = unescape_repeatedly(&plain, s);
	if (rc == 0)
		rc = escape_lower(out, buf_slice(&plain));
	buf_release(&plain);
	return rc;
}

/* The path of a URL with a host, decoded: each segment that is kept behind its slash. */
static int keep_segment(struct buf *kept, slice segment)
{
	int rc;

	if (slice_eq(segment, SLICE(".")))
		return 0;
	if (slice_eq(segment, SLICE("..")) && kept->len > 0) {
		while (kept->ptr[--kept->len] != '/')
			;
		return 0;
	}
	rc = buf_add_char(kept, '/');
	return rc ? rc : buf_add(kept, segment);
}

/* Runs of slashes become one; no path is the root. */
static int add_collapsed(struct buf *out, slice path)
{
	int rc = buf_reserve(out, path.len + 1);

	for (size_t i = 0; i < path.len && rc == 0; i++)
		if (path.ptr[i] != '/' || i == 0 || path.ptr[i - 1] != '/')
			out->ptr[out->len++] = path.ptr[i];
	if (rc == 0 && path.len == 0)
		out->ptr[out->len++] = '/';
	if (rc == 0)
		buf_truncate(out, out->len);
	return rc;
}

/* Without "." and "..", as a server would take them that decodes first. */
static int normalise_path(struct buf *path)
{
	struct buf kept;
	size_t from = 1;
	int rc = 0;

	buf_init(&kept, URL_MAX + 1);
	for (size_t i = 1; i <= path->len && rc == 0; i++) {
		if (i < path->len && path->ptr[i] != '/')
			continue;
		rc = keep_segment(&kept, slice_sub(buf_slice(path), from, i));
		from = i + 1;
	}
	buf_reset(path);
	if (rc == 0)
		rc = add_collapsed(path, buf_slice(&kept));
	buf_release(&kept);
	return rc;
}

static int add_path(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	struct buf plain;
	int rc;

	buf_init(&plain, URL_MAX + 1);
	rc = unescape_repeatedly(&plain, url_part(u, u->path));
	if (rc == 0 && u->host.len > 0)
		rc = normalise_path(&plain);
	if (rc == 0)
		rc = escape_lower(out, buf_slice(&plain));
	buf_release(&plain);
	if (rc)
		return rc;
	url_strip_path_session(out, start);
	if (out->len - start > 1 && out->ptr[out->len - 1] == '/')
		buf_truncate(out, out->len - 1);
	return 0;
}

/* Field by field: by name, one without "=" before one with an empty value, then by value. */
static int compare_bytes(slice a, slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static slice field_name(slice field)
{
	const char *equals = field.len ? memchr(field.ptr, '=', field.len) : NULL;

	return equals ? slice_sub(field, 0, (size_t)(equals - field.ptr)) : field;
}

static int compare_fields(const void *a, const void *b)
{
	slice x = *(const slice *)a, y = *(const slice *)b;
	int order = compare_bytes(field_name(x), field_name(y));

	return order ? order : compare_bytes(x, y);
}

static int split_fields(slice query, struct slice_vec *fields)
{
	size_t from = 0;
	int rc = 0;

	for (size_t i = 0; i <= query.len && rc == 0; i++) {
		if (i < query.len && query.ptr[i] != '&')
			continue;
		rc = slice_vec_push(fields, slice_sub(query, from, i));
		from = i + 1;
	}
	return rc;
}

static int add_sorted(struct buf *out, slice query)
{
	struct slice_vec fields = {0};
	int rc = split_fields(query, &fields);

	if (rc == 0)
		qsort(fields.ptr, fields.len, sizeof fields.ptr[0], compare_fields);
	for (size_t i = 0; i < fields.len && rc == 0; i++) {
		if (i > 0)
			rc = buf_add_char(out, '&');
		if (rc == 0)
			rc = buf_add(out, fields.ptr[i]);
	}
	slice_vec_release(&fields);
	return rc;
}

static int add_query(struct buf *out, const struct url *u)
{
	struct buf query;
	int rc;

	if (u->query.len == 0)
		return 0;
	buf_init(&query, URL_CANONICAL_MAX);
	rc = add_text(&query, url_part(u, u->query));
	if (rc == 0)
		url_strip_query_session(&query, 0);
	if (rc == 0 && query.len > 0)
		rc = buf_add_char(out, '?');
	if (rc == 0 && query.len > 0)
		rc = add_sorted(out, buf_slice(&query));
	buf_release(&query);
	return rc;
}

int url_canonical_rest(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	int rc = add_path(out, u);

	if (rc == 0)
		rc = add_query(out, u);
	if (rc)
		buf_truncate(out, start);
	return rc;
}

/* Past "www", digits and a dot. */
static slice without_www(slice host)
{
	size_t n = 3;

	if (!slice_eq(slice_sub(host, 0, n), SLICE("www")))
		return host;
	while (n < host.len && url_byte_is(host.ptr[n], URL_DIGIT))
		n++;
	return n < host.len && host.ptr[n] == '.' ? slice_sub(host, n + 1, host.len) : host;
}

/* A host of dots only stays as it is: it must not look like a URL without host. */
static slice without_outer_dots(slice host)
{
	size_t from = 0, to = host.len;

	while (from < to && host.ptr[from] == '.')
		from++;
	while (to > from && host.ptr[to - 1] == '.')
		to--;
	return from < to ? slice_sub(host, from, to) : host;
}

static int add_name(struct buf *out, slice host)
{
	int rc = 0;

	host = without_www(without_outer_dots(host));
	for (size_t i = 0; i < host.len && rc == 0; i++)
		if (host.ptr[i] != '.' || i == 0 || host.ptr[i - 1] != '.')
			rc = buf_add_char(out, host.ptr[i]);
	return rc;
}

int url_canonical_host(struct buf *out, const struct url *u)
{
	slice host = url_part(u, u->host);
	size_t start = out->len;
	struct buf plain;
	int rc;

	if (u->host_kind == URL_HOST_IPV4 || u->host_kind == URL_HOST_IPV6)
		return buf_add(out, host);
	buf_init(&plain, URL_CANONICAL_MAX);
	rc = add_text(&plain, host);
	if (rc == 0)
		rc = add_name(out, buf_slice(&plain));
	buf_release(&plain);
	if (rc)
		buf_truncate(out, start);
	return rc;
}

static int add_canonical(struct buf *out, const struct url *u)
{
	int rc = buf_add(out, url_part(u, u->scheme));

	if (rc == 0)
		rc = buf_add_str(out, u->host.len > 0 ? "://" : ":");
	if (rc == 0 && u->host.len > 0)
		rc = url_canonical_host(out, u);
	if (rc == 0 && u->port != URL_NO_PORT)
		rc = buf_printf(out, ":%d", (int)u->port);
	return rc ? rc : url_canonical_rest(out, u);
}

int url_canonical(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	int rc = add_canonical(out, u);

	if (rc)
		buf_truncate(out, start);
	return rc;
}
