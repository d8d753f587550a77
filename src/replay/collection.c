#include "replay/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/cdxj_scan.h"
#include "archive/record_body.h"
#include "archive/warc_date.h"
#include "archive/warc_file.h"
#include "base/clock.h"
#include "base/file.h"
#include "replay/access.h"
#include "replay/collection_files.h"
#include "replay/live_archive.h"

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
static int set_name(struct collection *c, const char *path, struct err *err)
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
	c->name = arena_strdup(&c->arena, name);
	c->path = arena_strdup(&c->arena, slice_str(path));
	free(real);
	return c->name && c->path ? 0 : err_code(err, ERR_NOMEM);
}

int collection_open_member(const struct collection *c, const char *path)
{
	return strcmp(path, c->path) == 0 ? file_open_given(path)
					  : file_open_inside(AT_FDCWD, path);
}

int collection_add_place(
	struct collection *c, slice filename, const struct warc_place *place, struct err *err)
{
	struct warc_place kept = *place;
	int rc;

	if (c->places.len >= COLLECTION_FILES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d WARC files", COLLECTION_FILES_MAX);
	if (place->path && !(kept.path = arena_strdup(&c->arena, slice_str(place->path))))
		return err_code(err, ERR_NOMEM);
	rc = strmap_put(&c->files, filename, (uint32_t)c->places.len);
	if (rc == ERR_EXISTS)
		return 0; /* of two files with one name, the first */
	return err_code(err, rc ? rc : warc_place_vec_push(&c->places, kept));
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
	c->warc_dir = arena_strdup(&c->arena, slice_str(path));
	if (!c->warc_dir)
		return err_code(err, ERR_NOMEM);
	if (file_is_there(path) && !file_is_dir(path))
		return err_set(err, ERR_IO, "%s: must be a directory, not a file or a link", path);
	(void)snprintf(path, sizeof path, "%s/index.cdxj", c->path);
	fd = file_open_inside(AT_FDCWD, path);
	if (fd < 0 && errno != ENOENT)
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	return fd < 0 ? 0 : err_code(err, index_set_add_file(set, fd));
}

static int fill(struct collection *c, const struct collection_terms *terms, struct err *err)
{
	struct index_set *set = index_set_new();
	int rc;

	c->set = set;
	if (!set)
		return err_code(err, ERR_NOMEM);
	rc = set_name(c, c->path, err);
	if (rc)
		return rc;
	if (exists(c->path, "catalog.sqlite")) {
		rc = open_archive(c, set, err);
		return rc ? rc : live_archive_start(c, terms->temporary, &c->live, err);
	}
	return collection_add_path(c, c->path, terms, set, err);
}

int collection_open(const char *path, const struct collection_terms *terms, struct collection **ret,
	struct err *err)
{
	struct collection *c = calloc(1, sizeof *c);
	int rc;

	if (!c)
		return err_code(err, ERR_NOMEM);
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
	warc_place_vec_release(&c->places);
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
static const struct warc_place *find_place(const struct collection *c, slice filename)
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
	const struct warc_place *place = c->is_archive ? NULL : find_place(c, filename);
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
