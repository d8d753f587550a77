/*
 * A WARC file written anew without what is retired. Records that stay are copied as they are,
 * compressed. Records of looks are written again when a row of theirs is retired, refers to a
 * record that is, or is a patch against one that has moved. Tombstones of responses come in records
 * of looks of their own, at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/records.h"
#include "archive/retire_write.h"
#include "base/file.h"
#include "warc/record_body.h"
#include "warc/warc_compress.h"
#include "warc/warc_reader.h"

enum { COPY_SIZE = 1 << 16, SCRATCH_MAX = 4 << 20, METADATA_MAX = 4 << 20 };

static slice field(const struct warc_record *rec, slice name)
{
	return fields_trim(warc_header_get(&rec->header, name));
}

/* ---- writing ---- */

static int emit(void *context, slice bytes, struct err *err)
{
	return warc_file_append(context, bytes, err);
}

/* Copies bytes of the old file; the new one has them as a record. */
static int copy(struct rewriting *w, uint64_t from, uint64_t to)
{
	char bytes[COPY_SIZE];
	int rc = 0;

	while (rc == 0 && from < to) {
		size_t want = to - from < sizeof bytes ? (size_t)(to - from) : sizeof bytes;
		ssize_t n = pread(w->fd, bytes, want, (off_t)from);

		if (n <= 0)
			return err_set(w->plan->err, ERR_IO, "%s: %s", w->file->name,
				n < 0 ? strerror(errno) : "it has become shorter");
		rc = warc_file_append(&w->out, (slice){bytes, (size_t)n}, w->plan->err);
		from += (uint64_t)n;
	}
	if (rc == 0)
		warc_file_commit(&w->out);
	return rc;
}

void retire_move(struct rewriting *w, uint64_t from, uint64_t to, bool is_whole)
{
	struct catalog_move m = {from, to, w->out.size - to, is_whole};

	retire_moves_push(&w->file->moves, m);
}

/* Copies a record, and notes where it is. */
static int keep(struct rewriting *w, const struct warc_record *rec)
{
	uint64_t to = w->out.size;

	TRY(warc_reader_end(w->reader, w->plan->err));
	TRY(copy(w, rec->spot.offset, rec->spot.offset + rec->length));
	retire_move(w, rec->spot.offset, to, false);
	return 0;
}

int retire_put(struct rewriting *w, slice record)
{
	TRY(warc_compress_record(w->compress, record, emit, &w->out, w->plan->err));
	warc_file_commit(&w->out);
	return 0;
}

int retire_put_entry(struct rewriting *w, const struct warc_entry *entry)
{
	struct warc_entry_facts facts = {.warcinfo = w->info.text[0] ? w->info.text : NULL};

	warc_id_make(&w->rng, &facts.id);
	if (entry->id.len && entry->id.len < sizeof facts.id.text) {
		memcpy(facts.id.text, entry->id.ptr, entry->id.len);
		facts.id.text[entry->id.len] = '\0';
	}
	buf_reset(&w->record);
	TRY(warc_entry_record(entry, &facts, &w->record, w->plan->err));
	return retire_put(w, buf_slice(&w->record));
}

/* ---- tombstones ---- */

static int write_tombstones(struct rewriting *w)
{
	struct warc_entry entry = compact_entry(buf_slice(&w->tombstones), w->date);
	int rc = w->tombstone_count ? retire_put_entry(w, &entry) : 0;

	buf_reset(&w->tombstones);
	w->tombstone_count = 0;
	return rc;
}

/* What is left of a look. */
static struct compact_look tombstone_of(
	const struct rewriting *w, const struct attempt *a, const struct retire_entry *e)
{
	struct compact_look look = {.attempt = *a, .is_tombstone = true};

	look.attempt.retired = w->plan->p->now;
	look.attempt.has_state = e->has_state;
	look.attempt.state = e->state;
	return look;
}

/* The attempt of a record, which is read to its end. */
static int read_attempt(struct rewriting *w, const struct warc_record *rec, struct attempt *ret)
{
	struct err *err = w->plan->err;
	unsigned form;

	buf_reset(&w->block);
	TRY(compact_block(w->reader, &w->block, err));
	if (attempt_is_in_header(&rec->header))
		return attempt_parse_header(&rec->header, &w->arena, ret, &form, err);
	return attempt_parse(buf_slice(&w->block), rec->header.url, &w->arena, ret, err);
}

/* The attempt of a response that is retired becomes its tombstone. */
static int bury(struct rewriting *w, const struct warc_record *rec, const struct retire_entry *e)
{
	struct err *err = w->plan->err;
	struct compact_look look;
	struct attempt a;
	int rc = read_attempt(w, rec, &a);

	if (rc)
		return rc;
	a.has_payload = true;
	a.payload = e->payload;
	look = tombstone_of(w, &a, e);
	if (w->tombstones.len == 0)
		buf_add(&w->tombstones, SLICE(COMPACT_FIRST));
	rc = compact_add(&look, &w->tombstones);
	if (rc)
		return err_set(err, rc, "%s: a tombstone: %s", w->file->name, err_name(rc));
	w->date = a.wall.sent;
	w->tombstone_count++;
	return w->tombstone_count == COMPACT_LOOKS_MAX || w->tombstones.len >= COMPACT_BLOCK_FULL
		       ? write_tombstones(w)
		       : 0;
}

/* ---- records of looks ---- */

/* Where the response of a row is now; *ret_how says what became of the row. */
static int rebase_row(struct rewriting *w, struct compact_look *look, enum rebased *ret_how)
{
	struct retire_entry *to = retire_find_retired(w->plan, look->attempt.original.record);

	*ret_how = REBASED_NOT;
	if (to)
		return retire_rebase_look(w, look, to, ret_how);
	return look->is_patch ? retire_follow(w, look, ret_how) : 0;
}

/* Appends a row as it is to be; *ret_changed if that is another. before: bytes of the old one. */
static int change_row(struct rewriting *w, struct compact_look *look, size_t before,
	struct buf *out, bool *ret_changed)
{
	struct retire_entry *e =
		look->is_tombstone ? NULL : retire_find_retired(w->plan, look->attempt.record_id);
	enum rebased how = REBASED_NOT;
	size_t start = out->len;
	int rc = 0;

	if (e) { /* a row has its digests in full; that of the catalog may not */
		e->payload = look->attempt.payload;
		if (look->attempt.has_state)
			e->state = look->attempt.state;
		*look = tombstone_of(w, &look->attempt, e);
	}
	if (!e && !look->is_tombstone)
		rc = rebase_row(w, look, &how);
	*ret_changed = *ret_changed || e || how != REBASED_NOT;
	if (rc || how == REBASED_AWAY)
		return rc;
	rc = err_code(w->plan->err, compact_add(look, out));
	if (rc || look->is_tombstone || out->len - start == before)
		return rc;
	/* The catalog knows the length of a row. */
	return retire_note_change(w, &look->attempt,
		&(struct retire_change){.file = RETIRE_NONE, .length = out->len - start});
}

/* Appends the rows as they are to be; *ret_changed if one of them is another. */
static int change_rows(struct rewriting *w, slice block, struct buf *out, bool *ret_changed)
{
	struct compact_rows rows;
	struct compact_look look;
	struct err *err = w->plan->err;
	int rc = compact_open(&rows, block, err);

	buf_add(out, SLICE(COMPACT_FIRST));
	while (rc == 0) {
		size_t left = rows.left.len;

		arena_reset(&w->arena);
		rc = compact_next(&rows, &w->arena, &look, err);
		if (rc == 0)
			rc = change_row(w, &look, left - rows.left.len, out, ret_changed);
	}
	return rc == ERR_END ? 0 : rc;
}

/* Rows may have got records of their own, which come before it; without rows there is none. */
static int rewrite_looks(struct rewriting *w, const struct warc_record *rec)
{
	uint64_t to, from = rec->spot.offset;
	int64_t date = rec->header.date;
	bool changed = false;
	struct warc_entry entry;
	struct buf rows;
	int rc;

	buf_init(&rows, COMPACT_BLOCK_MAX);
	buf_reset(&w->block);
	rc = compact_block(w->reader, &w->block, w->plan->err);
	if (rc == 0)
		rc = change_rows(w, buf_slice(&w->block), &rows, &changed);
	entry = compact_entry(buf_slice(&rows), date);
	to = w->out.size;
	if (rc == 0 && !changed)
		rc = copy(w, from, from + rec->length);
	else if (rc == 0 && rows.len > sizeof COMPACT_FIRST - 1)
		rc = retire_put_entry(w, &entry);
	buf_release(&rows);
	if (rc == 0 && w->out.size != to)
		retire_move(w, from, to, false);
	return rc;
}

/* ---- all records ---- */

static void note_info(struct rewriting *w, const struct warc_record *rec)
{
	slice id = field(rec, SLICE("WARC-Record-ID"));

	if (id.len < sizeof w->info.text) {
		memcpy(w->info.text, id.ptr, id.len);
		w->info.text[id.len] = '\0';
	}
}

static int rewrite_record(struct rewriting *w, const struct warc_record *rec)
{
	const struct retire_plan *plan = w->plan;
	const struct retire_entry *of =
		retire_find_retired(plan, field(rec, SLICE("WARC-Concurrent-To")));
	const struct retire_entry *own =
		retire_find_retired(plan, field(rec, SLICE("WARC-Record-ID")));
	struct retire_entry *to = retire_find_retired(plan, field(rec, SLICE("WARC-Refers-To")));
	enum warc_type type = rec->header.type;

	if (type == WARC_TYPE_WARCINFO)
		note_info(w, rec);
	if ((type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT) && own)
		return attempt_is_in_header(&rec->header) ? bury(w, rec, own)
							  : warc_reader_end(w->reader, plan->err);
	if (type == WARC_TYPE_REVISIT && to)
		return retire_rebase_revisit(w, rec, to);
	if (type == WARC_TYPE_REQUEST && of)
		return warc_reader_end(w->reader, plan->err);
	if (type == WARC_TYPE_METADATA && of)
		return bury(w, rec, of);
	if (type == WARC_TYPE_METADATA && compact_is_type(rec->header.content_type))
		return rewrite_looks(w, rec);
	return keep(w, rec);
}

static int refuse_damaged(struct rewriting *w)
{
	return err_set(w->plan->err, ERR_IO, "%s: %s", w->file->name, RETIRE_DAMAGED);
}

/* To write a damaged file anew would hide the damage, and lose what can still be read of it. */
static int check_sum(struct rewriting *w)
{
	struct digest now;

	if (!w->file->has_sum ||
		(warc_file_sum(w->fd, w->file->size, &now) == 0 && digest_eq(&now, &w->file->sum)))
		return 0;
	return refuse_damaged(w);
}

static int rewrite_all(struct rewriting *w)
{
	struct err *err = w->plan->err;
	const struct warc_record *rec;
	int rc = 0;

	while (rc == 0 && (rc = warc_reader_next(w->reader, &rec, err)) == 0) {
		if (rec->is_gap)
			return refuse_damaged(w);
		if (rec->spot.offset < w->copied)
			return err_set(err, ERR_UNSUPPORTED,
				"%s: its records share a member; nothing was retired",
				w->file->name);
		/* A dictionary, for instance. */
		rc = copy(w, w->copied, rec->spot.offset);
		if (rc == 0)
			rc = rewrite_record(w, rec);
		if (rc == 0 && rec->problem.code)
			return refuse_damaged(w);
		w->copied = rec->spot.offset + rec->length;
		arena_reset(&w->arena);
	}
	return rc == ERR_END ? write_tombstones(w) : rc;
}

static int rewrite(struct rewriting *w, int dir)
{
	struct err *err = w->plan->err;
	struct warc_source source = {.fd = w->fd};
	const struct warc_io *io = w->plan->p->io ? w->plan->p->io : warc_io_system();
	int rc = check_sum(w);

	if (rc == 0)
		rc = warc_reader_open_source(&source, 0, &w->reader, err);
	if (rc == 0)
		rc = warc_compress_open(warc_reader_coding(w->reader), 0, &w->compress, err);
	if (rc == 0)
		rc = warc_file_create(&w->out, dir, w->file->new_name, io, err);
	if (rc == 0)
		rc = rewrite_all(w);
	w->file->new_size = w->out.size;
	if (rc == 0)
		rc = warc_file_close(&w->out, err);
	else if (w->out.is_open)
		warc_file_abandon(&w->out);
	if (rc == 0 && !w->out.has_digest)
		rc = err_set(err, ERR_IO, "%s: it has no digest", w->file->new_name);
	w->file->digest = w->out.digest;
	warc_compress_close(w->compress);
	warc_reader_close(w->reader);
	return rc;
}

int retire_write(struct retire_plan *plan, struct retire_file *file)
{
	const char *path = plan->p->directory->warc;
	struct rewriting w = {.plan = plan, .file = file};
	int dir = file_open_dir(path);
	int rc;

	w.fd = record_body_open(path, slice_str(file->name));
	rng_init(&w.rng, hash_key_random().k0);
	buf_init(&w.block, METADATA_MAX + COMPACT_BLOCK_MAX);
	buf_init(&w.record, 3 * COMPACT_BLOCK_MAX);
	buf_init(&w.body, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	buf_init(&w.other, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	buf_init(&w.patch, COMPACT_ROW_MAX);
	buf_init(&w.tombstones, COMPACT_BLOCK_MAX);
	arena_init(&w.arena, SCRATCH_MAX);
	rc = dir < 0 || w.fd < 0
		     ? err_set(plan->err, ERR_IO, "%s/%s: %s", path, file->name, strerror(errno))
		     : rewrite(&w, dir);
	arena_release(&w.arena);
	buf_release(&w.block);
	buf_release(&w.record);
	buf_release(&w.body);
	buf_release(&w.other);
	buf_release(&w.patch);
	patch_maker_release(&w.patches);
	buf_release(&w.tombstones);
	if (w.fd >= 0)
		(void)close(w.fd);
	if (dir >= 0)
		(void)close(dir);
	return rc;
}
