#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
