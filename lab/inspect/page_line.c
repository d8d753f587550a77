#include "inspect/page_line.h"

#include "base/json_read.h"

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

struct found {
	struct refresh_page page;
	bool rated;
};

static int take_member(void *context, struct json_cursor *c, slice key)
{
	struct found *found = context;

	if (slice_eq(key, SLICE("rate"))) {
		found->rated = true;
		return take_value(c, "\"rate\"", &found->page.rate);
	}
	if (slice_eq(key, SLICE("weight")))
		return take_value(c, "\"weight\"", &found->page.weight);
	return json_cursor_skip(c);
}

int refresh_page_line(slice line, struct refresh_page *ret, struct err *err)
{
	struct json_cursor c = {.text = line, .err = err};
	struct found found = {.page = {.weight = 1}};
	int rc = json_cursor_object(&c, take_member, &found);

	if (rc == 0 && !found.rated)
		rc = err_set(err, ERR_SYNTAX, "\"rate\" is missing");
	if (rc == 0)
		*ret = found.page;
	return err_code(err, rc);
}
