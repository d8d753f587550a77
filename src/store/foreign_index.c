#include "store/foreign_index.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/warc_file.h"
#include "archive/warc_set.h"
#include "archive/zipnum.h"
#include "base/file.h"
#include "base/io.h"

enum { PATH_SIZE = PATH_MAX };

#define DATA_END  ".cdx.gz"
#define INDEX_END ".idx"

struct writing {
	struct cdxj_sort *sort;
	struct warc_index_counts counts;
};

static int on_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct writing *w = context;
	slice name = warc_set_file_name(file);
	int rc;

	if (warc_closed_name(name).len < name.len)
		return 0;
	rc = warc_index_file(&file->source, name, w->sort, &w->counts, err);
	if (rc)
		err_prefix(err, "%s", file->path);
	return rc;
}

/* ---- files ---- */

/* A file under another name, until it is whole. */
struct target {
	char path[PATH_SIZE], new_path[PATH_SIZE + 8];
	FILE *file;
};

static int target_open(struct target *t, const char *stem, const char *end, struct err *err)
{
	int fd;

	if (snprintf(t->path, sizeof t->path, "%s%s", stem, end) >= (int)sizeof t->path)
		return err_set(err, ERR_LIMIT, "%.200s…: the path is too long", stem);
	(void)snprintf(t->new_path, sizeof t->new_path, "%s.new", t->path);
	fd = file_open_new(AT_FDCWD, t->new_path);
	t->file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!t->file)
		return err_set(err, ERR_IO, "%s: %s", t->new_path, strerror(errno));
	return 0;
}

/* rc: how writing ended. */
static int target_close(struct target *t, int rc, struct err *err)
{
	if (!t->file)
		return rc;
	if (rc == 0 && (fflush(t->file) || fdatasync(fileno(t->file))))
		rc = err_set(err, ERR_IO, "%s: %s", t->new_path, strerror(errno));
	if (fclose(t->file) && rc == 0)
		rc = err_set(err, ERR_IO, "%s: %s", t->new_path, strerror(errno));
	if (rc == 0 && rename(t->new_path, t->path))
		rc = err_set(err, ERR_IO, "%s: %s", t->path, strerror(errno));
	if (rc)
		(void)unlink(t->new_path);
	return rc;
}

static int write_plain(struct writing *w, const char *out, struct err *err)
{
	struct target t = {.file = NULL};
	int rc;

	if (strcmp(out, "-") == 0)
		return cdxj_sort_finish(w->sort, cdxj_put_line, stdout, err);
	rc = target_open(&t, out, "", err);
	if (rc == 0)
		rc = cdxj_sort_finish(w->sort, cdxj_put_line, t.file, err);
	return target_close(&t, rc, err);
}

/* "a/index" of "a/index.cdx.gz". */
static slice stem_of(slice out)
{
	slice end = SLICE(DATA_END);

	return slice_ends_with(out, end) ? slice_sub(out, 0, out.len - end.len) : out;
}

static int write_blocks(struct writing *w, const char *out, struct err *err)
{
	struct target data = {.file = NULL}, index = {.file = NULL};
	struct zipnum_writer *z = NULL;
	slice stem = stem_of(slice_str(out));
	char path[PATH_SIZE];
	int rc, closed;

	(void)snprintf(path, sizeof path, "%.*s", (int)stem.len, stem.ptr);
	rc = target_open(&data, path, DATA_END, err);
	if (rc == 0)
		rc = target_open(&index, path, INDEX_END, err);
	if (rc == 0)
		rc = zipnum_writer_open(data.file, index.file,
			slice_base_name(slice_str(data.path)).ptr, 0, &z, err);
	if (rc == 0)
		rc = cdxj_sort_finish(w->sort, zipnum_writer_add, z, err);
	if (rc)
		zipnum_writer_free(z);
	else
		rc = zipnum_writer_close(z, err);
	closed = target_close(&data, rc, err);
	return target_close(&index, closed, err);
}

int foreign_index_write(
	const struct foreign_index_params *params, struct warc_index_counts *ret, struct err *err)
{
	struct writing w = {.sort = NULL};
	int rc = cdxj_sort_open(params->temporary, 0, CDXJ_UNIQUE, &w.sort, err);

	if (rc == 0)
		rc = warc_set_each(params->path, params->temporary, on_file, &w, err);
	if (rc == 0)
		rc = params->compressed ? write_blocks(&w, params->out, err)
					: write_plain(&w, params->out, err);
	cdxj_sort_close(w.sort);
	if (rc == 0)
		*ret = w.counts;
	return rc;
}
