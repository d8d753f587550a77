#include "warc/cdxj.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/format.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/url_canonical.h"
#include "warc/compact.h"
#include "warc/warc_request.h"

/* ---- writing a line ---- */

int cdxj_compare(slice a, slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_key(slice key)
{
	for (size_t i = 0; i < key.len; i++)
		if ((unsigned char)key.ptr[i] <= ' ')
			return false;
	return key.len > 0;
}

static void put(struct json *j, const char *key, slice value)
{
	if (!value.ptr)
		return;
	json_key(j, key);
	json_slice(j, value);
}

static void put_number(struct json *j, const char *key, uint64_t value)
{
	char text[FORMAT_U64_SIZE];

	put(j, key, (slice){text, format_u64(value, text)});
}

/* In the order in which warcio has them. */
static int write_fields(struct buf *out, const struct cdxj *line)
{
	struct json j;

	json_init_buf(&j, out, JSON_LINES);
	json_object_begin(&j);
	put(&j, "url", line->url);
	put(&j, "mime", line->mime);
	if (line->status)
		put_number(&j, "status", line->status);
	put(&j, "digest", line->digest);
	if (line->has_place) {
		put_number(&j, "length", line->length);
		put_number(&j, "offset", line->offset);
	}
	put(&j, "filename", line->filename);
	json_object_end(&j);
	return json_finish(&j);
}

int cdxj_write(struct buf *out, const struct cdxj *line)
{
	size_t before = out->len;
	int rc = is_key(line->key) ? buf_add(out, line->key) : ERR_SYNTAX;

	if (rc == 0)
		rc = buf_printf(out, " %s ", line->timestamp);
	if (rc == 0)
		rc = write_fields(out, line);
	if (rc == 0 && out->len - before > CDXJ_LINE_MAX)
		rc = ERR_LIMIT;
	if (rc)
		buf_truncate(out, before);
	return rc;
}

static bool is_indexed(const struct warc_record *r)
{
	slice fields = SLICE("application/warc-fields");

	switch (r->header.type) {
	case WARC_TYPE_RESPONSE:
	case WARC_TYPE_REVISIT:
	case WARC_TYPE_CONVERSION:
		break;
	case WARC_TYPE_RESOURCE:
	case WARC_TYPE_METADATA:
		if (word_is(fields_media_type(r->header.content_type), fields) ||
			compact_is_type(r->header.content_type))
			return false;
		break;
	default:
		return false;
	}
	return !r->is_gap && !r->is_shared && r->header.url.ptr && r->header.has_date;
}

bool cdxj_from_record(const struct warc_record *r, slice filename, struct cdxj *ret)
{
	slice digest = warc_header_get(&r->header, SLICE("WARC-Payload-Digest"));
	const char *colon = digest.len ? memchr(digest.ptr, ':', digest.len) : NULL;

	if (!is_indexed(r))
		return false;
	*ret = (struct cdxj){
		.url = r->header.url,
		.mime = r->header.type == WARC_TYPE_REVISIT ? SLICE("warc/revisit") : r->mime,
		.digest = digest,
		.filename = filename,
		.status = r->status,
		.has_place = true,
		.length = r->length,
		.offset = r->spot.offset,
	};
	if (colon)
		ret->digest = slice_sub(digest, (size_t)(colon - digest.ptr) + 1, digest.len);
	warc_date_digits(r->header.date, ret->timestamp);
	return true;
}

/* ---- reading a line ---- */

struct reading {
	struct cdxj *line;
	struct buf *scratch; /* never moves: it was reserved for the whole line */
};

/* Producers write "-" or nothing for a status they do not know: that is no error. */
static int set_field(struct cdxj *line, slice name, slice value)
{
	uint64_t status;
	int rc = 0;

	if (slice_eq(name, SLICE("url")))
		line->url = value;
	else if (slice_eq(name, SLICE("mime")))
		line->mime = value;
	else if (slice_eq(name, SLICE("digest")))
		line->digest = value;
	else if (slice_eq(name, SLICE("filename")))
		line->filename = value;
	else if (slice_eq(name, SLICE("status")))
		line->status = parse_u64(value, &status) || status > 999 ? 0 : (unsigned)status;
	else if (slice_eq(name, SLICE("length")))
		rc = value.ptr ? parse_u64(value, &line->length) : 0;
	else if (slice_eq(name, SLICE("offset")) && value.ptr) {
		rc = parse_u64(value, &line->offset);
		line->has_place = true;
	}
	return rc ? ERR_SYNTAX : 0;
}

/* A string, or a number as its text; any other value is unknown. */
static int read_member(void *context, struct json_cursor *c, slice key)
{
	struct reading *r = context;
	slice value = {0}, raw;
	size_t start = r->scratch->len;
	int next = json_cursor_peek(c);

	if (next == '"') {
		TRY(json_cursor_string(c, &raw));
		value = raw;
		if (raw.len && memchr(raw.ptr, '\\', raw.len)) {
			TRY(json_unescape(raw, r->scratch));
			value = slice_sub(buf_slice(r->scratch), start, r->scratch->len);
		}
	} else {
		start = c->at;
		TRY(json_cursor_skip(c));
		if (next >= '0' && next <= '9')
			value = slice_sub(c->text, start, c->at);
	}
	return set_field(r->line, key, value);
}

static slice take_word(slice *rest)
{
	slice word = slice_take(rest, ' ');

	while (rest->len > 0 && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t'))
		*rest = slice_sub(*rest, 1, rest->len);
	return word;
}

int cdxj_parse(slice text, struct buf *scratch, struct cdxj *ret)
{
	struct cdxj line = {0};
	struct json_cursor c = {0};
	slice timestamp;
	int rc;

	if (text.len > CDXJ_LINE_MAX)
		return ERR_LIMIT;
	buf_reset(scratch);
	TRY(buf_reserve(scratch, text.len));
	line.key = take_word(&text);
	timestamp = take_word(&text);
	if (line.key.len == 0 || timestamp.len == 0 || timestamp.len >= sizeof line.timestamp)
		return ERR_SYNTAX;
	for (size_t i = 0; i < timestamp.len; i++)
		if (timestamp.ptr[i] < '0' || timestamp.ptr[i] > '9')
			return ERR_SYNTAX;
	memcpy(line.timestamp, timestamp.ptr, timestamp.len);
	c.text = text;
	rc = json_cursor_object(&c, read_member, &(struct reading){&line, scratch});
	if (rc)
		return rc == ERR_RANGE ? ERR_SYNTAX : rc;
	*ret = line;
	return 0;
}

/* ---- lines of records ---- */

int cdxj_key(struct buf *out, slice text)
{
	SCOPED(url_release) struct url url = {0};

	url_init(&url);
	buf_reset(out);
	TRY(url_parse(&url, text, NULL, NULL));
	return url_surt(out, &url);
}

/* Without its line feed. */
static int write_line(struct buf *out, const struct cdxj *line)
{
	if (cdxj_write(out, line))
		return ERR_NOTFOUND;
	buf_truncate(out, out->len - 1);
	return 0;
}

int cdxj_record_line(
	struct buf *out, struct buf *key, const struct warc_record *record, slice filename)
{
	struct cdxj line;
	int rc;

	buf_reset(out);
	if (!cdxj_from_record(record, filename, &line) || slice_eq(line.mime, SLICE("text/dns")))
		return ERR_NOTFOUND;
	rc = cdxj_key(key, line.url);
	line.key = buf_slice(key);
	return rc ? ERR_NOTFOUND : write_line(out, &line);
}

slice cdxj_digest(const struct digest *d, char out[DIGEST_TEXT_SIZE])
{
	size_t len = digest_format(d, out);
	const char *colon = memchr(out, ':', len);

	return colon ? (slice){colon + 1, len - (size_t)(colon + 1 - out)} : (slice){out, len};
}

int cdxj_attempt_line(struct buf *out, struct buf *key, const struct attempt *a)
{
	char digest[DIGEST_TEXT_SIZE];
	slice url = a->url, body;
	bool by_post = attempt_purpose(a) == PURPOSE_POST && post_query_split(a->url, &url, &body);
	struct cdxj line = {
		.url = by_post ? url : a->url,
		.mime = a->is_revisit ? SLICE("warc/revisit") : fields_media_type(a->media_type),
		.digest = cdxj_digest(&a->payload, digest),
		.filename = a->warc,
		.status = a->status,
		.has_place = true,
		.length = a->length,
		.offset = a->offset,
	};
	int rc;

	buf_reset(out);
	if (!a->warc.ptr || !a->has_payload)
		return ERR_NOTFOUND;
	rc = cdxj_key(key, a->url);
	line.key = buf_slice(key);
	warc_date_digits(a->wall.sent, line.timestamp);
	return rc ? ERR_NOTFOUND : write_line(out, &line);
}

/* ---- looking up ---- */

enum {
	PROBE_SIZE = 2048, /* bytes read to look at one line of a search */
	BLOCK_SIZE = 8192, /* bytes that are gone through line by line: one read for many probes */
};

bool cdxj_has_key(slice line, slice key)
{
	return line.len > key.len && memcmp(line.ptr, key.ptr, key.len) == 0 &&
	       line.ptr[key.len] == ' ';
}

/*
 * Reads the first line that begins at or behind at, and says where: 0, ERR_END when none does. A
 * line begins behind a line end, so one byte earlier is where to look for one.
 */
static int read_line(
	struct lines *lines, uint64_t at, uint64_t *ret_start, slice *ret_line, struct err *err)
{
	int rc = 0;

	lines_seek(lines, at > 0 ? at - 1 : 0);
	if (at > 0)
		rc = lines_next(lines, ret_line, err);
	*ret_start = lines_offset(lines);
	return rc ? rc : lines_next(lines, ret_line, err);
}

/*
 * Whether the first line that begins at or behind at is below from, and where it begins, from a
 * small read: 0, or ERR_LIMIT when that does not show it.
 */
static int probe(
	const struct lines *lines, uint64_t at, slice from, uint64_t *ret_start, bool *ret_below)
{
	char bytes[PROBE_SIZE];
	uint64_t first = at > 0 ? at - 1 : 0;
	ssize_t n = io_read_at(lines->fd, bytes, sizeof bytes, lines->base + first);
	slice line = {bytes, n > 0 ? (size_t)n : 0};
	const char *lf;

	if (at > 0) {
		lf = line.len ? memchr(line.ptr, '\n', line.len) : NULL;
		line = slice_sub(line, lf ? (size_t)(lf - line.ptr) + 1 : line.len, line.len);
	}
	*ret_start = first + (uint64_t)(line.ptr - bytes);
	lf = line.len ? memchr(line.ptr, '\n', line.len) : NULL;
	if (!lf && line.len < from.len)
		return ERR_LIMIT;
	line = slice_sub(line, 0, lf ? (size_t)(lf - line.ptr) : from.len);
	*ret_below = cdxj_compare(line, from) < 0;
	return 0;
}

/* The same whatever the length of the line: 0, ERR_END when there is none, or as lines_next. */
static int probe_line(struct lines *lines, uint64_t at, slice from, uint64_t *ret_start,
	bool *ret_below, struct err *err)
{
	slice line;

	if (at + PROBE_SIZE < lines->limit && probe(lines, at, from, ret_start, ret_below) == 0)
		return 0;
	TRY(read_line(lines, at, ret_start, &line, err));
	*ret_below = cdxj_compare(line, from) < 0;
	return 0;
}

/* Goes from the first line at or behind low to the first that is not below from, or at the end. */
static int find_in_block(
	struct lines *lines, uint64_t low, slice from, uint64_t *before, struct err *err)
{
	uint64_t start;
	slice line;
	int rc = read_line(lines, low, &start, &line, err);

	while (rc == 0 && cdxj_compare(line, from) < 0) {
		*before = start;
		start = lines_offset(lines);
		rc = lines_next(lines, &line, err);
	}
	if (rc == 0 || rc == ERR_END)
		lines_seek(lines, start);
	return rc == ERR_END ? 0 : rc;
}

/*
 * Invariant: lines that begin before low are below from, lines that begin at or behind high are
 * not. before is where the last one begins that is known to be below. Ends at the first that is
 * not.
 */
static int find(struct lines *lines, slice from, uint64_t *ret_before, struct err *err)
{
	uint64_t low = 0, high = 0, before = 0;
	int rc = lines_size(lines, &high, err);

	if (rc)
		return rc;
	while (high - low > BLOCK_SIZE) {
		uint64_t middle = low + (high - low) / 2, start;
		bool below = false;

		rc = probe_line(lines, middle, from, &start, &below, err);
		if (rc && rc != ERR_END)
			return rc;
		if (rc == 0 && below) {
			before = start;
			low = start + 1;
		} else {
			high = middle;
		}
	}
	rc = find_in_block(lines, low, from, &before, err);
	*ret_before = before;
	return rc;
}

int cdxj_find(struct lines *lines, slice from, struct err *err)
{
	uint64_t ignored;

	return find(lines, from, &ignored, err);
}

int cdxj_find_before(struct lines *lines, slice from, struct err *err)
{
	uint64_t before = 0;

	TRY(find(lines, from, &before, err));
	lines_seek(lines, before);
	return 0;
}

/* ---- merging ---- */

/* A binary heap of inputs by their next lines; at its top is the input whose line comes next. */
struct merge {
	struct lines *inputs;
	slice lines[CDXJ_MERGE_MAX]; /* by input */
	unsigned heap[CDXJ_MERGE_MAX];
	size_t len;
};

/* Equal lines come in the order of their inputs. */
static bool is_before(const struct merge *m, unsigned a, unsigned b)
{
	int order = cdxj_compare(m->lines[a], m->lines[b]);

	return order ? order < 0 : a < b;
}

static void sift_down(struct merge *m, size_t at)
{
	unsigned moved = m->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->len)
			break;
		if (child + 1 < m->len && is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!is_before(m, m->heap[child], moved))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
}

/* The next line of an input that is not empty: 0, ERR_END, or an error. */
static int next_line(struct merge *m, unsigned input, struct err *err)
{
	int rc;

	do
		rc = lines_next(&m->inputs[input], &m->lines[input], err);
	while (rc == 0 && m->lines[input].len == 0);
	return rc;
}

static int start_merge(struct merge *m, size_t count, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		int rc = next_line(m, i, err);

		if (rc == 0)
			m->heap[m->len++] = i;
		else if (rc != ERR_END)
			return rc;
	}
	for (size_t i = m->len / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

/* Moves the input at the top on to its next line. */
static int advance(struct merge *m, struct err *err)
{
	int rc = next_line(m, m->heap[0], err);

	if (rc && rc != ERR_END)
		return rc;
	if (rc == ERR_END)
		m->heap[0] = m->heap[--m->len];
	if (m->len > 0)
		sift_down(m, 0);
	return 0;
}

/* Passes a line on unless it is the same as the one before, of which last is a copy. */
static int emit_once(slice line, struct buf *last, cdxj_emit *emit, void *context, struct err *err)
{
	int rc;

	if (slice_eq(buf_slice(last), line))
		return 0;
	buf_reset(last);
	rc = buf_add(last, line);
	return rc ? err_code(err, rc) : emit(context, line, err);
}

int cdxj_merge(struct lines *inputs, size_t count, unsigned flags, cdxj_emit *emit, void *context,
	struct err *err)
{
	struct merge m = {.inputs = inputs};
	BUF_SCOPED(last, LINES_LINE_MAX);
	int rc;

	if (count > CDXJ_MERGE_MAX)
		return err_set(err, ERR_LIMIT, "more than %d files to merge", CDXJ_MERGE_MAX);
	rc = start_merge(&m, count, err);
	while (rc == 0 && m.len > 0) {
		slice line = m.lines[m.heap[0]];

		if (flags & CDXJ_UNIQUE)
			rc = emit_once(line, &last, emit, context, err);
		else
			rc = emit(context, line, err);
		if (rc == 0)
			rc = advance(&m, err);
	}
	return rc;
}

/* ---- sorting ---- */

/* The external merge sort of cdxj.h. */

enum {
	LEVELS_MAX = 3, /* FAN_IN to this power runs are more than any disk has */
};

_Static_assert(LEVELS_MAX *CDXJ_FAN_IN <= CDXJ_MERGE_MAX, "the last merge is of all files");

struct level {
	int fds[CDXJ_FAN_IN];
	size_t count;
};

struct cdxj_sort {
	const char *dir;
	unsigned flags;
	char *text; /* of the lines of the run being gathered */
	size_t memory;
	size_t used; /* of text */
	struct slice_vec lines;
	struct level levels[LEVELS_MAX]; /* files of a level are merged into one of the next */
};

static int io_error(struct err *err)
{
	return err_set(err, ERR_IO, "temporary file: %s", strerror(errno));
}

struct cdxj_sort *cdxj_sort_open(const char *dir, size_t memory, unsigned flags)
{
	struct cdxj_sort *s = mem_new(1, sizeof *s);

	s->dir = dir;
	s->flags = flags;
	s->memory = memory ? memory : CDXJ_SORT_MEMORY;
	if (s->memory < CDXJ_SORT_MEMORY_MIN)
		s->memory = CDXJ_SORT_MEMORY_MIN;
	return s;
}

static void close_level(struct level *level)
{
	while (level->count > 0)
		(void)close(level->fds[--level->count]);
}

void cdxj_sort_close(struct cdxj_sort *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < LEVELS_MAX; i++)
		close_level(&s->levels[i]);
	slice_vec_release(&s->lines);
	free(s->text);
	free(s);
}

int cdxj_put_line(void *context, slice line, struct err *err)
{
	FILE *file = context;

	if (fwrite(line.ptr, 1, line.len, file) == line.len && putc('\n', file) != EOF)
		return 0;
	return err_set(err, ERR_IO, "index: %s", strerror(errno));
}

static int compare(const void *a, const void *b)
{
	return cdxj_compare(*(const slice *)a, *(const slice *)b);
}

/* The run in memory, sorted, line by line. */
static int emit_run(struct cdxj_sort *s, cdxj_emit *emit, void *context, struct err *err)
{
	int rc = 0;

	if (s->lines.len)
		qsort(s->lines.ptr, s->lines.len, sizeof s->lines.ptr[0], compare);
	for (size_t i = 0; rc == 0 && i < s->lines.len; i++)
		if (!(s->flags & CDXJ_UNIQUE) || i == 0 ||
			!slice_eq(s->lines.ptr[i], s->lines.ptr[i - 1]))
			rc = emit(context, s->lines.ptr[i], err);
	s->lines.len = 0;
	s->used = 0;
	return rc;
}

/* Merges the files of some levels. */
static int merge_levels(struct cdxj_sort *s, const struct level *levels, size_t count,
	cdxj_emit *emit, void *context, struct err *err)
{
	struct lines inputs[LEVELS_MAX * CDXJ_FAN_IN];
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < levels[i].count; k++)
			lines_init(&inputs[n++], levels[i].fds[k], 0);
	rc = cdxj_merge(inputs, n, s->flags, emit, context, err);
	while (n > 0)
		lines_release(&inputs[--n]);
	return rc;
}

/* Writes the run in memory (at 0), or the merged files of the level below, to a file of a level. */
static int add_file(struct cdxj_sort *s, size_t at, struct err *err)
{
	struct level *level = &s->levels[at];
	int fd = tempfile_open(s->dir), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "wb");
	int rc;

	if (!file)
		rc = io_error(err);
	else if (at == 0)
		rc = emit_run(s, cdxj_put_line, file, err);
	else
		rc = merge_levels(s, level - 1, 1, cdxj_put_line, file, err);
	if (file && fclose(file) && rc == 0)
		rc = io_error(err);
	if (!file && copy >= 0)
		(void)close(copy);
	if (fd >= 0)
		level->fds[level->count++] = fd;
	if (at > 0)
		close_level(level - 1);
	return rc;
}

/* Makes room on level 0, from the highest full level downwards. */
static int make_room(struct cdxj_sort *s, struct err *err)
{
	size_t full = 0;

	while (full < LEVELS_MAX && s->levels[full].count == CDXJ_FAN_IN)
		full++;
	if (full == LEVELS_MAX)
		return err_set(err, ERR_LIMIT, "too many lines to sort");
	for (; full > 0; full--)
		TRY(add_file(s, full, err));
	return 0;
}

static int spill(struct cdxj_sort *s, struct err *err)
{
	TRY(make_room(s, err));
	return add_file(s, 0, err);
}

/* What a line takes: its bytes, and its place in the array, which doubles as it grows. */
static bool is_full(const struct cdxj_sort *s, size_t len)
{
	return s->lines.len > 0 &&
	       s->used + len + (s->lines.len + 1) * 2 * sizeof(slice) > s->memory;
}

int cdxj_sort_add(struct cdxj_sort *s, slice line, struct err *err)
{
	char *to;

	if (line.len > CDXJ_LINE_MAX)
		return err_set(err, ERR_LIMIT, "line is too long");
	if (is_full(s, line.len))
		TRY(spill(s, err));
	if (!s->text)
		s->text = mem_resize(NULL, s->memory + CDXJ_LINE_MAX, 1);
	to = s->text + s->used;
	slice_vec_push(&s->lines, (slice){to, line.len});
	if (line.len)
		memcpy(to, line.ptr, line.len);
	s->used += line.len;
	return 0;
}

int cdxj_sort_finish(struct cdxj_sort *s, cdxj_emit *emit, void *context, struct err *err)
{
	size_t files = 0;
	int rc = 0;

	for (size_t i = 0; i < LEVELS_MAX; i++)
		files += s->levels[i].count;
	if (files == 0)
		return emit_run(s, emit, context, err);
	if (s->lines.len > 0)
		rc = spill(s, err);
	return rc ? rc : merge_levels(s, s->levels, LEVELS_MAX, emit, context, err);
}
