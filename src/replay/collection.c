#include "replay/collection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "replay/access.h"
#include "replay/live_archive.h"
#include "warc/record_body.h"
#include "warc/warc_date.h"
#include "warc/warc_index.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"
#include "warc/zip.h"
#include "warc/zipnum.h"

enum { LINES_BYTES_MAX = 256 << 20 }; /* of lines in memory */

struct index_set *index_set_new(void)
{
	struct index_set *s = mem_new(1, sizeof *s);

	atomic_init(&s->users, 1);
	arena_init(&s->arena, LINES_BYTES_MAX);
	return s;
}

static struct index_set *index_set_hold(struct index_set *s)
{
	(void)atomic_fetch_add(&s->users, 1);
	return s;
}

void index_set_drop(struct index_set *s)
{
	if (!s || atomic_fetch_sub(&s->users, 1) > 1)
		return;
	for (size_t i = 0; i < s->fds.len; i++)
		(void)close(s->fds.ptr[i]);
	fd_vec_release(&s->fds);
	cdxj_source_vec_release(&s->sources);
	slice_vec_release(&s->lines);
	arena_release(&s->arena);
	free(s);
}

static void index_set_add_part(struct index_set *s, const struct file_part *part)
{
	cdxj_source_vec_push(&s->sources, (struct cdxj_source){.kind = CDXJ_PLAIN, .data = *part});
}

void index_set_add_file(struct index_set *s, int fd)
{
	struct file_part part = file_part_whole(fd);

	fd_vec_push(&s->fds, fd);
	index_set_add_part(s, &part);
}

/* The same for parts of files that stay open as long as the collection does. */
static void index_set_add_zipnum(
	struct index_set *s, const struct file_part *data, const struct file_part *blocks)
{
	cdxj_source_vec_push(&s->sources,
		(struct cdxj_source){.kind = CDXJ_ZIPNUM, .data = *data, .blocks = *blocks});
}

static int compare(const void *a, const void *b)
{
	return cdxj_compare(*(const slice *)a, *(const slice *)b);
}

void index_set_add_lines(struct index_set *s)
{
	size_t kept = 0;

	if (s->lines.len == 0)
		return;
	qsort(s->lines.ptr, s->lines.len, sizeof s->lines.ptr[0], compare);
	for (size_t i = 0; i < s->lines.len; i++)
		if (i == 0 || !slice_eq(s->lines.ptr[i], s->lines.ptr[i - 1]))
			s->lines.ptr[kept++] = s->lines.ptr[i];
	s->lines.len = kept;
	cdxj_source_vec_push(&s->sources,
		(struct cdxj_source){
			.kind = CDXJ_MEMORY, .lines = s->lines.ptr, .count = s->lines.len});
}

/* Opens a file for reading: the one that the user named, or a file below, which is no link. */
static int collection_open_member(const struct collection *c, const char *path)
{
	return strcmp(path, c->path) == 0 ? file_open_given(path)
					  : file_open_inside(AT_FDCWD, path);
}

static int collection_add_place(
	struct collection *c, slice filename, const struct collection_file *place, struct err *err)
{
	struct collection_file kept = *place;

	if (c->places.len >= COLLECTION_FILES_MAX || arena_full(&c->arena))
		return err_set(err, ERR_LIMIT, "more than %d WARC files", COLLECTION_FILES_MAX);
	if (!strmap_add(&c->files, filename, (uint32_t)c->places.len))
		return 0; /* of two files with one name, the first */
	if (place->path)
		kept.path = arena_str(&c->arena, slice_str(place->path));
	collection_files_push(&c->places, kept);
	return 0;
}

/* Which WARC files and indexes a path holds: directories, WARC files, WACZ packages. */

enum {
	MAGIC_SIZE = 4,
	PACKAGE_NAMES_MAX = 64 << 20, /* bytes of the names in a package */
};

/* One collection being put together. */
struct gathering {
	struct collection *c;
	const struct collection_terms *terms;
	struct index_set *set;
	struct cdxj_sort *sort; /* of lines that have to be made; NULL until there are some */
	struct warc_index_counts counts;
	time_t indexed; /* when the newest index of a directory was written; 0: there is none */
	struct err *err;
};

static int io_error(struct gathering *g, const char *path)
{
	return err_set(g->err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s: %s", path,
		file_problem(errno));
}

static int make_lines(struct gathering *g, const struct warc_source *source, slice name)
{
	if (!g->sort)
		g->sort = cdxj_sort_open(g->terms->temporary, 0, CDXJ_UNIQUE);
	return warc_index_file(source, name, g->sort, &g->counts, g->err);
}

/* Puts the lines that were made into a temporary file. */
static int finish_lines(struct gathering *g)
{
	int fd = tempfile_open(g->terms->temporary), copy = fd < 0 ? -1 : dup(fd), rc;
	FILE *file = copy < 0 ? NULL : fdopen(copy, "wb");

	if (!file) {
		rc = io_error(g, g->terms->temporary);
		if (copy >= 0)
			(void)close(copy);
		if (fd >= 0)
			(void)close(fd);
		return rc;
	}
	rc = cdxj_sort_finish(g->sort, cdxj_put_line, file, g->err);
	if (fclose(file) && rc == 0)
		rc = io_error(g, g->terms->temporary);
	if (rc)
		(void)close(fd);
	else
		index_set_add_file(g->set, fd);
	return rc;
}

/* ---- WARC files ---- */

static int add_warc(struct gathering *g, const char *path, bool is_indexed)
{
	slice name = slice_base_name(slice_str(path));
	struct warc_source source;
	int rc = collection_add_place(g->c, name, &(struct collection_file){.path = path}, g->err);

	if (rc || is_indexed)
		return rc;
	source = (struct warc_source){.fd = collection_open_member(g->c, path)};
	if (source.fd < 0)
		return io_error(g, path);
	rc = make_lines(g, &source, name);
	(void)close(source.fd);
	return rc;
}

/* ---- WACZ packages ---- */

VEC_DECLARE(zip_entries, struct zip_entry);

/* The directory of a package. */
struct package {
	int fd;
	struct arena arena; /* owns the names */
	struct zip_entries entries;
};

static int read_package(struct package *p, struct err *err)
{
	struct zip_reader z;
	struct zip_entry e;
	int rc = zip_reader_open(&z, p->fd, err);

	while (rc == 0 && (rc = zip_reader_next(&z, &e, err)) == 0) {
		e.name = arena_keep(&p->arena, e.name);
		zip_entries_push(&p->entries, e);
		rc = err_code(err, arena_full(&p->arena) ? ERR_LIMIT : 0);
	}
	zip_reader_release(&z);
	return rc == ERR_END ? 0 : rc;
}

static const struct zip_entry *find_entry(const struct package *p, slice name)
{
	for (size_t i = 0; i < p->entries.len; i++)
		if (slice_eq(p->entries.ptr[i].name, name))
			return &p->entries.ptr[i];
	return NULL;
}

struct spooling {
	int fd;
	uint64_t size;
};

static int spool(void *context, slice piece, struct err *err)
{
	struct spooling *s = context;

	if (io_write_at(s->fd, piece.ptr, piece.len, s->size))
		return err_set(err, ERR_IO, "temporary file: %s", strerror(errno));
	s->size += piece.len;
	return 0;
}

/* Where an entry can be read: in place, or in a temporary file if it is compressed. */
static int entry_part(struct gathering *g, const struct package *p, const struct zip_entry *e,
	struct file_part *ret)
{
	struct spooling s = {0};
	int rc;

	if (e->method == ZIP_STORED && !e->encrypted) {
		*ret = (struct file_part){.fd = p->fd, .size = e->packed};
		return zip_entry_find(e, p->fd, &ret->base, g->err);
	}
	s.fd = tempfile_open(g->terms->temporary);
	if (s.fd < 0)
		return io_error(g, g->terms->temporary);
	fd_vec_push(&g->c->fds, s.fd);
	rc = zip_entry_read(e, p->fd, spool, &s, g->err);
	*ret = (struct file_part){.fd = s.fd, .size = s.size};
	return rc;
}

/* "indexes/index.idx" and "indexes/index.cdx.gz". */
static int add_blocks(struct gathering *g, const struct package *p, const struct zip_entry *index)
{
	char name[NAME_MAX + 16];
	struct file_part data_part, index_part;
	const struct zip_entry *data;

	(void)snprintf(name, sizeof name, "%.*s.cdx.gz",
		slice_shown(slice_sub(index->name, 0, index->name.len - 4), NAME_MAX),
		index->name.ptr);
	data = find_entry(p, slice_str(name));
	if (!data)
		return err_set(g->err, ERR_SYNTAX, "%s is missing", name);
	TRY(entry_part(g, p, index, &index_part));
	TRY(entry_part(g, p, data, &data_part));
	index_set_add_zipnum(g->set, &data_part, &index_part);
	return 0;
}

static bool is_in(slice name, slice directory, slice end)
{
	return slice_starts_with(name, directory) && slice_ends_with(name, end);
}

static int add_entry_index(
	struct gathering *g, const struct package *p, const struct zip_entry *e, bool *ret_indexed)
{
	slice directory = SLICE("indexes/");
	struct file_part part;

	if (is_in(e->name, directory, SLICE(".idx"))) {
		*ret_indexed = true;
		return add_blocks(g, p, e);
	}
	if (!is_in(e->name, directory, SLICE(".cdxj")) && !is_in(e->name, directory, SLICE(".cdx")))
		return 0;
	*ret_indexed = true;
	TRY(entry_part(g, p, e, &part));
	index_set_add_part(g->set, &part);
	return 0;
}

static int add_entry_warc(
	struct gathering *g, const struct package *p, const struct zip_entry *e, bool is_indexed)
{
	struct collection_file place = {0};
	struct warc_source source;
	int rc = entry_part(g, p, e, &place.part);

	if (rc == 0)
		rc = collection_add_place(g->c, slice_base_name(e->name), &place, g->err);
	if (rc || is_indexed)
		return rc;
	source = (struct warc_source){
		.fd = place.part.fd, .start = place.part.base, .length = place.part.size};
	return make_lines(g, &source, slice_base_name(e->name));
}

static int add_package(struct gathering *g, int fd)
{
	struct package p = {.fd = fd};
	bool is_indexed = false;
	size_t before = g->c->places.len;
	int rc;

	arena_init(&p.arena, PACKAGE_NAMES_MAX);
	rc = read_package(&p, g->err);
	for (size_t i = 0; rc == 0 && i < p.entries.len; i++)
		rc = add_entry_index(g, &p, &p.entries.ptr[i], &is_indexed);
	for (size_t i = 0; rc == 0 && i < p.entries.len; i++)
		if (warc_is_name(p.entries.ptr[i].name) && p.entries.ptr[i].size > 0)
			rc = add_entry_warc(g, &p, &p.entries.ptr[i], is_indexed);
	if (rc == 0 && g->c->places.len == before)
		rc = err_set(g->err, ERR_SYNTAX, "the package has no WARC files");
	zip_entries_release(&p.entries);
	arena_release(&p.arena);
	return rc;
}

static int add_wacz(struct gathering *g, const char *path)
{
	int fd = collection_open_member(g->c, path);

	if (fd < 0)
		return io_error(g, path);
	fd_vec_push(&g->c->fds, fd);
	return add_package(g, fd);
}

/* ---- directories ---- */

/* An index, or NAME.idx of ZipNum with NAME.cdx.gz beside it. */
static int add_index_file(struct gathering *g, const char *path, const struct stat *st)
{
	struct file_part blocks;
	char other[PATH_MAX];
	int fd = collection_open_member(g->c, path);

	if (fd < 0)
		return io_error(g, path);
	if (st->st_mtime > g->indexed)
		g->indexed = st->st_mtime;
	if (!slice_ends_with(slice_str(path), SLICE(".idx"))) {
		index_set_add_file(g->set, fd);
		return 0;
	}
	blocks = file_part_whole(fd);
	fd_vec_push(&g->set->fds, fd);
	(void)snprintf(other, sizeof other, "%.*s.cdx.gz", (int)strlen(path) - 4, path);
	fd = collection_open_member(g->c, other);
	if (fd < 0)
		return io_error(g, other);
	fd_vec_push(&g->set->fds, fd);
	index_set_add_zipnum(g->set, &(struct file_part[]){file_part_whole(fd)}[0], &blocks);
	return 0;
}

enum pass {
	PASS_INDEXES, /* first: they decide which WARC files have none */
	PASS_FILES,
};

static int add_entry(struct gathering *g, const char *path, const struct stat *st, enum pass pass)
{
	slice name = slice_str(path);

	if (pass == PASS_INDEXES)
		return slice_ends_with(name, SLICE(".cdxj")) || slice_ends_with(name, SLICE(".idx"))
			       ? add_index_file(g, path, st)
			       : 0;
	if (slice_ends_with(name, SLICE(".wacz")))
		return add_wacz(g, path);
	if (!warc_is_name(name))
		return 0;
	return add_warc(g, path, g->indexed > 0 && st->st_mtime <= g->indexed);
}

/* Sorted, so that the same directory gives the same collection. */
static int add_directory(struct gathering *g, const char *path, unsigned depth, enum pass pass)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, alphasort), rc = n < 0 ? io_error(g, path) : 0;

	for (int i = 0; i < n; i++) {
		char below[PATH_MAX];
		struct stat st;

		if (rc == 0 && entries[i]->d_name[0] != '.' &&
			snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name) <
				(int)sizeof below &&
			lstat(below, &st) == 0) {
			if (S_ISDIR(st.st_mode) && depth < COLLECTION_DEPTH_MAX)
				rc = add_directory(g, below, depth + 1, pass);
			else
				rc = add_entry(g, below, &st, pass);
		}
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int add_file(struct gathering *g, const char *path)
{
	char magic[MAGIC_SIZE] = "";
	int fd = collection_open_member(g->c, path);

	if (fd < 0)
		return io_error(g, path);
	(void)!io_read_at(fd, magic, sizeof magic, 0);
	(void)close(fd);
	if (zip_is_start((slice){magic, sizeof magic}))
		return add_wacz(g, path);
	return add_warc(g, path, false);
}

static int add_all(struct gathering *g, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(
			g->err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return add_file(g, path);
	TRY(add_directory(g, path, 0, PASS_INDEXES));
	return add_directory(g, path, 0, PASS_FILES);
}

/*
 * Adds what the path holds to the collection and its set: places of WARC files, and indexes.
 * Indexes that have to be made are put into temporary files. As collection_open.
 */
static int collection_add_path(struct collection *c, const char *path,
	const struct collection_terms *terms, struct index_set *set, struct err *err)
{
	struct gathering g = {.c = c, .terms = terms, .set = set, .err = err};
	int rc = add_all(&g, path);

	if (rc == 0 && g.sort)
		rc = finish_lines(&g);
	cdxj_sort_close(g.sort);
	if (rc == 0 && c->places.len == 0)
		rc = err_set(err, ERR_SYNTAX, "no WARC or WACZ files and no archive");
	if (rc == 0 && g.counts.files > 0 && g.counts.lines == 0 && set->sources.len == 1)
		rc = err_set(err, ERR_SYNTAX,
			"no record in it can be shown: is it a WARC file? ('stillpoint inspect "
			"warc' says what is in it)");
	return rc;
}

enum {
	ARENA_MAX = 512 << 20,
	LINES_LOOKED_AT = 1 << 20, /* to see whether any of them may be shown */
};

/* Suffixes that are no part of a collection's name. */
static const slice SUFFIXES[] = {
	SLICE_INIT(".stillpoint"),
	SLICE_INIT(".wacz"),
	SLICE_INIT(".warc.gz"),
	SLICE_INIT(".warc.zst"),
	SLICE_INIT(".warc"),
};

static slice name_of(slice path)
{
	size_t start;

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	start = path.len;
	while (start > 0 && path.ptr[start - 1] != '/')
		start--;
	path = slice_sub(path, start, path.len);
	for (size_t i = 0; i < sizeof SUFFIXES / sizeof SUFFIXES[0]; i++)
		if (path.len > SUFFIXES[i].len && slice_ends_with(path, SUFFIXES[i]))
			return slice_sub(path, 0, path.len - SUFFIXES[i].len);
	return path;
}

/* "." and ".." are named by what they are. */
static void set_name(struct collection *c, const char *path)
{
	slice name = name_of(slice_str(path));
	char *real = NULL;

	if (name.len == 0 || slice_eq(name, SLICE(".")) || slice_eq(name, SLICE("..")) ||
		slice_eq(name, SLICE("/")))
		real = realpath(path, NULL);
	if (real)
		name = name_of(slice_str(real));
	if (name.len == 0 || slice_eq(name, SLICE("/")))
		name = SLICE("archive");
	c->name = arena_str(&c->arena, name);
	c->path = arena_str(&c->arena, slice_str(path));
	free(real);
}

static bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path &&
	       file_is_there(path);
}

/* The index of an archive, if there is one yet. */
static int open_archive(struct collection *c, struct index_set *set, struct err *err)
{
	char path[PATH_MAX];
	int fd;

	c->is_archive = true;
	(void)snprintf(path, sizeof path, "%s/warc", c->path);
	c->warc_dir = arena_str(&c->arena, slice_str(path));
	if (file_is_there(path) && !file_is_dir(path))
		return err_set(err, ERR_IO, "%s: must be a directory, not a file or a link", path);
	(void)snprintf(path, sizeof path, "%s/index.cdxj", c->path);
	fd = file_open_inside(AT_FDCWD, path);
	if (fd < 0 && errno != ENOENT)
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	if (fd >= 0)
		index_set_add_file(set, fd);
	return 0;
}

static int fill(struct collection *c, const struct collection_terms *terms, struct err *err)
{
	struct index_set *set = index_set_new();

	c->set = set;
	set_name(c, c->path);
	if (exists(c->path, "catalog.sqlite")) {
		TRY(open_archive(c, set, err));
		return live_archive_start(c, terms->temporary, &c->live, err);
	}
	return collection_add_path(c, c->path, terms, set, err);
}

int collection_open(const char *path, const struct collection_terms *terms, struct collection **ret,
	struct err *err)
{
	struct collection *c = mem_new(1, sizeof *c);
	int rc;

	c->path = path;
	c->access = terms->access;
	arena_init(&c->arena, ARENA_MAX);
	strmap_init(&c->files, hash_key_random(), &c->arena);
	(void)pthread_mutex_init(&c->lock, NULL);
	rc = fill(c, terms, err);
	if (rc) {
		err_prefix(err, "%s", path);
		collection_close(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void collection_close(struct collection *c)
{
	if (!c)
		return;
	live_archive_stop(c->live);
	index_set_drop(c->set);
	for (size_t i = 0; i < c->fds.len; i++)
		(void)close(c->fds.ptr[i]);
	fd_vec_release(&c->fds);
	collection_files_release(&c->places);
	strmap_release(&c->files);
	arena_release(&c->arena);
	(void)pthread_mutex_destroy(&c->lock);
	free(c);
}

struct index_set *collection_indexes(struct collection *c)
{
	struct index_set *set;

	(void)pthread_mutex_lock(&c->lock);
	set = index_set_hold(c->set);
	(void)pthread_mutex_unlock(&c->lock);
	return set;
}

bool collection_is_shown(struct collection *c)
{
	int64_t now = clock_realtime(clock_system()), time;
	struct index_set *set;
	struct cdxj_scan *scan = NULL;
	struct err ignored = {0};
	bool shown = false;
	size_t count = 0;
	slice line;
	int rc;

	if (!c->access)
		return true;
	set = collection_indexes(c);
	rc = cdxj_scan_open(set->sources.ptr, set->sources.len, SLICE(""), &scan, &ignored);
	while (rc == 0 && !shown && (rc = cdxj_scan_next(scan, &line, &ignored)) == 0) {
		slice rest = line, key = slice_take(&rest, ' '), stamp = slice_take(&rest, ' ');

		shown = ++count > LINES_LOOKED_AT ||
			(warc_date_parse(stamp, &time) == 0 &&
				access_allows(c->access, key, time, now));
	}
	cdxj_scan_close(scan);
	index_set_drop(set);
	return shown;
}

void collection_replace(struct collection *c, struct index_set *set)
{
	struct index_set *before;

	(void)pthread_mutex_lock(&c->lock);
	before = c->set;
	c->set = set;
	(void)pthread_mutex_unlock(&c->lock);
	index_set_drop(before);
}

/* Other tools may give a path; what counts is the name at its end. */
static const struct collection_file *find_place(const struct collection *c, slice filename)
{
	uint32_t number;
	size_t start = filename.len;

	while (start > 0 && filename.ptr[start - 1] != '/')
		start--;
	if (!strmap_get(&c->files, slice_sub(filename, start, filename.len), &number))
		return NULL;
	return &c->places.ptr[number];
}

int collection_open_warc(const struct collection *c, slice filename, struct warc_source *ret,
	int *ret_fd, struct err *err)
{
	const struct collection_file *place = c->is_archive ? NULL : find_place(c, filename);
	int fd = -1;

	if (place && !place->path) {
		*ret = (struct warc_source){.fd = place->part.fd,
			.start = place->part.base,
			.length = place->part.size};
		*ret_fd = -1;
		return 0;
	}
	errno = ENOENT;
	if (c->is_archive)
		fd = record_body_open(c->warc_dir, filename);
	else if (place)
		fd = collection_open_member(c, place->path);
	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%.*s: %s",
			slice_shown(filename, 200), filename.ptr, file_problem(errno));
	*ret = (struct warc_source){.fd = fd};
	*ret_fd = fd;
	return 0;
}
