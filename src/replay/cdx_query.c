#include "replay/cdx_query.h"

#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/url.h"
#include "formats/url_canonical.h"
#include "formats/url_pattern.h"
#include "warc/cdxj.h"
#include "warc/warc_date.h"

enum {
	ARENA_MAX = 4 << 20,
	NAME_LEN_MAX = 32,
};

static const slice FIELDS[CDX_FIELDS] = {
	[CDX_URLKEY] = SLICE_INIT("urlkey"),
	[CDX_TIMESTAMP] = SLICE_INIT("timestamp"),
	[CDX_URL] = SLICE_INIT("url"),
	[CDX_MIME] = SLICE_INIT("mime"),
	[CDX_STATUS] = SLICE_INIT("status"),
	[CDX_DIGEST] = SLICE_INIT("digest"),
	[CDX_LENGTH] = SLICE_INIT("length"),
	[CDX_OFFSET] = SLICE_INIT("offset"),
	[CDX_FILENAME] = SLICE_INIT("filename"),
	[CDX_ORIG_LENGTH] = SLICE_INIT("orig.length"),
	[CDX_ORIG_OFFSET] = SLICE_INIT("orig.offset"),
	[CDX_ORIG_FILENAME] = SLICE_INIT("orig.filename"),
};

/* What the Wayback Machine calls them. */
static const struct {
	slice name;
	enum cdx_field field;
} ALIASES[] = {
	{SLICE_INIT("original"), CDX_URL},
	{SLICE_INIT("mimetype"), CDX_MIME},
	{SLICE_INIT("statuscode"), CDX_STATUS},
};

static const slice MATCHES[] = {
	[CDX_EXACT] = SLICE_INIT("exact"),
	[CDX_PREFIX] = SLICE_INIT("prefix"),
	[CDX_HOST] = SLICE_INIT("host"),
	[CDX_DOMAIN] = SLICE_INIT("domain"),
};

static const slice SORTS[] = {
	[CDX_SORT_DEFAULT] = SLICE_INIT("default"),
	[CDX_SORT_REVERSE] = SLICE_INIT("reverse"),
	[CDX_SORT_CLOSEST] = SLICE_INIT("closest"),
};

static const slice OUTPUTS[] = {
	[CDX_OUTPUT_CDXJ] = SLICE_INIT("cdxj"),
	[CDX_OUTPUT_JSON] = SLICE_INIT("json"),
	[CDX_OUTPUT_TEXT] = SLICE_INIT("text"),
};

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

/* A query being read, and what decides in the end. */
struct reading {
	struct cdx_query *q;
	struct err *err;
	bool has_match;
	bool in_order; /* sort=default was said */
};

static int bad(struct reading *r, slice name, slice value, const char *wanted)
{
	return err_set(r->err, ERR_USAGE, "%.*s=%.*s: %s", slice_shown(name, NAME_LEN_MAX),
		name.ptr, slice_shown(value, 100), value.ptr, wanted);
}

static int find_word(const slice *words, size_t count, slice word)
{
	for (size_t i = 0; i < count; i++)
		if (slice_eq(words[i], word))
			return (int)i;
	return -1;
}

static int find_field(slice name)
{
	for (size_t i = 0; i < COUNT_OF(ALIASES); i++)
		if (slice_eq(ALIASES[i].name, name))
			return (int)ALIASES[i].field;
	return find_word(FIELDS, CDX_FIELDS, name);
}

/* A name or value, in the arena. */
static int unescape(struct reading *r, slice text, slice *ret)
{
	struct buf plain;
	int rc;

	buf_init(&plain, text.len + 1);
	rc = parameter_decode(&plain, text);
	*ret = (slice){arena_str(&r->q->arena, buf_slice(&plain)), plain.len};
	buf_release(&plain);
	return err_code(r->err, rc);
}

/* ---- one parameter ---- */

typedef int read_function(struct reading *r, slice name, slice value);

static int read_url(struct reading *r, slice name, slice value)
{
	(void)name;
	r->q->url = value;
	return 0;
}

static int read_match(struct reading *r, slice name, slice value)
{
	int at = find_word(MATCHES, COUNT_OF(MATCHES), value);

	if (at < 0)
		return bad(r, name, value, "give exact, prefix, host or domain");
	r->q->match = (enum cdx_match)at;
	r->has_match = true;
	return 0;
}

static int read_sort(struct reading *r, slice name, slice value)
{
	int at = find_word(SORTS, COUNT_OF(SORTS), value);

	if (at < 0)
		return bad(r, name, value, "give default, reverse or closest");
	r->q->sort = (enum cdx_sort)at;
	r->in_order = at == CDX_SORT_DEFAULT;
	return 0;
}

static int read_output(struct reading *r, slice name, slice value)
{
	int at = find_word(OUTPUTS, COUNT_OF(OUTPUTS), value);

	if (at < 0)
		return bad(r, name, value, "give text, json or cdxj");
	r->q->output = (enum cdx_output)at;
	return 0;
}

static int read_time(struct reading *r, slice name, slice value)
{
	struct cdx_query *q = r->q;
	struct timestamp t;

	if (timestamp_read_said(value, clock_realtime(clock_system()), &t, r->err))
		return ERR_USAGE;
	if (slice_starts_with(name, SLICE("from"))) {
		q->has_from = true;
		q->from = t.first;
	} else if (slice_eq(name, SLICE("to"))) {
		q->has_to = true;
		q->to = t.last;
	} else {
		q->has_closest = true;
		q->closest = warc_date_truncate(t.last); /* lines have whole seconds */
	}
	return 0;
}

static int read_limit(struct reading *r, slice name, slice value)
{
	int64_t n;

	if (parse_i64(value, &n) || n == 0 || n == INT64_MIN)
		return bad(r, name, value, "give a number; a negative one is for the last lines");
	r->q->has_limit = true;
	r->q->from_end = n < 0;
	r->q->limit = (uint64_t)(n < 0 ? -n : n);
	return 0;
}

static int read_filter(struct reading *r, slice name, slice value)
{
	struct cdx_filter f = {.test = CDX_CONTAINS};
	slice rest = value, field;
	int at;

	if (r->q->filter_count == CDX_FILTERS_MAX)
		return bad(r, name, value, "there are too many filters");
	if (rest.len && rest.ptr[0] == '!') {
		f.negated = true;
		rest = slice_sub(rest, 1, rest.len);
	}
	if (rest.len && (rest.ptr[0] == '=' || rest.ptr[0] == '~')) {
		f.test = rest.ptr[0] == '=' ? CDX_EQUALS : CDX_MATCHES;
		rest = slice_sub(rest, 1, rest.len);
	}
	if (!rest.len || !memchr(rest.ptr, ':', rest.len))
		return bad(r, name, value, "give [!][=|~]FIELD:VALUE");
	field = slice_take(&rest, ':');
	at = find_field(field);
	if (at < 0)
		return bad(r, name, field, "there is no such field");
	f.field = (enum cdx_field)at;
	f.value = rest;
	if (f.test == CDX_MATCHES) {
		struct err why = {0};
		if (pattern_compile(rest, &f.pattern, &why))
			return bad(r, name, rest, why.text);
	}
	r->q->filters[r->q->filter_count++] = f;
	return 0;
}

static int read_fields(struct reading *r, slice name, slice value)
{
	r->q->has_fields = true;
	r->q->field_count = 0;
	while (value.len) {
		slice word = slice_take(&value, ',');
		int at = find_field(word);

		if (at < 0)
			return bad(r, name, word, "there is no such field");
		if (r->q->field_count == CDX_FIELDS)
			return bad(r, name, word, "there are too many fields");
		r->q->fields[r->q->field_count++] = (enum cdx_field)at;
	}
	return r->q->field_count ? 0 : bad(r, name, value, "give names of fields");
}

static int read_number(
	struct reading *r, slice name, slice value, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t n;

	if (parse_u64(value, &n) || n < min || n > max)
		return bad(r, name, value, "this number is not possible here");
	*ret = n;
	return 0;
}

static int read_page(struct reading *r, slice name, slice value)
{
	r->q->has_page = true;
	return read_number(r, name, value, 0, UINT32_MAX, &r->q->page);
}

static int read_page_size(struct reading *r, slice name, slice value)
{
	return read_number(r, name, value, 1, CDX_PAGE_SIZE_MAX, &r->q->page_size);
}

static int read_collapse(struct reading *r, slice name, slice value)
{
	uint64_t n = 0;
	int rc = read_number(r, name, value, 1, TIMESTAMP_SECONDS, &n);

	r->q->collapse = (unsigned)n;
	return rc;
}

static int read_flag(struct reading *r, slice name, slice value, bool *ret)
{
	static const slice WORDS[] = {
		SLICE_INIT("false"), SLICE_INIT("true"), SLICE_INIT("0"), SLICE_INIT("1")};
	int at = find_word(WORDS, COUNT_OF(WORDS), value);

	if (at < 0)
		return bad(r, name, value, "give true or false");
	*ret = at % 2 == 1;
	return 0;
}

static int read_reverse(struct reading *r, slice name, slice value)
{
	bool reverse = false;
	int rc = read_flag(r, name, value, &reverse);

	if (reverse)
		r->q->sort = CDX_SORT_REVERSE;
	return rc;
}

static int read_resolve(struct reading *r, slice name, slice value)
{
	return read_flag(r, name, value, &r->q->resolve);
}

static int read_show_pages(struct reading *r, slice name, slice value)
{
	return read_flag(r, name, value, &r->q->show_pages);
}

static int read_show_resume(struct reading *r, slice name, slice value)
{
	return read_flag(r, name, value, &r->q->show_resume);
}

/*
 * As it was printed, or as a client has escaped it once more: then it still has no blanks, which
 * every key has.
 */
static int read_resume(struct reading *r, slice name, slice value)
{
	(void)name;
	r->q->resume = value;
	return memchr(value.ptr, ' ', value.len) ? 0 : unescape(r, value, &r->q->resume);
}

static const struct {
	slice name;
	read_function *read;
} PARAMETERS[] = {
	{SLICE_INIT("url"), read_url},
	{SLICE_INIT("matchType"), read_match},
	{SLICE_INIT("from"), read_time},
	{SLICE_INIT("from_ts"), read_time},
	{SLICE_INIT("to"), read_time},
	{SLICE_INIT("closest"), read_time},
	{SLICE_INIT("sort"), read_sort},
	{SLICE_INIT("reverse"), read_reverse},
	{SLICE_INIT("limit"), read_limit},
	{SLICE_INIT("filter"), read_filter},
	{SLICE_INIT("fl"), read_fields},
	{SLICE_INIT("fields"), read_fields},
	{SLICE_INIT("output"), read_output},
	{SLICE_INIT("collapseTime"), read_collapse},
	{SLICE_INIT("resolveRevisits"), read_resolve},
	{SLICE_INIT("page"), read_page},
	{SLICE_INIT("pageSize"), read_page_size},
	{SLICE_INIT("showNumPages"), read_show_pages},
	{SLICE_INIT("showResumeKey"), read_show_resume},
	{SLICE_INIT("resumeKey"), read_resume},
};

/* ---- the whole query ---- */

static int read_parameter(struct reading *r, slice pair)
{
	slice value, name = slice_take(&pair, '=');
	int rc = unescape(r, name, &name);

	if (rc == 0)
		rc = unescape(r, pair, &value);
	for (size_t i = 0; rc == 0 && i < COUNT_OF(PARAMETERS); i++)
		if (slice_eq(PARAMETERS[i].name, name))
			return PARAMETERS[i].read(r, name, value);
	return rc;
}

/* "*.example.org" and "example.org/a*". */
static void read_stars(struct reading *r)
{
	struct cdx_query *q = r->q;

	if (r->has_match)
		return;
	if (slice_starts_with(q->url, SLICE("*."))) {
		q->match = CDX_DOMAIN;
		q->url = slice_sub(q->url, 2, q->url.len);
	} else if (slice_ends_with(q->url, SLICE("*"))) {
		q->match = CDX_PREFIX;
		q->url = slice_sub(q->url, 0, q->url.len - 1);
	}
}

/* Of "org,example)/a": the host for CDX_HOST and CDX_DOMAIN, all of it for the others. */
static void cut_key(struct reading *r, struct buf *key, bool had_slash)
{
	slice whole = buf_slice(key);
	const char *end = memchr(whole.ptr, ')', whole.len);

	if (r->q->match == CDX_HOST && end)
		buf_truncate(key, (size_t)(end - whole.ptr) + 1);
	if (r->q->match == CDX_DOMAIN && end)
		buf_truncate(key, (size_t)(end - whole.ptr));
	/* The canonical form drops a slash at the end, which a prefix means. */
	if (r->q->match == CDX_PREFIX && had_slash && key->len && key->ptr[key->len - 1] != '/')
		(void)buf_add_char(key, '/');
}

static int make_key(struct reading *r)
{
	slice url = r->q->url;
	struct buf text, key;
	int rc;

	buf_init(&text, URL_MAX);
	buf_init(&key, URL_CANONICAL_MAX);
	if (!memmem(url.ptr, url.len, "://", 3))
		buf_add_str(&text, "http://");
	buf_add(&text, url);
	rc = text.error ? text.error : cdxj_key(&key, buf_slice(&text));
	if (rc == 0) {
		cut_key(r, &key, slice_ends_with(url, SLICE("/")));
		r->q->key = arena_keep(&r->q->arena, buf_slice(&key));
	}
	buf_release(&text);
	buf_release(&key);
	return r->q->key.ptr ? 0 : bad(r, SLICE("url"), url, "this is no URL");
}

static int check(struct reading *r)
{
	struct cdx_query *q = r->q;

	if (q->url.len == 0)
		return err_set(r->err, ERR_USAGE, "url is missing: give url=URL");
	if (q->has_closest && !r->in_order)
		q->sort = CDX_SORT_CLOSEST;
	if (q->resolve && !q->has_fields)
		q->field_count = CDX_FIELDS;
	if (q->sort == CDX_SORT_CLOSEST && !q->has_closest)
		return err_set(r->err, ERR_USAGE, "sort=closest needs closest=TIMESTAMP");
	if ((q->show_resume || q->resume.ptr) && (q->sort != CDX_SORT_DEFAULT || q->from_end))
		return err_set(r->err, ERR_USAGE, "resumeKey needs the order of the index");
	if (q->has_page && (q->sort != CDX_SORT_DEFAULT || q->from_end))
		return err_set(r->err, ERR_USAGE, "page needs the order of the index");
	read_stars(r);
	return make_key(r);
}

int cdx_query_parse(slice text, struct cdx_query *ret, struct err *err)
{
	struct reading r = {.q = ret, .err = err};
	int rc = 0;

	*ret = (struct cdx_query){.page_size = CDX_PAGE_SIZE, .field_count = CDX_PLAIN_FIELDS};
	for (int i = 0; i < CDX_FIELDS; i++)
		ret->fields[i] = (enum cdx_field)i;
	arena_init(&ret->arena, ARENA_MAX);
	if (text.len > CDX_QUERY_MAX)
		return err_set(err, ERR_USAGE, "the query is too long");
	while (rc == 0 && text.len)
		rc = read_parameter(&r, slice_take(&text, '&'));
	return rc ? rc : check(&r);
}

void cdx_query_release(struct cdx_query *q)
{
	for (size_t i = 0; i < q->filter_count; i++)
		pattern_free(q->filters[i].pattern);
	arena_release(&q->arena);
}

/* ---- matching ---- */

slice cdx_query_start(const struct cdx_query *q)
{
	return q->key;
}

bool cdx_query_fits_key(const struct cdx_query *q, slice key, bool *ret_past)
{
	slice rest;

	if (!slice_starts_with(key, q->key)) {
		*ret_past = cdxj_compare(key, q->key) > 0;
		return false;
	}
	rest = slice_sub(key, q->key.len, key.len);
	switch (q->match) {
	case CDX_EXACT:
		*ret_past = rest.len > 0;
		return rest.len == 0;
	case CDX_DOMAIN:
		/* "org,example" is no part of "org,example2". */
		return rest.len > 0 && strchr("),:", rest.ptr[0]) != NULL;
	default:
		return true;
	}
}

static slice number_text(bool known, uint64_t number, char *scratch)
{
	return known ? (slice){scratch, format_u64(number, scratch)} : (slice){0};
}

static slice original_value(const struct cdxj *of, enum cdx_field field, char *scratch)
{
	if (!of)
		return SLICE("-");
	if (field == CDX_ORIG_FILENAME)
		return of->filename;
	return number_text(
		of->has_place, field == CDX_ORIG_LENGTH ? of->length : of->offset, scratch);
}

/* The text of a field; numbers go to scratch (FORMAT_U64_SIZE). ptr NULL when unknown. */
static slice cdx_field_value(const struct cdx_row *row, enum cdx_field field, char *scratch)
{
	const struct cdxj *line = &row->line;

	switch (field) {
	case CDX_URLKEY:
		return line->key;
	case CDX_TIMESTAMP:
		return slice_str(line->timestamp);
	case CDX_URL:
		return line->url;
	case CDX_MIME:
		return line->mime.len ? line->mime : SLICE("unk"); /* as other tools say it */
	case CDX_DIGEST:
		return line->digest;
	case CDX_FILENAME:
		return line->filename;
	case CDX_STATUS:
		return number_text(line->status > 0, line->status, scratch);
	case CDX_LENGTH:
		return number_text(line->has_place, line->length, scratch);
	case CDX_OFFSET:
		return number_text(line->has_place, line->offset, scratch);
	default:
		return original_value(row->original, field, scratch);
	}
}

static bool passes(const struct cdx_filter *f, const struct cdx_row *row)
{
	char scratch[FORMAT_U64_SIZE];
	slice value = cdx_field_value(row, f->field, scratch);
	bool holds;

	if (!value.ptr)
		value = SLICE("-");
	if (f->test == CDX_EQUALS)
		holds = slice_eq(value, f->value);
	else if (f->test == CDX_MATCHES)
		holds = pattern_match(f->pattern, value) == PATTERN_YES;
	else
		holds = memmem(value.ptr, value.len, f->value.ptr, f->value.len) != NULL;
	return holds != f->negated;
}

bool cdx_query_fits(const struct cdx_query *q, const struct cdx_row *row, int64_t time)
{
	/* A line counts whole seconds: one that begins before `to` is not after it. */
	if ((q->has_from && time + CLOCK_NS_PER_SECOND - 1 < q->from) ||
		(q->has_to && time > q->to))
		return false;
	for (size_t i = 0; i < q->filter_count; i++)
		if (!passes(&q->filters[i], row))
			return false;
	return true;
}

/* ---- printing ---- */

static int print_text(const struct cdx_query *q, const struct cdx_row *row, struct buf *out)
{
	for (size_t i = 0; i < q->field_count; i++) {
		char scratch[FORMAT_U64_SIZE];
		slice value = cdx_field_value(row, q->fields[i], scratch);

		if (i > 0)
			buf_add_char(out, ' ');
		buf_add(out, value.len ? value : SLICE("-"));
	}
	return buf_add_char(out, '\n');
}

static int print_json(const struct cdx_query *q, const struct cdx_row *row, struct buf *out)
{
	struct json j;

	json_init_buf(&j, out, JSON_LINES);
	json_object_begin(&j);
	for (size_t i = 0; i < q->field_count; i++) {
		char scratch[FORMAT_U64_SIZE];
		slice value = cdx_field_value(row, q->fields[i], scratch);

		/* Before the object of a CDXJ line, key and timestamp stand already. */
		if (!value.ptr || (q->output == CDX_OUTPUT_CDXJ && q->fields[i] <= CDX_TIMESTAMP))
			continue;
		json_text(&j, FIELDS[q->fields[i]].ptr, value);
	}
	json_object_end(&j);
	return json_finish(&j);
}

int cdx_query_print(const struct cdx_query *q, const struct cdx_row *row, struct buf *out)
{
	if (q->output == CDX_OUTPUT_TEXT)
		return print_text(q, row, out);
	if (q->output == CDX_OUTPUT_CDXJ) {
		buf_add(out, row->line.key);
		buf_printf(out, " %s ", row->line.timestamp);
	}
	return print_json(q, row, out);
}
