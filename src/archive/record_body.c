#include "archive/record_body.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "archive/warc_file.h"
#include "archive/warc_reader.h"
#include "base/file.h"
#include "http/fields.h"

/* It may be completed while we look. */
int record_body_open(const char *dir, slice file)
{
	static const char *const SUFFIXES[] = {"", WARC_OPEN, ""};
	char path[PATH_MAX];
	int fd = -1;

	/* A name, not a way out of the directory. */
	if (!dir[0] || file.len == 0 || file.ptr[0] == '.' || memchr(file.ptr, '/', file.len) ||
		memchr(file.ptr, '\0', file.len)) {
		errno = ENOENT;
		return -1;
	}
	errno = ENOENT;
	for (size_t i = 0; fd < 0 && errno == ENOENT && i < sizeof SUFFIXES / sizeof SUFFIXES[0];
		i++) {
		int n = snprintf(
			path, sizeof path, "%s/%.*s%s", dir, (int)file.len, file.ptr, SUFFIXES[i]);

		if (n < 0 || (size_t)n >= sizeof path) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = file_open_inside(AT_FDCWD, path);
	}
	return fd;
}

static int missing(struct err *err)
{
	return err_set(err, ERR_NOTFOUND, "the record that a look was compared with is not there");
}

/* How a record is read. */
struct manner {
	unsigned flags;        /* enum warc_reader_flags */
	struct buf *refers_to; /* NULL: the body of a response record, else the whole block */
};

static bool is_wanted(const struct warc_record *rec, slice id, bool may_refer)
{
	return !rec->is_gap &&
	       (rec->header.type == WARC_TYPE_RESPONSE ||
		       (may_refer && rec->header.type == WARC_TYPE_REVISIT)) &&
	       slice_eq(fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID"))), id);
}

static int read_block(struct warc_reader *r, struct buf *out, struct err *err)
{
	slice bytes;
	int rc;

	while ((rc = warc_reader_block(r, &bytes, err)) == 0) {
		rc = buf_add(out, bytes);
		if (rc)
			return err_code(err, rc);
	}
	return rc == ERR_END ? 0 : rc;
}

/* Removes the HTTP head that stands there. */
static int drop_head(struct buf *out, size_t before, struct err *err)
{
	size_t from = 0, end;

	end = fields_find_end(slice_sub(buf_slice(out), before, out->len), &from);
	if (end == 0)
		return err_set(err, ERR_SYNTAX, "it has no HTTP head");
	memmove(out->ptr + before, out->ptr + before + end, out->len - before - end);
	buf_truncate(out, out->len - end);
	return 0;
}

/* The block of a record that was found. */
static int read_found(struct warc_reader *r, const struct warc_record *rec,
	const struct manner *manner, struct buf *out, struct err *err)
{
	size_t before = out->len;
	int rc = 0;

	if (manner->refers_to && rec->header.type == WARC_TYPE_REVISIT)
		rc = err_code(
			err, buf_add(manner->refers_to, fields_trim(warc_header_get(&rec->header,
								SLICE("WARC-Refers-To")))));
	if (rc == 0)
		rc = read_block(r, out, err);
	if (rc == 0 && !manner->refers_to)
		rc = drop_head(out, before, err);
	if (rc == 0)
		rc = warc_reader_end(r, err);
	if (rc == 0 && rec->problem.code)
		rc = err_set(err, ERR_SYNTAX, "%s", rec->problem.text);
	if (rc)
		buf_truncate(out, before);
	return rc;
}

static int read_from(const struct warc_source *source, const struct record_place *place,
	const struct manner *manner, struct buf *out, struct err *err)
{
	const struct warc_record *rec = NULL;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, manner->flags, &r, err);

	if (rc)
		return rc;
	rc = warc_reader_seek(r, (struct warc_spot){.offset = place->offset}, err);
	if (rc == 0)
		rc = warc_reader_next(r, &rec, err);
	if (rc == ERR_END || rc == ERR_RANGE || rc == ERR_SYNTAX ||
		(rc == 0 && (!rec || !is_wanted(rec, place->id, manner->refers_to))))
		rc = missing(err);
	if (rc == 0 && rec)
		rc = read_found(r, rec, manner, out, err);
	warc_reader_close(r);
	return rc;
}

static int read_record(const char *dir, const struct record_place *place,
	const struct manner *manner, struct buf *out, struct err *err)
{
	struct warc_source source = {.fd = record_body_open(dir, place->file)};
	int rc;

	if (source.fd < 0)
		return missing(err);
	rc = read_from(&source, place, manner, out, err);
	(void)close(source.fd);
	return rc;
}

int record_body_read(const char *dir, const struct record_place *place, unsigned flags,
	struct buf *out, struct err *err)
{
	return read_record(dir, place, &(struct manner){.flags = flags}, out, err);
}

int record_block_read(const char *dir, const struct record_place *place, struct buf *out,
	struct buf *ret_refers_to, struct err *err)
{
	return read_record(dir, place, &(struct manner){.refers_to = ret_refers_to}, out, err);
}
