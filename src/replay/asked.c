#include "replay/asked.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/word.h"
#include "formats/percent.h"
#include "replay/our_page.h"
#include "report/html.h"

static const slice FORMS[] = {
	[ROUTE_FRAMED] = SLICE_INIT(""),
	[ROUTE_RAW] = SLICE_INIT("id_"),
	[ROUTE_PAGE] = SLICE_INIT("mp_"),
	[ROUTE_IMAGE] = SLICE_INIT("im_"),
	[ROUTE_SCRIPT] = SLICE_INIT("js_"),
	[ROUTE_STYLE] = SLICE_INIT("cs_"),
};

static const slice FORMATS[] = {
	[ROUTE_LINK] = SLICE_INIT("link"),
	[ROUTE_JSON] = SLICE_INIT("json"),
	[ROUTE_CDXJ] = SLICE_INIT("cdxj"),
};

enum {
	FORM_COUNT = sizeof FORMS / sizeof FORMS[0],
	FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0],
};

const char *route_form_name(enum route_form form)
{
	return FORMS[form].ptr;
}

const char *route_format_name(enum route_format format)
{
	return FORMATS[format].ptr;
}

static int read_timestamp(slice digits, struct route *r, struct err *err)
{
	int rc = timestamp_parse(digits, &r->time);

	r->digits = digits;
	if (rc)
		return err_set(err, rc,
			"'%.*s' is no timestamp: give 4 to 17 digits of "
			"YYYYMMDDhhmmss and milliseconds",
			slice_shown(digits, 40), digits.ptr);
	return 0;
}

/* "20160111id_": what stands before the form, which is taken off. */
static slice take_form(slice segment, enum route_form *ret)
{
	*ret = ROUTE_FRAMED;
	for (int i = 0; i < FORM_COUNT; i++)
		if (slice_ends_with(segment, FORMS[i])) {
			*ret = (enum route_form)i;
			segment.len -= FORMS[i].len;
		}
	return segment;
}

static bool is_digits(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_digit(s.ptr[i]))
			return false;
	return s.len > 0;
}

/* "now" or "2016-01-11": before an address with its scheme, for a host may have that name. */
static bool is_said_time(slice s, slice url)
{
	return (word_is(s, SLICE("now")) || (s.len > 4 && is_digits(slice_sub(s, 0, 4)))) &&
	       (word_starts(url, SLICE("http:/")) || word_starts(url, SLICE("https:/")));
}

/* "composite/TIMESTAMP/URL", from behind the first slash. */
static int parse_composite(slice rest, struct route *r, struct err *err)
{
	slice digits = slice_take(&rest, '/');

	r->kind = ROUTE_COMPOSITE;
	r->url = rest;
	return rest.len ? read_timestamp(digits, r, err) : ERR_NOTFOUND;
}

/* "timemap/FORMAT[/PAGE]/URL", from behind the first slash. */
static int parse_timemap(slice rest, struct route *r, struct err *err)
{
	slice format = slice_take(&rest, '/'), ahead = rest, number = slice_take(&ahead, '/');
	uint64_t page;
	int found = -1;

	for (int i = 0; i < FORMAT_COUNT; i++)
		if (slice_eq(format, FORMATS[i]))
			found = i;
	if (found < 0)
		return err_set(err, ERR_SYNTAX, "TimeMaps are 'link', 'json' or 'cdxj'");
	r->kind = ROUTE_TIMEMAP;
	r->format = (enum route_format)found;
	if (ahead.len && parse_u64(number, &page) == 0) {
		if (page == 0 || page > UINT32_MAX)
			return err_set(err, ERR_RANGE, "pages of TimeMaps count from 1");
		r->page = (unsigned)page;
		rest = ahead;
	}
	r->url = rest;
	return rest.len ? 0 : ERR_NOTFOUND;
}

static const struct {
	slice word;
	enum route_kind kind;
} WORDS[] = {
	{SLICE_INIT("cdx"), ROUTE_CDX},
	{SLICE_INIT("search"), ROUTE_SEARCH},
	{SLICE_INIT("start"), ROUTE_START},
	{SLICE_INIT("pages"), ROUTE_PAGES},
};

/* What follows "/NAME/". */
static int parse_in_collection(slice rest, struct route *r, struct err *err)
{
	slice path = rest, query = path, tail = rest, segment, time;
	enum route_form form;

	path = slice_take(&query, '?');
	segment = slice_take(&tail, '/');
	r->query = query;
	if (path.len == 0) {
		r->kind = ROUTE_COLLECTION;
		return 0;
	}
	for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
		if (slice_eq(path, WORDS[i].word)) {
			r->kind = WORDS[i].kind;
			return 0;
		}
	if (slice_eq(segment, SLICE("timemap")))
		return parse_timemap(tail, r, err);
	if (slice_eq(segment, SLICE("composite")))
		return parse_composite(tail, r, err);
	if (slice_eq(segment, SLICE("*")) && tail.len) {
		r->kind = ROUTE_CALENDAR;
		r->url = tail;
		return 0;
	}
	r->kind = ROUTE_TIMEGATE;
	r->url = rest;
	time = take_form(segment, &form);
	if (tail.len == 0 || (!is_digits(time) && !is_said_time(time, tail)))
		return 0;
	r->form = form;
	r->url = tail;
	r->kind = ROUTE_MEMENTO;
	if (is_digits(time))
		return read_timestamp(time, r, err);
	r->kind = ROUTE_SAID_TIME;
	r->said = time;
	return 0;
}

int route_parse(slice target, struct route *ret, struct err *err)
{
	struct route r = {.kind = ROUTE_HOME};
	slice rest = target;
	int rc = 0;

	if (rest.len == 0 || rest.ptr[0] != '/')
		return err_set(err, ERR_NOTFOUND, "there is nothing at this address");
	rest = slice_sub(rest, 1, rest.len);
	r.query = rest;
	if (slice_take(&r.query, '?').len > 0) {
		slice end = rest;
		bool has_slash = memchr(rest.ptr, '/', rest.len) != NULL;

		r.name = slice_take(&end, '/');
		if (!has_slash)
			r.name = slice_take(&r.name, '?');
		if (slice_eq(r.name, SLICE("_")))
			r = (struct route){.kind = ROUTE_ASSET, .name = slice_take(&end, '?')};
		else
			rc = parse_in_collection(has_slash ? end : SLICE(""), &r, err);
	}
	if (rc == 0)
		*ret = r;
	return rc == ERR_NOTFOUND ? err_set(err, rc, "there is nothing at this address") : rc;
}

enum {
	VALUE_MAX = 16 << 10, /* bytes of a header field's value */
	ADDRESS_MAX = 14 << 10,
};

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

/* A line of ours. Where the server keeps its collections is not for everybody. */
static slice public_line(const struct asked *a, const char *message, struct buf *out)
{
	slice path = slice_str(a->collection ? a->collection->path : "");
	slice directory = slice_sub(path, 0, path.len - slice_base_name(path).len);
	const char *at;

	while (directory.len && (at = strstr(message, path.ptr))) {
		buf_add(out, (slice){message, (size_t)(at - message)});
		buf_add(out, slice_sub(path, directory.len, path.len));
		message = at + path.len;
	}
	buf_add_str(out, message);
	return out->error ? SLICE("the message is too long") : buf_slice(out);
}

void answer_note(struct asked *a, unsigned status, const char *title, const char *message)
{
	struct our_page p;
	struct buf line;

	if (!our_page_begin(&p, a, slice_str(title), OUR_PAGE))
		return;
	buf_init(&line, VALUE_MAX);
	(void)fprintf(p.file, "<h1>%s</h1>\n<p>", title);
	html_text(p.file, public_line(a, message, &line));
	(void)fputs("</p>\n", p.file);
	buf_release(&line);
	our_page_send(&p, a, status);
}

void answer_error(struct asked *a, unsigned status, const char *message)
{
	char title[16];
	struct buf line;

	if (!is_for_machines(a)) {
		(void)snprintf(title, sizeof title, "%u", status);
		answer_note(a, status, title, message);
		return;
	}
	buf_init(&line, VALUE_MAX);
	answer_text(a, status, "text/plain; charset=utf-8", public_line(a, message, &line));
	(void)buf_add_char(&a->response->body, '\n');
	buf_release(&line);
}

void answer_failure(struct asked *a, const struct err *err)
{
	unsigned status = STATUS_ERROR;

	if (err->code == ERR_NOTFOUND)
		status = STATUS_NOT_FOUND;
	else if (err->code == ERR_STOPPED)
		status = STATUS_UNAVAILABLE;
	else if (err->code == ERR_SYNTAX || err->code == ERR_RANGE || err->code == ERR_USAGE)
		status = STATUS_BAD_REQUEST;
	answer_error(a, status, err->text);
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

bool asked_by_browser(const struct asked *a)
{
	const char *mode = httpd_request_field(a->request, "Sec-Fetch-Mode");
	const char *destination = httpd_request_field(a->request, "Sec-Fetch-Dest");
	const char *accept = httpd_request_field(a->request, "Accept");

	if (destination)
		return !word_is(slice_str(destination), SLICE("empty"));
	if (mode)
		return word_is(slice_str(mode), SLICE("navigate"));
	return accept && strstr(accept, "text/html");
}

/* Of the name, letters, digits and "-._~" stay as they are. */
void add_collection_address(struct buf *out, const char *origin, const struct collection *c)
{
	buf_printf(out, "%s/", origin);
	for (const char *at = c->name; *at; at++)
		if (word_is_alnum(*at) || strchr("-._~", *at))
			buf_add_char(out, *at);
		else
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)*at);
	buf_add_char(out, '/');
}

/*
 * Whoever follows an address resolves it first, so a URL that would lead up or aside there (dots,
 * escaped ones too, backslashes, tabs) is resolved before. Indexes are foreign: they may have it.
 */
static void add_live_url(struct buf *out, slice url)
{
	struct url parsed;
	int rc;

	if (!memmem(url.ptr, url.len, "/.", 2) && !memmem(url.ptr, url.len, "/%2", 3) &&
		!memchr(url.ptr, '\\', url.len) && !memchr(url.ptr, '\t', url.len) &&
		!memchr(url.ptr, '\n', url.len) && !memchr(url.ptr, '\r', url.len)) {
		buf_add(out, url);
		return;
	}
	url_init(&parsed);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc == 0)
		buf_add(out, url_text(&parsed));
	else if (!out->error)
		out->error = rc;
	url_release(&parsed);
}

void add_memento_address(struct buf *out, const char *origin, const struct collection *c,
	const char *digits, enum route_form form, slice url)
{
	add_collection_address(out, origin, c);
	if (digits)
		buf_printf(out, "%s%s/", digits, route_form_name(form));
	add_live_url(out, url);
}

void answer_redirect(
	struct asked *a, const char *origin, const char *digits, enum route_form form, slice url)
{
	struct buf address;

	buf_init(&address, ADDRESS_MAX);
	add_memento_address(&address, origin, a->collection, digits, form, url);
	if (address.error) {
		answer_error(a, STATUS_BAD_REQUEST, "the address is no URL, or too long");
	} else {
		a->response->status = STATUS_FOUND;
		answer_header(a, "Location", "%s", buf_str(&address));
	}
	buf_release(&address);
}
