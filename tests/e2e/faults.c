/*
 * Makes the N-th operation that changes a file below a directory fail, in any program that it is
 * preloaded into (LD_PRELOAD). By the environment:
 *
 *	FAULTS_DIR    the directory; files elsewhere are left alone
 *	FAULTS_AT     N, from 1; 0 or none: nothing fails, all are counted
 *	FAULTS_KIND   enospc, eio      the operation fails so
 *	              full, broken     the same, and so do all after it
 *	              short            a write writes half of what it should; others are as they are
 *	              kill             the process ends there, as by kill -9, without the operation
 *	FAULTS_COUNT  a file that gets the number of operations, when the process ends well
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long operations;

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static bool is_below(const char *path)
{
	const char *dir = setting("FAULTS_DIR");

	return *dir && strncmp(path, dir, strlen(dir)) == 0;
}

static bool is_fd_below(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return is_below(path);
}

/* A path that may be relative to a directory. */
static bool is_path_below(int dir, const char *path)
{
	return dir == AT_FDCWD || path[0] == '/' ? is_below(path) : is_fd_below(dir);
}

enum fault {
	FAULT_NONE,
	FAULT_SHORT,
	FAULT_ERROR, /* errno is set */
};

/* An operation is about to happen: what is to become of it. */
static enum fault meet(void)
{
	long number = atomic_fetch_add(&operations, 1) + 1;
	long at = strtol(setting("FAULTS_AT"), NULL, 10);
	const char *kind = setting("FAULTS_KIND");
	bool lasts = strcmp(kind, "full") == 0 || strcmp(kind, "broken") == 0;

	if (at <= 0 || number < at || (number > at && !lasts))
		return FAULT_NONE;
	if (strcmp(kind, "kill") == 0)
		(void)raise(SIGKILL);
	if (strcmp(kind, "short") == 0)
		return FAULT_SHORT;
	errno = strcmp(kind, "eio") == 0 || strcmp(kind, "broken") == 0 ? EIO : ENOSPC;
	return FAULT_ERROR;
}

static enum fault meet_fd(int fd)
{
	return is_fd_below(fd) ? meet() : FAULT_NONE;
}

static size_t shorten(enum fault fault, size_t len)
{
	return fault == FAULT_SHORT && len > 1 ? len / 2 : len;
}

/* The function of that name that would be called if we were not there. POSIX allows the cast. */
#define NEXT(name) (__extension__(__typeof__(&name)) next(#name))

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	enum fault fault = meet_fd(fd);

	return fault == FAULT_ERROR ? -1 : NEXT(write)(fd, bytes, shorten(fault, len));
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
	enum fault fault = meet_fd(fd);

	return fault == FAULT_ERROR ? -1 : NEXT(pwrite)(fd, bytes, shorten(fault, len), at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
	enum fault fault = meet_fd(fd);

	return fault == FAULT_ERROR ? -1 : NEXT(pwrite64)(fd, bytes, shorten(fault, len), at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	return meet_fd(fd) == FAULT_ERROR ? -1 : NEXT(pwritev)(fd, parts, count, at);
}

int fsync(int fd)
{
	return meet_fd(fd) == FAULT_ERROR ? -1 : NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
	return meet_fd(fd) == FAULT_ERROR ? -1 : NEXT(fdatasync)(fd);
}

int ftruncate(int fd, off_t size)
{
	return meet_fd(fd) == FAULT_ERROR ? -1 : NEXT(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	return meet_fd(fd) == FAULT_ERROR ? -1 : NEXT(ftruncate64)(fd, size);
}

int rename(const char *from, const char *to)
{
	return is_below(to) && meet() == FAULT_ERROR ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	if (is_path_below(to_dir, to) && meet() == FAULT_ERROR)
		return -1;
	return NEXT(renameat)(from_dir, from, to_dir, to);
}

int mkdir(const char *path, mode_t mode)
{
	return is_below(path) && meet() == FAULT_ERROR ? -1 : NEXT(mkdir)(path, mode);
}

/* glibc's stdio writes without asking us: so it is stopped before. */
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
	return meet_fd(fileno(file)) == FAULT_ERROR ? 0 : NEXT(fwrite)(bytes, size, count, file);
}

int fflush(FILE *file)
{
	return file && meet_fd(fileno(file)) == FAULT_ERROR ? EOF : NEXT(fflush)(file);
}

/* Making a file needs space as well; opening one that is there does not. */
static enum fault meet_open(int dir, const char *path, int flags)
{
	bool makes = (flags & O_CREAT) && is_path_below(dir, path) && faccessat(dir, path, F_OK, 0);

	return makes ? meet() : FAULT_NONE;
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

#define OPEN_AT(name)                                           \
	int name(int dir, const char *path, int flags, ...)     \
	{                                                       \
		va_list args;                                   \
		mode_t mode;                                    \
                                                                \
		va_start(args, flags);                          \
		mode = mode_of(flags, args);                    \
		va_end(args);                                   \
		if (meet_open(dir, path, flags) == FAULT_ERROR) \
			return -1;                              \
		return NEXT(name)(dir, path, flags, mode);      \
	}

#define OPEN(name)                                                   \
	int name(const char *path, int flags, ...)                   \
	{                                                            \
		va_list args;                                        \
		mode_t mode;                                         \
                                                                     \
		va_start(args, flags);                               \
		mode = mode_of(flags, args);                         \
		va_end(args);                                        \
		if (meet_open(AT_FDCWD, path, flags) == FAULT_ERROR) \
			return -1;                                   \
		return NEXT(name)(path, flags, mode);                \
	}

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

__attribute__((destructor)) static void tell(void)
{
	const char *path = setting("FAULTS_COUNT");
	FILE *file = *path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	(void)fprintf(file, "%ld\n", atomic_load(&operations));
	(void)fclose(file);
}
