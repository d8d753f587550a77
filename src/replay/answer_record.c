#include "replay/answer_record.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/word.h"
#include "replay/body.h"
#include "replay/our_page.h"
#include "report/html.h"

enum {
	ORIGINALS_MAX = 16 << 10, /* bytes of X-Archive-Orig-…: the server has no room for more */
	NAME_MAX_LEN = 256,
	CODINGS_MAX = 256,
	COUNT_MAX = 64 << 20, /* bytes that are read to know the size of a body */
};

#define ORIGINAL "X-Archive-Orig-"

/* ---- header fields ---- */

static bool is_name(slice name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!word_is_alnum(name.ptr[i]) && !strchr("!#$%&'*+-.^_`|~", name.ptr[i]))
			return false;
	return name.len > 0 && name.len <= NAME_MAX_LEN;
}

void answer_original_fields(struct asked *a, const struct fields *fields)
{
	size_t room = ORIGINALS_MAX;

	for (size_t i = 0; i < fields->items.len; i++) {
		const struct field *f = &fields->items.ptr[i];
		char name[sizeof ORIGINAL + NAME_MAX_LEN];
		size_t size = sizeof ORIGINAL + f->name.len + f->value.len + 4;

		if (!is_name(f->name) || size > room)
			continue;
		room -= size;
		(void)snprintf(name, sizeof name, ORIGINAL "%.*s", (int)f->name.len, f->name.ptr);
		answer_header(a, name, "%.*s", (int)f->value.len, f->value.ptr);
	}
}

static void copy_field(struct asked *a, const struct fields *fields, const char *name)
{
	slice value = fields_trim(fields_get(fields, slice_str(name)));

	if (value.len)
		answer_header(a, name, "%.*s", (int)value.len, value.ptr);
}

/* ---- content coding ---- */

/* "gzip;q=0" refuses it. */
static bool is_refusal(slice parameters)
{
	slice word;

	while (word_next(&parameters, ';', &word))
		if (word_starts(word, SLICE("q=")))
			return strspn(word.ptr + 2, "0.") >= word.len - 2;
	return false;
}

/* Whether Accept-Encoding takes a coding; without the field clients that cannot decode are meant.
 */
static bool accepts(const char *field, slice coding)
{
	slice rest = slice_str(field ? field : ""), item;
	bool any = false;

	while (rest.len) {
		slice name;

		item = slice_take(&rest, ',');
		name = word_trim(slice_take(&item, ';'));
		if (word_is(name, coding))
			return !is_refusal(item);
		if (slice_eq(name, SLICE("*")))
			any = !is_refusal(item);
	}
	return any;
}

static bool accepts_all(const struct asked *a, slice codings)
{
	const char *field = httpd_request_field(a->request, "Accept-Encoding");
	slice coding;

	while (word_next(&codings, ',', &coding))
		if (!word_is(coding, SLICE("identity")) && !accepts(field, coding))
			return false;
	return true;
}

/* ---- ranges and validators ---- */

struct range {
	uint64_t first, last;
};

enum range_kind {
	RANGE_NONE,   /* none was asked for, or one that we do not serve: all is sent */
	RANGE_BEYOND, /* nothing of it is there */
	RANGE_SOME,
};

/* One range of bytes (RFC 9110 §14.1.2); of several, all is sent. */
static enum range_kind read_range(const char *field, uint64_t size, struct range *ret)
{
	slice text = slice_str(field ? field : ""), first, last;
	uint64_t from = 0, to = size - 1;

	if (!word_starts(text, SLICE("bytes=")))
		return RANGE_NONE;
	last = slice_sub(text, strlen("bytes="), text.len);
	if (!memchr(last.ptr, '-', last.len) || memchr(last.ptr, ',', last.len))
		return RANGE_NONE;
	first = word_trim(slice_take(&last, '-'));
	last = word_trim(last);
	if ((first.len && parse_u64(first, &from)) || (last.len && parse_u64(last, &to)) ||
		(first.len == 0 && last.len == 0) || (first.len && last.len && to < from))
		return RANGE_NONE;
	if (size == 0 || (first.len && from >= size) || (first.len == 0 && to == 0))
		return RANGE_BEYOND;
	if (first.len == 0) {
		from = to < size ? size - to : 0;
		to = size - 1;
	}
	*ret = (struct range){from, to < size ? to : size - 1};
	return RANGE_SOME;
}

/* Whether If-None-Match has this tag or "*"; weak ones are equal, too (RFC 9110 §13.1.2). */
static bool matches(const struct asked *a, slice tag)
{
	const char *field = httpd_request_field(a->request, "If-None-Match");
	slice rest = slice_str(field ? field : "");

	while (rest.len) {
		slice item = word_trim(slice_take(&rest, ','));

		if (slice_starts_with(item, SLICE("W/")))
			item = slice_sub(item, 2, item.len);
		if (slice_eq(item, SLICE("*")) || slice_eq(item, tag))
			return true;
	}
	return false;
}

/* The payload's digest is its tag, if it can stand in one. Decoded, the body is another one. */
static bool make_tag(const struct memento *m, bool decoded, char *out, size_t size)
{
	for (size_t i = 0; i < m->digest.len; i++)
		if (!word_is_alnum(m->digest.ptr[i]) && !strchr(":-_=+/", m->digest.ptr[i]))
			return false;
	return m->digest.len > 0 && snprintf(out, size, "\"%.*s%s\"", slice_shown(m->digest, 100),
					    m->digest.ptr, decoded ? "-d" : "") > 0;
}

/* ---- the body ---- */

/*
 * Reads through the body for its size; takes over the record. ERR_LIMIT for one that is so large
 * that it is not worth it.
 */
static int count_body(struct record *record, bool decode, uint64_t *ret, struct err *err)
{
	struct body *b = NULL;
	slice piece;
	int rc = decode ? body_new_decoded(record, &b, err) : body_new(record, &b, err);

	*ret = 0;
	while (rc == 0 && (rc = body_next(b, &piece, err)) == 0) {
		*ret += piece.len;
		if (*ret > COUNT_MAX)
			rc = err_code(err, ERR_LIMIT);
	}
	body_free(b);
	return rc == ERR_END ? 0 : rc;
}

/* The size of the body, which a range needs; may cost a reading of it all. */
static int find_size(struct asked *a, const struct memento *m, const struct record_head *head,
	bool decode, uint64_t *ret, struct err *err)
{
	struct record *again = NULL;

	if (head->has_size && !decode) {
		*ret = head->size;
		return 0;
	}
	TRY(record_open(a->collection, m, &again, err));
	return count_body(again, decode, ret, err);
}

static int send_range(struct asked *a, struct body *body, uint64_t size, struct err *err)
{
	struct range range;

	switch (read_range(httpd_request_field(a->request, "Range"), size, &range)) {
	case RANGE_BEYOND:
		body_free(body);
		a->response->status = STATUS_BAD_RANGE;
		answer_header(a, "Content-Range", "bytes */%llu", (unsigned long long)size);
		return 0;
	case RANGE_NONE:
		return body_send(body, true, size, a->response, err);
	case RANGE_SOME:
		break;
	}
	body_begin_at(body, range.first);
	a->response->status = STATUS_PARTIAL;
	answer_header(a, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)range.first,
		(unsigned long long)range.last, (unsigned long long)size);
	return body_send(body, true, range.last - range.first + 1, a->response, err);
}

/* Takes over the body. */
static int send_record(struct asked *a, const struct memento *m, const struct record_head *head,
	struct body *body, bool decode, struct err *err)
{
	bool has_size = head->has_size && !decode;
	bool ranged = head->status == STATUS_OK && httpd_request_field(a->request, "Range") != NULL;
	uint64_t size = head->size;
	int rc = decode ? body_decode(body, err) : 0;

	a->response->status = head->status;
	if (rc == 0 && ranged) {
		rc = find_size(a, m, head, decode, &size, err);
		ranged = rc == 0;
		has_size = has_size || ranged;
		if (rc == ERR_LIMIT) /* all of it is sent (RFC 9110 §14.2) */
			rc = 0;
	}
	if (rc) {
		body_free(body);
		return rc;
	}
	if (head->status == STATUS_OK)
		answer_header(a, "Accept-Ranges", "bytes");
	return ranged ? send_range(a, body, size, err)
		      : body_send(body, has_size, size, a->response, err);
}

static void refuse(struct asked *a, const struct err *err)
{
	buf_reset(&a->response->headers);
	answer_error(a, STATUS_BAD_GATEWAY, err->text);
}

void answer_body(struct asked *a, const struct memento *m, struct record *record)
{
	const struct record_head *head = record_head(record);
	struct body *body = NULL;
	struct err err = {0};
	slice codings;
	bool decode;
	char tag[128];

	if (body_new(record, &body, &err)) {
		refuse(a, &err);
		return;
	}
	codings = body_codings(body);
	decode = codings.len && !accepts_all(a, codings);
	if (codings.len) {
		answer_header(a, "Vary", "Accept-Encoding");
		if (!decode)
			answer_header(a, "Content-Encoding", "%.*s",
				slice_shown(codings, CODINGS_MAX), codings.ptr);
	}
	if (head->status == STATUS_OK && make_tag(m, decode, tag, sizeof tag)) {
		answer_header(a, "ETag", "%s", tag);
		if (matches(a, slice_str(tag))) {
			body_free(body);
			a->response->status = STATUS_NOT_MODIFIED;
			return;
		}
	}
	if (send_record(a, m, head, body, decode, &err))
		refuse(a, &err);
}

/* In place of a redirect, a page of ours that says where it led. */
static void answer_redirect_page(struct asked *a, const struct memento *m, slice location)
{
	struct url base, target;
	struct our_page p;

	a->route.form = ROUTE_FRAMED; /* as all of our pages */
	if (!our_page_begin(&p, a, SLICE("Redirect"), OUR_PAGE))
		return;
	url_init(&base);
	url_init(&target);
	(void)fprintf(p.file, "<h1>Redirect</h1>\n<p>Status %u. It led to ", m->status);
	if (url_parse(&base, m->url, NULL, NULL) == 0 &&
		url_parse(&target, location, &base, NULL) == 0)
		put_memento_link(p.file, a, m->digits, url_text(&target), url_text(&target));
	else
		html_text(p.file, location);
	(void)fputs("</p>\n", p.file);
	our_page_send(&p, a, STATUS_OK);
	url_release(&base);
	url_release(&target);
}

void answer_raw(struct asked *a, const struct memento *m, struct record *record)
{
	const struct record_head *head = record_head(record);
	slice location = fields_trim(fields_get(head->fields, SLICE("Location")));

	if (location.len && asked_by_browser(a)) {
		answer_original_fields(a, head->fields);
		answer_redirect_page(a, m, location);
		record_close(record);
		return;
	}
	answer_header(a, "Content-Type", "%.*s",
		head->content_type.len ? slice_shown(head->content_type, CODINGS_MAX) : 24,
		head->content_type.len ? head->content_type.ptr : "application/octet-stream");
	copy_field(a, head->fields, "Content-Language");
	copy_field(a, head->fields, "Location");
	answer_original_fields(a, head->fields);
	answer_body(a, m, record);
}
