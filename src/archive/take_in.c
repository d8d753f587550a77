#include "archive/take_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/our_file.h"
#include "base/file.h"
#include "warc/warc_reader.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"
#include "warc/zip.h"

enum {
	MAGIC_SIZE = 8,
	CHUNK = 256 << 10,
	NAME_TRIES = 1000,
	PATH_SIZE = DIRECTORY_PATH_MAX + WARC_NAME_MAX + 16,
};

#define UNDER_WAY "import.warc" /* in the spool */

struct taking {
	const struct directory *d;
	take_in_call *call;
	void *context;
	struct take_in_counts *counts;
};

/* ---- what can be taken in ---- */

/* Whether its first record can be read. */
static bool begins_with_record(const struct warc_source *source, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	bool ok = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, err) == 0 &&
		  warc_reader_next(r, &rec, err) == 0 && !rec->is_gap;

	warc_reader_close(r);
	return ok;
}

bool take_in_is_content(const char *path)
{
	struct warc_source source = {.fd = file_open_given(path)};
	struct err ignored = {0};
	char magic[MAGIC_SIZE];
	struct stat st;
	ssize_t n;
	bool is;

	if (source.fd < 0)
		return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	n = io_read_at(source.fd, magic, sizeof magic, 0);
	is = (n > 0 && zip_is_start((slice){magic, (size_t)n})) ||
	     begins_with_record(&source, &ignored);
	(void)close(source.fd);
	return is;
}

static int check_file(void *context, const struct warc_set_file *f, struct err *err)
{
	slice name = warc_set_file_name(f);
	struct err why = {0};

	(void)context;
	if (warc_closed_name(name).len < name.len)
		return 0; /* left out */
	if (!warc_is_name(name) || name.len + 8 > WARC_NAME_MAX)
		return err_set(err, ERR_SYNTAX,
			"%s: not the name of a WARC file: rename it to NAME.warc, NAME.warc.gz or "
			"NAME.warc.zst",
			f->path);
	if (!begins_with_record(&f->source, &why))
		return err_set(err, ERR_SYNTAX, "%s%s%.*s: not a WARC file", f->path,
			f->inner.ptr ? ": " : "", (int)(f->inner.ptr ? f->inner.len : 0),
			f->inner.ptr ? f->inner.ptr : "");
	return 0;
}

int take_in_check(const char *path, const char *temporary, struct err *err)
{
	return warc_set_each(path, temporary, check_file, NULL, err);
}

/* ---- copying ---- */

/* A piece of the source from there on: how many bytes, 0 at the end, or -1. */
static ssize_t read_source(const struct warc_source *s, char *to, size_t room, uint64_t at)
{
	if (s->length && at >= s->length)
		return 0;
	if (s->length && room > s->length - at)
		room = (size_t)(s->length - at);
	return io_read_at(s->fd, to, room, s->start + at);
}

static bool is_same(const struct warc_source *s, uint64_t size, const char *path)
{
	char a[1 << 14], b[sizeof a];
	int fd = file_open_inside(AT_FDCWD, path);
	struct stat st;
	ssize_t n = 0;
	bool same = fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size == size;

	for (uint64_t at = 0; same && at < size; at += (uint64_t)n) {
		n = read_source(s, a, sizeof a, at);
		same = n > 0 && io_read_at(fd, b, (size_t)n, at) == n &&
		       memcmp(a, b, (size_t)n) == 0;
	}
	if (fd >= 0)
		(void)close(fd);
	return same;
}

/* "a-2.warc.gz" of "a.warc.gz"; the first is the name itself. */
static void name_try(slice name, unsigned number, const char *dir, char path[PATH_SIZE])
{
	const char *end = memmem(name.ptr, name.len, ".warc", 5);
	size_t stem = end ? (size_t)(end - name.ptr) : name.len;
	char suffix[16] = "";

	if (number > 1)
		(void)snprintf(suffix, sizeof suffix, "-%u", number);
	(void)snprintf(path, PATH_SIZE, "%s/%.*s%s%.*s", dir, (int)stem, name.ptr, suffix,
		(int)(name.len - stem), name.ptr + stem);
}

/* A name that is free, or ERR_EXISTS when the file is there under one of them. */
static int find_name(const struct directory *d, const struct warc_set_file *f, char path[PATH_SIZE],
	struct err *err)
{
	struct stat st;

	for (unsigned i = 1; i < NAME_TRIES; i++) {
		name_try(warc_set_file_name(f), i, d->warc, path);
		if (lstat(path, &st))
			return errno == ENOENT
				       ? 0
				       : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
		if (is_same(&f->source, f->size, path))
			return ERR_EXISTS;
	}
	return err_set(err, ERR_LIMIT, "%s: there are too many files of this name", path);
}

static int copy_bytes(const struct warc_source *s, int to, const char *name, struct err *err)
{
	static const char WHAT[] = "cannot be copied";
	char chunk[CHUNK];
	uint64_t at = 0;
	ssize_t n;

	while ((n = read_source(s, chunk, sizeof chunk, at)) > 0) {
		if (io_write(to, chunk, (size_t)n))
			return err_set(err, ERR_IO, "%s: %s: %s", name, WHAT, strerror(errno));
		at += (uint64_t)n;
	}
	if (n < 0 || fdatasync(to))
		return err_set(err, ERR_IO, "%s: %s: %s", name, WHAT, strerror(errno));
	return 0;
}

/* Into the spool first: a name in warc/ means that the file is whole. */
static int copy(
	const struct directory *d, const struct warc_set_file *f, const char *path, struct err *err)
{
	char under_way[PATH_SIZE];
	int fd, rc;

	(void)snprintf(under_way, sizeof under_way, "%s/" UNDER_WAY, d->spool);
	fd = file_open_new(AT_FDCWD, under_way);
	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", under_way, strerror(errno));
	rc = copy_bytes(&f->source, fd, f->path, err);
	(void)close(fd);
	if (rc == 0)
		rc = imported_files_add(d, slice_str(strrchr(path, '/') + 1), err);
	if (rc == 0 && rename(under_way, path))
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (rc)
		(void)unlink(under_way);
	return rc;
}

static int take_file(void *context, const struct warc_set_file *f, struct err *err)
{
	struct taking *t = context;
	char path[PATH_SIZE];
	slice name = warc_set_file_name(f);
	int rc = check_file(NULL, f, err);

	if (rc || warc_closed_name(name).len < name.len)
		return rc;
	rc = find_name(t->d, f, path, err);
	if (rc == ERR_EXISTS) {
		t->counts->known++;
		return 0;
	}
	if (rc == 0)
		rc = copy(t->d, f, path, err);
	if (rc)
		return rc;
	t->counts->files++;
	t->counts->bytes += f->size;
	return t->call(t->context, path, err);
}

static int sync_warc(const struct directory *d, struct err *err)
{
	int fd = file_open_dir(d->warc);
	int rc = fd < 0 || fsync(fd) ? err_set(err, ERR_IO, "%s: %s", d->warc, strerror(errno)) : 0;

	if (fd >= 0)
		(void)close(fd);
	return rc;
}

int take_in(const struct directory *d, const char *path, take_in_call *call, void *context,
	struct take_in_counts *counts, struct err *err)
{
	struct taking t = {.d = d, .call = call, .context = context, .counts = counts};

	TRY(warc_set_each(path, d->spool, take_file, &t, err));
	return sync_warc(d, err);
}
