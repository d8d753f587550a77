/* TimeMaps in link format. */
#include "import/timemap.h"

#include "base/buf.h"
#include "http/date.h"

#define NS INT64_C(1000000000)

/* Years 1900 to 2200, which nanoseconds in 64 bits hold. */
static const int64_t SECONDS_MIN = -2208988800, SECONDS_MAX = 7258118400;

struct reader {
	struct text_input *in;
	listed_sink *sink;
	void *context;
	struct timemap_counts *counts;
	struct buf uri, original, name, value, rel, date, type;
};

static void skip_blanks(struct text_input *in)
{
	for (int c = text_input_look(in); c == ' ' || c == '\t' || c == '\r' || c == '\n';
		c = text_input_look(in))
		(void)text_input_get(in);
}

/* Bytes up to `end`, which is taken too: 0, ERR_SYNTAX without it, ERR_LIMIT, ERR_NOMEM. */
static int take_until(struct text_input *in, char end, bool escapes, struct buf *out)
{
	int rc = 0;

	buf_reset(out);
	for (;;) {
		int c = text_input_get(in);

		if (c == end)
			return rc;
		if (escapes && c == '\\')
			c = text_input_get(in);
		if (c == TEXT_INPUT_END)
			return ERR_SYNTAX;
		if (rc == 0)
			rc = buf_add_char(out, (char)c);
	}
}

/* A name, or a value without quotes. */
static int take_token(struct text_input *in, struct buf *out)
{
	int rc = 0;

	buf_reset(out);
	for (;;) {
		int c = text_input_look(in);

		if (c == TEXT_INPUT_END || memchr(" \t\r\n=;,\"<>", c, 11))
			return rc;
		(void)text_input_get(in);
		if (rc == 0)
			rc = buf_add_char(out, (char)c);
	}
}

/* name, name=value or name="value" behind a semicolon. */
static int take_parameter(struct reader *r)
{
	int rc;

	skip_blanks(r->in);
	rc = take_token(r->in, &r->name);
	skip_blanks(r->in);
	buf_reset(&r->value);
	if (rc || text_input_look(r->in) != '=')
		return rc;
	(void)text_input_get(r->in);
	skip_blanks(r->in);
	if (text_input_look(r->in) == '"') {
		(void)text_input_get(r->in);
		rc = take_until(r->in, '"', true, &r->value);
	} else {
		rc = take_token(r->in, &r->value);
	}
	if (rc == 0 && slice_eq(buf_slice(&r->name), SLICE("rel"))) {
		buf_reset(&r->rel);
		rc = buf_add(&r->rel, buf_slice(&r->value));
	} else if (rc == 0 && slice_eq(buf_slice(&r->name), SLICE("datetime"))) {
		buf_reset(&r->date);
		rc = buf_add(&r->date, buf_slice(&r->value));
	} else if (rc == 0 && slice_eq(buf_slice(&r->name), SLICE("type"))) {
		buf_reset(&r->type);
		rc = buf_add(&r->type, buf_slice(&r->value));
	}
	return rc;
}

/* rel is a list of words: "first memento". */
static bool has_word(slice list, slice word)
{
	while (list.len > 0)
		if (slice_eq(slice_take(&list, ' '), word))
			return true;
	return false;
}

static int emit(struct reader *r, struct err *err)
{
	struct listed o = {.url = buf_slice(&r->original)};
	int64_t seconds;

	if (!has_word(buf_slice(&r->rel), SLICE("memento")))
		return 0;
	if (o.url.len == 0 || http_date_parse_seconds(buf_slice(&r->date), 0, &seconds) ||
		seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
		r->counts->bad++;
		return 0;
	}
	o.time = seconds * NS;
	r->counts->read++;
	return r->sink(r->context, &o, err);
}

/* Another TimeMap that can be read as this one; the same one is there in other formats, too. */
static bool is_timemap(const struct reader *r)
{
	return has_word(buf_slice(&r->rel), SLICE("timemap")) &&
	       (r->type.len == 0 ||
		       slice_eq(buf_slice(&r->type), SLICE("application/link-format")));
}

/* <URI> and its parameters. What is too long makes this link unreadable, no other. */
static int take_link(struct reader *r, struct err *err)
{
	int rc;
	bool too_long;

	buf_reset(&r->rel);
	buf_reset(&r->date);
	buf_reset(&r->type);
	rc = take_until(r->in, '>', false, &r->uri);
	too_long = rc == ERR_LIMIT;
	for (skip_blanks(r->in); (rc == 0 || rc == ERR_LIMIT) && text_input_look(r->in) == ';';
		skip_blanks(r->in)) {
		(void)text_input_get(r->in);
		rc = take_parameter(r);
		too_long = too_long || rc == ERR_LIMIT;
	}
	if (too_long) {
		r->counts->bad++;
		return 0;
	}
	if (rc)
		return rc;
	if (r->counts->more && is_timemap(r))
		rc = listed_more_timemap(r->counts->more, buf_slice(&r->uri));
	if (rc == 0 && has_word(buf_slice(&r->rel), SLICE("original"))) {
		buf_reset(&r->original);
		rc = buf_add(&r->original, buf_slice(&r->uri));
	}
	return rc ? rc : emit(r, err);
}

static int take_links(struct reader *r, struct err *err)
{
	int rc = 0;

	while (rc == 0) {
		int c;

		skip_blanks(r->in);
		c = text_input_get(r->in);
		if (c == TEXT_INPUT_END)
			return text_input_check(r->in, err);
		if (c == ',')
			continue;
		rc = c == '<' ? take_link(r, err) : ERR_SYNTAX;
	}
	if (rc == ERR_SYNTAX && text_input_check(r->in, err) == 0)
		return err_set(err, rc,
			"not a TimeMap in link format after %llu captures; fetch it again",
			(unsigned long long)r->counts->read);
	return err_code(err, rc);
}

int timemap_read_links(struct text_input *in, listed_sink *sink, void *context,
	struct timemap_counts *counts, struct err *err)
{
	struct reader r = {.in = in, .sink = sink, .context = context, .counts = counts};
	struct buf *bufs[] = {&r.uri, &r.original, &r.name, &r.value, &r.rel, &r.date, &r.type};
	int rc;

	for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
		buf_init(bufs[i], TIMEMAP_TEXT_MAX);
	rc = take_links(&r, err);
	for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
		buf_release(bufs[i]);
	return rc;
}
