#include "url/session.h"

#include <string.h>

#include "url/percent.h"

enum {
	ASP_ID = 24,
	LONG_ID = 32,
	ASP_NAME = 8, /* letters behind "aspsessionid" */
};

static const slice ASPX = SLICE_INIT(".aspx");

static void cut(struct buf *b, size_t from, size_t to)
{
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

void url_strip_path_session(struct buf *b, size_t from)
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

void url_strip_query_session(struct buf *b, size_t from)
{
	strip_field(b, from, SLICE("jsessionid="), ends_in_id);
	strip_field(b, from, SLICE("phpsessid="), ends_in_id);
	strip_field(b, from, SLICE("sid="), ends_in_id);
	strip_field(b, from, SLICE("aspsessionid"), ends_in_asp_id);
	strip_coldfusion(b, from);
}
