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

static bool is_wanted(const struct warc_record *rec, slice id)
{
	return !rec->is_gap && rec->header.type == WARC_TYPE_RESPONSE &&
	       slice_eq(fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID"))), id);
}

static int read_block(struct warc_reader *r, struct buf *out, struct err *err)
{
	size_t before = out->len, from = 0, end = 0;
	slice bytes;
	int rc;

	while ((rc = warc_reader_block(r, &bytes, err)) == 0) {
		rc = buf_add(out, bytes);
		if (rc)
			return err_code(err, rc);
	}
	if (rc != ERR_END)
		return rc;
	end = fields_find_end(slice_sub(buf_slice(out), before, out->len), &from);
	if (end == 0)
		return err_set(err, ERR_SYNTAX, "it has no HTTP head");
	memmove(out->ptr + before, out->ptr + before + end, out->len - before - end);
	buf_truncate(out, out->len - end);
	return 0;
}

static int read_from(const struct warc_source *source, const struct record_place *place,
	unsigned flags, struct buf *out, struct err *err)
{
	size_t before = out->len;
	const struct warc_record *rec = NULL;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, flags, &r, err);

	if (rc)
		return rc;
	rc = warc_reader_seek(r, (struct warc_spot){.offset = place->offset}, err);
	if (rc == 0)
		rc = warc_reader_next(r, &rec, err);
	if (rc == ERR_END || rc == ERR_RANGE || rc == ERR_SYNTAX ||
		(rc == 0 && (!rec || !is_wanted(rec, place->id))))
		rc = missing(err);
	if (rc == 0)
		rc = read_block(r, out, err);
	if (rc == 0)
		rc = warc_reader_end(r, err);
	if (rc == 0 && rec && rec->problem.code)
		rc = err_set(err, ERR_SYNTAX, "%s", rec->problem.text);
	if (rc)
		buf_truncate(out, before);
	warc_reader_close(r);
	return rc;
}

int record_body_read(const char *dir, const struct record_place *place, unsigned flags,
	struct buf *out, struct err *err)
{
	struct warc_source source = {.fd = record_body_open(dir, place->file)};
	int rc;

	if (source.fd < 0)
		return missing(err);
	rc = read_from(&source, place, flags, out, err);
	(void)close(source.fd);
	return rc;
}
