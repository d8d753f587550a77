/* TimeMaps in link format. */
#include "archive/timemap.h"

#include "archive/cdx.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "formats/http_date.h"
#include "warc/warc_date.h"

enum field {
	FIELD_NONE,
	FIELD_DATE,
	FIELD_URL,
	FIELD_DIGEST,
	FIELD_STATUS,
	FIELD_ORIGINAL,
	FIELDS,
	FIELD_MORE = FIELDS, /* not kept: something else is listed in this value */
	FIELD_URI,           /* not kept: the address of it */
};

struct json_reader {
	struct text_input *in;
	listed_sink *sink;
	void *context;
	struct timemap_counts *counts;
	unsigned depth;
	unsigned inside;           /* objects within a capture: they say nothing about it */
	struct buf text;           /* the last string, number or word */
	struct buf fields[FIELDS]; /* of the capture that is being read, but for FIELD_ORIGINAL */
	struct err *err;

	/* A table of a CDX server. */
	enum field columns[TIMEMAP_COLUMNS_MAX];
	bool is_table; /* what is open at the top is a list */
	bool has_header;
	bool has_ended; /* an empty row was there: the next one has the key of what follows */

	unsigned more; /* values that list other TimeMaps, and are open */
};

static int take_value(struct json_reader *r, enum field field);

/* The next byte that is no blank, which stays. */
static int skip_blanks(struct text_input *in)
{
	int c = text_input_look(in);

	for (; c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = text_input_look(in))
		(void)text_input_get(in);
	return c;
}

static bool take(struct json_reader *r, char c)
{
	if (skip_blanks(r->in) != c)
		return false;
	(void)text_input_get(r->in);
	return true;
}

static enum field field_of(slice name)
{
	static const struct {
		slice name;
		enum field field;
	} ROWS[] = {
		{SLICE_INIT("datetime"), FIELD_DATE},
		{SLICE_INIT("timestamp"), FIELD_DATE},
		{SLICE_INIT("url"), FIELD_URL},
		{SLICE_INIT("original"), FIELD_URL},
		{SLICE_INIT("digest"), FIELD_DIGEST},
		{SLICE_INIT("status"), FIELD_STATUS},
		{SLICE_INIT("statuscode"), FIELD_STATUS},
		{SLICE_INIT("original_uri"), FIELD_ORIGINAL},
		{SLICE_INIT("original_url"), FIELD_ORIGINAL},
		{SLICE_INIT("timemap_index"), FIELD_MORE},
		{SLICE_INIT("next"), FIELD_MORE},
		{SLICE_INIT("uri"), FIELD_URI},
	};

	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
		if (slice_eq(ROWS[i].name, name))
			return ROWS[i].field;
	return FIELD_NONE;
}

static int take_hex4(struct json_reader *r, unsigned *ret)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		int c = text_input_get(r->in);

		if (c >= '0' && c <= '9')
			value = value << 4 | (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | (unsigned)((c | 0x20) - 'a' + 10);
		else
			return ERR_SYNTAX;
	}
	*ret = value;
	return 0;
}

/* A character behind "\u"; half a surrogate pair is U+FFFD. */
static int take_unicode(struct json_reader *r, struct buf *out)
{
	char bytes[UTF8_MAX];
	unsigned code, low;
	int rc = take_hex4(r, &code);

	while (rc == 0 && code >= 0xd800 && code < 0xdc00 && text_input_look(r->in) == '\\') {
		(void)text_input_get(r->in);
		if (text_input_get(r->in) != 'u')
			return ERR_SYNTAX; /* nobody writes half a pair and another escape */
		rc = take_hex4(r, &low);
		if (rc == 0 && low >= 0xdc00 && low < 0xe000)
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		else
			code = low;
	}
	return rc ? rc : buf_add(out, (slice){bytes, utf8_put(code, bytes)});
}

static int take_escape(struct json_reader *r, struct buf *out)
{
	static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
	int c = text_input_get(r->in);
	const char *hit = c > 0 ? strchr(FROM, c) : NULL;

	if (hit)
		return buf_add_char(out, TO[hit - FROM]);
	return c == 'u' ? take_unicode(r, out) : ERR_SYNTAX;
}

/* Behind the opening quote. A string that is too long is empty: no field of ours is. */
static int take_string(struct json_reader *r)
{
	bool too_long = false;

	buf_reset(&r->text);
	for (;;) {
		int c = text_input_get(r->in), rc;

		if (c == '"')
			break;
		if (c == TEXT_INPUT_END)
			return ERR_SYNTAX;
		rc = c == '\\' ? take_escape(r, &r->text) : buf_add_char(&r->text, (char)c);
		if (rc == ERR_LIMIT) {
			too_long = true;
			buf_reset(&r->text);
		} else if (rc) {
			return rc;
		}
	}
	if (too_long)
		buf_reset(&r->text);
	return 0;
}

/* A number, true, false or null. */
static int take_word(struct json_reader *r)
{
	buf_reset(&r->text);
	for (;;) {
		int c = text_input_look(r->in), rc;

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' ||
			    c == '.' || c == 'E'))
			return r->text.len > 0 ? 0 : ERR_SYNTAX;
		(void)text_input_get(r->in);
		rc = buf_add_char(&r->text, (char)c);
		if (rc)
			return rc;
	}
}

static void forget_capture(struct json_reader *r)
{
	for (int i = 0; i < FIELDS; i++)
		if (i != FIELD_ORIGINAL)
			buf_reset(&r->fields[i]);
}

/* Hands out what was gathered, if it is a capture: if it has a date. */
static int json_emit(struct json_reader *r)
{
	slice date = buf_slice(&r->fields[FIELD_DATE]);
	struct listed o = {.url = buf_slice(&r->fields[FIELD_URL])};
	int rc = 0;

	if (date.len == 0) {
		forget_capture(r);
		return 0;
	}
	if (o.url.len == 0)
		o.url = buf_slice(&r->fields[FIELD_ORIGINAL]);
	if (o.url.len == 0 || (cdx_date_parse(date, &o.time) && warc_date_parse(date, &o.time))) {
		r->counts->bad++;
	} else {
		o.digest = listed_digest_parse(buf_slice(&r->fields[FIELD_DIGEST]));
		o.status = cdx_status_parse(buf_slice(&r->fields[FIELD_STATUS]));
		r->counts->read++;
		rc = r->sink(r->context, &o, r->err);
	}
	forget_capture(r);
	return rc;
}

static bool has_fields(const struct json_reader *r)
{
	for (int i = 0; i < FIELDS; i++)
		if (i != FIELD_ORIGINAL && r->fields[i].len > 0)
			return true;
	return false;
}

/* Behind "{". */
static int take_members(struct json_reader *r)
{
	int rc = 0;

	if (take(r, '}'))
		return 0;
	do {
		if (!take(r, '"'))
			return ERR_SYNTAX;
		rc = take_string(r);
		if (rc == 0 && !take(r, ':'))
			rc = ERR_SYNTAX;
		if (rc == 0)
			rc = take_value(r, field_of(buf_slice(&r->text)));
		if (rc)
			return rc;
	} while (take(r, ','));
	return take(r, '}') ? 0 : ERR_SYNTAX;
}

static int take_object(struct json_reader *r)
{
	bool inside = r->inside > 0 || has_fields(r);
	int rc;

	r->inside += inside;
	rc = take_members(r);
	r->inside -= inside;
	return rc || inside ? rc : json_emit(r);
}

/* The columns of a table's row; the first row names them. */
static int take_cell(struct json_reader *r, size_t column)
{
	int rc = take_value(
		r, column < TIMEMAP_COLUMNS_MAX && r->has_header ? r->columns[column] : FIELD_NONE);

	if (rc == 0 && !r->has_header && column < TIMEMAP_COLUMNS_MAX)
		r->columns[column] = field_of(buf_slice(&r->text));
	return rc;
}

static int take_key(struct json_reader *r)
{
	struct listed_more *more = r->counts->more;

	forget_capture(r);
	if (!more)
		return 0;
	buf_reset(&more->key);
	return buf_add(&more->key, buf_slice(&r->text));
}

/* Behind "["; a list in a list at the top is a row. */
static int take_array(struct json_reader *r)
{
	bool is_row = r->depth == 2 && r->is_table;
	size_t count = 0;
	int rc;

	if (r->depth == 1)
		r->is_table = true;
	if (is_row)
		forget_capture(r);
	if (take(r, ']')) {
		r->has_ended = r->has_ended || is_row;
		return 0;
	}
	do {
		rc = is_row ? take_cell(r, count++) : take_value(r, FIELD_NONE);
		if (rc)
			return rc;
	} while (take(r, ','));
	if (!take(r, ']'))
		return ERR_SYNTAX;
	if (!is_row)
		return 0;
	if (r->has_ended && count == 1)
		return take_key(r);
	if (r->has_header)
		return json_emit(r);
	r->has_header = true;
	return 0;
}

static int take_nested(struct json_reader *r, char open)
{
	int rc;

	if (r->depth >= TIMEMAP_DEPTH_MAX)
		return ERR_LIMIT;
	r->depth++;
	if (r->depth == 1)
		r->is_table = false;
	rc = open == '{' ? take_object(r) : take_array(r);
	r->depth--;
	return rc;
}

/* What was a string, number or word. */
static int keep(struct json_reader *r, enum field field)
{
	if (field == FIELD_URI)
		return r->counts->more && r->more > 0
			       ? listed_more_timemap(r->counts->more, buf_slice(&r->text))
			       : 0;
	if (field == FIELD_NONE || field == FIELD_MORE || r->inside > 0)
		return 0;
	buf_reset(&r->fields[field]);
	return buf_add(&r->fields[field], buf_slice(&r->text));
}

static int take_value(struct json_reader *r, enum field field)
{
	bool more = field == FIELD_MORE;
	int rc;

	r->more += more;
	if (take(r, '{')) {
		rc = take_nested(r, '{');
	} else if (take(r, '[')) {
		rc = take_nested(r, '[');
	} else {
		rc = take(r, '"') ? take_string(r) : take_word(r);
		if (rc == 0)
			rc = keep(r, field);
	}
	r->more -= more;
	return rc;
}

int timemap_read_json(struct text_input *in, listed_sink *sink, void *context,
	struct timemap_counts *counts, struct err *err)
{
	struct json_reader r = {
		.in = in, .sink = sink, .context = context, .counts = counts, .err = err};
	int rc = 0;

	buf_init(&r.text, TIMEMAP_TEXT_MAX);
	for (int i = 0; i < FIELDS; i++)
		buf_init(&r.fields[i], TIMEMAP_TEXT_MAX);
	while (rc == 0 && skip_blanks(in) != TEXT_INPUT_END)
		rc = take_value(&r, FIELD_NONE);
	if (rc == 0 || rc == ERR_SYNTAX) {
		int broken = text_input_check(in, err);

		if (broken)
			rc = broken;
		else if (rc && err && err->code != rc)
			(void)err_set(err, rc, "not JSON after %llu captures; fetch it again",
				(unsigned long long)counts->read);
	}
	buf_release(&r.text);
	for (int i = 0; i < FIELDS; i++)
		buf_release(&r.fields[i]);
	return err_code(err, rc);
}

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

/* Bytes up to `end`, which is taken too: 0, ERR_SYNTAX without it, ERR_LIMIT. */
static int take_until(struct text_input *in, char end, bool escapes, struct buf *out)
{
	buf_reset(out);
	for (;;) {
		int c = text_input_get(in);

		if (c == end)
			return out->error;
		if (escapes && c == '\\')
			c = text_input_get(in);
		if (c == TEXT_INPUT_END)
			return ERR_SYNTAX;
		buf_add_char(out, (char)c);
	}
}

/* A name, or a value without quotes. */
static int take_token(struct text_input *in, struct buf *out)
{
	buf_reset(out);
	for (;;) {
		int c = text_input_look(in);

		if (c == TEXT_INPUT_END || memchr(" \t\r\n=;,\"<>", c, 11))
			return out->error;
		(void)text_input_get(in);
		buf_add_char(out, (char)c);
	}
}

/* name, name=value or name="value" behind a semicolon. */
static int take_parameter(struct reader *r)
{
	const struct {
		slice name;
		struct buf *value;
	} kept[] = {
		{SLICE("rel"), &r->rel}, {SLICE("datetime"), &r->date}, {SLICE("type"), &r->type}};
	int rc;

	(void)skip_blanks(r->in);
	rc = take_token(r->in, &r->name);
	buf_reset(&r->value);
	if (skip_blanks(r->in) != '=' || rc)
		return rc;
	(void)text_input_get(r->in);
	if (skip_blanks(r->in) == '"') {
		(void)text_input_get(r->in);
		rc = take_until(r->in, '"', true, &r->value);
	} else {
		rc = take_token(r->in, &r->value);
	}
	for (size_t i = 0; rc == 0 && i < sizeof kept / sizeof kept[0]; i++)
		if (slice_eq(buf_slice(&r->name), kept[i].name)) {
			buf_reset(kept[i].value);
			rc = buf_add(kept[i].value, buf_slice(&r->value));
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
	while ((rc == 0 || rc == ERR_LIMIT) && skip_blanks(r->in) == ';') {
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
		int c = skip_blanks(r->in);

		(void)text_input_get(r->in);
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
