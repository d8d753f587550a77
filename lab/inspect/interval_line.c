#include "inspect/interval_line.h"

#include "base/json_read.h"

static int take_changed(struct json_cursor *c, bool *ret)
{
	double number;
	int rc;

	*ret = json_cursor_word(c, SLICE("true"));
	if (*ret || json_cursor_word(c, SLICE("false")))
		return 0;
	rc = json_cursor_number(c, &number);
	if (rc == 0)
		*ret = number != 0;
	return rc == ERR_SYNTAX ? json_cursor_fail(c, "true or false") : rc;
}

static int take_interval(void *context, struct json_cursor *c)
{
	struct rate_interval i = {0};
	int rc;

	if (!json_cursor_take(c, '['))
		return json_cursor_fail(c, "[length, changed]");
	rc = json_cursor_number(c, &i.length);
	if (rc == 0 && !json_cursor_take(c, ','))
		rc = json_cursor_fail(c, "a comma");
	if (rc == 0)
		rc = take_changed(c, &i.changed);
	if (rc == 0 && !json_cursor_take(c, ']'))
		rc = json_cursor_fail(c, "]");
	return rc ? rc : rate_intervals_push(context, i);
}

struct line {
	struct rate_intervals *out;
	bool found;
};

static int take_member(void *context, struct json_cursor *c, slice key)
{
	struct line *line = context;

	if (!slice_eq(key, SLICE("intervals")))
		return json_cursor_skip(c);
	line->found = true;
	line->out->len = 0;
	return json_cursor_list(c, "a list of intervals", take_interval, line->out);
}

int rate_interval_line(slice text, struct rate_intervals *out, struct err *err)
{
	struct json_cursor c = {.text = text, .err = err};
	struct line line = {.out = out};
	int rc;

	out->len = 0;
	rc = json_cursor_object(&c, take_member, &line);
	if (rc == 0 && !line.found)
		rc = err_set(err, ERR_SYNTAX, "\"intervals\" is missing");
	return err_code(err, rc);
}
