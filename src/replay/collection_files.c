#include "replay/collection_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/warc_file.h"
#include "archive/warc_index.h"
#include "archive/warc_reader.h"
#include "archive/zip_reader.h"
#include "base/file.h"
#include "base/io.h"
#include "base/tempfile.h"

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

/* Lets the collection close a file. */
static int own(struct gathering *g, int fd)
{
	int rc = fd_vec_push(&g->c->fds, fd);

	if (rc)
		(void)close(fd);
	return err_code(g->err, rc);
}

static int make_lines(struct gathering *g, const struct warc_source *source, slice name)
{
	int rc = 0;

	if (!g->sort)
		rc = cdxj_sort_open(g->terms->temporary, 0, CDXJ_UNIQUE, &g->sort, g->err);
	return rc ? rc : warc_index_file(source, name, g->sort, &g->counts, g->err);
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
	if (rc) {
		(void)close(fd);
		return rc;
	}
	return err_code(g->err, index_set_add_file(g->set, fd));
}

/* ---- WARC files ---- */

static int add_warc(struct gathering *g, const char *path, bool is_indexed)
{
	slice name = slice_base_name(slice_str(path));
	struct warc_source source;
	int rc = collection_add_place(g->c, name, &(struct warc_place){.path = path}, g->err);

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
		e.name.ptr = arena_strdup(&p->arena, e.name);
		rc = err_code(err, e.name.ptr ? zip_entries_push(&p->entries, e) : ERR_NOMEM);
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
	rc = own(g, s.fd);
	if (rc == 0)
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
	int rc;

	(void)snprintf(name, sizeof name, "%.*s.cdx.gz",
		slice_shown(slice_sub(index->name, 0, index->name.len - 4), NAME_MAX),
		index->name.ptr);
	data = find_entry(p, slice_str(name));
	if (!data)
		return err_set(g->err, ERR_SYNTAX, "%s is missing", name);
	rc = entry_part(g, p, index, &index_part);
	if (rc == 0)
		rc = entry_part(g, p, data, &data_part);
	return rc ? rc : err_code(g->err, index_set_add_zipnum(g->set, &data_part, &index_part));
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
	int rc;

	if (is_in(e->name, directory, SLICE(".idx"))) {
		*ret_indexed = true;
		return add_blocks(g, p, e);
	}
	if (!is_in(e->name, directory, SLICE(".cdxj")) && !is_in(e->name, directory, SLICE(".cdx")))
		return 0;
	*ret_indexed = true;
	rc = entry_part(g, p, e, &part);
	return rc ? rc : err_code(g->err, index_set_add_part(g->set, &part));
}

static int add_entry_warc(
	struct gathering *g, const struct package *p, const struct zip_entry *e, bool is_indexed)
{
	struct warc_place place = {0};
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
	int rc = fd < 0 ? io_error(g, path) : own(g, fd);

	return rc ? rc : add_package(g, fd);
}

/* ---- directories ---- */

static int add_index_file(struct gathering *g, const char *path, const struct stat *st)
{
	int fd = collection_open_member(g->c, path);

	if (fd < 0)
		return io_error(g, path);
	if (st->st_mtime > g->indexed)
		g->indexed = st->st_mtime;
	return err_code(g->err, index_set_add_file(g->set, fd));
}

/* NAME.idx of ZipNum, with NAME.cdx.gz beside it. */
static int add_block_files(struct gathering *g, const char *path, const struct stat *st)
{
	struct file_part data, blocks;
	char other[PATH_MAX];
	int fd, rc;

	(void)snprintf(other, sizeof other, "%.*s.cdx.gz", (int)strlen(path) - 4, path);
	fd = collection_open_member(g->c, other);
	if (fd < 0)
		return io_error(g, other);
	data = file_part_whole(fd);
	rc = index_set_own(g->set, fd);
	if (rc)
		return err_code(g->err, rc);
	fd = collection_open_member(g->c, path);
	if (fd < 0)
		return io_error(g, path);
	blocks = file_part_whole(fd);
	rc = index_set_own(g->set, fd);
	if (st->st_mtime > g->indexed)
		g->indexed = st->st_mtime;
	return err_code(g->err, rc ? rc : index_set_add_zipnum(g->set, &data, &blocks));
}

enum pass {
	PASS_INDEXES, /* first: they decide which WARC files have none */
	PASS_FILES,
};

static int add_entry(struct gathering *g, const char *path, const struct stat *st, enum pass pass)
{
	slice name = slice_str(path);

	if (pass == PASS_INDEXES) {
		if (slice_ends_with(name, SLICE(".cdxj")))
			return add_index_file(g, path, st);
		return slice_ends_with(name, SLICE(".idx")) ? add_block_files(g, path, st) : 0;
	}
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
	int rc;

	if (stat(path, &st))
		return err_set(
			g->err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return add_file(g, path);
	rc = add_directory(g, path, 0, PASS_INDEXES);
	return rc ? rc : add_directory(g, path, 0, PASS_FILES);
}

int collection_add_path(struct collection *c, const char *path,
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
