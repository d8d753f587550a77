#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/cdxj_find.h"
#include "archive/zipnum.h"
#include "base/parse.h"

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
	int rc;

	if (memchr(line.ptr, '\t', line.len))
		return parse_tabs(line, ret);
	rc = cdxj_parse(line, &r->scratch, &fields);
	if (rc)
		return rc;
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
	int rc, result = Z_OK;

	while (result != Z_STREAM_END) {
		rc = z->avail_in == 0 ? read_raw(r, &left, z, err) : 0;
		if (rc == 0)
			rc = buf_reserve(&r->text, RAW_SIZE);
		if (rc == ERR_NOMEM)
			return err_set(err, rc, "index block: %s", err_name(rc));
		if (rc)
			return rc;
		z->next_out = (Bytef *)r->text.ptr + r->text.len;
		z->avail_out = RAW_SIZE;
		result = inflate(z, Z_NO_FLUSH);
		r->text.len += RAW_SIZE - z->avail_out;
		if (r->text.len > ZIPNUM_BLOCK_MAX)
			return err_set(err, ERR_LIMIT, "index block of more than %d bytes",
				ZIPNUM_BLOCK_MAX);
		if (result == Z_MEM_ERROR)
			return err_code(err, ERR_NOMEM);
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
		return err_code(err, ERR_NOMEM);
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

int zipnum_reader_open(int data, int index, slice from, struct zipnum_reader **ret, struct err *err)
{
	struct file_part parts[] = {file_part_whole(data), file_part_whole(index)};

	return zipnum_reader_open_parts(&parts[0], &parts[1], from, ret, err);
}

int zipnum_reader_open_parts(const struct file_part *data, const struct file_part *index,
	slice from, struct zipnum_reader **ret, struct err *err)
{
	struct zipnum_reader *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return err_code(err, ERR_NOMEM);
	r->data = *data;
	lines_init_part(&r->index, index);
	buf_init(&r->text, ZIPNUM_BLOCK_MAX + RAW_SIZE); /* to see that there is more */
	buf_init(&r->scratch, CDXJ_LINE_MAX);
	r->from_copy = malloc(from.len + 1);
	rc = r->from_copy ? 0 : err_code(err, ERR_NOMEM);
	if (r->from_copy && from.len)
		memcpy(r->from_copy, from.ptr, from.len);
	r->from = (slice){r->from_copy, from.len};
	if (rc == 0)
		rc = cdxj_find_before(&r->index, from, err);
	if (rc) {
		zipnum_reader_close(r);
		return rc;
	}
	*ret = r;
	return 0;
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
