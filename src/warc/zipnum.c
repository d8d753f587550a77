#include "warc/zipnum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"
#include "formats/http_digest.h"
#include "warc/cdxj.h"
#include "warc/lines.h"
#include "warc/warc_compress.h"

/* ---- reading ---- */

enum {
	GZIP_BITS = 15 + 16,
	RAW_SIZE = 64 << 10,
	TAB_FIELDS = 4, /* name, part, offset, length */
};

struct zipnum_reader {
	struct file_part data;
	struct lines index;
	struct buf text; /* of the block */
	size_t at;       /* in it */
	struct buf scratch;
	slice from; /* lines below it are passed over; a copy */
	char *from_copy;
	unsigned char raw[RAW_SIZE];
};

struct block {
	uint64_t offset;
	uint64_t length;
};

/* "name \t part \t offset \t length": pywb's older form. */
static int parse_tabs(slice line, struct block *ret)
{
	slice fields[TAB_FIELDS];

	for (int i = 0; i < TAB_FIELDS; i++) {
		const char *tab = line.len ? memchr(line.ptr, '\t', line.len) : NULL;
		size_t len = tab ? (size_t)(tab - line.ptr) : line.len;

		if (!tab && i + 1 < TAB_FIELDS)
			return ERR_SYNTAX;
		fields[i] = slice_sub(line, 0, len);
		line = slice_sub(line, len + 1, line.len);
	}
	if (parse_u64(fields[2], &ret->offset) || parse_u64(fields[3], &ret->length))
		return ERR_SYNTAX;
	return 0;
}

static int parse_index_line(struct zipnum_reader *r, slice line, struct block *ret)
{
	struct cdxj fields;

	if (memchr(line.ptr, '\t', line.len))
		return parse_tabs(line, ret);
	TRY(cdxj_parse(line, &r->scratch, &fields));
	*ret = (struct block){fields.offset, fields.length};
	return fields.has_place ? 0 : ERR_SYNTAX;
}

/* A block lies within the data. */
static bool is_possible(const struct zipnum_reader *r, struct block b)
{
	return b.offset <= r->data.size && b.length <= r->data.size - b.offset;
}

static int read_raw(struct zipnum_reader *r, struct block *left, z_stream *z, struct err *err)
{
	size_t room = left->length < RAW_SIZE ? (size_t)left->length : RAW_SIZE;
	ssize_t n;

	do
		n = pread(r->data.fd, r->raw, room, (off_t)(r->data.base + left->offset));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	if (n == 0)
		return err_set(err, ERR_SYNTAX, "index block is cut off");
	left->offset += (uint64_t)n;
	left->length -= (uint64_t)n;
	z->next_in = r->raw;
	z->avail_in = (uInt)n;
	return 0;
}

static int inflate_block(struct zipnum_reader *r, struct block left, z_stream *z, struct err *err)
{
	int result = Z_OK;

	while (result != Z_STREAM_END) {
		if (z->avail_in == 0)
			TRY(read_raw(r, &left, z, err));
		TRY(err_code(err, buf_reserve(&r->text, RAW_SIZE)));
		z->next_out = (Bytef *)r->text.ptr + r->text.len;
		z->avail_out = RAW_SIZE;
		result = inflate(z, Z_NO_FLUSH);
		r->text.len += RAW_SIZE - z->avail_out;
		if (r->text.len > ZIPNUM_BLOCK_MAX)
			return err_set(err, ERR_LIMIT, "index block of more than %d bytes",
				ZIPNUM_BLOCK_MAX);
		if (result == Z_MEM_ERROR)
			mem_end();
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			return err_set(err, ERR_SYNTAX, "index block is damaged");
	}
	return 0;
}

static int load_block(struct zipnum_reader *r, struct block block, struct err *err)
{
	z_stream z = {0};
	int rc;

	buf_reset(&r->text);
	r->at = 0;
	if (inflateInit2(&z, GZIP_BITS) != Z_OK)
		mem_end();
	rc = inflate_block(r, block, &z, err);
	(void)inflateEnd(&z);
	return rc;
}

/* Loads the block that the next line of the index names: 0, ERR_END, or an error. */
static int next_block(struct zipnum_reader *r, struct err *err)
{
	struct block block;
	slice line;
	int rc;

	do
		rc = lines_next(&r->index, &line, err);
	while (rc == 0 && (line.len == 0 || line.ptr[0] == '!'));
	if (rc)
		return rc;
	rc = parse_index_line(r, line, &block);
	if (rc == 0 && !is_possible(r, block))
		rc = ERR_SYNTAX;
	return rc ? err_set(err, rc, "index of blocks: %s", err_name(rc))
		  : load_block(r, block, err);
}

static bool next_of_block(struct zipnum_reader *r, slice *ret)
{
	slice rest = slice_sub(buf_slice(&r->text), r->at, SIZE_MAX);
	const char *lf = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;
	size_t len = lf ? (size_t)(lf - rest.ptr) : rest.len;

	r->at += lf ? len + 1 : len;
	*ret = slice_sub(rest, 0, len);
	return rest.len > 0;
}

int zipnum_reader_next(struct zipnum_reader *r, slice *ret, struct err *err)
{
	for (;;) {
		slice line;
		int rc;

		if (next_of_block(r, &line)) {
			if (line.len == 0 || cdxj_compare(line, r->from) < 0)
				continue;
			*ret = line;
			return 0;
		}
		rc = next_block(r, err);
		if (rc)
			return rc;
	}
}

static SP_MUST_CHECK int zipnum_reader_open_parts(const struct file_part *data,
	const struct file_part *index, slice from, struct zipnum_reader **ret, struct err *err)
{
	struct zipnum_reader *r = mem_new(1, sizeof *r);
	int rc;

	r->data = *data;
	lines_init_part(&r->index, index);
	buf_init(&r->text, ZIPNUM_BLOCK_MAX + RAW_SIZE); /* to see that there is more */
	buf_init(&r->scratch, CDXJ_LINE_MAX);
	r->from_copy = mem_strdup(from);
	r->from = (slice){r->from_copy, from.len};
	rc = cdxj_find_before(&r->index, from, err);
	if (rc) {
		zipnum_reader_close(r);
		return rc;
	}
	*ret = r;
	return 0;
}

int zipnum_reader_open(int data, int index, slice from, struct zipnum_reader **ret, struct err *err)
{
	struct file_part parts[] = {file_part_whole(data), file_part_whole(index)};

	return zipnum_reader_open_parts(&parts[0], &parts[1], from, ret, err);
}

void zipnum_reader_close(struct zipnum_reader *r)
{
	if (!r)
		return;
	lines_release(&r->index);
	buf_release(&r->text);
	buf_release(&r->scratch);
	free(r->from_copy);
	free(r);
}

/* ---- writing ---- */

struct zipnum_writer {
	FILE *data;
	FILE *index;
	const char *name;
	unsigned lines_max;
	unsigned lines;  /* of the block */
	uint64_t offset; /* of the block in data */
	uint64_t length; /* of it, compressed, so far */
	struct buf text; /* of the block */
	struct warc_compress *gzip;
	struct digester digester;
};

static int write_all(FILE *file, slice bytes, struct err *err)
{
	if (bytes.len && fwrite(bytes.ptr, 1, bytes.len, file) != bytes.len)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return 0;
}

static int write_meta(struct zipnum_writer *w, struct err *err)
{
	struct json j;
	int rc = write_all(w->index, SLICE("!meta 0 "), err);

	json_init_file(&j, w->index, JSON_LINES);
	json_object_begin(&j);
	json_put_string(&j, "format", "cdxj-gzip-1.0");
	json_put_string(&j, "filename", w->name);
	json_object_end(&j);
	if (rc == 0 && json_finish(&j))
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	return rc;
}

int zipnum_writer_open(FILE *data, FILE *index, const char *name, unsigned lines,
	struct zipnum_writer **ret, struct err *err)
{
	struct zipnum_writer *w = mem_new(1, sizeof *w);
	int rc;

	w->data = data;
	w->index = index;
	w->name = name;
	w->lines_max = lines ? lines : ZIPNUM_LINES;
	buf_init(&w->text, ZIPNUM_TEXT_MAX);
	rc = warc_compress_open(WARC_CODING_GZIP, 0, &w->gzip, err);
	if (rc == 0)
		rc = write_meta(w, err);
	if (rc)
		zipnum_writer_free(w);
	else
		*ret = w;
	return rc;
}

void zipnum_writer_free(struct zipnum_writer *w)
{
	if (!w)
		return;
	buf_release(&w->text);
	warc_compress_close(w->gzip);
	digester_release(&w->digester);
	free(w);
}

static int emit_gzip(void *context, slice bytes, struct err *err)
{
	struct zipnum_writer *w = context;

	digester_feed(&w->digester, bytes);
	w->length += bytes.len;
	return write_all(w->data, bytes, err);
}

/* Key and timestamp of the block's first line: what is before its second blank. */
static slice block_name(slice text)
{
	size_t blanks = 0, n = 0;

	while (n < text.len && text.ptr[n] != '\n' && (blanks += text.ptr[n] == ' ') < 2)
		n++;
	return slice_sub(text, 0, n);
}

static int write_index_line(struct zipnum_writer *w, struct err *err)
{
	char text[DIGEST_TEXT_SIZE];
	struct digest digest;
	struct json j;
	int rc;

	digester_finish(&w->digester, &digest);
	(void)digest_format(&digest, text);
	rc = write_all(w->index, block_name(buf_slice(&w->text)), err);
	if (rc == 0)
		rc = write_all(w->index, SLICE(" "), err);
	json_init_file(&j, w->index, JSON_LINES);
	json_object_begin(&j);
	json_put_uint(&j, "offset", w->offset);
	json_put_uint(&j, "length", w->length);
	json_put_string(&j, "digest", text);
	json_put_string(&j, "filename", w->name);
	json_object_end(&j);
	if (rc == 0 && json_finish(&j))
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	return rc;
}

static int end_block(struct zipnum_writer *w, struct err *err)
{
	int rc;

	if (w->lines == 0)
		return 0;
	w->length = 0;
	TRY(err_code(err, digester_start(&w->digester, DIGEST_SHA256)));
	rc = warc_compress_record(w->gzip, buf_slice(&w->text), emit_gzip, w, err);
	if (rc == 0)
		rc = write_index_line(w, err);
	w->offset += w->length;
	w->lines = 0;
	buf_reset(&w->text);
	return rc;
}

int zipnum_writer_add(void *writer, slice line, struct err *err)
{
	struct zipnum_writer *w = writer;

	if (line.len > CDXJ_LINE_MAX)
		return err_set(err, ERR_LIMIT, "line is too long");
	if (w->lines == w->lines_max || line.len + 1 > ZIPNUM_TEXT_MAX - w->text.len)
		TRY(end_block(w, err));
	buf_add(&w->text, line);
	buf_add_char(&w->text, '\n');
	w->lines++;
	return 0;
}

int zipnum_writer_close(struct zipnum_writer *w, struct err *err)
{
	int rc = w ? end_block(w, err) : 0;

	zipnum_writer_free(w);
	return rc;
}

/* ---- going through an index ---- */

/* One source, and the line that it stands at. */
struct head {
	const struct cdxj_source *source;
	struct lines lines;
	struct zipnum_reader *blocks;
	size_t at;  /* in memory */
	slice line; /* its next line */
	bool has_line;
};

struct cdxj_scan {
	size_t count;
	slice given; /* the line handed out last, still at the front of its heads */
	bool has_given;
	struct head heads[];
};

/* Goes to the next line; 0 also at the end, where it has none. */
static int advance(struct head *h, struct err *err)
{
	int rc = 0;

	switch (h->source->kind) {
	case CDXJ_PLAIN:
		do
			rc = lines_next(&h->lines, &h->line, err);
		while (rc == 0 && h->line.len == 0);
		break;
	case CDXJ_ZIPNUM:
		rc = zipnum_reader_next(h->blocks, &h->line, err);
		break;
	case CDXJ_MEMORY:
		rc = h->at < h->source->count ? 0 : ERR_END;
		if (rc == 0)
			h->line = h->source->lines[h->at++];
		break;
	}
	h->has_line = rc == 0;
	return rc == ERR_END ? 0 : rc;
}

static size_t find_in_memory(const struct cdxj_source *s, slice from)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cdxj_compare(s->lines[middle], from) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int start(struct head *h, slice from, struct err *err)
{
	int rc = 0;

	switch (h->source->kind) {
	case CDXJ_PLAIN:
		lines_init_part(&h->lines, &h->source->data);
		rc = cdxj_find(&h->lines, from, err);
		break;
	case CDXJ_ZIPNUM:
		rc = zipnum_reader_open_parts(
			&h->source->data, &h->source->blocks, from, &h->blocks, err);
		break;
	case CDXJ_MEMORY:
		h->at = find_in_memory(h->source, from);
		break;
	}
	return rc ? rc : advance(h, err);
}

int cdxj_scan_open(const struct cdxj_source *sources, size_t count, slice from,
	struct cdxj_scan **ret, struct err *err)
{
	struct cdxj_scan *s = mem_new(1, sizeof *s + count * sizeof s->heads[0]);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		s->heads[s->count++].source = &sources[i];
		rc = start(&s->heads[i], from, err);
	}
	if (rc) {
		cdxj_scan_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void cdxj_scan_close(struct cdxj_scan *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		lines_release(&s->heads[i].lines);
		zipnum_reader_close(s->heads[i].blocks);
	}
	free(s);
}

/* All heads that stand at the given line go on: but for one, to which its bytes belong, first. */
static int leave_given(struct cdxj_scan *s, struct err *err)
{
	struct head *owner = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->count; i++) {
		struct head *h = &s->heads[i];

		if (!h->has_line || !slice_eq(h->line, s->given))
			continue;
		if (h->line.ptr == s->given.ptr)
			owner = h;
		else
			rc = advance(h, err);
	}
	s->has_given = false;
	return rc == 0 && owner ? advance(owner, err) : rc;
}

int cdxj_scan_next(struct cdxj_scan *s, slice *ret, struct err *err)
{
	const struct head *least = NULL;

	if (s->has_given)
		TRY(leave_given(s, err));
	for (size_t i = 0; i < s->count; i++) {
		const struct head *h = &s->heads[i];

		if (h->has_line && (!least || cdxj_compare(h->line, least->line) < 0))
			least = h;
	}
	if (!least)
		return ERR_END;
	s->given = *ret = least->line;
	s->has_given = true;
	return 0;
}
