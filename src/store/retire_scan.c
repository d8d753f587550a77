/*
 * What the WARC files say of the looks that are to be retired: in which files their records are,
 * and what refers to these. The catalog does not know the latter.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "archive/compact_body.h"
#include "archive/record_body.h"
#include "archive/warc_reader.h"
#include "store/retire_plan.h"

enum { SCRATCH_MAX = 4 << 20 };

/* RETIRE_NONE when the record has no entry. */
static uint32_t find(const struct retire_plan *plan, slice id)
{
	unsigned char packed[WARC_ID_BYTES];
	uint32_t at;

	if (!id.ptr || !warc_id_pack(id, packed) ||
		!strmap_get(&plan->by_id, (slice){(const char *)packed, sizeof packed}, &at))
		return RETIRE_NONE;
	return at;
}

struct retire_entry *retire_find_retired(const struct retire_plan *plan, slice id)
{
	uint32_t at = find(plan, id);

	return at == RETIRE_NONE || plan->entries.ptr[at].kept ? NULL : &plan->entries.ptr[at];
}

static slice field(const struct warc_record *rec, slice name)
{
	return fields_trim(warc_header_get(&rec->header, name));
}

static uint32_t number_of(const struct retire_plan *plan, const struct retire_file *file)
{
	return file ? (uint32_t)(file - plan->files.ptr) : RETIRE_NONE;
}

static int refer(struct retire_plan *plan, uint32_t from, slice original, uint32_t file)
{
	uint32_t to = find(plan, original);

	if (to == RETIRE_NONE)
		return 0;
	return retire_references_push(&plan->references, (struct retire_reference){from, to, file});
}

/* The file has a record of the entry. */
static int note(struct retire_plan *plan, struct retire_file *file, uint32_t at, bool is_metadata)
{
	struct retire_entry *e = at == RETIRE_NONE ? NULL : &plan->entries.ptr[at];

	if (!e || !file)
		return 0;
	if (file->complete && is_metadata)
		e->has_metadata = true;
	else if (file->complete)
		e->has_record = true;
	return u32_vec_push(&file->entries, at);
}

/* What looks that wait are patches against must stay where it is. */
static int note_patched(struct retire_plan *plan, struct retire_file *file, slice name)
{
	uint32_t other;

	if (!strmap_get(&plan->by_name, name, &other))
		return 0;
	if (!file) {
		plan->files.ptr[other].fixed = true;
		return 0;
	}
	for (size_t i = 0; i < file->patched.len; i++)
		if (file->patched.ptr[i] == other)
			return 0;
	return u32_vec_push(&file->patched, other);
}

/* file is NULL for looks that wait in the catalog: these are kept. */
static int scan_look(
	struct retire_plan *plan, struct retire_file *file, const struct compact_look *look)
{
	uint32_t at = look->is_tombstone ? RETIRE_NONE : find(plan, look->attempt.record_id);
	int rc = look->is_tombstone
			 ? 0
			 : refer(plan, at, look->attempt.original.record, number_of(plan, file));

	if (rc == 0)
		rc = note(plan, file, at, false);
	if (rc == 0)
		rc = note(plan, file, at, true);
	if (rc == 0 && look->is_patch)
		rc = note_patched(plan, file, look->file);
	if (at != RETIRE_NONE && !file)
		plan->entries.ptr[at].kept = true;
	return rc;
}

static int scan_block(struct retire_plan *plan, struct retire_file *file, slice block)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	int rc = compact_open(&rows, block, plan->err);

	arena_init(&arena, SCRATCH_MAX);
	while (rc == 0 && (rc = compact_next(&rows, &arena, &look, plan->err)) == 0) {
		rc = err_code(plan->err, scan_look(plan, file, &look));
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc == ERR_END ? 0 : rc;
}

static int scan_looks(struct retire_plan *plan, struct retire_file *file, struct warc_reader *r)
{
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = compact_block(r, &block, plan->err);
	if (rc == 0)
		rc = scan_block(plan, file, buf_slice(&block));
	buf_release(&block);
	return rc;
}

/* A response with a body of its own: what may be rebased, or against. */
static int scan_response(struct retire_plan *plan, struct retire_file *file,
	const struct warc_record *rec, uint32_t at)
{
	struct retire_version v = {.file = number_of(plan, file),
		.offset = rec->spot.offset,
		.date = rec->header.date};

	if (at != RETIRE_NONE && file->complete) {
		plan->entries.ptr[at].file = v.file;
		plan->entries.ptr[at].offset = v.offset;
		plan->entries.ptr[at].size = rec->header.length;
	}
	if (!strmap_get(&plan->urls.map, rec->header.url, &v.url) || !plan->has_entries[v.url] ||
		!warc_id_pack(field(rec, SLICE("WARC-Record-ID")), v.id))
		return 0;
	return retire_versions_push(&plan->versions, v);
}

static bool is_identical(const struct warc_record *rec)
{
	return slice_ends_with(
		field(rec, SLICE("WARC-Profile")), SLICE("/identical-payload-digest"));
}

static int scan_record(struct retire_plan *plan, struct retire_file *file, struct warc_reader *r,
	const struct warc_record *rec)
{
	uint32_t at = find(plan, field(rec, SLICE("WARC-Record-ID")));
	uint32_t of = find(plan, field(rec, SLICE("WARC-Concurrent-To")));
	int rc = 0;

	if (rec->is_gap)
		return err_set(plan->err, ERR_UNSUPPORTED,
			"%s is damaged; run 'stillpoint verify' first. Nothing was retired",
			file->name);
	switch (rec->header.type) {
	case WARC_TYPE_REVISIT:
		rc = refer(plan, at, field(rec, SLICE("WARC-Refers-To")),
			is_identical(rec) ? number_of(plan, file) : RETIRE_NONE);
		return err_code(plan->err, rc ? rc : note(plan, file, at, false));
	case WARC_TYPE_RESPONSE:
		rc = scan_response(plan, file, rec, at);
		return err_code(plan->err, rc ? rc : note(plan, file, at, false));
	case WARC_TYPE_METADATA:
		if (compact_is_type(rec->header.content_type))
			return scan_looks(plan, file, r);
		return err_code(plan->err, note(plan, file, of, true));
	default:
		return 0;
	}
}

static int scan_source(
	struct retire_plan *plan, struct retire_file *file, const struct warc_source *source)
{
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, plan->err);

	if (rc)
		return rc;
	while (rc == 0 && (rc = warc_reader_next(r, &rec, plan->err)) == 0)
		rc = scan_record(plan, file, r, rec);
	warc_reader_close(r);
	return rc == ERR_END ? 0 : rc;
}

/* Of a file that is being written, what is committed. */
static int scan_file(struct retire_plan *plan, struct retire_file *file)
{
	struct warc_source source = {
		.fd = record_body_open(plan->p->directory->warc, slice_str(file->name)),
		.length = file->complete ? 0 : file->size};
	int rc;

	if (!file->complete && file->size == 0) {
		if (source.fd >= 0)
			(void)close(source.fd);
		return 0;
	}
	if (source.fd < 0)
		return err_set(plan->err, ERR_IO, "%s: %s", file->name, strerror(errno));
	rc = scan_source(plan, file, &source);
	(void)close(source.fd);
	return rc;
}

static int on_waiting(void *context, const struct catalog_look *looks)
{
	struct retire_plan *plan = context;
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = buf_add(&block, SLICE(COMPACT_FIRST));
	if (rc == 0)
		rc = buf_add(&block, looks->rows);
	rc = rc ? err_code(plan->err, rc) : scan_block(plan, NULL, buf_slice(&block));
	buf_release(&block);
	return rc;
}

int retire_scan(struct retire_plan *plan)
{
	int rc = catalog_each_look(plan->p->catalog, on_waiting, plan, plan->err);

	for (size_t i = 0; rc == 0 && i < plan->files.len; i++)
		rc = scan_file(plan, &plan->files.ptr[i]);
	retire_sort_versions(plan);
	return rc;
}
