#include "warc/record_body.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "formats/http_fields.h"
#include "warc/compact.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"
#include "warc/zip.h"

/* ---- records at their places ---- */

/* It may be completed while we look. */
int record_body_open(const char *dir, slice file)
{
	static const char *const SUFFIXES[] = {"", WARC_OPEN, ""};
	char path[PATH_MAX];
	int fd = -1;

	errno = ENOENT;
	/* A name, not a way out of the directory. */
	if (!dir[0] || file.len == 0 || file.ptr[0] == '.' || memchr(file.ptr, '/', file.len) ||
		memchr(file.ptr, '\0', file.len))
		return -1;
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

/* A stored entry "archive/…/FILE" of a package; no other can be sought in. */
static int find_entry(int fd, slice file, struct warc_source *ret)
{
	struct zip_reader zip;
	struct zip_entry e;
	struct err ignored = {0};
	int rc = zip_reader_open(&zip, fd, &ignored);
	bool found = false;

	while (rc == 0 && !found && (rc = zip_reader_next(&zip, &e, &ignored)) == 0)
		found = e.method == ZIP_STORED && !e.encrypted && e.size && e.packed == e.size &&
			slice_starts_with(e.name, SLICE("archive/")) &&
			slice_eq(slice_base_name(e.name), file);
	if (found) {
		*ret = (struct warc_source){.fd = fd, .length = e.size};
		found = zip_entry_find(&e, fd, &ret->start, &ignored) == 0;
	}
	zip_reader_release(&zip);
	return found ? 0 : -1;
}

/* The same, also of a WACZ file that is named in place of the directory: 0, or -1 with errno. */
static int open_source(const char *dir, slice file, struct warc_source *ret)
{
	int fd;

	*ret = (struct warc_source){.fd = record_body_open(dir, file)};
	if (ret->fd >= 0 || errno != ENOTDIR)
		return ret->fd < 0 ? -1 : 0;
	fd = file_open_given(dir);
	if (fd < 0)
		return -1;
	if (find_entry(fd, file, ret)) {
		(void)close(fd);
		errno = ENOENT;
		return -1;
	}
	return 0;
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

static bool is_at(const struct warc_record *rec, slice id)
{
	return !rec->is_gap &&
	       (id.len == 0 ||
		       slice_eq(fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID"))),
			       id));
}

int record_at(const char *dir, const struct record_place *place, unsigned flags,
	struct warc_reader **ret, const struct warc_record **ret_record, struct err *err)
{
	struct warc_source source;
	int rc;

	*ret = NULL;
	if (open_source(dir, place->file, &source))
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s/%.*s: %s", dir,
			slice_shown(place->file, 200), place->file.ptr, file_problem(errno));
	rc = warc_reader_take_source(&source, flags, ret, err);
	if (rc == 0)
		rc = warc_reader_seek(*ret, (struct warc_spot){.offset = place->offset}, err);
	if (rc == 0)
		rc = warc_reader_next(*ret, ret_record, err);
	if (rc == ERR_END || rc == ERR_RANGE || rc == ERR_SYNTAX ||
		(rc == 0 && !is_at(*ret_record, place->id)))
		rc = missing(err);
	if (rc) {
		warc_reader_close(*ret);
		*ret = NULL;
	}
	return rc;
}

int record_each(const struct warc_source *source, unsigned flags, record_call *call, void *context,
	struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, flags, &r, err);

	if (rc)
		return rc;
	while (rc == 0 && (rc = warc_reader_next(r, &rec, err)) == 0)
		rc = call(context, r, rec, err);
	warc_reader_close(r);
	return rc == ERR_END ? 0 : rc;
}

int record_small(struct warc_reader *r, struct buf *out, struct err *err)
{
	slice bytes;
	int rc;

	buf_reset(out);
	while ((rc = warc_reader_block(r, &bytes, err)) == 0) {
		rc = buf_add(out, bytes);
		if (rc == ERR_LIMIT) {
			buf_reset(out);
			return 0;
		}
		if (rc)
			return err_code(err, rc);
	}
	return rc == ERR_END ? 0 : rc;
}

int record_rest(
	struct warc_reader *r, const struct warc_record *rec, struct buf *out, struct err *err)
{
	slice bytes;
	int rc;

	while ((rc = warc_reader_block(r, &bytes, err)) == 0) {
		rc = buf_add(out, bytes);
		if (rc)
			return err_code(err, rc);
	}
	if (rc == ERR_END)
		rc = warc_reader_end(r, err);
	if (rc == 0 && rec->problem.code)
		rc = err_set(err, ERR_SYNTAX, "%s", rec->problem.text);
	return rc;
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

static int read_record(const char *dir, const struct record_place *place,
	const struct manner *manner, struct buf *out, struct err *err)
{
	const struct warc_record *rec = NULL;
	struct warc_reader *r = NULL;
	size_t before = out->len;
	bool is_revisit;
	int rc = record_at(dir, place, manner->flags, &r, &rec, err);

	if (rc || !rec)
		return rc;
	is_revisit = rec->header.type == WARC_TYPE_REVISIT;
	if (rec->header.type != WARC_TYPE_RESPONSE && !(manner->refers_to && is_revisit))
		rc = missing(err);
	if (rc == 0 && is_revisit)
		rc = err_code(
			err, buf_add(manner->refers_to, fields_trim(warc_header_get(&rec->header,
								SLICE("WARC-Refers-To")))));
	if (rc == 0)
		rc = record_rest(r, rec, out, err);
	if (rc == 0 && !manner->refers_to)
		rc = drop_head(out, before, err);
	if (rc)
		buf_truncate(out, before);
	warc_reader_close(r);
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

/* ---- compact looks as records ---- */

enum { SCRATCH_MAX = 4 << 20 }; /* strings of a look */

static int make_body(
	const char *dir, const struct compact_look *look, struct buf *out, struct err *err)
{
	struct record_place place = {look->file, look->offset, look->attempt.original.record};
	BUF_SCOPED(from, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	int rc;

	rc = record_body_read(dir, &place, 0, &from, err);
	if (rc == 0) {
		rc = patch_apply(buf_slice(&from), look->patch, look->body_size, out);
		if (rc)
			rc = err_set(err, rc, "the patch of a look does not fit its record");
	}
	return rc;
}

int compact_records(
	const char *dir, const struct compact_look *look, struct buf *out, struct err *err)
{
	BUF_SCOPED(body, PATCH_BYTES_MAX + 1);
	int rc = 0;

	if (look->is_patch)
		rc = make_body(dir, look, &body, err);
	if (rc == 0)
		rc = compact_expand(look, buf_slice(&body), out, err);
	return rc;
}

int compact_block(struct warc_reader *reader, struct buf *out, struct err *err)
{
	slice bytes;
	int rc;

	while ((rc = warc_reader_block(reader, &bytes, err)) == 0) {
		rc = buf_add(out, bytes);
		if (rc)
			return err_set(err, rc, "a record of looks: %s", err_name(rc));
	}
	return rc == ERR_END ? warc_reader_end(reader, err) : rc;
}

int compact_dir(const char *path, struct buf *out)
{
	const char *slash = strrchr(path, '/');

	return slash ? buf_add(out, (slice){path, (size_t)(slash - path)}) : buf_add_char(out, '.');
}

static int each_row(
	struct compact_rows *rows, compact_row_call *call, void *context, struct err *err)
{
	struct compact_look look;
	SCOPED(arena_release) struct arena arena = {0};
	int rc = 0;

	arena_init(&arena, SCRATCH_MAX);
	while (rc == 0) {
		size_t left = rows->left.len;
		int code = compact_next(rows, &arena, &look, NULL);

		rc = code == ERR_END
			     ? code
			     : call(context, code ? NULL : &look, left - rows->left.len, code, err);
		arena_reset(&arena);
	}
	return rc == ERR_END ? 0 : err_code(err, rc);
}

int compact_each_row(slice block, compact_row_call *call, void *context, struct err *err)
{
	struct compact_rows rows;
	int rc = compact_open(&rows, block, NULL);

	return rc ? call(context, NULL, block.len, rc, err) : each_row(&rows, call, context, err);
}

int compact_each_waiting(slice rows, compact_row_call *call, void *context, struct err *err)
{
	return each_row(&(struct compact_rows){rows}, call, context, err);
}

int compact_each_of(
	struct warc_reader *reader, compact_row_call *call, void *context, struct err *err)
{
	BUF_SCOPED(block, COMPACT_BLOCK_MAX);

	TRY(compact_block(reader, &block, err));
	return compact_each_row(buf_slice(&block), call, context, err);
}

struct expanding {
	const char *dir;
	struct buf records;
	compact_call *call;
	void *context;
	uint64_t *bad;
};

static int expand_row(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct expanding *x = context;
	struct err bad = {0};

	(void)size;
	buf_reset(&x->records);
	if (code == 0)
		code = compact_records(x->dir, look, &x->records, &bad);
	if (code == 0)
		return x->call(x->context, buf_slice(&x->records), err);
	++*x->bad;
	return 0;
}

int compact_each(const char *dir, slice block, compact_call *call, void *context, uint64_t *ret_bad,
	struct err *err)
{
	struct expanding x = {.dir = dir, .call = call, .context = context, .bad = ret_bad};
	int rc;

	buf_init(&x.records, COMPACT_EXPANDED_MAX);
	rc = compact_each_row(block, expand_row, &x, err);
	buf_release(&x.records);
	return rc;
}
