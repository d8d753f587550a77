#include "warc/warc_repair.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum {
	COPY_STEP = 64 << 10,
	PATH_SIZE = WARC_NAME_MAX + 64, /* a name with any of our suffixes */
};

/* The file at work, and the two names it may have. */
struct repair {
	const struct warc_io *io;
	int dir; /* borrowed */
	int fd;
	bool is_open; /* its name is NAME.open */
	uint64_t length;
	char name[PATH_SIZE];
	char open_name[PATH_SIZE];
};

static int fail(const char *name, const char *what, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s: %s", name, what, strerror(errno));
}

static int set_names(struct repair *r, const char *name, struct err *err)
{
	size_t len = warc_closed_name(slice_str(name)).len;

	if (len == 0 || memchr(name, '/', len))
		return err_set(err, ERR_USAGE, "\"%.80s\" is not a file name", name);
	if (len > WARC_NAME_MAX)
		return err_set(
			err, ERR_LIMIT, "%.80s…: name of more than %d bytes", name, WARC_NAME_MAX);
	(void)snprintf(r->name, sizeof r->name, "%.*s", (int)len, name);
	(void)snprintf(r->open_name, sizeof r->open_name, "%s" WARC_OPEN, r->name);
	return 0;
}

static bool is_there(const struct repair *r, const char *name)
{
	return faccessat(r->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The name that the file has now. */
static const char *current_name(const struct repair *r)
{
	return r->is_open ? r->open_name : r->name;
}

/* 0 with the file open, ERR_NOTFOUND, ERR_STATE, ERR_IO. */
static int find(struct repair *r, struct err *err)
{
	struct stat st;

	r->is_open = is_there(r, r->open_name);
	if (r->is_open && is_there(r, r->name))
		return err_set(err, ERR_STATE, "both %s and %s exist; remove one of them", r->name,
			r->open_name);
	r->fd = file_open_own(r->dir, current_name(r), O_RDWR);
	if (r->fd < 0 && errno == ENOENT)
		return err_set(err, ERR_NOTFOUND, "%s is missing", r->name);
	if (r->fd < 0 && (errno == ELOOP || errno == EMLINK || errno == EISDIR))
		return err_set(err, ERR_STATE, "%s: %s", current_name(r), file_problem(errno));
	if (r->fd < 0 || fstat(r->fd, &st) < 0)
		return fail(current_name(r), "cannot be opened", err);
	r->length = (uint64_t)st.st_size;
	return 0;
}

static int sync_directory(const struct repair *r, struct err *err)
{
	if (r->io->sync(r->io->context, r->dir) < 0)
		return fail(r->name, "its directory cannot be synced", err);
	return 0;
}

static int copy_tail(const struct repair *r, uint64_t size, int to, struct err *err)
{
	char bytes[COPY_STEP];

	for (uint64_t at = size; at < r->length;) {
		ssize_t n = io_read_at(r->fd, bytes, sizeof bytes, at);

		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return fail(current_name(r), "cannot be read", err);
		}
		if (warc_io_write(r->io, to, (slice){bytes, (size_t)n}, at - size))
			return fail(r->name, "the torn part cannot be written", err);
		at += (uint64_t)n;
	}
	if (r->io->sync(r->io->context, to) < 0)
		return fail(r->name, "the torn part cannot be synced", err);
	return 0;
}

/* Whether the file of that name holds just the bytes behind size. */
static bool holds_tail(const struct repair *r, uint64_t size, const char *name)
{
	char ours[COPY_STEP / 2], theirs[COPY_STEP / 2];
	int fd = file_open_inside(r->dir, name);
	struct stat st;
	bool same = fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size == r->length - size;

	for (uint64_t at = size; same && at < r->length; at += sizeof ours) {
		ssize_t n = io_read_at(r->fd, ours, sizeof ours, at);

		same = n > 0 && io_read_at(fd, theirs, sizeof theirs, at - size) == n &&
		       memcmp(ours, theirs, (size_t)n) == 0;
	}
	if (fd >= 0)
		(void)close(fd);
	return same;
}

/*
 * The first free name for what is torn off; or the one under which it is there already, from when
 * this was stopped before. 0 or ERR_EXISTS.
 */
static int torn_name(
	const struct repair *r, uint64_t size, char out[PATH_SIZE], bool *ret_done, struct err *err)
{
	for (int number = 1; number <= WARC_TORN_MAX; number++) {
		if (number == 1)
			(void)snprintf(out, PATH_SIZE, "%s.torn-%" PRIu64, r->name, size);
		else
			(void)snprintf(
				out, PATH_SIZE, "%s.torn-%" PRIu64 "-%d", r->name, size, number);
		*ret_done = false;
		if (!is_there(r, out))
			return 0;
		*ret_done = size > 0 && holds_tail(r, size, out);
		if (*ret_done)
			return 0;
	}
	return err_set(err, ERR_EXISTS, "%s: %d torn files already exist", r->name, WARC_TORN_MAX);
}

static int write_part(const struct repair *r, uint64_t size, const char *part, struct err *err)
{
	int fd = file_open_new(r->dir, part);
	int rc;

	if (fd < 0)
		return fail(part, "cannot be created", err);
	rc = copy_tail(r, size, fd, err);
	if (close(fd) < 0 && rc == 0)
		rc = fail(part, "cannot be closed", err);
	if (rc)
		(void)unlinkat(r->dir, part, 0); /* perhaps the disk is full */
	return rc;
}

static int move(const struct repair *r, const char *from, const char *to, struct err *err)
{
	if (renameat(r->dir, from, r->dir, to) < 0)
		return fail(from, "cannot be renamed", err);
	return sync_directory(r, err);
}

/* Steps (1) and (2). */
static int set_tail_aside(const struct repair *r, uint64_t size, struct err *err)
{
	char torn[PATH_SIZE], part[PATH_SIZE];
	bool done;

	(void)snprintf(part, sizeof part, "%s.torn-%" PRIu64 ".part", r->name, size);
	TRY(torn_name(r, size, torn, &done, err));
	if (done)
		return sync_directory(r, err);
	TRY(write_part(r, size, part, err));
	return move(r, part, torn, err);
}

/* Step (3), also for a file that has its size: it may not be on the disk yet. */
static int cut(const struct repair *r, uint64_t size, struct err *err)
{
	if (r->length > size && r->io->truncate(r->io->context, r->fd, (off_t)size) < 0)
		return fail(current_name(r), "cannot be truncated", err);
	if (r->io->sync(r->io->context, r->fd) < 0)
		return fail(current_name(r), "cannot be synced", err);
	return 0;
}

static int keep_records(const struct repair *r, uint64_t size, struct err *err)
{
	int rc = 0;

	if (r->length < size)
		return err_set(err, ERR_STATE,
			"%s has %" PRIu64 " bytes, but %" PRIu64
			" were written and synced: records are lost",
			current_name(r), r->length, size);
	if (r->length > size)
		rc = set_tail_aside(r, size, err);
	if (rc == 0)
		rc = cut(r, size, err);
	if (rc)
		return rc;
	return r->is_open ? move(r, r->open_name, r->name, err) : sync_directory(r, err);
}

/* No record counts: the file itself becomes the torn one, in one step. */
static int set_all_aside(const struct repair *r, struct err *err)
{
	char torn[PATH_SIZE];
	bool done;

	if (r->length == 0) {
		if (unlinkat(r->dir, current_name(r), 0) < 0)
			return fail(current_name(r), "cannot be removed", err);
		return sync_directory(r, err);
	}
	TRY(torn_name(r, 0, torn, &done, err));
	if (r->io->sync(r->io->context, r->fd) < 0)
		TRY(fail(current_name(r), "cannot be synced", err));
	return move(r, current_name(r), torn, err);
}

int warc_repair(int dir, const char *name, uint64_t size, const struct warc_io *io, struct err *err)
{
	struct repair r = {.io = io ? io : warc_io_system(), .dir = dir, .fd = -1};
	struct err missing = {0};
	int rc = set_names(&r, name, err);

	if (rc)
		return rc;
	rc = find(&r, &missing);
	if (rc == ERR_NOTFOUND && size == 0)
		rc = sync_directory(&r, err);
	else if (rc)
		rc = err_set(err, rc, "%s", missing.text);
	else
		rc = size == 0 ? set_all_aside(&r, err) : keep_records(&r, size, err);
	if (r.fd >= 0)
		(void)close(r.fd);
	return rc;
}
