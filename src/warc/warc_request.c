#include "warc/warc_request.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "formats/percent.h"
#include "formats/url.h"
#include "warc/cdxj.h"

/* ---- forms of requests ---- */

#define HOST "\r\nHost: "

/* What stands in a form in place of parts of a URL. */
struct parts {
	slice url, path, host;
};

/* As they are spelled in a request for it. */
static struct parts split(slice url)
{
	struct parts p = {.path = SLICE("/")};
	slice rest = url, authority;
	const char *at;
	size_t end = 0;

	(void)slice_take(&rest, ':');
	if (slice_starts_with(rest, SLICE("//")))
		rest = slice_sub(rest, 2, rest.len);
	while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?' &&
		rest.ptr[end] != '#')
		end++;
	authority = slice_sub(rest, 0, end);
	at = authority.len ? memrchr(authority.ptr, '@', authority.len) : NULL;
	p.host = at ? slice_sub(authority, (size_t)(at - authority.ptr) + 1, authority.len)
		    : authority;
	if (end < rest.len)
		p.path = slice_sub(rest, end, rest.len);
	p.url = url;
	return p;
}

/* "GET TARGET HTTP/1.1 CRLF Host: HOST CRLF …": where TARGET and HOST are; host may be none. */
struct places {
	size_t target, target_end, host, host_end;
};

static bool find_places(slice head, struct places *ret)
{
	slice left = head, line = slice_take(&left, '\r'), method, target;
	size_t host;

	method = slice_take(&line, ' ');
	target = slice_take(&line, ' ');
	if (!method.len || !target.len || !line.len)
		return false;
	*ret = (struct places){.target = method.len + 1, .target_end = method.len + 1 + target.len};
	host = ret->target_end + 1 + line.len;
	if (!slice_starts_with(slice_sub(head, host, head.len), SLICE(HOST)))
		return true;
	ret->host = host + sizeof HOST - 1;
	left = slice_sub(head, ret->host, head.len);
	ret->host_end = ret->host + slice_take(&left, '\r').len;
	return true;
}

/* Appends the head with other words in those places. */
static int replace(slice head, const struct places *at, slice target, slice host, struct buf *out)
{
	buf_add(out, slice_sub(head, 0, at->target));
	TRY(buf_add(out, target));
	if (at->host) {
		buf_add(out, slice_sub(head, at->target_end, at->host));
		buf_add(out, host);
		return buf_add(out, slice_sub(head, at->host_end, head.len));
	}
	return buf_add(out, slice_sub(head, at->target_end, head.len));
}

int request_form_make(slice head, slice url, struct buf *out)
{
	struct parts p = split(url);
	struct places at;
	slice target, host;

	if (!find_places(head, &at))
		return buf_add(out, head);
	target = slice_sub(head, at.target, at.target_end);
	host = slice_sub(head, at.host, at.host_end);
	if (slice_eq(target, p.path))
		target = SLICE("{path}");
	else if (slice_eq(target, p.url))
		target = SLICE("{url}");
	else if (target.ptr[0] == '{') /* it would be read as one of ours */
		return ERR_UNSUPPORTED;
	if (slice_eq(host, p.host))
		host = SLICE("{host}");
	else if (host.len && host.ptr[0] == '{')
		return ERR_UNSUPPORTED;
	return replace(head, &at, target, host, out);
}

int request_form_fill(slice form, slice url, struct buf *out)
{
	struct parts p = split(url);
	struct places at;
	slice target, host;

	if (!find_places(form, &at))
		return buf_add(out, form);
	target = slice_sub(form, at.target, at.target_end);
	host = slice_sub(form, at.host, at.host_end);
	if (slice_eq(target, SLICE("{path}")))
		target = p.path;
	else if (slice_eq(target, SLICE("{url}")))
		target = p.url;
	if (slice_eq(host, SLICE("{host}")))
		host = p.host;
	return replace(form, &at, target, host, out);
}

bool request_form_is(const struct warc_header *h)
{
	return h->type == WARC_TYPE_METADATA && slice_eq(h->url, SLICE(REQUEST_FORM_TARGET));
}

bool request_form_number(const struct warc_header *h, unsigned *ret)
{
	uint64_t number;

	if (parse_u64(warc_header_get(h, SLICE(REQUEST_FORM_NUMBER)), &number) || number == 0 ||
		number > UINT_MAX)
		return false;
	*ret = (unsigned)number;
	return true;
}

/* ---- requests with bodies ---- */

enum {
	NAMES_MAX = 1 << 20, /* bytes of the names of a JSON document */
	BASE64_GROUP = 3,
};

bool post_query_has_key(slice method)
{
	return slice_eq(method, SLICE("POST")) || slice_eq(method, SLICE("PUT")) ||
	       slice_eq(method, SLICE("PATCH")) || slice_eq(method, SLICE("DELETE"));
}

/* How Python's urlencode writes. */
static int add_escaped(struct buf *out, slice text)
{
	return url_form_encode(out, text, "_.-~");
}

static int add_base64(struct buf *out, slice bytes)
{
	static const char DIGITS[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.len; i += BASE64_GROUP) {
		slice in = slice_sub(bytes, i, i + BASE64_GROUP);
		unsigned v = 0;
		char group[4];

		for (size_t k = 0; k < BASE64_GROUP; k++) {
			v <<= 8;
			if (k < in.len)
				v |= (unsigned char)in.ptr[k];
		}
		for (size_t k = 0; k < sizeof group; k++)
			group[k] = (char)(k <= in.len ? DIGITS[v >> (18 - 6 * k) & 63] : '=');
		TRY(buf_add(out, (slice){group, sizeof group}));
	}
	return 0;
}

/* ---- JSON ---- */

struct flattening {
	slice rest;
	struct buf *out;
	struct arena arena;
	struct strmap names; /* how often each came */
	bool is_first;
	struct buf scratch;
};

static void skip_space(struct flattening *f)
{
	while (f->rest.len && word_is_space(f->rest.ptr[0]))
		f->rest = slice_sub(f->rest, 1, f->rest.len);
}

static bool take(struct flattening *f, char c)
{
	skip_space(f);
	if (!f->rest.len || f->rest.ptr[0] != c)
		return false;
	f->rest = slice_sub(f->rest, 1, f->rest.len);
	return true;
}

/* A string, from behind its quote, escapes of one byte undone; others stay as they are. */
static int take_string(struct flattening *f, struct buf *out)
{
	static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
	int rc = 0;

	buf_reset(out);
	while (rc == 0) {
		char c;

		if (f->rest.len == 0)
			return ERR_SYNTAX;
		c = f->rest.ptr[0];
		f->rest = slice_sub(f->rest, 1, f->rest.len);
		if (c == '"')
			return 0;
		if (c == '\\' && f->rest.len && f->rest.ptr[0] && strchr(FROM, f->rest.ptr[0])) {
			c = TO[strchr(FROM, f->rest.ptr[0]) - FROM];
			f->rest = slice_sub(f->rest, 1, f->rest.len);
		}
		rc = buf_add_char(out, c);
	}
	return rc;
}

static int add_pair(struct flattening *f, slice name, slice value)
{
	uint32_t count = 0;
	int rc = 0;

	if (name.len == 0)
		return 0;
	if (!f->is_first)
		rc = buf_add_char(f->out, '&');
	f->is_first = false;
	if (rc == 0)
		rc = add_escaped(f->out, name);
	if (strmap_get(&f->names, name, &count)) {
		/* The map cannot change a value: the count is part of another name. */
		struct buf again;

		buf_init(&again, POST_QUERY_MAX);
		for (count = 2; rc == 0; count++) {
			buf_reset(&again);
			rc = buf_printf(&again, "%.*s.%u_", (int)name.len, name.ptr, count);
			if (rc == 0 && strmap_put(&f->names, buf_slice(&again), 0) != ERR_EXISTS)
				break;
		}
		if (rc == 0)
			rc = buf_printf(f->out, ".%u_", count);
		buf_release(&again);
	} else if (rc == 0) {
		rc = strmap_put(&f->names, name, 0);
	}
	if (rc == 0)
		rc = buf_add_char(f->out, '=');
	return rc ? rc : add_escaped(f->out, value);
}

/* A number or a word, as Python prints it. */
static int add_word(struct flattening *f, slice name)
{
	static const slice WORDS[][2] = {
		{SLICE_INIT("true"), SLICE_INIT("True")},
		{SLICE_INIT("false"), SLICE_INIT("False")},
		{SLICE_INIT("null"), SLICE_INIT("None")},
	};
	size_t n = 0;
	slice word;

	while (n < f->rest.len && !word_is_space(f->rest.ptr[n]) && f->rest.ptr[n] &&
		!strchr(",]}:", f->rest.ptr[n]))
		n++;
	word = slice_sub(f->rest, 0, n);
	f->rest = slice_sub(f->rest, n, f->rest.len);
	if (n == 0)
		return ERR_SYNTAX;
	for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
		if (slice_eq(word, WORDS[i][0]))
			word = WORDS[i][1];
	return add_pair(f, name, word);
}

static int flatten(struct flattening *f, slice name, unsigned depth);

static int flatten_list(struct flattening *f, slice name, unsigned depth)
{
	if (take(f, ']'))
		return 0;
	do
		TRY(flatten(f, name, depth + 1));
	while (take(f, ','));
	return take(f, ']') ? 0 : ERR_SYNTAX;
}

static int flatten_object(struct flattening *f, unsigned depth)
{
	if (take(f, '}'))
		return 0;
	do {
		slice name;

		if (!take(f, '"'))
			return ERR_SYNTAX;
		TRY(take_string(f, &f->scratch));
		name = arena_keep(&f->arena, buf_slice(&f->scratch));
		if (arena_full(&f->arena))
			return ERR_LIMIT;
		if (!take(f, ':'))
			return ERR_SYNTAX;
		TRY(flatten(f, name, depth + 1));
	} while (take(f, ','));
	return take(f, '}') ? 0 : ERR_SYNTAX;
}

static int flatten(struct flattening *f, slice name, unsigned depth)
{
	if (depth > POST_DEPTH_MAX)
		return ERR_LIMIT;
	if (take(f, '{'))
		return flatten_object(f, depth);
	if (take(f, '['))
		return flatten_list(f, name, depth);
	if (!take(f, '"'))
		return add_word(f, name);
	TRY(take_string(f, &f->scratch));
	return add_pair(f, name, buf_slice(&f->scratch));
}

/* 0, or what it is that makes it no JSON for us; out is as before then. */
static int add_json(struct buf *out, slice body)
{
	struct flattening f = {.rest = body, .out = out, .is_first = true};
	size_t before = out->len;
	int rc;

	arena_init(&f.arena, NAMES_MAX);
	strmap_init(&f.names, hash_key_random(), &f.arena);
	buf_init(&f.scratch, POST_BODY_MAX + 1);
	rc = flatten(&f, (slice){0}, 0);
	skip_space(&f);
	if (rc == 0 && f.rest.len)
		rc = ERR_SYNTAX;
	if (rc)
		buf_truncate(out, before);
	buf_release(&f.scratch);
	strmap_release(&f.names);
	arena_release(&f.arena);
	return rc;
}

/* ---- the query ---- */

int post_query_add(struct buf *out, slice method, slice content_type, slice body)
{
	slice type = fields_media_type(content_type);
	int rc = buf_printf(out, "__wb_method=%.*s", (int)method.len, method.ptr);

	body = slice_sub(body, 0, POST_BODY_MAX);
	if (rc || body.len == 0)
		return rc;
	rc = buf_add_char(out, '&');
	if (rc)
		return rc;
	if (word_is(type, SLICE("application/x-www-form-urlencoded")))
		return buf_add(out, body);
	if (word_is(type, SLICE("application/json"))) {
		if (add_json(out, body) == 0)
			return 0;
	}
	rc = buf_add_str(out, "__wb_post_data=");
	return rc ? rc : add_base64(out, body);
}

#define MARK "__wb_method=POST&"

int post_query_join(struct buf *out, slice url, slice body)
{
	bool has_query = url.len && memchr(url.ptr, '?', url.len) != NULL;

	buf_add(out, url);
	buf_add_str(out, has_query ? "&" MARK : "?" MARK);
	return buf_add(out, body);
}

bool post_query_split(slice page, slice *ret_url, slice *ret_body)
{
	const char *mark = page.len ? memmem(page.ptr, page.len, MARK, strlen(MARK)) : NULL;
	size_t at = mark ? (size_t)(mark - page.ptr) : 0;

	if (at == 0 || (mark[-1] != '?' && mark[-1] != '&'))
		return false;
	*ret_url = slice_sub(page, 0, at - 1);
	*ret_body = slice_sub(page, at + strlen(MARK), page.len);
	return true;
}

int post_query_key(struct buf *out, slice url, slice query)
{
	bool has_query = url.len && memchr(url.ptr, '?', url.len) != NULL;
	BUF_SCOPED(text, URL_MAX);

	buf_add(&text, url);
	buf_add_char(&text, has_query ? '&' : '?');
	TRY(buf_add(&text, query));
	return cdxj_key(out, buf_slice(&text));
}
