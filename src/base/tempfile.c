#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
