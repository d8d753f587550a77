#include "replay/route.h"

#include "base/parse.h"
#include "base/word.h"

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
