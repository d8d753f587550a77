#include "archive/compact_body.h"

#include "archive/patch.h"
#include "archive/record_body.h"
#include "archive/warc_reader.h"
#include "http/fields.h"

enum { SCRATCH_MAX = 4 << 20 }; /* strings of a look */

static int make_body(
	const char *dir, const struct compact_look *look, struct buf *out, struct err *err)
{
	struct record_place place = {look->file, look->offset, look->attempt.original.record};
	struct buf from;
	int rc;

	buf_init(&from, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	rc = record_body_read(dir, &place, 0, &from, err);
	if (rc == 0) {
		rc = patch_apply(buf_slice(&from), look->patch, look->body_size, out);
		if (rc)
			rc = err_set(err, rc, "the patch of a look does not fit its record");
	}
	buf_release(&from);
	return rc;
}

int compact_records(
	const char *dir, const struct compact_look *look, struct buf *out, struct err *err)
{
	struct buf body;
	int rc = 0;

	buf_init(&body, PATCH_BYTES_MAX + 1);
	if (look->is_patch)
		rc = make_body(dir, look, &body, err);
	if (rc == 0)
		rc = compact_expand(look, buf_slice(&body), out, err);
	buf_release(&body);
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

static int call_with(const char *dir, const struct compact_look *look, struct buf *records,
	compact_call *call, void *context, uint64_t *ret_bad, struct err *err)
{
	struct err bad = {0};
	int rc;

	buf_reset(records);
	rc = compact_records(dir, look, records, &bad);
	if (rc == 0)
		return call(context, buf_slice(records), err);
	if (rc == ERR_NOMEM)
		return err_code(err, rc);
	++*ret_bad;
	return 0;
}

int compact_each(const char *dir, slice block, compact_call *call, void *context, uint64_t *ret_bad,
	struct err *err)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	struct buf records;
	struct err bad = {0};
	int rc = compact_open(&rows, block, &bad);

	if (rc) {
		++*ret_bad;
		return 0;
	}
	arena_init(&arena, SCRATCH_MAX);
	buf_init(&records, COMPACT_EXPANDED_MAX);
	while (rc == 0 && (rc = compact_next(&rows, &arena, &look, &bad)) != ERR_END) {
		if (rc == 0) {
			rc = call_with(dir, &look, &records, call, context, ret_bad, err);
		} else if (rc == ERR_NOMEM) {
			rc = err_code(err, rc);
		} else {
			++*ret_bad;
			rc = 0;
		}
		arena_reset(&arena);
	}
	buf_release(&records);
	arena_release(&arena);
	return rc == ERR_END ? 0 : rc;
}
