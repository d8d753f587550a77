#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t io_read_at(int fd, void *to, size_t len, uint64_t at)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(fd, (char *)to + have, len - have, (off_t)(at + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* At an offset, or where the file's position is (NULL). */
static int write_all(int fd, const char *from, size_t len, const uint64_t *at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = at ? pwrite(fd, from + done, len - done, (off_t)(*at + done))
			       : write(fd, from + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}

int io_write_at(int fd, const void *from, size_t len, uint64_t at)
{
	return write_all(fd, from, len, &at);
}

int io_write(int fd, const void *from, size_t len)
{
	return write_all(fd, from, len, NULL);
}

enum { TEMPFILE_PATH_MAX = 4096 };

/* For file systems without O_TMPFILE. */
static int open_and_unlink(const char *dir)
{
	char path[TEMPFILE_PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/stillpoint-XXXXXX", dir);
	int fd;

	if (n < 0 || (size_t)n >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

int tempfile_open(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : open_and_unlink(dir);
}

const char *tempfile_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] ? dir : "/tmp";
}

/* ---- one file ---- */

/* Sets errno to what keeps such a file from being opened; 0 or -1. */
static int check_kind(const struct stat *st, bool writing)
{
	int error = 0;

	if (S_ISLNK(st->st_mode))
		error = ELOOP;
	else if (!S_ISREG(st->st_mode))
		error = EISDIR;
	else if (writing && st->st_nlink > 1)
		error = EMLINK;
	errno = error ? error : errno;
	return error ? -1 : 0;
}

/*
 * Looks before it opens, because opening alone may act on a device, and again at what was opened,
 * because the name may lead elsewhere by then.
 */
static int open_regular(int dir, const char *name, int flags, int follow)
{
	bool writing = (flags & O_ACCMODE) != O_RDONLY;
	struct stat st;
	int fd, error;

	if (fstatat(dir, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0) {
		if (check_kind(&st, writing))
			return -1;
	} else if (errno != ENOENT || !(flags & O_CREAT)) {
		return -1;
	}
	fd = openat(dir, name, flags | (follow ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0 || (fstat(fd, &st) == 0 && check_kind(&st, writing) == 0))
		return fd;
	error = errno;
	(void)close(fd);
	errno = error;
	return -1;
}

int file_open_inside(int dir, const char *name)
{
	return open_regular(dir, name, O_RDONLY, false);
}

int file_open_given(const char *path)
{
	return open_regular(AT_FDCWD, path, O_RDONLY, true);
}

int file_open_own(int dir, const char *name, int flags)
{
	return open_regular(dir, name, flags, false);
}

int file_open_first(int dir, const char *name)
{
	return openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int file_open_new(int dir, const char *name)
{
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		return -1;
	return file_open_first(dir, name);
}

FILE *file_stream(const char *path, const char *mode)
{
	return fopen(path, mode);
}

int file_open_stream(const char *path)
{
	return open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
}

/* ---- directories ---- */

int file_open_dir(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* ---- looking ---- */

bool file_is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* ---- databases ---- */

/* The path with all links in its directory resolved, and its own name as it is. */
static char *resolve_above(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *above = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *real = above ? realpath(above, NULL) : NULL, *joined = NULL;

	if (real && asprintf(&joined, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name) < 0)
		joined = NULL;
	free(above);
	free(real);
	return joined;
}

/*
 * Of a file that is only read, the memory that SQLite's readers and writers share (-shm) is
 * written to all the same.
 */
int file_check_database(const char *path, bool writing, char **ret_name)
{
	static const struct {
		const char *suffix;
		bool written;
	} FILES[] = {{"", false}, {"-wal", false}, {"-journal", false}, {"-shm", true}};
	char name[PATH_MAX];
	struct stat st;
	char *resolved;

	for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
		if ((size_t)snprintf(name, sizeof name, "%s%s", path, FILES[i].suffix) >=
			sizeof name) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (lstat(name, &st) == 0 && check_kind(&st, writing || FILES[i].written))
			return -1;
	}
	resolved = resolve_above(path);
	if (!resolved)
		return -1;
	*ret_name = resolved;
	return 0;
}

const char *file_problem(int error)
{
	switch (error) {
	case ELOOP:
		return "it is a symbolic link, which is not followed inside an archive; replace it "
		       "with a copy";
	case EMLINK:
		return "it is a hard link to a file with another name; replace it with a copy";
	case EISDIR:
		return "it is not a regular file";
	default:
		return strerror(error);
	}
}
