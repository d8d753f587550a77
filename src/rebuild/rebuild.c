#include "rebuild/rebuild.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/compact.h"
#include "archive/warc_file.h"
#include "archive/warc_reader.h"
#include "archive/warc_repair.h"
#include "base/file.h"
#include "rebuild/bodies.h"
#include "rebuild/reading.h"
#include "rebuild/replace.h"
#include "store/directory.h"
#include "store/index.h"
#include "store/our_file.h"

/* A WARC file of ours. */
struct our_file {
	const char *entry; /* its name */
	struct rebuild_ends ends;
};

VEC_DECLARE(our_files, struct our_file);

/* What one of them needs. */
struct rebuilding {
	struct directory d;
	struct catalog *fresh;
	char path[REPLACE_PATH_SIZE]; /* of the new catalog */
	struct rebuilt_captures captures;
	struct spill_pool pool;
	struct bodies bodies;
	struct rebuild_reading reading;
	struct imported_files imported;
	struct our_files ours;
	struct arena names; /* of them */
	int warc;           /* the directory of the files */
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

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return warc_name_compare((*a)->d_name, (*b)->d_name);
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
	return catalog_set_warc(r->fresh, &row, r->err);
}

static int read_ours(struct rebuilding *r, int fd, const char *entry)
{
	struct our_file file = {.entry = arena_strdup(&r->names, slice_str(entry))};
	int rc = rebuild_reading_file(&r->reading, fd, warc_closed_name(slice_str(entry)),
		r->progress, &file.ends, r->err);

	if (rc) {
		err_prefix(r->err, "%s/%s", r->d.warc, entry);
		return rc;
	}
	return err_code(r->err, file.entry ? our_files_push(&r->ours, file) : ERR_NOMEM);
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
	if (!is_imported && our_file_is_source(&source))
		rc = read_ours(r, source.fd, entry);
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

static int read_files(struct rebuilding *r)
{
	struct dirent **names = NULL;
	int count = scandir(r->d.warc, &names, select_warc, by_name), rc;

	if (count < 0)
		return err_set(r->err, ERR_IO, "%s: %s", r->d.warc, file_problem(errno));
	if (r->progress)
		progress_set_total(r->progress, size_of_all(r, names, count));
	rc = imported_files_load(&r->imported, &r->d, r->err);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = read_file(r, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	imported_files_release(&r->imported);
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
	if (rc == 0)
		rc = rebuilt_finish(&r->captures, r->err);
	r->counts->captures = r->captures.counts;
	r->counts->damaged = r->reading.damaged;
	return rc;
}

static int write_catalog(struct rebuilding *r)
{
	int rc;

	replace_prepare(&r->d, r->path);
	rc = catalog_open(r->path, CATALOG_CREATE, &r->fresh, r->err);
	if (rc)
		return rc;
	rebuilt_init(&r->captures, r->fresh);
	spill_pool_init(&r->pool, r->d.spool);
	bodies_init(&r->bodies, &r->pool);
	arena_init_small(&r->names, NAMES_MAX);
	rc = err_code(r->err,
		rebuild_reading_init(&r->reading, r->d.warc, &r->captures, &r->bodies, r->fresh));
	if (rc == 0)
		rc = fill(r);
	rebuild_reading_release(&r->reading);
	bodies_release(&r->bodies);
	spill_pool_release(&r->pool);
	rebuilt_release(&r->captures);
	our_files_release(&r->ours);
	arena_release(&r->names);
	return rc;
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
