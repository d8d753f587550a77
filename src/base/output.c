#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { LINKS_MAX = 40 }; /* of a chain, as Linux has it */

/* Names what the user gave, and not the name that the file has until it is whole. */
static int fail_to_open(const struct output *o, struct err *err)
{
	const char *slash = strrchr(o->path, '/');

	if (errno == ENOENT && slash)
		return err_set(err, ERR_IO, "%.*s: there is no such directory",
			(int)(slash - o->path), o->path);
	return output_fail(o, err);
}

static int set_path(struct output *o, const char *path, struct err *err)
{
	if (snprintf(o->path, sizeof o->path, "%s", path) >= (int)sizeof o->path)
		return err_set(err, ERR_LIMIT, "%.200s…: the path is too long", path);
	memcpy(o->end_path, o->path, sizeof o->end_path);
	return 0;
}

/* Puts what a link says in place of the link's own path; false when both are too long. */
static bool enter(char path[PATH_MAX], const char *link)
{
	const char *slash = link[0] == '/' ? NULL : strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;
	char joined[PATH_MAX];
	int n = snprintf(joined, sizeof joined, "%.*s%s", dir, path, link);

	if (n < 0 || n >= PATH_MAX)
		return false;
	memcpy(path, joined, (size_t)n + 1);
	return true;
}

/* Goes to where links lead, be there a file or not yet. */
static void follow(char path[PATH_MAX])
{
	char target[PATH_MAX];

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n;

		if (realpath(path, target)) {
			memcpy(path, target, sizeof target);
			return;
		}
		n = readlink(path, target, sizeof target - 1);
		if (n < 0)
			return;
		target[n] = '\0';
		if (!enter(path, target))
			return;
	}
}

/* A file beside the one that it will replace. */
static int open_beside(struct output *o, struct err *err)
{
	int fd;

	(void)snprintf(o->new_path, sizeof o->new_path, "%s.new", o->end_path);
	fd = file_open_new(AT_FDCWD, o->new_path);
	o->file = fd < 0 ? NULL : fdopen(fd, "wb");
	return o->file ? 0 : fail_to_open(o, err);
}

int output_open(struct output *o, const char *path, struct err *err)
{
	struct stat st;

	*o = (struct output){.is_standard = strcmp(path, "-") == 0};
	TRY(set_path(o, path, err));
	if (o->is_standard) {
		o->file = stdout;
		return 0;
	}
	o->is_direct = stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	if (o->is_direct) {
		(void)snprintf(o->new_path, sizeof o->new_path, "%s", path);
		o->file = file_stream(path, "wbe");
		return o->file ? 0 : fail_to_open(o, err);
	}
	follow(o->end_path);
	return open_beside(o, err);
}

int output_open_inside(struct output *o, const char *path, struct err *err)
{
	*o = (struct output){0};
	TRY(set_path(o, path, err));
	return open_beside(o, err);
}

int output_fail(const struct output *o, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s", o->is_standard ? "standard output" : o->path,
		strerror(errno));
}

int output_write(void *output, slice bytes, struct err *err)
{
	struct output *o = output;

	if (bytes.len && fwrite(bytes.ptr, 1, bytes.len, o->file) != bytes.len)
		return output_fail(o, err);
	return 0;
}

int output_close(struct output *o, int rc, struct err *err)
{
	if (!o->file)
		return rc;
	if (rc == 0 && (ferror(o->file) || fflush(o->file)))
		rc = output_fail(o, err);
	if (o->is_standard)
		return rc;
	if (rc == 0 && !o->is_direct && fdatasync(fileno(o->file)))
		rc = output_fail(o, err);
	if (fclose(o->file) && rc == 0)
		rc = output_fail(o, err);
	o->file = NULL;
	if (o->is_direct)
		return rc;
	if (rc == 0 && rename(o->new_path, o->end_path))
		rc = output_fail(o, err);
	if (rc)
		(void)unlink(o->new_path);
	return rc;
}
