#include "quality/compact_look.h"

#include <unistd.h>

#include "archive/compact_body.h"
#include "archive/record_body.h"
#include "archive/warc_reader.h"
#include "catalog/catalog.h"

enum { SCRATCH_MAX = 4 << 20 };

static int missing(struct err *err)
{
	return err_set(err, ERR_NOTFOUND, "the record of this look is not in the WARC files");
}

/* ---- the block of its batch ---- */

static int read_batch(struct warc_reader *r, uint64_t offset, struct buf *block, struct err *err)
{
	const struct warc_record *rec = NULL;
	int rc = warc_reader_seek(r, (struct warc_spot){.offset = offset}, err);

	if (rc == 0)
		rc = warc_reader_next(r, &rec, err);
	if (rc == ERR_END ||
		(rc == 0 && (!rec || rec->is_gap || !compact_is_type(rec->header.content_type))))
		return missing(err);
	if (rc == 0)
		rc = compact_block(r, block, err);
	if (rc == 0 && rec && rec->problem.code)
		rc = err_set(err, ERR_SYNTAX, "%s", rec->problem.text);
	return rc;
}

static int read_file(
	const char *dir, const struct catalog_looks *at, struct buf *block, struct err *err)
{
	struct warc_source source = {.fd = record_body_open(dir, at->warc)};
	struct warc_reader *r;
	int rc;

	if (source.fd < 0)
		return missing(err);
	rc = warc_reader_open_source(&source, 0, &r, err);
	if (rc == 0) {
		rc = read_batch(r, at->offset, block, err);
		warc_reader_close(r);
	}
	(void)close(source.fd);
	return rc;
}

static int on_look(void *context, const struct catalog_look *look)
{
	return buf_add(context, look->rows);
}

/* Its place may become known while the rows that waited are looked for. */
static int find_block(
	const struct look_source *from, uint64_t batch, struct buf *block, struct err *err)
{
	struct catalog_looks at;
	struct arena arena;
	int rc;

	arena_init_small(&arena, SCRATCH_MAX);
	rc = catalog_get_looks(from->catalog, batch, &arena, &at, err);
	if (rc == ERR_NOTFOUND) {
		rc = buf_add(block, SLICE(COMPACT_FIRST));
		if (rc == 0)
			rc = catalog_looks_rows(from->catalog, batch, on_look, block, err);
		rc = err_code(err, rc);
	} else if (rc == 0) {
		rc = read_file(from->warc_dir, &at, block, err);
	}
	arena_release(&arena);
	return rc;
}

/* ---- its row ---- */

static int find_row(
	const struct look_source *from, slice block, slice id, struct buf *records, struct err *err)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	bool found = false;
	int rc = compact_open(&rows, block, err);

	arena_init(&arena, SCRATCH_MAX);
	while (rc == 0 && !found && (rc = compact_next(&rows, &arena, &look, err)) == 0) {
		found = slice_eq(look.attempt.record_id, id);
		if (found)
			rc = compact_records(from->warc_dir, &look, records, err);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc == ERR_END ? missing(err) : rc;
}

int compact_look_read(const struct look_source *from, const struct attempt *a, struct buf *records,
	struct err *err)
{
	struct buf block;
	int rc;

	if (!from->catalog)
		return missing(err);
	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = find_block(from, a->offset, &block, err);
	if (rc == 0)
		rc = find_row(from, buf_slice(&block), a->record_id, records, err);
	buf_release(&block);
	return rc;
}
