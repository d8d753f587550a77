#include "export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/io.h"

/* Names what the user gave, and not the name that the file has until it is whole. */
static int fail_to_open(const struct output *o, struct err *err)
{
	const char *slash = strrchr(o->path, '/');

	if (errno == ENOENT && slash)
		return err_set(err, ERR_IO, "%.*s: there is no such directory",
			(int)(slash - o->path), o->path);
	return output_fail(o, err);
}

int output_open(struct output *o, const char *path, struct err *err)
{
	int fd;

	*o = (struct output){.is_standard = strcmp(path, "-") == 0};
	if (snprintf(o->path, sizeof o->path, "%s", path) >= (int)sizeof o->path)
		return err_set(err, ERR_LIMIT, "%.200s…: the path is too long", path);
	if (o->is_standard) {
		o->file = stdout;
		return 0;
	}
	(void)snprintf(o->new_path, sizeof o->new_path, "%s.new", path);
	fd = file_open_new(AT_FDCWD, o->new_path);
	o->file = fd < 0 ? NULL : fdopen(fd, "wb");
	return o->file ? 0 : fail_to_open(o, err);
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
	if (rc == 0 && fflush(o->file))
		rc = output_fail(o, err);
	if (o->is_standard)
		return rc;
	if (rc == 0 && fdatasync(fileno(o->file)))
		rc = output_fail(o, err);
	if (fclose(o->file) && rc == 0)
		rc = output_fail(o, err);
	if (rc == 0 && rename(o->new_path, o->path))
		rc = output_fail(o, err);
	if (rc)
		(void)unlink(o->new_path);
	o->file = NULL;
	return rc;
}
