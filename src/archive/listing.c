#include "archive/listing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/cdx.h"
#include "archive/text_input.h"
#include "archive/timemap.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/parse.h"
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
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = compact_block(warc, &block, err);
	if (rc == 0 && record->problem.code)
		r->counts->bad++;
	else if (rc == 0)
		rc = compact_each_row(buf_slice(&block), list_look, r, err);
	buf_release(&block);
	return rc;
}

static int list_record(
	void *context, struct warc_reader *warc, const struct warc_record *record, struct err *err)
{
	struct warc_reader_in *r = context;
	struct listed o;
	int rc;

	if (!record->is_gap && compact_is_type(record->header.content_type))
		return read_looks(r, warc, record, err);
	if (!record->is_gap && !is_capture(&record->header))
		return 0;
	rc = record->is_gap ? 0 : read_record(r, warc, record, &o, err);
	if (rc)
		return rc;
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
	int rc = cdxj_parse(line, &r->scratch, &c);

	if (rc == 0)
		rc = cdx_date_parse(slice_str(c.timestamp), &o.time);
	if (rc == 0 && c.url.len == 0)
		rc = ERR_SYNTAX;
	if (rc)
		return rc;
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
	int rc;

	if (strmap_get(&parts->map, name, NULL))
		return 0;
	name.ptr = arena_strdup(&parts->arena, name);
	rc = name.ptr ? strmap_put(&parts->map, name, 0) : ERR_NOMEM;
	if (rc == 0)
		slice_vec_push(&parts->names, name);
	return rc;
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

	return read_input(&r, name, text_input_open_fd(&r.in, fd, err));
}
