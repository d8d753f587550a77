#include "archive/rebuild.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/directory.h"
#include "archive/index.h"
#include "archive/our_file.h"
#include "archive/rebuilt.h"
#include "base/api.h"
#include "base/err.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/progress.h"
#include "base/word.h"
#include "catalog/catalog.h"
#include "formats/http_message.h"
#include "formats/links.h"
#include "plan/link_set.h"
#include "proof/evidence.h"
#include "proof/rulebook.h"
#include "warc/compact.h"
#include "warc/record_body.h"
#include "warc/warc_input.h"
#include "warc/warc_reader.h"
#include "warc/warc_repair.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"

/*
 * Reads the records of an archive's WARC files into captures (rebuilt.h): attempts with what their
 * responses show, compact looks, moments, page tables, learned rules. Nothing is checked here but
 * that it can be read: `verify` holds the new catalog against the files.
 */

/* Where the last whole record of a file ends; and the last one that is not a part of an attempt
 * whose metadata has not come. */
struct rebuild_ends {
	uint64_t record, attempt;
};

/* The response whose attempt comes next. */
struct response {
	bool made;
	slice file;
	char id[64];
	char address[64];
	uint64_t length;
	bool has_payload; /* its digest is known */
	struct digest payload;
	struct evidence evidence;
};

/* Records of an attempt at the end of a file whose metadata is in the next one of its lane. */
struct unended {
	slice file, id;
	struct response response; /* made, unless nothing was answered */
	bool is_ended;            /* the metadata was found */
};

VEC_DECLARE(unended_vec, struct unended);

/* Fields are its own, but for batch and damaged. It may not be moved. */
struct rebuild_reading {
	struct rebuilt_captures *captures;
	struct catalog *catalog;
	struct evidence_table table;
	struct evidence_reader reader;
	struct words words; /* of the table */
	slice name;         /* of the file that is read, without ".open" */
	struct links links;
	struct rulebook book; /* rules of the file */
	struct response response;
	char begun[64]; /* id of the first record of an attempt whose metadata has not come; or ""
			 */
	struct rebuild_ends *ends;
	struct unended_vec unended;
	struct arena names; /* of files, and of those */
	uint8_t sketch[LINK_SET_SIZE_MAX];
	uint64_t batch;   /* number of the last batch of looks */
	uint64_t damaged; /* records and gaps */
};

enum { READING_NAMES_MAX = 64 << 20, BLOCK_MAX = 1 << 30 };

static int take(void *context, const struct evidence_item *item);

/* All is borrowed; dir, or a WACZ file, has the files, tmp_dir is for what does not fit. */
static void rebuild_reading_init(struct rebuild_reading *r, const char *dir, const char *tmp_dir,
	struct rebuilt_captures *captures, struct catalog *catalog)
{
	*r = (struct rebuild_reading){.captures = captures, .catalog = catalog};
	arena_init_small(&r->names, READING_NAMES_MAX);
	words_init(&r->words, &r->names);
	evidence_init(&r->table, &r->words, tmp_dir);
	links_init(&r->links);
	rulebook_init(&r->book);
	evidence_reader_init(&r->reader, &r->table, take, r);
	r->reader.dir = dir;
	r->reader.responses.links = &r->links;
	r->reader.responses.book = &r->book;
}

static void rebuild_reading_release(struct rebuild_reading *r)
{
	evidence_reader_release(&r->reader);
	evidence_release(&r->table);
	words_release(&r->words);
	links_release(&r->links);
	rulebook_release(&r->book);
	unended_vec_release(&r->unended);
	arena_release(&r->names);
}

/* ---- responses ---- */

static void copy_text(char *out, size_t size, slice text)
{
	(void)snprintf(out, size, "%.*s", (int)(text.len < size ? text.len : 0), text.ptr);
}

static bool has_links(const struct evidence *e)
{
	return e->shown.has_state && e->shown.status < 300 && e->shown.whole;
}

/* A sketch of the links to pages, as the crawler made it of the visit. */
static int sketch_links(struct rebuild_reading *r, struct evidence *e)
{
	const struct fields *head = response_reader_head(&r->reader.responses);
	struct link_set set;
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("link")))
			links_header(&r->links, head->items.ptr[i].value);
	for (size_t i = 0; i < r->links.list.len; i++)
		count += r->links.list.ptr[i].kind == LINK_PAGE;
	link_set_init(&set, count);
	for (size_t i = 0; i < r->links.list.len; i++)
		if (r->links.list.ptr[i].kind == LINK_PAGE)
			link_set_add(&set, r->links.list.ptr[i].ref);
	evidence_keep_links(&r->table, e, (slice){(const char *)set.bits, set.size});
	return err_code(r->reader.err, rc);
}

/* Its own head with the body of the other record. */
static void take_links(struct evidence *e, const struct evidence *of)
{
	if (!of || !has_links(e))
		return;
	e->links_at = of->links_at;
	e->links_size = of->links_size;
}

static int keep_response(struct rebuild_reading *r, const struct evidence_item *item)
{
	const struct warc_record *rec = item->record;
	struct evidence *e = item->evidence;
	struct response *x = &r->response;
	int rc = 0;

	if (rec->problem.code)
		return 0;
	if (e->is_revisit)
		take_links(e, item->original);
	else if (has_links(e))
		rc = sketch_links(r, e);
	*x = (struct response){
		.made = true, .file = r->name, .length = rec->length, .evidence = *e};
	copy_text(x->id, sizeof x->id, evidence_field(rec, SLICE("WARC-Record-ID")));
	copy_text(x->address, sizeof x->address, evidence_field(rec, SLICE("WARC-IP-Address")));
	x->has_payload = digest_parse(warc_header_get(&rec->header, SLICE("WARC-Payload-Digest")),
				 &x->payload) == 0;
	return rc;
}

/* ---- attempts over two files ---- */

/* Remembers which record an attempt begins with. */
static void note_begun(struct rebuild_reading *r, const struct warc_record *rec)
{
	const struct warc_header *h = &rec->header;
	slice id = evidence_field(rec, SLICE("WARC-Record-ID"));
	bool begins = h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REVISIT ||
		      (h->type == WARC_TYPE_REQUEST && !r->begun[0]);

	if (begins && !attempt_is_in_header(h))
		copy_text(r->begun, sizeof r->begun, id);
	else if (attempt_is_in_header(h) || h->type != WARC_TYPE_REQUEST)
		r->begun[0] = '\0';
}

/* The file ends. */
static void keep_begun(struct rebuild_reading *r)
{
	struct unended u = {.file = r->name,
		.id = arena_keep(&r->names, slice_str(r->begun)),
		.response = r->response};

	if (!r->begun[0])
		return;
	r->begun[0] = '\0';
	unended_vec_push(&r->unended, u);
}

/* The head that the response had. */
static int read_head(struct rebuild_reading *r, const struct unended *u, struct err *err)
{
	struct record_place place = {u->file, u->response.evidence.offset, u->id};
	struct buf block, ignored;
	size_t from = 0;
	int rc;

	buf_init(&block, BLOCK_MAX);
	buf_init(&ignored, BLOCK_MAX);
	rc = record_block_read(r->reader.dir, &place, &block, &ignored, err);
	if (rc == 0) {
		response_reader_start(&r->reader.responses);
		rc = err_code(err, response_reader_feed(&r->reader.responses,
					   slice_sub(buf_slice(&block), 0,
						   fields_find_end(buf_slice(&block), &from))));
	}
	buf_release(&block);
	buf_release(&ignored);
	return rc;
}

/* The metadata refers to a record that may be at the end of an earlier file: as if it came now. */
static int recall(struct rebuild_reading *r, slice id, struct err *err)
{
	for (size_t i = 0; i < r->unended.len; i++) {
		struct unended *u = &r->unended.ptr[i];

		if (u->is_ended || !slice_eq(u->id, id))
			continue;
		u->is_ended = true;
		r->response = u->response;
		return u->response.made ? read_head(r, u, err) : 0;
	}
	return 0;
}

/* All files were read: whether the last attempt of this one has its metadata nowhere. */
static bool rebuild_reading_is_cut(const struct rebuild_reading *r, slice name)
{
	for (size_t i = 0; i < r->unended.len; i++)
		if (!r->unended.ptr[i].is_ended && slice_eq(r->unended.ptr[i].file, name))
			return true;
	return false;
}

/* ---- attempts ---- */

/* Of robots.txt and the like the crawler notes less. served holds texts. */
static void apply_response(struct rebuild_reading *r, struct attempt *a, struct served *served)
{
	const struct response *x = &r->response;
	const struct fields *head = response_reader_head(&r->reader.responses);

	a->media_type = fields_get(head, SLICE("content-type"));
	a->has_payload = x->has_payload;
	a->payload = x->payload;
	a->record_id = slice_str(x->id);
	a->is_revisit = x->evidence.is_revisit;
	if (a->leg == ATTEMPT_SIDE)
		return;
	served_read(head, a->wall.last_byte, served);
	a->modified = served->modified;
	a->etag = served->etag;
	a->age = (struct attempt_age){served->has_age, served->age};
	if (served->caches[0])
		a->caches = slice_str(served->caches);
	if (x->address[0])
		a->address = slice_str(x->address);
	a->coding = x->evidence.shown.has_state ? x->evidence.coding : 0;
	if ((a->leg == ATTEMPT_VISIT || a->leg == ATTEMPT_LATE) && x->evidence.links_size)
		a->links = (slice){(const char *)r->sketch,
			evidence_links(&r->table, &x->evidence, r->sketch)};
}

/* What the row of an attempt of one record does not say: it follows from the body. */
static void apply_state(const struct rebuild_reading *r, struct attempt *a)
{
	const struct shown *s = &r->response.evidence.shown;

	if (a->has_state || !s->has_state || !s->whole)
		return;
	a->has_state = true;
	a->state = s->state;
}

/* In a record of its own, or in the header of a revisit record. */
static int keep_attempt(struct rebuild_reading *r, const struct evidence_item *item)
{
	bool is_own = attempt_is_in_header(&item->record->header);
	slice of = evidence_field(
		item->record, is_own ? SLICE("WARC-Record-ID") : SLICE("WARC-Concurrent-To"));
	struct response *x = &r->response;
	struct attempt a = *item->attempt;
	struct err *err = r->reader.err;
	struct served served;
	int rc = x->made && slice_eq(of, slice_str(x->id)) ? 0 : recall(r, of, err);

	if (rc)
		return rc;
	if (x->made && slice_eq(of, slice_str(x->id))) {
		apply_response(r, &a, &served);
		if (is_own)
			apply_state(r, &a);
		a.warc = x->file;
		a.offset = x->evidence.offset;
		a.length = x->length;
	}
	x->made = false;
	return rebuilt_attempt(r->captures, &a, err);
}

/* ---- compact looks ---- */

/* The state of the same body is not in the row: it follows from the record with the body. */
static int read_look(struct rebuild_reading *r, const struct compact_look *look)
{
	struct response_reader *responses = &r->reader.responses;
	struct response *x = &r->response;
	struct evidence of;
	int rc;

	*x = (struct response){.has_payload = true,
		.payload = look->attempt.payload,
		.evidence.is_revisit = !look->is_patch};
	copy_text(x->id, sizeof x->id, look->attempt.record_id);
	copy_text(x->address, sizeof x->address, look->address);
	response_reader_start(responses);
	responses->url = look->attempt.url;
	rc = response_reader_feed(responses, look->head);
	if (rc || evidence_find(&r->table, look->attempt.original.record, &of) == EVIDENCE_NONE)
		return rc;
	rc = shown_combine(responses, &r->words, &of.shown, of.sound, &x->evidence.shown);
	x->evidence.coding = of.coding;
	take_links(&x->evidence, &of);
	return rc == ERR_SYNTAX || rc == ERR_STATE ? 0 : rc;
}

static int keep_look(struct rebuild_reading *r, const struct evidence_item *item)
{
	struct attempt a = item->look->attempt;
	struct served served;
	int rc;

	if (item->look->is_tombstone)
		return rebuilt_attempt(r->captures, &a, r->reader.err);
	rc = read_look(r, item->look);
	if (rc)
		return err_code(r->reader.err, rc);
	apply_response(r, &a, &served);
	a.is_compact = true;
	a.offset = r->batch;
	a.length = item->size;
	apply_state(r, &a);
	return rebuilt_attempt(r->captures, &a, r->reader.err);
}

/* They follow. Those that wait in a catalog have no place in a file yet. */
static int begin_looks(struct rebuild_reading *r, const struct evidence_item *item)
{
	struct catalog_looks row = {.batch = ++r->batch, .warc = r->name, .offset = item->offset};

	r->response.made = false;
	if (!item->record)
		return 0;
	row.length = item->record->length;
	return catalog_put(r->catalog, CATALOG_ROW_LOOKS, 0, &row, r->reader.err);
}

/*
 * Reads looks that wait in another catalog for their record: they wait in the new one. Rows are
 * those of one batch.
 */
static int rebuild_reading_waiting(struct rebuild_reading *r, slice rows, struct err *err)
{
	int rc = evidence_read_looks(&r->reader, SLICE("catalog.sqlite"), rows, 0, err);

	return rc ? rc
		  : catalog_put(r->catalog, CATALOG_ROW_LOOK, 0,
			    &(struct catalog_look){.batch = r->batch, .rows = rows}, err);
}

/* ---- records ---- */

/* The rules of what follows in the file, as `verify` reads them. Those that are unknown are off. */
static int keep_rules(struct rebuild_reading *r, slice block)
{
	int rc;

	response_reader_info(&r->reader.responses, block);
	rulebook_release(&r->book);
	rulebook_init(&r->book);
	rc = rulebook_add_info(&r->book, block);
	if (rc != ERR_NOMEM)
		rc = rulebook_finish(&r->book, "rules", NULL);
	return rc == ERR_NOMEM ? err_code(r->reader.err, rc) : 0;
}

static int keep_learned(struct rebuild_reading *r, const struct evidence_item *item)
{
	slice lines = item->block;

	(void)slice_take(&lines, '\n');
	return rebuilt_learned(r->captures, item->record->header.url, lines, r->reader.err);
}

/* A record was read: how far the file counts. */
static void move_ends(struct rebuild_reading *r, const struct warc_record *rec)
{
	if (rec->is_gap || rec->problem.code) {
		r->damaged++;
		rebuilt_gap(r->captures);
		r->response.made = r->response.made && rec->is_gap;
		return;
	}
	note_begun(r, rec);
	r->ends->record = rec->spot.offset + rec->length;
	if (!r->begun[0])
		r->ends->attempt = r->ends->record;
}

static int take(void *context, const struct evidence_item *item)
{
	struct rebuild_reading *r = context;
	struct err *err = r->reader.err;

	switch (item->kind) {
	case EVIDENCE_BEGIN:
		links_reset(&r->links);
		return 0;
	case EVIDENCE_END:
		move_ends(r, item->record);
		return 0;
	case EVIDENCE_INFO:
		return item->record->problem.code ? 0 : keep_rules(r, item->block);
	case EVIDENCE_RESPONSE:
		return keep_response(r, item);
	case EVIDENCE_ATTEMPT:
		return keep_attempt(r, item);
	case EVIDENCE_TABLE:
		return rebuilt_table(r->captures, item->block, err);
	case EVIDENCE_MOMENT:
		return rebuilt_moment(
			r->captures, item->record->header.url, item->moment, item->block, err);
	case EVIDENCE_LEARNED:
		return keep_learned(r, item);
	case EVIDENCE_LOOKS:
		return begin_looks(r, item);
	case EVIDENCE_LOOK:
		return keep_look(r, item);
	case EVIDENCE_BAD_LOOK:
		r->damaged += item->code == ERR_SYNTAX;
		return 0;
	case EVIDENCE_BAD_ATTEMPT:
		r->captures->counts.malformed += item->code == ERR_SYNTAX;
		return 0;
	case EVIDENCE_BAD_MOMENT:
		r->captures->counts.malformed++;
		return 0;
	default:
		return 0;
	}
}

/*
 * Reads a file. 0, ERR_IO when it cannot be read, ERR_NOMEM, or as the catalog's functions.
 */
static int rebuild_reading_file(struct rebuild_reading *r, const struct warc_source *source,
	slice name, struct progress *progress, struct rebuild_ends *ret_ends, struct err *err)
{
	int rc;

	*ret_ends = (struct rebuild_ends){0};
	r->ends = ret_ends;
	r->name = arena_keep(&r->names, name);
	if (arena_full(&r->names))
		return err_code(err, ERR_LIMIT);
	r->response.made = false;
	r->reader.progress = progress;
	rc = evidence_read(&r->reader, source, r->name, err);
	if (rc == 0)
		keep_begun(r);
	return rc;
}

/* A file of an archive that takes the place of another one, whenever the process is killed. */

enum { REPLACE_PATH_SIZE = DIRECTORY_PATH_MAX + 16 };

/* What SQLite may leave beside a database. */
static const char *const SUFFIXES[] = {"-wal", "-shm", "-journal"};

enum { SUFFIX_COUNT = sizeof SUFFIXES / sizeof SUFFIXES[0] };

static void beside(const char *path, const char *suffix, char out[REPLACE_PATH_SIZE])
{
	(void)snprintf(out, REPLACE_PATH_SIZE, "%s%s", path, suffix);
}

/* The path of the new catalog; whatever an earlier attempt left there is removed. */
static void replace_prepare(const struct directory *d, char ret[REPLACE_PATH_SIZE])
{
	char path[REPLACE_PATH_SIZE];

	(void)snprintf(ret, REPLACE_PATH_SIZE, "%s.new", d->catalog);
	(void)unlink(ret);
	for (size_t i = 0; i < SUFFIX_COUNT; i++) {
		beside(ret, SUFFIXES[i], path);
		(void)unlink(path);
	}
}

/* Takes the descriptor. */
static int sync_fd(int fd, const char *path, struct err *err)
{
	int rc = fd < 0 || fsync(fd) ? err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) : 0;

	if (fd >= 0)
		(void)close(fd);
	return rc;
}

/*
 * A log that belongs to the old catalog would be applied to the new one. Opening the old one and
 * closing it again brings all of its log into it. A damaged one may keep its log, which is set
 * aside then: nothing can be lost with it that could still be read.
 */
static int settle_old(const struct directory *d, struct err *err)
{
	struct catalog *old = NULL;
	struct err ignored = {0};
	char path[REPLACE_PATH_SIZE], aside[2 * REPLACE_PATH_SIZE];
	struct stat st;
	int rc = 0;

	if (catalog_open(d->catalog, CATALOG_WRITE, &old, &ignored) == 0)
		catalog_close(old);
	for (size_t i = 0; rc == 0 && i < SUFFIX_COUNT; i++) {
		beside(d->catalog, SUFFIXES[i], path);
		if (lstat(path, &st))
			continue;
		(void)snprintf(aside, sizeof aside, "%s.old%s", d->catalog, SUFFIXES[i]);
		if (st.st_size > 0 && strcmp(SUFFIXES[i], "-shm") != 0 ? rename(path, aside)
								       : unlink(path))
			rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	}
	return rc;
}

/*
 * Syncs the new catalog, which is closed, and gives it the name of the old one. 0 or ERR_IO: then
 * the old one is in its place.
 */
static SP_MUST_CHECK int replace_catalog(
	const struct directory *d, const char *fresh, struct err *err)
{
	int rc = sync_fd(file_open_inside(AT_FDCWD, fresh), fresh, err);

	if (rc == 0)
		rc = settle_old(d, err);
	if (rc == 0)
		rc = sync_fd(file_open_dir(d->path), d->path, err);
	if (rc == 0 && rename(fresh, d->catalog))
		rc = err_set(err, ERR_IO, "%s: %s", d->catalog, strerror(errno));
	return rc ? rc : sync_fd(file_open_dir(d->path), d->path, err);
}

/* A WARC file of ours. */
struct our_file {
	const char *entry; /* its name */
	bool is_imported;  /* it stays as it is */
	struct rebuild_ends ends;
};

VEC_DECLARE(our_files, struct our_file);

/* What one of them needs. */
struct rebuilding {
	struct directory d;
	struct catalog *fresh;
	char path[REPLACE_PATH_SIZE]; /* of the new catalog */
	struct rebuilt_captures captures;
	struct rebuild_reading reading;
	struct imported_files imported;
	struct our_files ours;
	struct arena names;           /* of them */
	int warc;                     /* the directory of the files */
	const struct text_list *only; /* files that were imported, in place of all */
	struct progress *progress;
	struct rebuild_counts *counts;
	struct err *err;
};

static const size_t NAMES_MAX = 256 << 20;

/* ---- files ---- */

static int select_warc(const struct dirent *entry)
{
	return warc_is_name(warc_closed_name(slice_str(entry->d_name)));
}

/* In the order in which they were begun; imported ones behind them, in the order they came. */
static int by_name(const void *a, const void *b, void *imported)
{
	const char *x = (*(const struct dirent *const *)a)->d_name;
	const char *y = (*(const struct dirent *const *)b)->d_name;
	uint32_t m = imported_files_rank(imported, warc_closed_name(slice_str(x)));
	uint32_t n = imported_files_rank(imported, warc_closed_name(slice_str(y)));

	return m == n ? warc_name_compare(x, y) : m < n ? -1 : 1;
}

/* A file that was being written, or is cut off, is complete now: what follows its last whole
 * attempt is set aside. */
static int complete(struct rebuilding *r, const char *name, uint64_t end)
{
	char closed[WARC_NAME_MAX + 1];

	(void)snprintf(
		closed, sizeof closed, "%.*s", (int)warc_closed_name(slice_str(name)).len, name);
	return warc_repair(r->warc, closed, end, NULL, r->err);
}

static int add_file(struct rebuilding *r, int fd, slice name, uint64_t size)
{
	struct catalog_warc row = {
		.name = name, .size = size, .complete = true, .has_digest = true};
	int rc = warc_file_sum(fd, size, &row.digest);

	if (rc)
		return err_set(r->err, rc, "%.*s: %s", (int)name.len, name.ptr,
			rc == ERR_IO ? file_problem(errno) : err_name(rc));
	r->counts->files++;
	return catalog_put(r->fresh, CATALOG_ROW_WARC, 0, &row, r->err);
}

static int read_ours(
	struct rebuilding *r, const struct warc_source *source, const char *entry, bool is_imported)
{
	struct our_file file = {
		.entry = arena_str(&r->names, slice_str(entry)), .is_imported = is_imported};
	int rc;

	r->captures.is_import = is_imported;
	rc = rebuild_reading_file(&r->reading, source, warc_closed_name(slice_str(entry)),
		r->progress, &file.ends, r->err);
	if (rc) {
		err_prefix(r->err, "%s/%s", r->d.warc, entry);
		return rc;
	}
	our_files_push(&r->ours, file);
	return 0;
}

/* All files were read, so it is known how far this one counts. */
static int settle_file(struct rebuilding *r, const struct our_file *file)
{
	slice name = warc_closed_name(slice_str(file->entry));
	uint64_t end =
		rebuild_reading_is_cut(&r->reading, name) ? file->ends.attempt : file->ends.record;
	int fd = file_open_inside(r->warc, file->entry), rc = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		rc = err_set(r->err, ERR_IO, "%s: %s", file->entry, file_problem(errno));
	else if (file->is_imported)
		end = (uint64_t)st.st_size;
	else if (name.len < strlen(file->entry) || end < (uint64_t)st.st_size)
		rc = complete(r, file->entry, end);
	if (rc == 0 && end > 0)
		rc = add_file(r, fd, name, end);
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

static int settle_files(struct rebuilding *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->ours.len; i++)
		rc = settle_file(r, &r->ours.ptr[i]);
	return rc;
}

/* All was read: captures are settled, and what there is to tell is counted. */
static int finish(struct rebuilding *r)
{
	int rc = rebuilt_finish(&r->captures, r->err);

	r->counts->captures = r->captures.counts;
	r->counts->damaged = r->reading.damaged;
	return rc;
}

/* Whether a file that was named by us, or like ours, is cut off in its first record. */
static bool is_stump(const struct warc_source *source, const char *entry)
{
	const struct warc_record *rec;
	struct warc_reader *reader = NULL;
	struct err ignored = {0};
	bool has_record = false;

	if (!warc_name_has_time(entry))
		return false;
	if (warc_reader_open_source(source, 0, &reader, &ignored))
		return true;
	while (!has_record && warc_reader_next(reader, &rec, &ignored) == 0)
		has_record = warc_reader_end(reader, &ignored) == 0 && !rec->is_gap &&
			     rec->problem.code == 0;
	warc_reader_close(reader);
	return !has_record;
}

/* The progress is that of all files. */
static void pass(struct rebuilding *r, uint64_t before, int fd)
{
	struct stat st;

	if (r->progress && fstat(fd, &st) == 0)
		progress_update(r->progress, before + (uint64_t)st.st_size, NULL);
}

static int read_file(struct rebuilding *r, const char *entry)
{
	struct warc_source source = {.fd = file_open_inside(r->warc, entry)};
	uint64_t before = r->progress ? r->progress->done : 0;
	bool is_imported;
	int rc = 0;

	if (source.fd < 0)
		return err_set(r->err, ERR_IO, "%s/%s: %s", r->d.warc, entry, file_problem(errno));
	is_imported = imported_files_has(&r->imported, warc_closed_name(slice_str(entry)));
	if (our_file_is_source(&source))
		rc = read_ours(r, &source, entry, is_imported);
	else if (!is_imported && is_stump(&source, entry))
		rc = complete(r, entry, 0);
	else
		r->counts->foreign++;
	pass(r, before, source.fd);
	(void)close(source.fd);
	return rc;
}

static uint64_t size_of_all(const struct rebuilding *r, struct dirent **names, int count)
{
	uint64_t total = 0;
	struct stat st;

	for (int i = 0; i < count; i++)
		if (fstatat(r->warc, names[i]->d_name, &st, 0) == 0)
			total += (uint64_t)st.st_size;
	return total;
}

static int on_gap(void *context, const struct warc_gap *gap)
{
	uint64_t *count = context;

	*count += gap->count;
	return 0;
}

/* Files that are not there, by the numbers of the others. */
static int count_missing(struct rebuilding *r)
{
	struct slice_vec own = {0};
	int rc;

	for (size_t i = 0; i < r->ours.len; i++)
		if (!r->ours.ptr[i].is_imported)
			slice_vec_push(&own, warc_closed_name(slice_str(r->ours.ptr[i].entry)));
	rc = warc_names_missing(
		own.ptr, own.len, r->ours.len - own.len, on_gap, &r->counts->missing);
	slice_vec_release(&own);
	if (r->counts->missing)
		rebuilt_gap(&r->captures);
	return err_code(r->err, rc);
}

static int read_files(struct rebuilding *r)
{
	struct dirent **names = NULL;
	int count = scandir(r->d.warc, &names, select_warc, NULL), rc;

	if (count < 0)
		return err_set(r->err, ERR_IO, "%s: %s", r->d.warc, file_problem(errno));
	if (r->progress)
		progress_set_total(r->progress, size_of_all(r, names, count));
	rc = imported_files_load(&r->imported, r->d.path, r->err);
	if (rc == 0 && count > 1) /* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
		qsort_r(names, (size_t)count, sizeof names[0], by_name, &r->imported);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = read_file(r, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	imported_files_release(&r->imported);
	if (rc == 0)
		rc = count_missing(r);
	if (rc == 0)
		rc = settle_files(r);
	if (rc == 0 && r->counts->files == 0)
		rc = err_set(r->err, ERR_NOTFOUND,
			"%s: there is no WARC file of a capture to rebuild the catalog from",
			r->d.warc);
	return rc;
}

/* ---- what only the old catalog has ---- */

struct taking_over {
	struct rebuilding *r;
	uint64_t batch;
	struct buf rows;
};

static int end_batch(struct taking_over *t)
{
	int rc = t->rows.len
			 ? rebuild_reading_waiting(&t->r->reading, buf_slice(&t->rows), t->r->err)
			 : 0;

	buf_reset(&t->rows);
	return rc;
}

static int on_look(void *context, const struct catalog_look *look)
{
	struct taking_over *t = context;
	int rc = look->batch == t->batch ? 0 : end_batch(t);

	t->batch = look->batch;
	t->r->counts->waiting++;
	return rc ? rc : err_code(t->r->err, buf_add(&t->rows, look->rows));
}

static int on_imported(void *context, const struct catalog_imported *i)
{
	struct taking_over *t = context;
	bool is_added;

	t->r->counts->imported++;
	return catalog_add_imported(t->r->fresh, i, &is_added, t->r->err);
}

/*
 * Looks that wait for their record, and captures that were imported from lists: a catalog is the
 * only place where they are.
 */
static int take_over(struct rebuilding *r)
{
	struct taking_over t = {.r = r};
	struct err problem = {0};
	struct catalog *old = NULL;
	int rc;

	if (catalog_open(r->d.catalog, CATALOG_READ, &old, &problem)) {
		if (access(r->d.catalog, F_OK) == 0)
			(void)snprintf(
				r->counts->problem, sizeof r->counts->problem, "%s", problem.text);
		return 0;
	}
	r->counts->has_old = true;
	buf_init(&t.rows, COMPACT_BLOCK_MAX);
	rc = catalog_each_look(old, on_look, &t, r->err);
	if (rc == 0)
		rc = end_batch(&t);
	if (rc == 0)
		rc = catalog_each_imported(old, on_imported, &t, r->err);
	buf_release(&t.rows);
	catalog_close(old);
	return rc;
}

/* ---- all of it ---- */

static int fill(struct rebuilding *r)
{
	int rc = read_files(r);

	if (rc == 0)
		rc = take_over(r);
	return rc ? rc : finish(r);
}

/* Writes what a function reads to the catalog. */
static int write_rows(struct rebuilding *r, int (*read_all)(struct rebuilding *r))
{
	int rc = rebuilt_init(&r->captures, r->fresh, r->err);

	arena_init_small(&r->names, NAMES_MAX);
	rebuild_reading_init(&r->reading, r->d.warc, r->d.spool, &r->captures, r->fresh);
	if (rc == 0)
		rc = catalog_last_looks(r->fresh, &r->reading.batch, r->err);
	if (rc == 0)
		rc = read_all(r);
	rebuild_reading_release(&r->reading);
	rebuilt_release(&r->captures);
	our_files_release(&r->ours);
	arena_release(&r->names);
	return rc;
}

static int write_catalog(struct rebuilding *r)
{
	int rc;

	replace_prepare(&r->d, r->path);
	rc = catalog_open(r->path, CATALOG_CREATE, &r->fresh, r->err);
	return rc ? rc : write_rows(r, fill);
}

/* Lines of the old index are not trusted: it may be what was damaged. */
static int write_index(struct rebuilding *r)
{
	if (unlink(r->d.index) && errno != ENOENT)
		return err_set(r->err, ERR_IO, "%s: %s", r->d.index, file_problem(errno));
	return index_write(r->fresh, &r->d, r->err);
}

static int run(struct rebuilding *r)
{
	int rc = write_catalog(r);

	if (rc == 0)
		rc = write_index(r);
	catalog_close(r->fresh);
	if (rc == 0)
		rc = replace_catalog(&r->d, r->path, r->err);
	if (rc)
		replace_prepare(&r->d, r->path);
	return rc;
}

/* ---- files of another archive ---- */

static int fill_imported(struct rebuilding *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->only->len; i++)
		rc = read_file(r, r->only->ptr[i]);
	if (rc == 0)
		rc = settle_files(r);
	return rc ? rc : finish(r);
}

int rebuild_import(const struct directory *d, struct catalog *catalog,
	const struct text_list *names, struct rebuild_counts *ret, struct err *err)
{
	struct rebuilding r = {.d = *d,
		.warc = file_open_dir(d->warc),
		.fresh = catalog,
		.only = names,
		.counts = ret,
		.err = err};
	int rc;

	*ret = (struct rebuild_counts){0};
	if (r.warc < 0)
		return err_set(err, ERR_IO, "%s: %s", d->warc, file_problem(errno));
	rc = imported_files_load(&r.imported, d->path, err);
	if (rc == 0)
		rc = write_rows(&r, fill_imported);
	imported_files_release(&r.imported);
	(void)close(r.warc);
	return rc;
}

/* ---- WARC and WACZ files that are no archive ---- */

static int on_set_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct rebuilding *r = context;
	slice name = warc_closed_name(warc_set_file_name(file));
	struct catalog_warc row = {.name = name, .size = file->size, .complete = true};
	struct rebuild_ends ends;
	int rc;

	if (!our_file_is_source(&file->source)) {
		r->counts->foreign++;
		return 0;
	}
	row.has_digest =
		!file->inner.ptr && warc_file_sum(file->source.fd, file->size, &row.digest) == 0;
	r->counts->files++;
	rc = catalog_put(r->fresh, CATALOG_ROW_WARC, 0, &row, err);
	if (rc == 0)
		rc = rebuild_reading_file(
			&r->reading, &file->source, name, r->progress, &ends, err);
	return rc;
}

static int fill_from_set(struct rebuilding *r)
{
	int rc = warc_set_each(r->path, r->d.spool, on_set_file, r, r->err);

	return rc ? rc : finish(r);
}

int rebuild_read(const struct rebuild_set *set, struct catalog *catalog, struct rebuild_counts *ret,
	struct err *err)
{
	struct rebuilding r = {.fresh = catalog, .counts = ret, .err = err};
	int n = snprintf(r.path, sizeof r.path, "%s", set->path);
	int m = snprintf(r.d.warc, sizeof r.d.warc, "%s", set->warc_dir);
	int k = snprintf(r.d.spool, sizeof r.d.spool, "%s", set->tmp_dir);

	*ret = (struct rebuild_counts){0};
	if (n < 0 || (size_t)n >= sizeof r.path || m < 0 || (size_t)m >= sizeof r.d.warc || k < 0 ||
		(size_t)k >= sizeof r.d.spool)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", set->path);
	return write_rows(&r, fill_from_set);
}

int rebuild(
	const char *archive, struct progress *progress, struct rebuild_counts *ret, struct err *err)
{
	struct rebuilding r = {
		.d = {.lock = -1}, .warc = -1, .progress = progress, .counts = ret, .err = err};
	int rc = directory_open_warc(&r.d, archive, err);

	*ret = (struct rebuild_counts){0};
	if (rc)
		return rc;
	r.warc = file_open_dir(r.d.warc);
	rc = r.warc < 0 ? err_set(err, ERR_IO, "%s: %s", r.d.warc, file_problem(errno)) : run(&r);
	if (r.warc >= 0)
		(void)close(r.warc);
	directory_close(&r.d);
	return rc;
}
