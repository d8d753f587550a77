#include "archive/foreign_index.h"

#include <limits.h>
#include <stdio.h>

#include "base/output.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"
#include "warc/zipnum.h"

#define DATA_END  ".cdx.gz"
#define INDEX_END ".idx"

struct writing {
	struct cdxj_sort *sort;
	struct warc_index_counts counts;
	bool is_inside; /* the index goes where the files are */
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

static int open_target(const struct writing *w, struct output *o, const char *path, struct err *err)
{
	return w->is_inside ? output_open_inside(o, path, err) : output_open(o, path, err);
}

static int write_plain(struct writing *w, const char *path, struct err *err)
{
	struct output out = {0};
	int rc = open_target(w, &out, path, err);

	if (rc == 0)
		rc = cdxj_sort_finish(w->sort, cdxj_put_line, out.file, err);
	return output_close(&out, rc, err);
}

/* "a/index" of "a/index.cdx.gz". */
static slice stem_of(slice out)
{
	slice end = SLICE(DATA_END);

	return slice_ends_with(out, end) ? slice_sub(out, 0, out.len - end.len) : out;
}

static int open_part(
	const struct writing *w, struct output *o, slice stem, const char *end, struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%.*s%s", (int)stem.len, stem.ptr, end) >= (int)sizeof path)
		return err_set(err, ERR_LIMIT, "%.200s…: the path is too long", stem.ptr);
	return open_target(w, o, path, err);
}

static int write_blocks(struct writing *w, const char *path, struct err *err)
{
	struct output data = {0}, index = {0};
	struct zipnum_writer *z = NULL;
	slice stem = stem_of(slice_str(path));
	int rc = open_part(w, &data, stem, DATA_END, err), closed;

	if (rc == 0)
		rc = open_part(w, &index, stem, INDEX_END, err);
	if (rc == 0)
		rc = zipnum_writer_open(data.file, index.file,
			slice_base_name(slice_str(data.path)).ptr, 0, &z, err);
	if (rc == 0)
		rc = cdxj_sort_finish(w->sort, zipnum_writer_add, z, err);
	if (rc)
		zipnum_writer_free(z);
	else
		rc = zipnum_writer_close(z, err);
	closed = output_close(&data, rc, err);
	return output_close(&index, closed, err);
}

int foreign_index_write(
	const struct foreign_index_params *params, struct warc_index_counts *ret, struct err *err)
{
	struct writing w = {.is_inside = params->is_inside,
		.sort = cdxj_sort_open(params->temporary, 0, CDXJ_UNIQUE)};
	int rc = warc_set_each(params->path, params->temporary, on_file, &w, err);

	if (rc == 0)
		rc = params->compressed ? write_blocks(&w, params->out, err)
					: write_plain(&w, params->out, err);
	cdxj_sort_close(w.sort);
	if (rc == 0)
		*ret = w.counts;
	return rc;
}
