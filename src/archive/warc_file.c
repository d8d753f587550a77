#include "archive/warc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/io.h"

enum {
	OPEN_NAME_SIZE = WARC_NAME_MAX + sizeof(WARC_OPEN),
	GATHERED_MAX = 256 << 10,
	SUM_STEP = 64 << 10,
};

static ssize_t system_write(void *context, int fd, const void *bytes, size_t len, off_t at)
{
	(void)context;
	return pwrite(fd, bytes, len, at);
}

static int system_truncate(void *context, int fd, off_t size)
{
	(void)context;
	return ftruncate(fd, size);
}

static int system_sync(void *context, int fd)
{
	(void)context;
	return fdatasync(fd);
}

const struct warc_io *warc_io_system(void)
{
	static const struct warc_io io = {NULL, system_write, system_truncate, system_sync};

	return &io;
}

int warc_io_write(const struct warc_io *io, int fd, slice bytes, uint64_t at)
{
	while (bytes.len > 0) {
		ssize_t n = io->write(io->context, fd, bytes.ptr, bytes.len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return -1;
		}
		at += (uint64_t)n;
		bytes = slice_sub(bytes, (size_t)n, bytes.len);
	}
	return 0;
}

static bool has_suffix(slice name, slice suffix)
{
	return name.len > suffix.len &&
	       slice_eq(slice_sub(name, name.len - suffix.len, name.len), suffix);
}

slice warc_closed_name(slice name)
{
	slice open = SLICE(WARC_OPEN);

	if (has_suffix(name, open))
		name.len -= open.len;
	return name;
}

bool warc_is_name(slice name)
{
	return has_suffix(name, SLICE(".warc")) || has_suffix(name, SLICE(".warc.gz")) ||
	       has_suffix(name, SLICE(".warc.zst"));
}

/* The name from its time on; all of it where there is none. */
static const char *behind_prefix(const char *name)
{
	enum { TIME_DIGITS = 14 };

	for (const char *at = strchr(name, '-'); at; at = strchr(at + 1, '-'))
		if (strspn(at + 1, "0123456789") == TIME_DIGITS)
			return at + 1;
	return name;
}

bool warc_name_has_time(const char *name)
{
	return behind_prefix(name) != name;
}

int warc_name_compare(const char *x, const char *y)
{
	int order = strcmp(behind_prefix(x), behind_prefix(y));

	return order ? order : strcmp(x, y);
}

static void open_name(const char *name, char out[OPEN_NAME_SIZE])
{
	(void)snprintf(out, OPEN_NAME_SIZE, "%s" WARC_OPEN, name);
}

static int fail(const struct warc_file *f, const char *what, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s: %s", f->name, what, strerror(errno));
}

int warc_file_create(
	struct warc_file *f, int dir, const char *name, const struct warc_io *io, struct err *err)
{
	struct warc_file file = {.io = io, .dir = dir, .fd = -1};
	char path[OPEN_NAME_SIZE];

	(void)snprintf(file.name, sizeof file.name, "%s", name);
	if (faccessat(dir, name, F_OK, 0) == 0)
		return err_set(err, ERR_EXISTS, "%s already exists", name);
	open_name(name, path);
	file.fd = file_open_first(dir, path);
	if (file.fd < 0 && errno == EEXIST)
		return err_set(err, ERR_EXISTS, "%s already exists", path);
	if (file.fd < 0)
		return fail(&file, "cannot be created", err);
	file.gathered = malloc(GATHERED_MAX);
	if (!file.gathered) {
		warc_file_discard(&file);
		return err_code(err, ERR_NOMEM);
	}
	file.is_open = true;
	file.is_sum_spoiled = digester_start(&file.sum, DIGEST_SHA256) != 0;
	*f = file;
	return 0;
}

int warc_file_sum(int fd, uint64_t size, struct digest *ret)
{
	struct digester sum = {0};
	char *bytes = malloc(SUM_STEP);
	int rc = bytes ? digester_start(&sum, DIGEST_SHA256) : ERR_NOMEM;

	for (uint64_t at = 0; rc == 0 && at < size;) {
		size_t step = size - at < SUM_STEP ? (size_t)(size - at) : SUM_STEP;
		ssize_t n = io_read_at(fd, bytes, step, at);

		if (n < (ssize_t)step) {
			errno = n < 0 ? errno : 0;
			rc = ERR_IO;
		} else {
			rc = digester_feed(&sum, (slice){bytes, step});
		}
		at += step;
	}
	if (rc == 0)
		rc = digester_finish(&sum, ret);
	digester_release(&sum);
	free(bytes);
	return rc;
}

static void add_to_sum(struct warc_file *f, slice bytes)
{
	if (!f->is_sum_spoiled)
		f->is_sum_spoiled = digester_feed(&f->sum, bytes) != 0;
}

/* Of the file, which is on the disk. Where it cannot be had, the file goes without. */
static void finish_sum(struct warc_file *f)
{
	if (f->is_sum_spoiled)
		f->has_digest = warc_file_sum(f->fd, f->size, &f->digest) == 0;
	else
		f->has_digest = digester_finish(&f->sum, &f->digest) == 0;
}

/* Invariant (2): nothing happens to a torn file until it is mended. */
static int mend(struct warc_file *f, struct err *err)
{
	if (!f->is_torn)
		return 0;
	if (f->io->truncate(f->io->context, f->fd, (off_t)f->written) < 0)
		return fail(f, "cannot be truncated", err);
	f->is_torn = false;
	return 0;
}

/* Writes bytes behind those that are in the file, all of them or, as far as we know, none. */
static int write_out(struct warc_file *f, slice bytes, struct err *err)
{
	if (warc_io_write(f->io, f->fd, bytes, f->written)) {
		f->is_torn = true;
		(void)fail(f, "cannot be written", err);
		(void)mend(f, NULL);
		return ERR_IO;
	}
	f->written += bytes.len;
	return 0;
}

int warc_file_flush(struct warc_file *f, struct err *err)
{
	int rc = mend(f, err);

	if (rc == 0 && f->end > f->written)
		rc = write_out(f, (slice){f->gathered, (size_t)(f->end - f->written)}, err);
	return rc;
}

int warc_file_append(struct warc_file *f, slice bytes, struct err *err)
{
	int rc;

	if (f->written <= f->size && bytes.len <= GATHERED_MAX - (f->end - f->written)) {
		if (bytes.len)
			memcpy(f->gathered + (f->end - f->written), bytes.ptr, bytes.len);
		f->end += bytes.len;
		add_to_sum(f, bytes);
		return 0;
	}
	rc = warc_file_flush(f, err);
	if (rc == 0)
		rc = write_out(f, bytes, err);
	if (rc == 0) {
		f->end = f->written;
		add_to_sum(f, bytes);
	}
	return rc;
}

void warc_file_commit(struct warc_file *f)
{
	f->size = f->end;
}

void warc_file_rollback(struct warc_file *f)
{
	if (f->written > f->size) {
		f->written = f->size;
		f->is_torn = true;
	}
	f->is_sum_spoiled = f->is_sum_spoiled || f->end > f->size;
	f->end = f->size;
	(void)mend(f, NULL);
}

int warc_file_sync(struct warc_file *f, struct err *err)
{
	int rc = warc_file_flush(f, err);

	if (rc)
		return rc;
	if (f->io->sync(f->io->context, f->fd) < 0)
		return fail(f, "cannot be synced", err);
	if (!f->is_entered && f->io->sync(f->io->context, f->dir) < 0)
		return fail(f, "its directory cannot be synced", err);
	f->is_entered = true;
	return 0;
}

/* The new name is on the disk only when the directory is. */
static int rename_file(struct warc_file *f, struct err *err)
{
	char path[OPEN_NAME_SIZE];

	open_name(f->name, path);
	if (renameat(f->dir, path, f->dir, f->name) < 0)
		return fail(f, "cannot be renamed", err);
	if (f->io->sync(f->io->context, f->dir) < 0)
		return fail(f, "its directory cannot be synced", err);
	return 0;
}

static void forget(struct warc_file *f)
{
	free(f->gathered);
	f->gathered = NULL;
	f->is_open = false;
	digester_release(&f->sum);
}

int warc_file_close(struct warc_file *f, struct err *err)
{
	int rc;

	if (!f->is_open)
		return 0;
	rc = warc_file_sync(f, err);
	if (rc == 0)
		finish_sum(f);
	if (close(f->fd) < 0 && rc == 0)
		rc = fail(f, "cannot be closed", err);
	forget(f);
	return rc ? rc : rename_file(f, err);
}

void warc_file_abandon(struct warc_file *f)
{
	if (f->is_open)
		(void)close(f->fd);
	forget(f);
}

void warc_file_discard(struct warc_file *f)
{
	char path[OPEN_NAME_SIZE];

	open_name(f->name, path);
	(void)close(f->fd);
	(void)unlinkat(f->dir, path, 0);
	forget(f);
}
