#include "store/index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/cdxj_merge.h"
#include "archive/cdxj_record.h"
#include "archive/warc_file.h"
#include "base/io.h"
#include "base/lists.h"
#include "url/url.h"

struct indexing {
	struct cdxj_sort *sort;
	struct u32_vec captures;
	struct buf key, line;
	struct err *err;
};

static int add_line(struct indexing *x, const struct attempt *o)
{
	int rc = cdxj_attempt_line(&x->line, &x->key, o);

	if (rc)
		return rc == ERR_NOTFOUND ? 0 : rc;
	return cdxj_sort_add(x->sort, buf_slice(&x->line), x->err);
}

static int on_observation(void *context, const struct attempt *o)
{
	struct indexing *x = context;
	int rc = add_line(x, o);

	return rc && !x->err->code ? err_set(x->err, rc, "index: %s", err_name(rc)) : rc;
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct indexing *x = context;

	return u32_vec_push(&x->captures, capture->id);
}

/* Under another name first: an index is whole, or the old one. */
static int write_sorted(struct indexing *x, const struct directory *d)
{
	char path[DIRECTORY_PATH_MAX + 8];
	FILE *file;
	int rc, fd;

	(void)snprintf(path, sizeof path, "%s.new", d->index);
	fd = io_open_new(AT_FDCWD, path);
	file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!file)
		return err_set(x->err, ERR_IO, "%s: %s", path, strerror(errno));
	rc = cdxj_sort_finish(x->sort, cdxj_put_line, file, x->err);
	if (rc == 0 && (fflush(file) || fdatasync(fileno(file))))
		rc = err_set(x->err, ERR_IO, "%s: %s", path, strerror(errno));
	if (fclose(file) && rc == 0)
		rc = err_set(x->err, ERR_IO, "%s: %s", path, strerror(errno));
	if (rc == 0 && rename(path, d->index))
		rc = err_set(x->err, ERR_IO, "%s: %s", d->index, strerror(errno));
	if (rc)
		(void)unlink(path);
	return rc;
}

static void open_indexing(struct indexing *x)
{
	buf_init(&x->key, 2 * URL_MAX);
	buf_init(&x->line, CDXJ_LINE_MAX + 1);
}

static void close_indexing(struct indexing *x)
{
	cdxj_sort_close(x->sort);
	u32_vec_release(&x->captures);
	buf_release(&x->key);
	buf_release(&x->line);
}

int index_write(struct catalog *catalog, const struct directory *d, struct err *err)
{
	struct indexing x = {.err = err};
	int rc;

	open_indexing(&x);
	rc = cdxj_sort_open(d->spool, 0, CDXJ_UNIQUE, &x.sort, err);
	if (rc == 0)
		rc = catalog_each_capture(catalog, on_capture, &x, err);
	for (size_t i = 0; rc == 0 && i < x.captures.len; i++)
		rc = catalog_each_observation(catalog, x.captures.ptr[i], on_observation, &x, err);
	if (rc == 0)
		rc = write_sorted(&x, d);
	close_indexing(&x);
	return rc;
}

/* ---- from the WARC files ---- */

static int add_record(struct indexing *x, const struct warc_record *rec, slice filename,
	struct index_counts *counts)
{
	int rc;

	if (rec->is_gap || rec->problem.code) {
		counts->damaged++;
		return 0;
	}
	rc = cdxj_record_line(&x->line, &x->key, rec, filename);
	if (rc)
		return rc == ERR_NOTFOUND ? 0 : err_set(x->err, rc, "index: %s", err_name(rc));
	counts->lines++;
	return cdxj_sort_add(x->sort, buf_slice(&x->line), x->err);
}

static int add_file(struct indexing *x, const struct directory *d, const char *name,
	struct index_counts *counts)
{
	char path[DIRECTORY_PATH_MAX + WARC_NAME_MAX];
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc;

	(void)snprintf(path, sizeof path, "%s/%s", d->warc, name);
	rc = warc_reader_open(path, 0, &r, x->err);
	if (rc)
		return rc;
	while ((rc = warc_reader_next(r, &rec, x->err)) == 0 &&
		(rc = warc_reader_end(r, x->err)) == 0 &&
		(rc = add_record(x, rec, slice_str(name), counts)) == 0)
		;
	warc_reader_close(r);
	counts->files++;
	return rc == ERR_END ? 0 : rc;
}

static int add_files(struct indexing *x, const struct directory *d, struct index_counts *counts)
{
	DIR *dir = opendir(d->warc);
	const struct dirent *entry;
	int rc = 0;

	if (!dir)
		return err_set(x->err, ERR_IO, "%s: %s", d->warc, strerror(errno));
	while (rc == 0 && (entry = readdir(dir))) {
		slice name = slice_str(entry->d_name), closed = warc_closed_name(name);

		if (closed.len < name.len)
			counts->open += warc_is_name(closed);
		else if (warc_is_name(name))
			rc = add_file(x, d, entry->d_name, counts);
	}
	(void)closedir(dir);
	return rc;
}

int index_from_warc(const char *archive, struct index_counts *ret, struct err *err)
{
	struct directory d = {.lock = -1};
	struct indexing x = {.err = err};
	struct index_counts counts = {0};
	int rc = directory_open_warc(&d, archive, err);

	if (rc)
		return rc;
	open_indexing(&x);
	rc = cdxj_sort_open(d.spool, 0, CDXJ_UNIQUE, &x.sort, err);
	if (rc == 0)
		rc = add_files(&x, &d, &counts);
	if (rc == 0)
		rc = write_sorted(&x, &d);
	close_indexing(&x);
	directory_close(&d);
	if (rc == 0)
		*ret = counts;
	return rc;
}
