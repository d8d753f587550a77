#include "archive/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static int join(char out[DIRECTORY_PATH_MAX], const char *dir, const char *name, struct err *err)
{
	int n = snprintf(out, DIRECTORY_PATH_MAX, "%s/%s", dir, name);

	if (n < 0 || n >= DIRECTORY_PATH_MAX)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", dir);
	return 0;
}

static int name_parts(struct directory *d, const char *path, struct err *err)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len >= DIRECTORY_PATH_MAX)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", path);
	memcpy(d->path, path, len);
	d->path[len] = '\0';
	TRY(join(d->catalog, d->path, "catalog.sqlite", err));
	TRY(join(d->warc, d->path, "warc", err));
	TRY(join(d->index, d->path, "index.cdxj", err));
	return join(d->spool, d->path, "spool", err);
}

static int make(const char *path, struct err *err)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return 0;
	return err_set(err, ERR_IO, "%s: cannot be created: %s%s", path, strerror(errno),
		errno == ENOENT ? "; create the directory above it first" : "");
}

/* What a process that was killed early may have left behind. */
static bool is_ours(const char *name)
{
	static const char *const NAMES[] = {".", "..", "lock", "warc", "spool"};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (strcmp(name, NAMES[i]) == 0)
			return true;
	return false;
}

static bool has_nothing_foreign(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool foreign = !dir;

	while (!foreign && (entry = readdir(dir)))
		foreign = !is_ours(entry->d_name);
	if (dir)
		(void)closedir(dir);
	return !foreign;
}

/* What is there must be an archive, or nothing yet: never fill somebody's directory with files. */
static int check_kind(const struct directory *d, bool create, struct err *err)
{
	struct stat st;

	if (stat(d->path, &st)) {
		if (errno == ENOENT && create)
			return 0;
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s: %s", d->path,
			strerror(errno));
	}
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_NOTFOUND,
			"%s: not an archive (an archive is a directory)%s", d->path,
			create ? "; choose another name with -o" : "");
	if (file_is_there(d->catalog))
		return 0;
	if (errno != ENOENT)
		return err_set(err, ERR_IO, "%s: %s", d->catalog, strerror(errno));
	if (create && access(d->path, R_OK | X_OK))
		return err_set(err, ERR_IO, "%s: %s", d->path, strerror(errno));
	if (create && has_nothing_foreign(d->path))
		return 0;
	return err_set(err, ERR_NOTFOUND, "%s: not an archive (it has no catalog.sqlite)%s",
		d->path, create ? "; choose another directory with -o" : "");
}

/* What was made in a directory is on the disk only when the directory is. */
static int sync_dir(const char *path, const char *below, struct err *err)
{
	char joined[DIRECTORY_PATH_MAX];
	int rc = join(joined, path, below, err), fd;

	if (rc)
		return rc;
	fd = file_open_dir(joined);
	if (fd < 0 || fsync(fd))
		rc = err_set(err, ERR_IO, "%s: cannot be synced: %s", joined, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

static int fail_open(const char *path, struct err *err)
{
	return err_set(err,
		errno == ELOOP || errno == EMLINK || errno == EISDIR ? ERR_STATE : ERR_IO,
		"%s: cannot be written to: %s", path, file_problem(errno));
}

/*
 * An archive may come from a stranger: a link in it must not make us write elsewhere. What is
 * replaced as a whole (the index, rates) is not opened, so links in its place do no harm.
 */
static int check_own(const struct directory *d, struct err *err)
{
	static const char *const FILES[] = {"catalog.sqlite", "catalog.sqlite-wal",
		"catalog.sqlite-shm", "catalog.sqlite-journal"};
	static const char *const DIRECTORIES[] = {"warc", "spool"};
	char path[DIRECTORY_PATH_MAX];
	struct stat st;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof FILES / sizeof FILES[0]; i++) {
		rc = join(path, d->path, FILES[i], err);
		if (rc || lstat(path, &st))
			continue;
		errno = S_ISLNK(st.st_mode) ? ELOOP : !S_ISREG(st.st_mode) ? EISDIR : EMLINK;
		if (errno != EMLINK || st.st_nlink > 1)
			rc = fail_open(path, err);
	}
	for (size_t i = 0; rc == 0 && i < sizeof DIRECTORIES / sizeof DIRECTORIES[0]; i++) {
		rc = join(path, d->path, DIRECTORIES[i], err);
		if (rc == 0 && lstat(path, &st) == 0 && !S_ISDIR(st.st_mode))
			rc = err_set(err, ERR_STATE,
				"%s: must be a directory, not a file or a link; move the whole "
				"archive instead",
				path);
	}
	return rc;
}

/* Whoever ends removes the file: one that was opened before is locked in vain. */
static bool is_named(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

static int take_lock(struct directory *d, struct err *err)
{
	char path[DIRECTORY_PATH_MAX];
	int rc = join(path, d->path, "lock", err);

	if (rc)
		return rc;
	for (;;) {
		d->lock = file_open_own(AT_FDCWD, path, O_RDWR | O_CREAT);
		if (d->lock < 0)
			return fail_open(path, err);
		if (flock(d->lock, LOCK_EX | LOCK_NB))
			break;
		if (is_named(d->lock, path))
			return 0;
		(void)close(d->lock);
	}
	rc = errno == EWOULDBLOCK
		     ? err_set(err, ERR_STATE, "%s: another process is writing to this archive",
			       d->path)
		     : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	(void)close(d->lock);
	d->lock = -1;
	return rc;
}

int directory_open(struct directory *d, const char *path, bool create, struct err *err)
{
	int rc;

	d->lock = -1;
	rc = name_parts(d, path, err);
	if (rc == 0)
		rc = check_kind(d, create, err);
	if (rc == 0 && create)
		rc = make(d->path, err);
	if (rc == 0)
		rc = take_lock(d, err);
	if (rc == 0)
		rc = check_own(d, err);
	if (rc == 0)
		rc = make(d->warc, err);
	if (rc == 0)
		rc = make(d->spool, err);
	if (rc == 0 && create)
		rc = sync_dir(d->path, ".", err);
	/* We may write to the one above without being allowed to open it: then it has to do. */
	if (rc == 0 && create)
		(void)sync_dir(d->path, "..", NULL);
	if (rc)
		directory_close(d);
	return rc;
}

static int check_warc(const struct directory *d, struct err *err)
{
	struct stat st;

	if (stat(d->warc, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	if (errno == ENOENT || errno == ENOTDIR)
		return err_set(err, ERR_NOTFOUND, "%s: not an archive (it has no directory warc)",
			d->path);
	return err_set(err, ERR_IO, "%s: %s", d->warc, strerror(errno));
}

int directory_open_warc(struct directory *d, const char *path, struct err *err)
{
	int rc;

	d->lock = -1;
	rc = name_parts(d, path, err);
	if (rc == 0)
		rc = check_warc(d, err);
	if (rc == 0)
		rc = take_lock(d, err);
	if (rc == 0)
		rc = check_own(d, err);
	if (rc == 0)
		rc = make(d->spool, err);
	if (rc)
		directory_close(d);
	return rc;
}

void directory_close(struct directory *d)
{
	char path[DIRECTORY_PATH_MAX];

	if (d->lock < 0)
		return;
	(void)rmdir(d->spool); /* unless there is something in it */
	if (join(path, d->path, "lock", NULL) == 0)
		(void)unlink(path);
	(void)close(d->lock);
	d->lock = -1;
}

int directory_restrict(const struct directory *d, struct err *err)
{
	if (chmod(d->path, S_IRWXU) == 0)
		return 0;
	return err_set(err, ERR_IO,
		"%s: cannot be closed to other users, as passwords and logins need: %s; choose "
		"another directory with -o",
		d->path, strerror(errno));
}

static int copy_bytes(int from, int to)
{
	char chunk[64 << 10];
	ssize_t n;

	while ((n = read(from, chunk, sizeof chunk)) > 0)
		if (io_write(to, chunk, (size_t)n))
			return -1;
	return n < 0 || fsync(to) ? -1 : 0;
}

int directory_copy_in(struct directory *d, const char *from, const char *name, struct err *err)
{
	char path[DIRECTORY_PATH_MAX];
	int rc = join(path, d->path, name, err), in, out;

	if (rc)
		return rc;
	in = file_open_given(from);
	if (in < 0)
		return err_set(err, ERR_IO, "%s: %s", from, file_problem(errno));
	out = file_open_new(AT_FDCWD, path);
	if (out < 0 || copy_bytes(in, out))
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (out >= 0)
		(void)close(out);
	(void)close(in);
	return rc;
}

int directory_path(
	const struct directory *d, const char **name, struct arena *arena, struct err *err)
{
	char path[DIRECTORY_PATH_MAX];

	TRY(join(path, d->path, *name, err));
	*name = arena_str(arena, slice_str(path));
	return 0;
}
