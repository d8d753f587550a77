#include "proof/compact_look.h"

#include "catalog/catalog.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"

enum { SCRATCH_MAX = 4 << 20 };

static int missing(struct err *err)
{
	return err_set(err, ERR_NOTFOUND, "the record of this look is not in the WARC files");
}

static int read_file(
	const char *dir, const struct catalog_looks *at, struct buf *block, struct err *err)
{
	struct record_place place = {.file = at->warc, .offset = at->offset};
	const struct warc_record *rec = NULL;
	struct warc_reader *r;
	int rc = record_at(dir, &place, 0, &r, &rec, err);

	if (rc == ERR_NOTFOUND || (rc == 0 && !compact_is_type(rec->header.content_type)))
		rc = missing(err);
	if (rc == 0)
		rc = record_rest(r, rec, block, err);
	warc_reader_close(r);
	return rc;
}

/* The row that is looked for. */
struct finding {
	const struct look_source *from;
	slice id;
	struct buf *records;
	bool is_found;
};

static int on_row(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct finding *f = context;

	(void)size;
	if (f->is_found)
		return 0;
	if (!look)
		return code == ERR_UNSUPPORTED
			       ? 0
			       : err_set(err, code, "a compact look cannot be read");
	f->is_found = slice_eq(look->attempt.record_id, f->id);
	return f->is_found ? compact_records(f->from->warc_dir, look, f->records, err) : 0;
}

static int on_look(void *context, const struct catalog_look *look)
{
	return buf_add(context, look->rows);
}

/* Its place may become known while the rows that waited are looked for. */
int compact_look_read(const struct look_source *from, const struct attempt *a, struct buf *records,
	struct err *err)
{
	struct finding f = {from, a->record_id, records, false};
	struct catalog_looks at;
	struct arena arena;
	struct buf block;
	int rc;

	if (!from->catalog)
		return missing(err);
	arena_init_small(&arena, SCRATCH_MAX);
	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = catalog_get_looks(from->catalog, a->offset, &arena, &at, err);
	if (rc == ERR_NOTFOUND) {
		rc = catalog_looks_rows(from->catalog, a->offset, on_look, &block, err);
		if (rc == 0)
			rc = compact_each_waiting(buf_slice(&block), on_row, &f, err);
	} else if (rc == 0) {
		rc = read_file(from->warc_dir, &at, &block, err);
		if (rc == 0)
			rc = compact_each_row(buf_slice(&block), on_row, &f, err);
	}
	buf_release(&block);
	arena_release(&arena);
	return rc || f.is_found ? err_code(err, rc) : missing(err);
}
