#include "formats/url_canonical.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/lists.h"
#include "base/word.h"
#include "formats/percent.h"

/* Appends the labels of a host name in reverse order, commas between them. */
static void url_surt_host(struct buf *out, slice host)
{
	size_t end = host.len;

	for (size_t i = host.len + 1; i-- > 0;) {
		if (i > 0 && host.ptr[i - 1] != '.')
			continue;
		buf_add(out, slice_sub(host, i, end));
		if (i > 0)
			buf_add_char(out, ',');
		end = i ? i - 1 : 0;
	}
}

static int url_canonical_host(struct buf *out, const struct url *u);

static int add_host(struct buf *out, const struct url *u)
{
	slice text = url_part(u, u->host);
	struct buf host;
	int rc;

	if (u->host_kind == URL_HOST_IPV6) /* without its brackets */
		return buf_add(out, slice_sub(text, 1, text.len - 1));
	if (u->host_kind == URL_HOST_IPV4)
		return buf_add(out, text);
	buf_init(&host, URL_CANONICAL_MAX);
	rc = url_canonical_host(&host, u);
	if (rc == 0)
		url_surt_host(out, buf_slice(&host));
	buf_release(&host);
	return rc ? rc : out->error;
}

static int url_canonical_rest(struct buf *out, const struct url *u);

int url_surt(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	int rc;

	if (u->host.len == 0)
		return url_canonical(out, u);
	rc = add_host(out, u);
	if (rc == 0 && u->port != URL_NO_PORT)
		rc = url_add_port(out, u->port);
	if (rc == 0)
		rc = buf_add_char(out, ')');
	if (rc == 0)
		rc = url_canonical_rest(out, u);
	if (rc)
		buf_truncate(out, start);
	return rc;
}

/*
 * Session ids in URLs, by the patterns of the Internet Archive's tools (URLRegexTransformer in
 * webarchive-commons), without regular expressions and in linear time. Each pattern is taken out
 * once, where it stands last. Both work on b's content from the byte at from to its end, which is
 * in lower case; they cannot fail.
 */

enum {
	ASP_ID = 24,
	LONG_ID = 32,
	ASP_NAME = 8, /* letters behind "aspsessionid" */
};

static const slice ASPX = SLICE_INIT(".aspx");

static void cut(struct buf *b, size_t from, size_t to)
{
	if (!b->ptr)
		return;
	memmove(b->ptr + from, b->ptr + to, b->len - to + 1);
	b->len -= to - from;
}

/* Takes n bytes of a class off the end. */
static bool take_last(slice *s, size_t n, unsigned class)
{
	if (s->len < n)
		return false;
	for (size_t i = s->len - n; i < s->len; i++)
		if (!url_byte_is(s->ptr[i], class))
			return false;
	s->len -= n;
	return true;
}

static bool take_last_char(slice *s, char c)
{
	if (s->len == 0 || s->ptr[s->len - 1] != c)
		return false;
	s->len--;
	return true;
}

/* "(24)" */
static bool is_plain_asp(slice s)
{
	return take_last_char(&s, ')') && take_last(&s, ASP_ID, URL_ALPHA | URL_DIGIT) &&
	       slice_eq(s, SLICE("("));
}

/* "(a(24)b(24))" */
static bool is_lettered_asp(slice s)
{
	size_t count = 0;

	if (!take_last_char(&s, ')'))
		return false;
	while (take_last_char(&s, ')')) {
		if (!take_last(&s, ASP_ID, URL_ALPHA | URL_DIGIT) || !take_last_char(&s, '(') ||
			!take_last(&s, 1, URL_ALPHA))
			return false;
		count++;
	}
	return count > 0 && slice_eq(s, SLICE("("));
}

/* Whether a page of ASP.NET comes: something, then ".aspx", and no "?" before it. */
static bool is_aspx(slice s)
{
	const char *query = s.len ? memchr(s.ptr, '?', s.len) : NULL;

	if (query)
		s = slice_sub(s, 0, (size_t)(query - s.ptr));
	s = slice_sub(s, 1, s.len);
	return s.len && memmem(s.ptr, s.len, ASPX.ptr, ASPX.len);
}

/* Takes out the last segment that is one, with the slash behind it. */
static void strip_segment(struct buf *b, size_t from, bool (*is_id)(slice))
{
	size_t end = b->len;

	for (size_t i = b->len; i-- > from;) {
		slice segment = slice_sub(buf_slice(b), i + 1, end);

		if (b->ptr[i] != '/')
			continue;
		if (end < b->len && is_id(segment) &&
			is_aspx(slice_sub(buf_slice(b), end + 1, b->len))) {
			cut(b, i + 1, end + 1);
			return;
		}
		end = i;
	}
}

/* "…/(24 letters or digits)/x.aspx" and "…/(s(24 letters or digits)…)/x.aspx" */
static void url_strip_path_session(struct buf *b, size_t from)
{
	if (b->len - from < ASP_ID || !memmem(b->ptr + from, b->len - from, ASPX.ptr, ASPX.len))
		return;
	strip_segment(b, from, is_lettered_asp);
	strip_segment(b, from, is_plain_asp);
}

/* Whether a field ends in name=ID; ret_from is where the name begins in it. */
static bool ends_in_id(slice field, slice name, size_t *ret_from)
{
	if (!take_last(&field, LONG_ID, URL_ALPHA | URL_DIGIT) || !slice_ends_with(field, name))
		return false;
	*ret_from = field.len - name.len;
	return true;
}

static bool ends_in_asp_id(slice field, slice name, size_t *ret_from)
{
	if (!take_last(&field, ASP_ID, URL_ALPHA) || !take_last_char(&field, '=') ||
		!take_last(&field, ASP_NAME, URL_ALPHA) || !slice_ends_with(field, name))
		return false;
	*ret_from = field.len - name.len;
	return true;
}

/* Takes it out of the last field that has it, together with the "&" behind. */
static void strip_field(
	struct buf *b, size_t from, slice name, bool (*find)(slice, slice, size_t *))
{
	size_t end = b->len;

	for (size_t i = b->len + 1; i-- > from;) {
		size_t start;

		if (i > from && b->ptr[i - 1] != '&')
			continue;
		if (find(slice_sub(buf_slice(b), i, end), name, &start)) {
			cut(b, i + start, end + (end < b->len));
			return;
		}
		end = i ? i - 1 : 0;
	}
}

/* Where the last "cfid=" with something behind it begins. */
static bool find_cfid(slice field, size_t *ret_from)
{
	static const slice name = SLICE_INIT("cfid=");

	for (size_t i = field.len; i-- > 0;) {
		if (i + name.len < field.len && slice_eq(slice_sub(field, i, i + name.len), name)) {
			*ret_from = i;
			return true;
		}
	}
	return false;
}

/* ColdFusion spreads its session over two fields. */
static void strip_coldfusion(struct buf *b, size_t from)
{
	static const slice token = SLICE_INIT("cftoken=");
	size_t end = b->len, next_start, next_end;

	next_start = next_end = end;
	for (size_t i = b->len + 1; i-- > from;) {
		slice next = slice_sub(buf_slice(b), next_start, next_end);
		size_t start;

		if (i > from && b->ptr[i - 1] != '&')
			continue;
		if (next.len > token.len && slice_eq(slice_sub(next, 0, token.len), token) &&
			find_cfid(slice_sub(buf_slice(b), i, end), &start)) {
			cut(b, i + start, next_end + (next_end < b->len));
			return;
		}
		next_start = i;
		next_end = end;
		end = i ? i - 1 : 0;
	}
}

/*
 * Fields that end in jsessionid=, phpsessid= or sid= and 32 letters or digits, in aspsessionid, 8
 * letters, = and 24 letters; or in cfid=… with cftoken=… next. A "&" before the last field stays,
 * as it does there.
 */
static void url_strip_query_session(struct buf *b, size_t from)
{
	strip_field(b, from, SLICE("jsessionid="), ends_in_id);
	strip_field(b, from, SLICE("phpsessid="), ends_in_id);
	strip_field(b, from, SLICE("sid="), ends_in_id);
	strip_field(b, from, SLICE("aspsessionid"), ends_in_asp_id);
	strip_coldfusion(b, from);
}

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

	for (size_t at = 0; at < s.len;) {
		size_t from = at;

		while (at < s.len && !url_byte_is(s.ptr[at], URL_SET_ARCHIVE))
			at++;
		url_add_lower(out, slice_sub(s, from, at));
		if (at < s.len) {
			unsigned char c = (unsigned char)s.ptr[at++];
			char escape[3] = {'%', digits[c >> 4], digits[c & 15]};

			buf_add(out, (slice){escape, sizeof escape});
		}
	}
	return out->error;
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
static void keep_segment(struct buf *kept, slice segment)
{
	if (slice_eq(segment, SLICE(".")))
		return;
	if (slice_eq(segment, SLICE("..")) && kept->len > 0) {
		while (kept->ptr[--kept->len] != '/')
			;
		return;
	}
	buf_add_char(kept, '/');
	buf_add(kept, segment);
}

/*
 * Without "." and "..", as a server would take them that decodes first. Runs of slashes become
 * one; no path is the root.
 */
static int normalise_path(struct buf *path)
{
	struct buf kept;
	size_t from = 1;
	int rc;

	buf_init(&kept, URL_MAX + 1);
	for (size_t i = 1; i <= path->len; i++) {
		if (i < path->len && path->ptr[i] != '/')
			continue;
		keep_segment(&kept, slice_sub(buf_slice(path), from, i));
		from = i + 1;
	}
	rc = kept.error;
	buf_reset(path);
	for (size_t i = 0; rc == 0 && i < kept.len; i++)
		if (kept.ptr[i] != '/' || i == 0 || kept.ptr[i - 1] != '/')
			rc = buf_add_char(path, kept.ptr[i]);
	if (rc == 0 && kept.len == 0)
		rc = buf_add_char(path, '/');
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

static void add_sorted(struct buf *out, slice query)
{
	struct slice_vec fields = {0};
	size_t from = 0;

	for (size_t i = 0; i <= query.len; i++) {
		if (i < query.len && query.ptr[i] != '&')
			continue;
		slice_vec_push(&fields, slice_sub(query, from, i));
		from = i + 1;
	}
	qsort(fields.ptr, fields.len, sizeof fields.ptr[0], compare_fields);
	for (size_t i = 0; i < fields.len; i++) {
		if (i > 0)
			buf_add_char(out, '&');
		buf_add(out, fields.ptr[i]);
	}
	slice_vec_release(&fields);
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
	if (rc == 0 && query.len > 0) {
		buf_add_char(out, '?');
		add_sorted(out, buf_slice(&query));
		rc = out->error;
	}
	buf_release(&query);
	return rc;
}

static int url_canonical_rest(struct buf *out, const struct url *u)
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
	host = without_www(without_outer_dots(host));
	for (size_t i = 0; i < host.len; i++)
		if (host.ptr[i] != '.' || i == 0 || host.ptr[i - 1] != '.')
			buf_add_char(out, host.ptr[i]);
	return out->error;
}

/* The host of the canonical form alone; and what comes behind host and port: path and query. */
static int url_canonical_host(struct buf *out, const struct url *u)
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

int url_canonical(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	int rc;

	buf_add(out, url_part(u, u->scheme));
	rc = buf_add_str(out, u->host.len > 0 ? "://" : ":");
	if (rc == 0 && u->host.len > 0)
		rc = url_canonical_host(out, u);
	if (rc == 0 && u->port != URL_NO_PORT)
		rc = buf_printf(out, ":%d", (int)u->port);
	if (rc == 0)
		rc = url_canonical_rest(out, u);
	if (rc)
		buf_truncate(out, start);
	return rc;
}
