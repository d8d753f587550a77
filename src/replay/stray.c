#include "replay/stray.h"

#include "base/word.h"

enum { LOCATION_MAX = 64 << 10 };

/* What the browser wants it for: mp_ and so on, as far as it tells (Sec-Fetch-Dest). */
static enum route_form asked_form(const struct asked *a)
{
	static const struct {
		slice destination;
		enum route_form form;
	} FORMS[] = {
		{SLICE_INIT("script"), ROUTE_SCRIPT},
		{SLICE_INIT("worker"), ROUTE_SCRIPT},
		{SLICE_INIT("sharedworker"), ROUTE_SCRIPT},
		{SLICE_INIT("style"), ROUTE_STYLE},
		{SLICE_INIT("image"), ROUTE_IMAGE},
		{SLICE_INIT("font"), ROUTE_IMAGE},
		{SLICE_INIT("audio"), ROUTE_IMAGE},
		{SLICE_INIT("video"), ROUTE_IMAGE},
		{SLICE_INIT("track"), ROUTE_IMAGE},
	};
	const char *field = httpd_request_field(a->request, "Sec-Fetch-Dest");

	for (size_t i = 0; field && i < sizeof FORMS / sizeof FORMS[0]; i++)
		if (word_is(slice_str(field), FORMS[i].destination))
			return FORMS[i].form;
	return ROUTE_PAGE;
}

/* The memento that asked, if it is one of the content origin. */
static bool read_referrer(const struct asked *a, struct route *ret)
{
	const char *field = httpd_request_field(a->request, "Referer");
	slice referrer = slice_str(field ? field : ""), origin = slice_str(a->content);

	if (!slice_starts_with(referrer, origin))
		return false;
	referrer = slice_sub(referrer, origin.len, referrer.len);
	/* Without a name the answer would begin with two slashes, which lead to another host. */
	return referrer.len && referrer.ptr[0] == '/' && route_parse(referrer, ret, NULL) == 0 &&
	       ret->kind == ROUTE_MEMENTO && ret->url.len && ret->name.len;
}

static int add_location(const struct asked *a, const struct route *from, struct buf *out)
{
	struct url base, url;
	int rc;

	url_init(&base);
	url_init(&url);
	rc = url_parse(&base, from->url, NULL, NULL);
	if (rc == 0)
		rc = url_parse(&url, a->request->target, &base, NULL);
	if (rc == 0)
		rc = buf_printf(out, "/%.*s/%.*s%s/", (int)from->name.len, from->name.ptr,
			(int)from->digits.len, from->digits.ptr, route_form_name(asked_form(a)));
	if (rc == 0)
		rc = buf_add(out, url_text(&url));
	url_release(&base);
	url_release(&url);
	return rc;
}

bool answer_stray(struct asked *a)
{
	struct route from = {0};
	struct buf location;
	bool found;

	if (!a->on_content || !read_referrer(a, &from))
		return false;
	buf_init(&location, LOCATION_MAX);
	found = add_location(a, &from, &location) == 0;
	if (found) {
		a->response->status = STATUS_TEMPORARY;
		answer_header(a, "Location", "%s", buf_str(&location));
	}
	buf_release(&location);
	return found;
}
