/*
 * A WARC file written anew without what is retired. Records that stay are copied as they are,
 * compressed. Records of looks are written again when a row of theirs is retired, or is a patch
 * against a record that has moved. Tombstones of responses come in records of looks of their own,
 * at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/compact_body.h"
#include "archive/record_body.h"
#include "archive/warc_compress.h"
#include "archive/warc_reader.h"
#include "store/look_batch.h"
#include "store/retire_plan.h"

enum { COPY_SIZE = 1 << 16, SCRATCH_MAX = 4 << 20, METADATA_MAX = 4 << 20 };

struct rewriting {
	struct retire_plan *plan;
	struct retire_file *file;
	int fd; /* of the old file */
	struct warc_reader *reader;
	struct warc_file out;
	struct warc_compress *compress;
	struct rng rng;
	struct warc_id info;   /* of the warcinfo record */
	uint64_t copied;       /* bytes of the old file that were seen to */
	struct buf block;      /* scratch */
	struct buf record;     /* the same */
	struct buf tombstones; /* block of their record */
	uint32_t tombstone_count;
	int64_t date; /* of the last one */
	struct arena arena;
};

static slice field(const struct warc_record *rec, slice name)
{
	return fields_trim(warc_header_get(&rec->header, name));
}

/* Whether the entry is retired indeed. */
static const struct retire_entry *retired(const struct retire_plan *plan, slice id)
{
	uint32_t at = retire_find(plan, id);

	return at == RETIRE_NONE || plan->entries.ptr[at].kept ? NULL : &plan->entries.ptr[at];
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

static int move(struct rewriting *w, uint64_t from, uint64_t to)
{
	struct catalog_move m = {from, to, w->out.size - to};

	return err_code(w->plan->err, retire_moves_push(&w->file->moves, m));
}

/* Copies a record, and notes where it is. */
static int keep(struct rewriting *w, const struct warc_record *rec)
{
	uint64_t to = w->out.size;
	int rc = warc_reader_end(w->reader, w->plan->err);

	if (rc == 0)
		rc = copy(w, rec->spot.offset, rec->spot.offset + rec->length);
	return rc ? rc : move(w, rec->spot.offset, to);
}

static int write_entry(struct rewriting *w, const struct warc_entry *entry)
{
	struct warc_entry_facts facts = {.warcinfo = w->info.text[0] ? w->info.text : NULL};
	struct err *err = w->plan->err;
	int rc;

	warc_id_make(&w->rng, &facts.id);
	buf_reset(&w->record);
	rc = warc_entry_record(entry, &facts, &w->record, err);
	if (rc == 0)
		rc = warc_compress_begin(w->compress, w->record.len, emit, &w->out, err);
	if (rc == 0)
		rc = warc_compress_feed(w->compress, buf_slice(&w->record), err);
	if (rc == 0)
		rc = warc_compress_end(w->compress, err);
	if (rc == 0)
		warc_file_commit(&w->out);
	return rc;
}

/* ---- tombstones ---- */

static int write_tombstones(struct rewriting *w)
{
	struct warc_entry entry = look_batch_entry(buf_slice(&w->tombstones), w->date);
	int rc = w->tombstone_count ? write_entry(w, &entry) : 0;

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

/* The metadata of a response that is retired becomes its tombstone. */
static int bury(struct rewriting *w, const struct warc_record *rec, const struct retire_entry *e)
{
	struct err *err = w->plan->err;
	struct compact_look look;
	struct attempt a;
	int rc;

	buf_reset(&w->block);
	rc = compact_block(w->reader, &w->block, err);
	if (rc == 0)
		rc = attempt_parse(buf_slice(&w->block), rec->header.url, &w->arena, &a, err);
	if (rc)
		return rc;
	a.has_payload = true;
	a.payload = e->payload;
	look = tombstone_of(w, &a, e);
	if (w->tombstones.len == 0)
		rc = buf_add(&w->tombstones, SLICE(COMPACT_FIRST));
	if (rc == 0)
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

static int by_from(const void *a, const void *b)
{
	const struct catalog_move *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Where the response is now that a patch is against; *ret_moved if that is elsewhere. */
static int follow(const struct rewriting *w, struct compact_look *look, bool *ret_moved)
{
	struct catalog_move key = {.from = look->offset};
	const struct catalog_move *found;
	const struct retire_file *of;
	uint32_t at;

	if (!strmap_get(&w->plan->by_name, look->file, &at) || !w->plan->files.ptr[at].affected)
		return 0;
	of = &w->plan->files.ptr[at];
	found = of->moves.len ? bsearch(&key, of->moves.ptr, of->moves.len, sizeof key, by_from)
			      : NULL;
	if (!found)
		return err_set(w->plan->err, ERR_UNSUPPORTED,
			"%s and %s have patches against each other; nothing was retired",
			w->file->name, of->name);
	look->file = slice_str(of->new_name);
	look->offset = found->to;
	*ret_moved = true;
	return 0;
}

/* Appends the rows as they are to be; *ret_changed if one of them is another. */
static int change_rows(struct rewriting *w, slice block, struct buf *out, bool *ret_changed)
{
	struct compact_rows rows;
	struct compact_look look;
	struct err *err = w->plan->err;
	int rc = compact_open(&rows, block, err);

	if (rc == 0)
		rc = err_code(err, buf_add(out, SLICE(COMPACT_FIRST)));
	while (rc == 0 && (rc = compact_next(&rows, &w->arena, &look, err)) == 0) {
		const struct retire_entry *e =
			look.is_tombstone ? NULL : retired(w->plan, look.attempt.record_id);

		if (e)
			look = tombstone_of(w, &look.attempt, e);
		else if (look.is_patch)
			rc = follow(w, &look, ret_changed);
		*ret_changed = *ret_changed || e;
		if (rc == 0)
			rc = err_code(err, compact_add(&look, out));
		arena_reset(&w->arena);
	}
	return rc == ERR_END ? 0 : rc;
}

static int rewrite_looks(struct rewriting *w, const struct warc_record *rec)
{
	uint64_t to = w->out.size, from = rec->spot.offset;
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
	entry = look_batch_entry(buf_slice(&rows), date);
	if (rc == 0)
		rc = changed ? write_entry(w, &entry) : copy(w, from, from + rec->length);
	buf_release(&rows);
	return rc ? rc : move(w, from, to);
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
	const struct retire_entry *of = retired(plan, field(rec, SLICE("WARC-Concurrent-To")));
	enum warc_type type = rec->header.type;

	if (type == WARC_TYPE_WARCINFO)
		note_info(w, rec);
	if ((type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT) &&
		retired(plan, field(rec, SLICE("WARC-Record-ID"))))
		return warc_reader_end(w->reader, plan->err);
	if (type == WARC_TYPE_REQUEST && of)
		return warc_reader_end(w->reader, plan->err);
	if (type == WARC_TYPE_METADATA && of)
		return bury(w, rec, of);
	if (type == WARC_TYPE_METADATA && compact_is_type(rec->header.content_type))
		return rewrite_looks(w, rec);
	return keep(w, rec);
}

static int rewrite_all(struct rewriting *w)
{
	struct err *err = w->plan->err;
	const struct warc_record *rec;
	int rc = 0;

	while (rc == 0 && (rc = warc_reader_next(w->reader, &rec, err)) == 0) {
		if (rec->is_gap || rec->spot.offset < w->copied)
			return err_set(err, ERR_UNSUPPORTED,
				"%s is damaged, or has records that share a member; nothing was "
				"retired",
				w->file->name);
		/* A dictionary, for instance. */
		rc = copy(w, w->copied, rec->spot.offset);
		if (rc == 0)
			rc = rewrite_record(w, rec);
		w->copied = rec->spot.offset + rec->length;
		arena_reset(&w->arena);
	}
	return rc == ERR_END ? write_tombstones(w) : rc;
}

static int open_all(struct rewriting *w, int dir)
{
	struct retire_plan *plan = w->plan;
	struct warc_source source = {.fd = w->fd};
	const struct warc_io *io = plan->p->io ? plan->p->io : warc_io_system();
	int rc = warc_reader_open_source(&source, WARC_READER_UNCHECKED, &w->reader, plan->err);

	if (rc == 0)
		rc = warc_compress_open(warc_reader_coding(w->reader), 0, &w->compress, plan->err);
	return rc ? rc : warc_file_create(&w->out, dir, w->file->new_name, io, plan->err);
}

static int rewrite(struct rewriting *w, int dir)
{
	struct err *err = w->plan->err;
	int rc = open_all(w, dir);

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
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	w.fd = record_body_open(path, slice_str(file->name));
	rng_init(&w.rng, hash_key_random().k0);
	buf_init(&w.block, METADATA_MAX + COMPACT_BLOCK_MAX);
	buf_init(&w.record, 2 * COMPACT_BLOCK_MAX);
	buf_init(&w.tombstones, COMPACT_BLOCK_MAX);
	arena_init(&w.arena, SCRATCH_MAX);
	rc = dir < 0 || w.fd < 0
		     ? err_set(plan->err, ERR_IO, "%s/%s: %s", path, file->name, strerror(errno))
		     : rewrite(&w, dir);
	arena_release(&w.arena);
	buf_release(&w.block);
	buf_release(&w.record);
	buf_release(&w.tombstones);
	if (w.fd >= 0)
		(void)close(w.fd);
	if (dir >= 0)
		(void)close(dir);
	return rc;
}
