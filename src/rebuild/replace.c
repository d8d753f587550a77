#include "rebuild/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "catalog/catalog.h"

/* What SQLite may leave beside a database. */
static const char *const SUFFIXES[] = {"-wal", "-shm", "-journal"};

enum { SUFFIX_COUNT = sizeof SUFFIXES / sizeof SUFFIXES[0] };

static void beside(const char *path, const char *suffix, char out[REPLACE_PATH_SIZE])
{
	(void)snprintf(out, REPLACE_PATH_SIZE, "%s%s", path, suffix);
}

void replace_prepare(const struct directory *d, char ret[REPLACE_PATH_SIZE])
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

int replace_catalog(const struct directory *d, const char *fresh, struct err *err)
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
