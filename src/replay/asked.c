#include "replay/asked.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "url/percent.h"

enum { VALUE_MAX = 16 << 10 }; /* bytes of a header field's value */

void answer_text(struct asked *a, unsigned status, const char *type, slice text)
{
	struct httpd_response *r = a->response;

	r->status = status;
	buf_reset(&r->body);
	answer_header(a, "Content-Type", "%s", type);
	if (buf_add(&r->body, text))
		r->status = STATUS_ERROR;
}

void answer_header(struct asked *a, const char *name, const char *format, ...)
{
	struct buf value;
	va_list ap;

	buf_init(&value, VALUE_MAX);
	va_start(ap, format);
	if (buf_vprintf(&value, format, ap) == 0) {
		for (size_t i = 0; i < value.len; i++)
			if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7f)
				value.ptr[i] = ' ';
		httpd_header(a->response, name, buf_str(&value));
	}
	va_end(ap);
	buf_release(&value);
}

/* Routes that programs ask. */
static bool is_for_machines(const struct asked *a)
{
	switch (a->route.kind) {
	case ROUTE_CDX:
	case ROUTE_TIMEMAP:
	case ROUTE_COMPOSITE:
		return true;
	default:
		return a->route.kind == ROUTE_MEMENTO && a->route.form == ROUTE_RAW;
	}
}

static int add_escaped(struct buf *out, slice text)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < text.len; i++) {
		switch (text.ptr[i]) {
		case '<':
			rc = buf_add_str(out, "&lt;");
			break;
		case '>':
			rc = buf_add_str(out, "&gt;");
			break;
		case '&':
			rc = buf_add_str(out, "&amp;");
			break;
		case '"':
			rc = buf_add_str(out, "&quot;");
			break;
		default:
			rc = buf_add_char(out, text.ptr[i]);
			break;
		}
	}
	return rc;
}

void answer_note(struct asked *a, unsigned status, const char *title, const char *message)
{
	struct httpd_response *r = a->response;

	r->status = status;
	buf_reset(&r->body);
	answer_header(a, "Content-Type", "text/html; charset=utf-8");
	(void)buf_printf(&r->body,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		"<title>%s</title>\n<h1>%s</h1>\n<p>",
		title, title);
	(void)add_escaped(&r->body, slice_str(message));
	(void)buf_add_str(&r->body, "</p>\n</html>\n");
}

void answer_error(struct asked *a, unsigned status, const char *message)
{
	struct httpd_response *r = a->response;
	char title[16];

	if (!is_for_machines(a)) {
		(void)snprintf(title, sizeof title, "%u", status);
		answer_note(a, status, title, message);
		return;
	}
	r->status = status;
	buf_reset(&r->body);
	answer_header(a, "Content-Type", "text/plain; charset=utf-8");
	(void)buf_printf(&r->body, "%s\n", message);
}

void answer_failure(struct asked *a, const struct err *err)
{
	switch (err->code) {
	case ERR_NOTFOUND:
		answer_error(a, STATUS_NOT_FOUND, err->text);
		return;
	case ERR_STOPPED:
		answer_error(a, STATUS_UNAVAILABLE, err->text);
		return;
	case ERR_SYNTAX:
	case ERR_RANGE:
	case ERR_USAGE:
		answer_error(a, STATUS_BAD_REQUEST, err->text);
		return;
	default:
		answer_error(a, STATUS_ERROR, err->text);
	}
}

int work_check(struct work *w, struct err *err)
{
	if (work_step(w))
		return 0;
	return err_set(err, ERR_STOPPED, "this takes too long: ask for less");
}

bool asked_is_read(struct asked *a)
{
	slice method = a->request->method;

	if (slice_eq(method, SLICE("GET")) || slice_eq(method, SLICE("HEAD")))
		return true;
	answer_header(a, "Allow", "GET, HEAD, OPTIONS");
	if (slice_eq(method, SLICE("OPTIONS")))
		a->response->status = STATUS_NO_CONTENT;
	else
		answer_error(a, STATUS_NO_METHOD, "only GET, HEAD and OPTIONS are answered here");
	return false;
}

/* Letters, digits and "-._~" stay as they are. */
static int add_name(struct buf *out, slice name)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < name.len; i++) {
		char c = name.ptr[i];

		if (word_is_alnum(c) || (c && strchr("-._~", c)))
			rc = buf_add_char(out, c);
		else
			rc = buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
	}
	return rc;
}

int add_collection_address(struct buf *out, const char *origin, const struct collection *c)
{
	int rc = buf_printf(out, "%s/", origin);

	if (rc == 0)
		rc = add_name(out, slice_str(c->name));
	return rc ? rc : buf_add_char(out, '/');
}

/*
 * Whoever follows an address resolves it first, so a URL that would lead up or aside there (dots,
 * escaped ones too, backslashes, tabs) is resolved before. Indexes are foreign: they may have it.
 */
static int add_live_url(struct buf *out, slice url)
{
	struct url parsed;
	int rc = 0;

	if (!memmem(url.ptr, url.len, "/.", 2) && !memmem(url.ptr, url.len, "/%2", 3) &&
		!memchr(url.ptr, '\\', url.len) && !memchr(url.ptr, '\t', url.len) &&
		!memchr(url.ptr, '\n', url.len) && !memchr(url.ptr, '\r', url.len))
		return buf_add(out, url);
	url_init(&parsed);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc == 0)
		rc = buf_add(out, url_text(&parsed));
	url_release(&parsed);
	return rc;
}

int add_memento_address(struct buf *out, const char *origin, const struct collection *c,
	const char *digits, enum route_form form, slice url)
{
	int rc = add_collection_address(out, origin, c);

	if (rc == 0 && digits)
		rc = buf_printf(out, "%s%s/", digits, route_form_name(form));
	return rc ? rc : add_live_url(out, url);
}
