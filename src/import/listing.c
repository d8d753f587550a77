#include "import/listing.h"

#include <stdio.h>
#include <string.h>

#include "archive/cdxj.h"
#include "archive/warc_header.h"
#include "archive/zip_reader.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/parse.h"
#include "import/cdx.h"
#include "import/listing_sitemap.h"
#include "import/listing_warc.h"
#include "import/text_input.h"
#include "import/timemap.h"

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
	if (rc == ERR_NOMEM)
		return err_code(r->err, rc);
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
	char *copy;
	int rc;

	if (strmap_get(&parts->map, name, NULL))
		return 0;
	copy = arena_strdup(&parts->arena, name);
	if (!copy)
		return ERR_NOMEM;
	rc = strmap_put(&parts->map, (slice){copy, name.len}, 0);
	return rc ? rc : slice_vec_push(&parts->names, (slice){copy, name.len});
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

static int read_parts(struct reader *r, const char *index, const struct parts *parts)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < parts->names.len; i++) {
		text_input_close(&r->in);
		rc = open_part(r, index, parts->names.ptr[i]);
		if (rc == 0)
			rc = read_lines(r);
	}
	return rc;
}

static int read_zipnum(struct reader *r, const char *path)
{
	struct parts parts = {0};
	int rc;

	arena_init(&parts.arena, PARTS_MAX);
	strmap_init(&parts.map, hash_key_random(), NULL);
	rc = find_parts(r, &parts);
	if (rc == 0)
		rc = read_parts(r, path, &parts);
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
