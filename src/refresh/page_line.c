#include "refresh/page_line.h"

#include "base/json_cursor.h"

static int take_value(struct json_cursor *c, const char *what, double *ret)
{
	double number = 0;
	int rc = json_cursor_number(c, &number);

	if (rc)
		return rc;
	if (!refresh_number_ok(number))
		return err_set(c->err, ERR_RANGE, "%s must be 0 or between %g and %g, not %g", what,
			REFRESH_NUMBER_MIN, REFRESH_NUMBER_MAX, number);
	*ret = number;
	return 0;
}

static int take_member(struct json_cursor *c, struct refresh_page *page, bool *rated)
{
	slice key = {0};
	int rc = json_cursor_string(c, &key);

	if (rc)
		return rc;
	if (!json_cursor_take(c, ':'))
		return json_cursor_fail(c, "a colon");
	if (slice_eq(key, SLICE("rate"))) {
		*rated = true;
		return take_value(c, "\"rate\"", &page->rate);
	}
	if (slice_eq(key, SLICE("weight")))
		return take_value(c, "\"weight\"", &page->weight);
	return json_cursor_skip(c);
}

static int take_page(struct json_cursor *c, struct refresh_page *page)
{
	bool rated = false;
	int rc = 0;

	if (!json_cursor_take(c, '{'))
		return json_cursor_fail(c, "an object");
	if (!json_cursor_take(c, '}')) {
		do
			rc = take_member(c, page, &rated);
		while (rc == 0 && json_cursor_take(c, ','));
		if (rc == 0 && !json_cursor_take(c, '}'))
			rc = json_cursor_fail(c, "a comma or the end of the object");
	}
	if (rc == 0 && json_cursor_peek(c) >= 0)
		rc = json_cursor_fail(c, "the end of the line");
	if (rc == 0 && !rated)
		rc = err_set(c->err, ERR_SYNTAX, "\"rate\" is missing");
	return rc;
}

int refresh_page_line(slice line, struct refresh_page *ret, struct err *err)
{
	struct json_cursor c = {.text = line, .err = err};
	struct refresh_page page = {.weight = 1};
	int rc = take_page(&c, &page);

	if (rc == 0)
		*ret = page;
	return err_code(err, rc);
}
