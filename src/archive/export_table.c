#include "archive/export_table.h"

#include <inttypes.h>

#include "base/csv.h"
#include "warc/warc_index.h"

struct reading {
	struct cdxj_sort *sort;
	struct warc_index_counts index;
};

struct csv {
	struct output *out;
	struct buf scratch;
};

static int add_warc(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	struct reading *r = context;
	int rc = warc_index_file(source, name, r->sort, &r->index, err);

	(void)size;
	if (rc)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
}

/* Nothing is printed before all files were read. */
static int read_all(const struct export_params *params, struct reading *r,
	struct export_counts *counts, struct err *err)
{
	int rc = cdxj_sort_open(params->temporary, 0, CDXJ_UNIQUE, &r->sort, err);

	if (rc == 0)
		rc = export_each_file(params, add_warc, r, counts, err);
	counts->lines = r->index.lines;
	counts->damaged = r->index.damaged;
	return rc;
}

int table_write_cdxj(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err)
{
	struct reading r = {.sort = NULL};
	int rc = read_all(params, &r, counts, err);

	if (rc == 0)
		rc = cdxj_sort_finish(r.sort, cdxj_put_line, out->file, err);
	cdxj_sort_close(r.sort);
	return rc;
}

/* ---- CSV ---- */

static void put_number(FILE *file, bool known, uint64_t value)
{
	(void)fputc(',', file);
	if (known)
		(void)fprintf(file, "%" PRIu64, value);
}

static void put_text(FILE *file, slice value)
{
	(void)fputc(',', file);
	csv_write_field(file, value);
}

static int put_row(void *context, slice line, struct err *err)
{
	struct csv *x = context;
	FILE *file = x->out->file;
	struct cdxj c;
	int rc;

	buf_reset(&x->scratch);
	rc = cdxj_parse(line, &x->scratch, &c);
	if (rc)
		return err_code(err, rc);
	csv_write_field(file, c.url.ptr ? c.url : c.key);
	put_text(file, slice_str(c.timestamp));
	put_number(file, c.status > 0, c.status);
	put_text(file, c.mime);
	put_text(file, c.digest);
	put_number(file, c.has_place, c.length);
	put_number(file, c.has_place, c.offset);
	put_text(file, c.filename);
	(void)fputc('\n', file);
	return ferror(file) ? output_fail(x->out, err) : 0;
}

int table_write_csv(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err)
{
	struct csv x = {.out = out};
	struct reading r = {.sort = NULL};
	int rc = read_all(params, &r, counts, err);

	buf_init(&x.scratch, CDXJ_LINE_MAX);
	if (rc == 0)
		rc = output_write(out,
			SLICE("url,timestamp,status,mime,digest,length,offset,filename\n"), err);
	if (rc == 0)
		rc = cdxj_sort_finish(r.sort, put_row, &x, err);
	cdxj_sort_close(r.sort);
	buf_release(&x.scratch);
	return rc;
}
