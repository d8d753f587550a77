#include "archive/listing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/listed.h"
#include "archive/text_input.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "formats/http_date.h"
#include "formats/http_message.h"
#include "formats/http_payload.h"
#include "formats/sitemap.h"
#include "warc/cdxj.h"
#include "warc/record_body.h"
#include "warc/warc_date.h"
#include "warc/warc_header.h"
#include "warc/warc_reader.h"
#include "warc/warc_set.h"
#include "warc/zip.h"

/* TimeMaps in link format. */

enum timemap_field {
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
	enum timemap_field columns[TIMEMAP_COLUMNS_MAX];
	bool is_table; /* what is open at the top is a list */
	bool has_header;
	bool has_ended; /* an empty row was there: the next one has the key of what follows */

	unsigned more; /* values that list other TimeMaps, and are open */
};

static int take_value(struct json_reader *r, enum timemap_field field);

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

static enum timemap_field field_of(slice name)
{
	static const struct {
		slice name;
		enum timemap_field field;
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
static int keep(struct json_reader *r, enum timemap_field field)
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

static int take_value(struct json_reader *r, enum timemap_field field)
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

struct timemap_reader {
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
static int take_parameter(struct timemap_reader *r)
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

static int emit(struct timemap_reader *r, struct err *err)
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
static bool is_timemap(const struct timemap_reader *r)
{
	return has_word(buf_slice(&r->rel), SLICE("timemap")) &&
	       (r->type.len == 0 ||
		       slice_eq(buf_slice(&r->type), SLICE("application/link-format")));
}

/* <URI> and its parameters. What is too long makes this link unreadable, no other. */
static int take_link(struct timemap_reader *r, struct err *err)
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

static int take_links(struct timemap_reader *r, struct err *err)
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
	struct timemap_reader r = {.in = in, .sink = sink, .context = context, .counts = counts};
	struct buf *bufs[] = {&r.uri, &r.original, &r.name, &r.value, &r.rel, &r.date, &r.type};
	int rc;

	for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
		buf_init(bufs[i], TIMEMAP_TEXT_MAX);
	rc = take_links(&r, err);
	for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
		buf_release(bufs[i]);
	return rc;
}

/* Captures in a WARC or WACZ file; used by archive/listing.h alone. */

enum {
	HEAD_MAX = 256 << 10, /* bytes of a response's head; a longer one is not read */
};

#define WARC_SECOND INT64_C(1000000000)

struct warc_reader_in {
	struct payload payload;
	struct buf head; /* a copy, since taking it apart changes it */
	struct fields fields;
	struct listing_counts *counts;
	listed_sink *sink;
	void *context;
};

/* What was cut, or is a part of something, has no digest that could be compared. */
static bool is_part(const struct warc_header *h)
{
	return warc_header_get(h, SLICE("WARC-Truncated")).ptr ||
	       warc_header_get(h, SLICE("WARC-Segment-Number")).ptr;
}

static bool is_capture(const struct warc_header *h)
{
	return (h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_RESOURCE ||
		       h->type == WARC_TYPE_REVISIT) &&
	       h->url.ptr && h->has_date;
}

static int compute(struct warc_reader_in *r, struct warc_reader *warc, const struct warc_header *h,
	listed_digest *ret, struct err *err)
{
	enum payload_form form = payload_is_http(h->content_type) ? PAYLOAD_HTTP : PAYLOAD_WHOLE;
	struct payload_digests digests;
	slice bytes;
	int rc = payload_start(&r->payload, form, DIGEST_SHA1);

	if (rc)
		return err_code(err, rc);
	while ((rc = warc_reader_block(warc, &bytes, err)) == 0) {
		rc = payload_feed(&r->payload, bytes);
		if (rc)
			return err_code(err, rc);
	}
	if (rc != ERR_END)
		return rc;
	rc = payload_finish(&r->payload, &digests);
	if (rc == 0 && r->payload.state != PAYLOAD_NO_HTTP)
		*ret = listed_digest_of(&digests.decoded);
	return err_code(err, rc);
}

/* What the server says of the page's age; a cache shows a page as it was when it was stored. */
static int read_head(struct warc_reader_in *r, slice head, struct listed *o)
{
	struct served served;
	int rc;

	buf_reset(&r->head);
	rc = buf_add(&r->head, head);
	if (rc == 0 && head.len > 0)
		rc = fields_parse(&r->fields, r->head.ptr, r->head.len);
	if (rc || head.len == 0)
		return rc == ERR_LIMIT ? 0 : rc;
	served_read(&r->fields, o->time, &served);
	o->modified = served.modified;
	if (served.has_age && (int64_t)served.age < o->time / WARC_SECOND)
		o->time -= (int64_t)served.age * WARC_SECOND;
	return 0;
}

static int read_record(struct warc_reader_in *r, struct warc_reader *warc,
	const struct warc_record *record, struct listed *o, struct err *err)
{
	const struct warc_header *h = &record->header;
	slice stated = warc_header_get(h, SLICE("WARC-Payload-Digest"));
	int rc = 0;

	*o = (struct listed){.url = h->url, .time = h->date};
	if (is_part(h))
		o->digest = LISTED_NO_DIGEST;
	else if (stated.ptr)
		o->digest = listed_digest_parse(stated);
	else if (h->type != WARC_TYPE_REVISIT)
		rc = compute(r, warc, h, &o->digest, err);
	if (rc == 0)
		rc = warc_reader_end(warc, err);
	o->status = record->status;
	if (rc == 0 && o->digest != LISTED_NO_DIGEST)
		rc = err_code(err, read_head(r, record->http_head, o));
	return rc;
}

/* Compact looks are captures, too. */
static int list_look(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct warc_reader_in *r = context;
	struct listed o;
	int rc;

	(void)size;
	(void)code;
	if (!look) {
		r->counts->bad++;
		return 0;
	}
	o = (struct listed){.url = look->attempt.url,
		.time = warc_date_truncate(look->attempt.wall.sent),
		.digest = listed_digest_of(&look->attempt.payload),
		.status = look->attempt.status};
	rc = err_code(err, read_head(r, look->head, &o));
	r->counts->read++;
	return rc ? rc : r->sink(r->context, &o, err);
}

static int read_looks(struct warc_reader_in *r, struct warc_reader *warc,
	const struct warc_record *record, struct err *err)
{
	BUF_SCOPED(block, COMPACT_BLOCK_MAX);
	int rc;

	rc = compact_block(warc, &block, err);
	if (rc == 0 && record->problem.code)
		r->counts->bad++;
	else if (rc == 0)
		rc = compact_each_row(buf_slice(&block), list_look, r, err);
	return rc;
}

static int list_record(
	void *context, struct warc_reader *warc, const struct warc_record *record, struct err *err)
{
	struct warc_reader_in *r = context;
	struct listed o;

	if (!record->is_gap && compact_is_type(record->header.content_type))
		return read_looks(r, warc, record, err);
	if (!record->is_gap && !is_capture(&record->header))
		return 0;
	if (!record->is_gap)
		TRY(read_record(r, warc, record, &o, err));
	if (record->is_gap || record->problem.code) {
		r->counts->bad++;
		return 0;
	}
	r->counts->read++;
	return r->sink(r->context, &o, err);
}

static int read_file(void *context, const struct warc_set_file *file, struct err *err)
{
	return record_each(&file->source, WARC_READER_UNCHECKED, list_record, context, err);
}

/*
 * Responses, resources and revisits, with the payload digest that their header states. One without
 * gets a digest of the payload's bytes, computed here. Last-Modified and Age are read, too. err may
 * have the file's name already.
 */
static SP_MUST_CHECK int listing_read_warc(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err)
{
	struct warc_reader_in r = {.counts = counts, .sink = sink, .context = context};
	int rc;

	buf_init(&r.head, HEAD_MAX);
	rc = warc_set_each(path, tempfile_dir(), read_file, &r, err);
	payload_release(&r.payload);
	fields_release(&r.fields);
	buf_release(&r.head);
	return rc;
}

/* What sitemaps and feeds say of pages; used by archive/listing.h alone. */

#define SECOND INT64_C(1000000000)

static int64_t time_of(FILE *file)
{
	struct stat st;

	return fstat(fileno(file), &st) == 0 && st.st_mtim.tv_sec > 0
		       ? (int64_t)st.st_mtim.tv_sec * SECOND
		       : 0;
}

static int read_entries(struct sitemap_reader *reader, int64_t time, listed_sink *sink,
	void *context, struct listing_counts *counts, struct err *err)
{
	struct sitemap_entry entry;
	int rc;

	while ((rc = sitemap_next(reader, &entry, err)) == 0) {
		const char *word = sitemap_frequency_name(entry.changefreq);
		struct listed o = {
			.url = entry.loc, .time = time, .modified = sitemap_lastmod(&entry)};

		if (entry.is_sitemap)
			continue;
		o.frequency = word ? frequency_parse(slice_str(word)) : FREQUENCY_NONE;
		counts->read++;
		rc = sink(context, &o, err);
		if (rc)
			return rc;
	}
	if (sitemap_damage(reader))
		counts->bad++;
	return rc == ERR_END ? 0 : rc;
}

/*
 * Hands out the pages of the file, as of its time of modification, with their lastmod and
 * changefreq; other sitemaps that an index names are passed over. err has no file name.
 */
static SP_MUST_CHECK int listing_read_sitemap(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err)
{
	struct sitemap_reader *reader = NULL;
	FILE *file = file_stream(path, "re");
	int rc;

	if (!file)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	rc = sitemap_open_file(&reader, file, SLICE(""), err);
	if (rc == 0)
		rc = read_entries(reader, time_of(file), sink, context, counts, err);
	sitemap_close(reader);
	(void)fclose(file);
	return rc;
}

enum {
	PATH_SIZE = 4096,
	SHOWN_MAX = 160,        /* bytes of a path in a message */
	PARTS_MAX = 64 << 20,   /* bytes of the names of a ZipNum index's files */
	DETECT_SIZE = 16 << 10, /* bytes that tell the format */
};

struct reader {
	struct text_input in;
	struct listing_counts *counts;
	listed_sink *sink;
	void *context;
	struct buf scratch; /* of CDXJ lines */
	struct cdx_layout layout;
	struct listed_more *more; /* of a server's answer; else NULL */
	bool after_blank;         /* an empty line was there: a key may follow */
	struct err *err;
};

const char *listing_format_name(enum listing_format format)
{
	static const char *const NAMES[LISTING_FORMATS] = {
		"unknown", "cdx", "cdxj", "zipnum", "timemap", "warc", "sitemap"};

	return NAMES[format];
}

/* ---- lines ---- */

/* "key 2016… {": what CDXJ lines begin with. */
static bool is_cdxj(slice line)
{
	slice key = slice_take(&line, ' '), date = slice_take(&line, ' ');

	while (line.len > 0 && line.ptr[0] == ' ')
		line = slice_sub(line, 1, line.len);
	return key.len > 0 && date.len > 0 && line.len > 0 && line.ptr[0] == '{';
}

static int parse_cdxj(struct reader *r, slice line, struct listed *ret)
{
	struct cdxj c;
	struct listed o = {0};

	TRY(cdxj_parse(line, &r->scratch, &c));
	TRY(cdx_date_parse(slice_str(c.timestamp), &o.time));
	if (c.url.len == 0)
		TRY(ERR_SYNTAX);
	o.url = c.url;
	o.status = c.status;
	o.digest = listed_digest_parse(c.digest);
	*ret = o;
	return 0;
}

static void note_bad(struct reader *r)
{
	if (r->counts->bad++ == 0)
		r->counts->first_bad = r->in.lines;
}

/* "com%2Cexample%29%2F+20160304": one word behind an empty line. */
static bool is_key(const struct reader *r, slice line)
{
	return r->more && r->after_blank && line.ptr && line.len > 0 &&
	       !memchr(line.ptr, ' ', line.len);
}

/* A line of either kind; some files have both, after others were appended. */
static int read_line(struct reader *r, slice line)
{
	struct listed o = {0};
	int rc;

	if (is_key(r, line)) {
		buf_reset(&r->more->key);
		return err_code(r->err, buf_add(&r->more->key, line));
	}
	r->after_blank = line.ptr && line.len == 0;
	if (line.ptr && (line.len == 0 || line.ptr[0] == '!'))
		return 0; /* "!meta" of a CDXJ file */
	if (line.ptr && cdx_is_header(line)) {
		if (cdx_layout_parse(line, &r->layout))
			note_bad(r);
		return 0;
	}
	if (!line.ptr)
		rc = ERR_LIMIT;
	else if (r->counts->format == LISTING_CDX)
		rc = cdx_parse(&r->layout, line, &o);
	else
		rc = parse_cdxj(r, line, &o);
	if (rc) {
		note_bad(r);
		return 0;
	}
	r->counts->read++;
	return r->sink(r->context, &o, r->err);
}

static int read_lines(struct reader *r)
{
	slice line;
	int rc;

	r->layout = cdx_layout_usual();
	while ((rc = text_input_line(&r->in, &line, r->err)) == 0) {
		rc = read_line(r, line);
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

/* ---- ZipNum ---- */

/* The part that a line of the index names, into out; false when it names none. */
static bool part_of(slice line, struct buf *scratch, slice *ret)
{
	struct cdxj c;

	if (memchr(line.ptr, '\t', line.len)) {
		(void)slice_take(&line, '\t');
		*ret = slice_take(&line, '\t');
		return ret->len > 0;
	}
	if (slice_starts_with(line, SLICE("!meta ")))
		line = slice_sub(line, 1, line.len);
	if (cdxj_parse(line, scratch, &c) || c.filename.len == 0)
		return false;
	*ret = c.filename;
	return true;
}

struct parts {
	struct arena arena;
	struct strmap map;
	struct slice_vec names; /* in the order of their coming */
};

/* Its name with the suffix of the blocks, for indexes that leave it out. */
static int add_part(struct parts *parts, slice name)
{
	if (strmap_get(&parts->map, name, NULL))
		return 0;
	name = arena_keep(&parts->arena, name);
	if (arena_full(&parts->arena))
		return ERR_LIMIT;
	TRY(strmap_put(&parts->map, name, 0));
	slice_vec_push(&parts->names, name);
	return 0;
}

static int find_parts(struct reader *r, struct parts *parts)
{
	slice line, name;
	int rc;

	while ((rc = text_input_line(&r->in, &line, r->err)) == 0) {
		if (line.ptr && line.len == 0)
			continue;
		if (!line.ptr || !part_of(line, &r->scratch, &name)) {
			/* "!meta" need not name the file, if the lines do */
			if (!line.ptr || line.ptr[0] != '!')
				note_bad(r);
			continue;
		}
		rc = add_part(parts, name);
		if (rc)
			return err_code(r->err, rc);
	}
	return rc == ERR_END ? 0 : rc;
}

/* The file beside the index; a name that leads elsewhere is refused. */
static int open_part(struct reader *r, const char *index, slice name)
{
	const char *slash = strrchr(index, '/');
	int dir = slash ? (int)(slash + 1 - index) : 0, n, rc;
	static const char *const SUFFIXES[] = {"", ".gz", ".cdx.gz"};
	char path[PATH_SIZE];

	if (memchr(name.ptr, '/', name.len) || name.ptr[0] == '.')
		return err_set(r->err, ERR_SYNTAX,
			"'%.*s': blocks must be in a file beside their index; move it there",
			slice_shown(name, SHOWN_MAX), name.ptr);
	for (size_t i = 0; i < sizeof SUFFIXES / sizeof SUFFIXES[0]; i++) {
		n = snprintf(path, sizeof path, "%.*s%.*s%s", dir, index, (int)name.len, name.ptr,
			SUFFIXES[i]);
		if (n < 0 || (size_t)n >= sizeof path)
			return err_set(r->err, ERR_LIMIT, "the path of its blocks is too long");
		rc = text_input_open(&r->in, path, r->err);
		if (rc != ERR_IO)
			return rc;
	}
	err_prefix(r->err, "blocks '%.*s'", slice_shown(name, SHOWN_MAX), name.ptr);
	return rc;
}

static int read_zipnum(struct reader *r, const char *path)
{
	struct parts parts = {0};
	int rc;

	arena_init(&parts.arena, PARTS_MAX);
	strmap_init(&parts.map, hash_key_random(), NULL);
	rc = find_parts(r, &parts);
	for (size_t i = 0; rc == 0 && i < parts.names.len; i++) {
		text_input_close(&r->in);
		rc = open_part(r, path, parts.names.ptr[i]);
		if (rc == 0)
			rc = read_lines(r);
	}
	slice_vec_release(&parts.names);
	strmap_release(&parts.map);
	arena_release(&parts.arena);
	return rc;
}

/* ---- formats ---- */

/* Fields of a line; 0 unless the one after the first is a date. */
static size_t count_fields(slice line)
{
	size_t count = 0;
	int64_t date;

	while (line.len > 0) {
		slice field = slice_take(&line, ' ');

		if (++count == 2 && cdx_date_parse(field, &date))
			return 0;
	}
	return count;
}

/* Its older form: key, part, offset, length, with tabs between. */
static bool is_zipnum(slice line)
{
	slice key = slice_take(&line, '\t'), part = slice_take(&line, '\t');
	slice offset = slice_take(&line, '\t'), length = slice_take(&line, '\t');
	uint64_t number;

	return key.len > 0 && part.len > 0 && parse_u64(offset, &number) == 0 &&
	       parse_u64(length, &number) == 0;
}

static enum listing_format format_of_line(slice line)
{
	if (slice_starts_with(line, SLICE("!meta ")))
		return LISTING_ZIPNUM;
	if (is_zipnum(line))
		return LISTING_ZIPNUM;
	if (is_cdxj(line))
		return LISTING_CDXJ;
	if (cdx_is_header(line) || count_fields(line) >= CDX_FIELDS_MIN)
		return LISTING_CDX;
	return LISTING_UNKNOWN;
}

static bool is_zstd(slice bytes)
{
	return slice_starts_with(bytes, SLICE("\x28\xb5\x2f\xfd")) ||
	       slice_starts_with(bytes, SLICE("\x5d\x2a\x4d\x18"));
}

/* "<?xml", "<!--", "<urlset …>": no link, which has a colon. */
static bool is_xml(slice text)
{
	slice tag = slice_take(&text, '>'), name = slice_take(&tag, ' ');

	return name.len > 1 && name.ptr[0] == '<' && !memchr(name.ptr, ':', name.len);
}

static enum listing_format find_format(slice start)
{
	slice trimmed = start;

	if (is_zstd(start) || zip_is_start(start) || warc_header_is_start(start))
		return LISTING_WARC;
	if (cdx_is_header(start))
		return LISTING_CDX;
	if (slice_starts_with(trimmed, SLICE("\xef\xbb\xbf")))
		trimmed = slice_sub(trimmed, 3, trimmed.len);
	while (trimmed.len > 0 && strchr(" \t\r\n", trimmed.ptr[0]) && trimmed.ptr[0])
		trimmed = slice_sub(trimmed, 1, trimmed.len);
	if (is_xml(trimmed))
		return LISTING_SITEMAP;
	if (trimmed.len > 0 && strchr("<{[", trimmed.ptr[0]) && trimmed.ptr[0])
		return LISTING_TIMEMAP;
	while (start.len > 0) { /* a few lines that cannot be read do not hide what a file is */
		enum listing_format f = format_of_line(slice_take(&start, '\n'));

		if (f != LISTING_UNKNOWN)
			return f;
	}
	return LISTING_UNKNOWN;
}

static int read_timemap(struct reader *r)
{
	struct timemap_counts counts = {.more = r->more};
	int c = text_input_look(&r->in), rc;

	for (; c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = text_input_look(&r->in))
		(void)text_input_get(&r->in);
	rc = c == '<' ? timemap_read_links(&r->in, r->sink, r->context, &counts, r->err)
		      : timemap_read_json(&r->in, r->sink, r->context, &counts, r->err);
	r->counts->read = counts.read;
	r->counts->bad = counts.bad;
	return rc;
}

/* What is not read as text. */
static int read_again(struct reader *r, const char *path)
{
	if (strcmp(path, "-") == 0)
		return err_set(r->err, ERR_UNSUPPORTED,
			"WARC and WACZ files and sitemaps cannot be read from a pipe; give the "
			"file's name");
	return (r->counts->format == LISTING_WARC ? listing_read_warc : listing_read_sitemap)(
		path, r->sink, r->context, r->counts, r->err);
}

/* Formats of files that no server answers with. */
static bool is_file(enum listing_format format)
{
	return format == LISTING_ZIPNUM || format == LISTING_WARC || format == LISTING_SITEMAP;
}

static int read_open(struct reader *r, const char *path)
{
	slice start = text_input_peek(&r->in, DETECT_SIZE);
	int rc = text_input_check(&r->in, r->err);

	if (start.len == 0)
		return rc; /* an empty list of captures is one */
	r->counts->format = find_format(start);
	if (r->more && is_file(r->counts->format))
		return err_set(r->err, ERR_SYNTAX,
			"the server does not answer with a list of captures; check the address");
	switch (r->counts->format) {
	case LISTING_CDX:
	case LISTING_CDXJ:
		return read_lines(r);
	case LISTING_ZIPNUM:
		return read_zipnum(r, path);
	case LISTING_TIMEMAP:
		return read_timemap(r);
	case LISTING_WARC:
	case LISTING_SITEMAP:
		return read_again(r, path);
	default:
		return err_set(r->err, ERR_SYNTAX,
			"not a list of captures (known are CDX, CDXJ, ZipNum, TimeMaps, WARC and "
			"WACZ)");
	}
}

/* After the input was opened, or not. */
static int read_input(struct reader *r, const char *name, int opened)
{
	size_t len = strlen(name);
	int rc = opened;

	*r->counts = (struct listing_counts){0};
	buf_init(&r->scratch, CDXJ_LINE_MAX);
	if (rc == 0)
		rc = read_open(r, name);
	text_input_close(&r->in);
	buf_release(&r->scratch);
	/* The end of a long name tells more than its beginning. */
	if (rc && !(r->err && strstr(r->err->text, name)))
		err_prefix(r->err, "%s", len > SHOWN_MAX ? name + len - SHOWN_MAX : name);
	return rc;
}

int listing_read(const char *path, listed_sink *sink, void *context,
	struct listing_counts *ret_counts, struct err *err)
{
	struct reader r = {.counts = ret_counts, .sink = sink, .context = context, .err = err};

	return read_input(&r, path, text_input_open(&r.in, path, err));
}

int listing_read_answer(int fd, const char *name, listed_sink *sink, void *context,
	struct listed_more *more, struct listing_counts *ret_counts, struct err *err)
{
	struct reader r = {
		.counts = ret_counts, .sink = sink, .context = context, .more = more, .err = err};

	text_input_open_fd(&r.in, fd);
	return read_input(&r, name, 0);
}
