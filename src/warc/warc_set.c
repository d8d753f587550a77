#include "warc/warc_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/word.h"
#include "warc/warc_writer.h"
#include "warc/zip.h"

enum { MAGIC_SIZE = 4, NAMES_MAX = 256 << 20 };

struct walk {
	const char *tmp_dir;
	warc_set_call *call;
	void *context;
	struct err *err;
	uint64_t found;
};

static bool is_warc_name(slice name)
{
	return word_ends(name, SLICE(".warc")) || word_ends(name, SLICE(".warc.gz")) ||
	       word_ends(name, SLICE(".warc.zst"));
}

slice warc_set_file_name(const struct warc_set_file *file)
{
	return slice_base_name(file->inner.ptr ? file->inner : slice_str(file->path));
}

bool warc_set_is_name(slice name)
{
	if (slice_ends_with(name, SLICE(WARC_OPEN)))
		name.len -= sizeof WARC_OPEN - 1;
	return is_warc_name(name) || word_ends(name, SLICE(".wacz"));
}

/* ---- WACZ ---- */

static int write_out(void *context, slice bytes, struct err *err)
{
	const int *fd = context;

	if (io_write(*fd, bytes.ptr, bytes.len))
		return err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	return 0;
}

static int call_unpacked(
	struct walk *w, int zip, const struct zip_entry *e, struct warc_set_file *file)
{
	int fd = tempfile_open(w->tmp_dir), rc;

	if (fd < 0)
		return err_set(w->err, ERR_IO, "%s: no temporary file: %s (set TMPDIR)", w->tmp_dir,
			strerror(errno));
	rc = zip_entry_read(e, zip, write_out, &fd, w->err);
	if (rc)
		err_prefix(w->err, "%s: %.*s", file->path, slice_shown(e->name, 200), e->name.ptr);
	file->source = (struct warc_source){.fd = fd};
	if (rc == 0)
		rc = w->call(w->context, file, w->err);
	(void)close(fd);
	return rc;
}

static int call_entry(struct walk *w, int zip, const char *path, const struct zip_entry *e)
{
	struct warc_set_file file = {.path = path, .inner = e->name, .size = e->size};
	int rc;

	w->found++;
	if (e->method != ZIP_STORED || e->encrypted || e->size == 0 || e->packed != e->size)
		return call_unpacked(w, zip, e, &file);
	file.source = (struct warc_source){.fd = zip, .length = e->size};
	rc = zip_entry_find(e, zip, &file.source.start, w->err);
	if (rc) {
		err_prefix(w->err, "%s", path);
		return rc;
	}
	return w->call(w->context, &file, w->err);
}

static int read_wacz(struct walk *w, int fd, const char *path)
{
	struct zip_reader zip;
	struct zip_entry e;
	int rc = zip_reader_open(&zip, fd, w->err);

	while (rc == 0 && (rc = zip_reader_next(&zip, &e, w->err)) == 0)
		if (slice_starts_with(e.name, SLICE("archive/")) && is_warc_name(e.name)) {
			rc = call_entry(w, fd, path, &e);
			if (rc)
				break;
		}
	zip_reader_release(&zip);
	if (rc == ERR_END)
		return 0;
	if (rc && w->err && !strstr(w->err->text, path))
		err_prefix(w->err, "%s", path);
	return rc;
}

/* ---- files and directories ---- */

static int read_file(struct walk *w, const char *path, unsigned depth)
{
	int fd = depth ? file_open_inside(AT_FDCWD, path) : file_open_given(path), rc;
	char magic[MAGIC_SIZE];
	struct stat st;
	ssize_t n = fd < 0 || fstat(fd, &st) ? -1 : io_read_at(fd, magic, sizeof magic, 0);

	if (n < 0) {
		rc = err_set(w->err, ERR_IO, "%s: %s", path, file_problem(errno));
	} else if (zip_is_start((slice){magic, (size_t)n})) {
		rc = read_wacz(w, fd, path);
	} else {
		w->found++;
		rc = w->call(w->context,
			&(struct warc_set_file){
				.path = path, .source = {.fd = fd}, .size = (uint64_t)st.st_size},
			w->err);
	}
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const slice *)a)->ptr, ((const slice *)b)->ptr);
}

/* All names of a directory, sorted, in the arena. */
static int list_names(struct walk *w, const char *path, struct arena *arena, struct slice_vec *ret)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int rc = 0;

	if (!dir)
		return err_set(w->err, ERR_IO, "%s: %s", path, strerror(errno));
	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		slice name = slice_str(entry->d_name);

		if (name.ptr[0] == '.')
			continue;
		if (ret->len == WARC_SET_FILES_MAX)
			rc = err_set(w->err, ERR_LIMIT, "%s: more than %d files; give fewer", path,
				(int)WARC_SET_FILES_MAX);
		slice_vec_push(ret, arena_keep(arena, name));
	}
	(void)closedir(dir);
	if (rc == 0 && ret->len > 0)
		qsort(ret->ptr, ret->len, sizeof *ret->ptr, by_name);
	return rc;
}

static int read_path(struct walk *w, const char *path, unsigned depth);

/*
 * A member of a directory: other files in it are none of our business. A link is not followed; what
 * may have WARC files behind it is said, so that none is missing without a word.
 */
static int read_member(struct walk *w, const char *dir, slice name, unsigned depth)
{
	char path[WARC_SET_PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", dir, name.ptr);
	struct stat st;

	if (n < 0 || (size_t)n >= sizeof path)
		return err_set(w->err, ERR_LIMIT, "%.60s…: the path is too long", dir);
	if (warc_set_is_name(name))
		return read_file(w, path, depth);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? read_path(w, path, depth) : 0;
}

static int read_directory(struct walk *w, const char *path, unsigned depth)
{
	SCOPED(slice_vec_release) struct slice_vec names = {0};
	SCOPED(arena_release) struct arena arena = {0};

	if (depth == WARC_SET_DEPTH_MAX)
		return err_set(w->err, ERR_LIMIT, "%s: more than %d directories within each other",
			path, (int)WARC_SET_DEPTH_MAX);
	arena_init(&arena, NAMES_MAX);
	TRY(list_names(w, path, &arena, &names));
	for (size_t i = 0; i < names.len; i++)
		TRY(read_member(w, path, names.ptr[i], depth + 1));
	return 0;
}

static int read_path(struct walk *w, const char *path, unsigned depth)
{
	struct stat st;

	if (depth ? lstat(path, &st) : stat(path, &st))
		return err_set(w->err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s: %s%s", path,
			strerror(errno), depth ? "" : "; give an archive, or a WARC or WACZ file");
	if (S_ISDIR(st.st_mode))
		return read_directory(w, path, depth);
	return read_file(w, path, depth);
}

static int read_root(struct walk *w, const char *path, unsigned depth)
{
	int rc = read_path(w, path, depth);

	if (rc == 0 && w->found == 0)
		return err_set(w->err, ERR_NOTFOUND, "%s: there are no WARC files in it", path);
	return rc;
}

int warc_set_each(
	const char *path, const char *tmp_dir, warc_set_call *call, void *context, struct err *err)
{
	struct walk w = {.tmp_dir = tmp_dir, .call = call, .context = context, .err = err};

	return read_root(&w, path, 0);
}

int warc_set_each_of_archive(
	const char *path, const char *tmp_dir, warc_set_call *call, void *context, struct err *err)
{
	struct walk w = {.tmp_dir = tmp_dir, .call = call, .context = context, .err = err};
	char warc[WARC_SET_PATH_MAX];
	int n = snprintf(warc, sizeof warc, "%s/warc", path);

	if (n < 0 || (size_t)n >= sizeof warc)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", path);
	return file_is_there(warc) ? read_root(&w, warc, 1) : read_root(&w, path, 0);
}
